//! Uploads.

use std::ops::ControlFlow;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use windward_transfer::send::{self, Error, Event, Options};

use crate::error::TransferError;
use crate::transfer::json;

/// Sends a file to `windward serve`. `options` and the result are JSON: the fields of `send::Options` and `send::Report`.
/// `observe` is called with the JSON of every `send::Event` but ticks; if it raises, or a signal's handler does, the upload
/// stops, to be gone on with later. TransferError's arguments are the message and the exit code.
#[pyfunction]
pub(crate) fn transfer_send(
    py: Python<'_>,
    path: PathBuf,
    address: &str,
    options: &str,
    observe: Py<PyAny>,
) -> PyResult<String> {
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
        told.map_or_else(
            |error| {
                raised.get_or_insert(error);
                ControlFlow::Break(())
            },
            ControlFlow::Continue,
        )
    };
    let result = py.detach(|| send::send(&path, address, &options, &mut observer));
    match (result, raised) {
        (Ok(report), _) => json(&report),
        (Err(Error::Interrupted), Some(raised)) => Err(raised),
        (Err(error), _) => Err(TransferError::new_err((error.to_string(), error.code()))),
    }
}
