//! One Rust error, one Python exception.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
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

/// The Python exception of what ended a job; `failed` makes that of its seeds' own failures.
pub(crate) fn job<F>(error: windward_run::Error<F>, failed: impl FnOnce(F) -> PyErr) -> PyErr {
    match error {
        windward_run::Error::Failed(failure) => failed(failure),
        windward_run::Error::Capture { path, source } => {
            PyOSError::new_err((source.raw_os_error(), source.to_string(), path.display().to_string()))
        }
        windward_run::Error::Panicked => {
            PyRuntimeError::new_err("the engine failed: this is a bug in Windward, please report it")
        }
    }
}
