//! Network utility maximisation of any network, for Python: problems are JSON, answers arrays.

use crate::array::vector;
use crate::json::to_python;
use crate::waiting::{self, stop};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use windward_num::subgradient::{self, Steps};
use windward_num::{Certificate, Error, Options, Solution};
use windward_units::Control;

/// Solves with the default method. Raises ValueError if there is no answer, KeyboardInterrupt on Ctrl-C.
#[pyfunction]
pub(crate) fn num_solve<'py>(
    py: Python<'py>,
    problem: &str,
    tolerance: f64,
    max_iterations: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let options = Options { tolerance, max_iterations };
    let control = Arc::new(Control::new());
    let (text, stop) = (problem.to_owned(), stop(&control));
    let solve = move || windward_num::solve_until(&parse("problem", &text)?, &options, &stop);
    answer(py, waiting::wait(py, &control, solve, || Ok(()))?.map_err(refused)?)
}

/// Solves with Clarabel. Raises ValueError if there is no answer.
#[pyfunction]
pub(crate) fn num_solve_reference<'py>(py: Python<'py>, problem: &str) -> PyResult<Bound<'py, PyDict>> {
    let found = py.detach(|| windward_num::solve_reference(&parse("problem", problem)?)).map_err(refused)?;
    answer(py, found)
}

/// Runs the sub-gradient iteration; returns its averages and the rates of every step, one row each. Raises ValueError.
#[pyfunction]
pub(crate) fn num_subgradient<'py>(
    py: Python<'py>,
    problem: &str,
    first: f64,
    decay: f64,
    iterations: usize,
    price: f64,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyAny>)> {
    let steps = Steps { first, decay, iterations, price };
    let mut trace = Vec::new();
    let run = || subgradient::solve(&parse("problem", problem)?, &steps, |rates| trace.extend_from_slice(rates));
    let found = py.detach(run).map_err(refused)?;
    let flows = found.rates.len();
    Ok((answer(py, found)?, vector(py, &trace)?.call_method1("reshape", (iterations, flows))?))
}

/// Reads a description; `root` names the whole in messages.
pub(crate) fn parse<T: DeserializeOwned>(root: &str, text: &str) -> Result<T, Error> {
    let mut text = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let path = error.path().to_string();
        let at = if path == "." { root.into() } else { path };
        let error = error.into_inner();
        // All that Python writes beyond JSON are NaN and Infinity.
        if error.is_syntax() {
            return Error::Invalid { at, reason: "not a finite number".into() };
        }
        // The text is one line that nobody wrote: its columns tell a person nothing.
        let reason = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        Error::Invalid { at, reason: reason.strip_suffix(&place).unwrap_or(&reason).into() }
    })
}

pub(crate) fn refused(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Fields of a solution.
fn answer(py: Python<'_>, found: Solution) -> PyResult<Bound<'_, PyDict>> {
    let json = |value: serde_json::Result<Value>| to_python(py, &value.unwrap_or_default());
    let fields = PyDict::new(py);
    fields.set_item("mixtures", json(serde_json::to_value(&found.mixtures))?)?;
    fields.set_item("levels", json(serde_json::to_value(&found.levels))?)?;
    fields.set_item("method", json(serde_json::to_value(found.method))?)?;
    fields.set_item("rates", vector(py, &found.rates)?)?;
    fields.set_item("prices", vector(py, &found.prices)?)?;
    fields.set_item("path_prices", vector(py, &found.path_prices)?)?;
    fields.set_item("link_rates", vector(py, &found.link_rates)?)?;
    fields.set_item("objective", found.objective)?;
    fields.set_item("iterations", found.iterations)?;
    fields.set_item("certificate", certificate(py, found.certificate)?)?;
    Ok(fields)
}

/// Residuals by name; not through JSON, which has no infinity.
pub(crate) fn certificate(py: Python<'_>, residuals: Certificate) -> PyResult<Bound<'_, PyDict>> {
    let certificate = PyDict::new(py);
    certificate.set_item("primal", residuals.primal)?;
    certificate.set_item("dual", residuals.dual)?;
    certificate.set_item("slackness", residuals.slackness)?;
    certificate.set_item("scheduling", residuals.scheduling)?;
    certificate.set_item("gap", residuals.gap)?;
    Ok(certificate)
}
