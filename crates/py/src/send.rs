//! Uploads for Python.

use std::path::PathBuf;

use pyo3::prelude::*;
use windward_transfer::Error;
use windward_transfer::send::{self, Event, Options};

use crate::error::TransferError;
use crate::transfer::{json, parse, tell};

/// Sends a file to `windward serve`. `options` and the result are JSON: the fields of `send::Options` and
/// `send::Report`. `observe` is called with the JSON of every `send::Event` except ticks. If it or a signal handler
/// raises, the upload stops and can be resumed later. TransferError's arguments are the message and the exit code.
#[pyfunction]
pub(crate) fn transfer_send(
    py: Python<'_>,
    path: PathBuf,
    address: &str,
    options: &str,
    observe: Py<PyAny>,
) -> PyResult<String> {
    let options: Options = parse(options)?;
    let mut raised = None;
    let mut observer = |event: &Event| tell(&mut raised, &observe, (!matches!(event, Event::Tick)).then_some(event));
    let result = py.detach(|| send::send(&path, address, &options, &mut observer));
    match (result, raised) {
        (Ok(report), _) => json(&report),
        (Err(Error::Interrupted), Some(raised)) => Err(raised),
        (Err(error), _) => Err(TransferError::new_err((error.to_string(), error.code()))),
    }
}
