//! Python exceptions, one for each Rust error.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::fmt::Display;
use std::io;
use std::path::Path;
use windward_run::{MissingStack, Stack};

pyo3::create_exception!(
    windward,
    ScenarioError,
    PyValueError,
    "A scenario says something impossible: where, what was given, what is allowed."
);
pyo3::create_exception!(
    windward,
    NoAnswerError,
    PyValueError,
    "An engine has no answer for a valid scenario: why, and what to do."
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

/// One problem in a scenario.
#[pyclass(frozen, get_all, module = "windward._engine")]
pub(crate) struct Problem {
    /// File name as given to the reader.
    origin: String,
    /// Path of keys and indices (from 0) to the problem, such as `flow[2].to`; empty for the file as a whole.
    path: String,
    /// Line in the text, from 1; None if the text is not available.
    line: Option<usize>,
    /// Column in characters, from 1.
    column: Option<usize>,
    /// Problem and allowed values.
    message: String,
    /// Probable correction.
    hint: Option<String>,
}

#[pymethods]
impl Problem {
    #[new]
    fn new(
        origin: String,
        path: String,
        line: Option<usize>,
        column: Option<usize>,
        message: String,
        hint: Option<String>,
    ) -> Self {
        Self { origin, path, line, column, message, hint }
    }

    /// Arguments for pickling: errors and their problems travel between processes.
    fn __getnewargs__(&self) -> (&str, &str, Option<usize>, Option<usize>, &str, Option<&str>) {
        let Self { origin, path, line, column, message, hint } = self;
        (origin, path, *line, *column, message, hint.as_deref())
    }
}

impl From<&windward_scenario::Problem> for Problem {
    fn from(problem: &windward_scenario::Problem) -> Self {
        let windward_scenario::Problem { origin, path, position, message, hint } = problem.clone();
        let (line, column) = position.map(|at| (at.line, at.column)).unzip();
        Self { origin, path, line, column, message, hint }
    }
}

/// Python exception of an error in a scenario.
pub(crate) fn scenario(error: &windward_scenario::Error) -> PyErr {
    Python::attach(|py| {
        let raised = ScenarioError::new_err(error.to_string());
        let problems: Vec<_> = error.problems().iter().map(Problem::from).collect();
        match PyTuple::new(py, problems).and_then(|problems| raised.value(py).setattr(PROBLEMS, problems)) {
            Ok(()) => raised,
            Err(failure) => failure,
        }
    })
}

/// Attribute of a ScenarioError with the list of its problems.
pub(crate) const PROBLEMS: &str = "problems";

/// Python exception of an unreadable file: OSError, or ValueError for cases that no operating system reports.
pub(crate) fn file(path: &Path, error: &io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(_) => system(path, error),
        None => PyValueError::new_err(format!("{}: {error}", path.display())),
    }
}

/// OSError of a file, in the operating system's words where it has some.
pub(crate) fn system(path: &Path, error: &io::Error) -> PyErr {
    let number = error.raw_os_error();
    let text = number.map_or_else(|| error.to_string(), |number| io::Error::from_raw_os_error(number).to_string());
    let text = text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text).to_owned();
    PyOSError::new_err((number, text, path.as_os_str().to_owned()))
}

/// ValueError of a flow that needs a stack which this engine lacks.
pub(crate) fn missing(error: &MissingStack) -> PyErr {
    PyValueError::new_err(missing_text(error))
}

/// Message of a stack that an engine lacks, with what builds it.
pub(crate) fn missing_text(MissingStack { user, stack }: &MissingStack) -> String {
    let target = match stack {
        Stack::Quinn => "engine",
        Stack::Noq => "noq",
    };
    format!("`{user}` {}, which this engine lacks\nhint: make .venv/{target}", stack.need())
}

/// Python exception of the error that ended a job; `failed` converts the seeds' own errors.
pub(crate) fn job<F: Display>(error: windward_run::Error<F>, failed: impl FnOnce(F) -> PyErr) -> PyErr {
    match error {
        windward_run::Error::Failed(failure) => failed(failure),
        windward_run::Error::Capture { path, source } => system(&path, &source),
        windward_run::Error::Panicked { .. } => PyRuntimeError::new_err(error.to_string()),
    }
}
