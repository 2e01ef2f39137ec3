//! One Rust error, one Python exception.

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    windward,
    ScenarioError,
    PyValueError,
    "A scenario says something impossible: where, what was given, what is allowed."
);
pyo3::create_exception!(
    windward,
    LawError,
    PyRuntimeError,
    "A law written in Python failed, or answered with a window that cannot be; `__cause__` is its own exception."
);
pyo3::create_exception!(
    windward,
    KernelError,
    PyRuntimeError,
    "A law cannot be had in the kernel: why, and what to do."
);
pyo3::create_exception!(windward, EmulationError, PyRuntimeError, "A network cannot be emulated: why, and what to do.");
pyo3::create_exception!(
    windward,
    TransferError,
    PyRuntimeError,
    "A file was not transferred: the message, and the exit code that tells the kind of failure."
);
pyo3::create_exception!(
    windward,
    RunInterrupted,
    PyKeyboardInterrupt,
    "A simulation was stopped before its end; `run` holds the seeds that had finished."
);

/// The Python exception of an error in a scenario.
pub(crate) fn scenario(error: &windward_scenario::Error) -> PyErr {
    ScenarioError::new_err(error.to_string())
}
