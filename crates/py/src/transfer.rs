//! Downloads for Python.

use std::ops::ControlFlow;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use windward_transfer::Error;
use windward_transfer::get::{self, Event, Options};
use windward_transfer::{http, send};

use crate::error::TransferError;

/// Downloads `address`. `options` and the result are JSON: the fields of `get::Options` and `get::Report`. `observe` is
/// called with the JSON of every `get::Event` except ticks. If it or a signal handler raises, the download stops and
/// can be resumed later. TransferError's arguments are the message and the exit code.
#[pyfunction]
pub(crate) fn transfer_get(py: Python<'_>, address: &str, options: &str, observe: Py<PyAny>) -> PyResult<String> {
    let options: Options = parse(options)?;
    let mut raised = None;
    let mut observer = |event: &Event| tell(&mut raised, &observe, (!matches!(event, Event::Tick)).then_some(event));
    let result = py.detach(|| get::get(address, &options, &mut observer));
    match (result, raised) {
        (Ok(report), _) => json(&report),
        (Err(Error::Interrupted), Some(raised)) => Err(raised),
        (Err(error), _) => Err(TransferError::new_err((error.to_string(), error.code()))),
    }
}

/// Options of `get` or `send` as JSON: a list with name, type, default, meaning and form on the command line of each.
#[pyfunction]
pub(crate) fn transfer_options(command: &str) -> PyResult<String> {
    match command {
        "get" => json(&get::Options::declared()),
        "send" => json(&send::Options::declared()),
        _ => Err(PyValueError::new_err(format!("no options are declared for {command}"))),
    }
}

/// Printable form of an address: without its password.
#[pyfunction]
pub(crate) fn transfer_masked(address: &str) -> String {
    http::masked(address)
}

/// Reads options from JSON; ValueError names the invalid one.
pub(crate) fn parse<T: DeserializeOwned>(options: &str) -> PyResult<T> {
    // Not from the text itself: its positions would be in the message.
    let given: serde_json::Value =
        serde_json::from_str(options).map_err(|error| PyValueError::new_err(error.to_string()))?;
    serde_path_to_error::deserialize(&given)
        .map_err(|error| PyValueError::new_err(format!("`{}`: {}", error.path(), error.inner())))
}

/// Passes an event to `observe`; `None` only checks for signals. The first exception stays in `raised`, and ends the
/// transfer.
pub(crate) fn tell(
    raised: &mut Option<PyErr>,
    observe: &Py<PyAny>,
    event: Option<&impl serde::Serialize>,
) -> ControlFlow<()> {
    let told = Python::attach(|py| {
        py.check_signals()?;
        event.map_or(Ok(()), |event| observe.call1(py, (json(event)?,)).map(drop))
    });
    match told {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            raised.get_or_insert(error);
            ControlFlow::Break(())
        }
    }
}

pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
