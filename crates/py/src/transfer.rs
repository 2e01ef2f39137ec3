//! Downloads.

use std::ops::ControlFlow;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use windward_transfer::get::{self, Event, Options};

use crate::error::TransferError;

/// Downloads `address`. `options` and the result are JSON: the fields of `get::Options` and `get::Report`. `observe` is
/// called with the JSON of every `get::Event` but ticks; if it raises, or a signal's handler does, the download stops,
/// to be gone on with later. TransferError's arguments are the message and the exit code.
#[pyfunction]
pub(crate) fn transfer_get(py: Python<'_>, address: &str, options: &str, observe: Py<PyAny>) -> PyResult<String> {
    let mut deserializer = serde_json::Deserializer::from_str(options);
    let options: Options = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| PyValueError::new_err(format!("{}: {}", error.path(), error.inner())))?;
    let mut raised = None;
    let mut observer = |event: &Event| {
        let told = Python::attach(|py| {
            py.check_signals()?;
            match event {
                Event::Tick => Ok(()),
                _ => observe.call1(py, (json(event)?,)).map(drop),
            }
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                raised.get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    };
    let result = py.detach(|| get::get(address, &options, &mut observer));
    match (result, raised) {
        (Ok(report), _) => json(&report),
        (Err(get::Error::Interrupted), Some(raised)) => Err(raised),
        (Err(error), _) => Err(TransferError::new_err((error.to_string(), error.code()))),
    }
}

pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
