//! numpy arrays by way of Python's buffers, so that the engine is built without numpy.

use crate::table::{Number, column};
use pyo3::Borrowed;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use std::ops::Deref;

/// Numbers from Python: an array, or any other buffer, of doubles in one dimension.
pub(crate) struct Vector(Vec<f64>);

impl<'py> FromPyObject<'_, 'py> for Vector {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        PyBuffer::get(&given)?.to_vec(given.py()).map(Self)
    }
}

impl Deref for Vector {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

/// An array of one dimension.
pub(crate) fn vector<'py, T: Number>(py: Python<'py>, values: &[T]) -> PyResult<Bound<'py, PyAny>> {
    py.import("numpy")?.call_method1("array", (column(py, values)?,))
}

/// An array of two dimensions from rows of equal length.
pub(crate) fn matrix<'py>(py: Python<'py>, rows: &[Vec<f64>]) -> PyResult<Bound<'py, PyAny>> {
    let columns = rows.first().map_or(0, Vec::len);
    vector(py, &rows.concat())?.call_method1("reshape", (rows.len(), columns))
}
