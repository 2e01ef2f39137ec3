//! Answers of Python code that the engine calls.

use crate::error::LawError;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use std::fmt;

/// A number with which a law or a rule, `whose`, answered; `allowed` describes it in messages.
pub(crate) fn float(value: &Bound<'_, PyAny>, name: &str, whose: &str, allowed: fmt::Arguments<'_>) -> PyResult<f64> {
    value.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            LawError::new_err(format!("{name} is beyond the range of a float: {allowed}"))
        } else if error.is_instance_of::<PyTypeError>(value.py()) {
            LawError::new_err(format!("{name} is of {}: a {whose} answers with a number", kind(value)))
        } else {
            error
        }
    })
}

/// The type of a value, in words.
pub(crate) fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "type object".to_owned(), |kind| format!("type {kind}"))
}
