//! Python bindings: conversions and exceptions, no logic.

use pyo3::prelude::*;

/// The compiled engines behind the `windward` package.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
