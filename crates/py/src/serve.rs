//! File server for Python.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use windward_transfer::serve::{Event, Options, Server};

use crate::error::TransferError;
use crate::transfer::{json, parse};

/// Serves a folder until `observe` or a signal handler raises. `options` are JSON: the fields of `serve::Options`.
/// `ready` is called with the address, `observe` with the JSON of every `serve::Event`. Raises ValueError for invalid
/// options, TransferError if the folder cannot be served.
#[pyfunction]
pub(crate) fn transfer_serve(py: Python<'_>, options: &str, ready: Py<PyAny>, observe: Py<PyAny>) -> PyResult<()> {
    let options: Options = parse(options)?;
    let server = Server::bind(&options).map_err(|error| TransferError::new_err((error.to_string(), error.code())))?;
    ready.call1(py, (server.address()?.to_string(),))?;
    let mut raised = None;
    let mut observer = |event: Option<&Event>| {
        let told = Python::attach(|py| {
            // First, or the handler would run, and raise, in the middle of what is to be told.
            let signals = py.check_signals();
            event.map_or(Ok(()), |event| observe.call1(py, (json(event)?,)).map(drop))?;
            signals
        });
        told.map_or_else(
            |error| {
                raised.get_or_insert(error);
                ControlFlow::Break(())
            },
            ControlFlow::Continue,
        )
    };
    let observer = &mut observer;
    py.detach(move || server.run(observer))?;
    raised.map_or(Ok(()), Err)
}
