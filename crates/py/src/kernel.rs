//! Laws in the Linux kernel, for Python.

use crate::error::KernelError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::os::fd::{AsFd, AsRawFd};
use windward_kernel as kernel;
use windward_kernel::LAWS;

fn raise(error: kernel::Error) -> PyErr {
    KernelError::new_err(error.to_string())
}

/// A law in the kernel, for as long as this object lives and the law is not unloaded; see `windward_kernel::Loaded`.
#[pyclass(frozen, module = "windward")]
pub(crate) struct LoadedLaw(kernel::Loaded);

#[pymethods]
impl LoadedLaw {
    /// Name by which programs select it.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// File descriptor that hangs up when another process unloads the law.
    fn fileno(&self) -> i32 {
        self.0.as_fd().as_raw_fd()
    }
}

fn dictionary<'py>(py: Python<'py>, pairs: &[(&str, f64)]) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    pairs.iter().try_for_each(|(name, value)| dictionary.set_item(name, value))?;
    Ok(dictionary)
}

/// Laws that can be loaded, with their parameters' defaults.
#[pyfunction]
pub(crate) fn kernel_laws(py: Python<'_>) -> PyResult<Vec<(&'static str, Bound<'_, PyDict>)>> {
    let parameters = |law: &kernel::KernelLaw| {
        let names = law.parameters().into_iter().map(|parameter| parameter.name);
        let pairs: Vec<_> = names.zip(law.defaults()).collect();
        dictionary(py, &pairs)
    };
    LAWS.iter().map(|law| Ok((law.name, parameters(law)?))).collect()
}

/// Raises KernelError, with the reason, if no law can be loaded.
#[pyfunction]
pub(crate) fn kernel_support() -> PyResult<()> {
    kernel::support().map_err(raise)
}

/// Loads a law.
#[pyfunction]
#[pyo3(signature = (law, parameters, name, stay))]
pub(crate) fn kernel_load(
    law: &str,
    parameters: Vec<(String, f64)>,
    name: Option<String>,
    stay: bool,
) -> PyResult<LoadedLaw> {
    kernel::load(law, &kernel::Options { name, parameters, stay }).map(LoadedLaw).map_err(raise)
}

/// Windward's loaded laws: a dictionary for each.
#[pyfunction]
pub(crate) fn kernel_list(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let describe = |entry: &kernel::Entry| {
        let found = PyDict::new(py);
        found.set_item("name", &entry.name)?;
        found.set_item("law", entry.law)?;
        found.set_item("parameters", dictionary(py, &entry.parameters)?)?;
        found.set_item("connections", entry.connections)?;
        found.set_item("stays", entry.stays)?;
        Ok(found)
    };
    kernel::list().map_err(raise)?.iter().map(describe).collect()
}

/// Changes parameters of a loaded law.
#[pyfunction]
pub(crate) fn kernel_set(name: &str, changes: Vec<(String, f64)>) -> PyResult<()> {
    kernel::set(name, &changes).map_err(raise)
}

/// Name and unit of a law's own figure.
type Own = (&'static str, &'static str);

/// The connections of a loaded law: name and unit of the law's own figure, and a dictionary for each connection.
#[pyfunction]
pub(crate) fn kernel_show<'py>(py: Python<'py>, name: &str) -> PyResult<(Own, Vec<Bound<'py, PyDict>>)> {
    let (law, flows) = kernel::show(name).map_err(raise)?;
    let describe = |flow: &kernel::Flow| {
        let found = PyDict::new(py);
        found.set_item("local", flow.local.to_string())?;
        found.set_item("remote", flow.remote.to_string())?;
        found.set_item("cwnd", flow.cwnd)?;
        found.set_item("base_rtt_s", flow.base_rtt)?;
        found.set_item("avg_rtt_s", flow.avg_rtt)?;
        found.set_item(law.own.0, flow.own)?;
        found.set_item("is_slow_start", flow.is_slow_start)?;
        found.set_item("rounds", flow.rounds)?;
        Ok(found)
    };
    Ok((law.own, flows.iter().map(describe).collect::<PyResult<_>>()?))
}

/// Unloads a law.
#[pyfunction]
pub(crate) fn kernel_unload(name: &str, even_if_used: bool) -> PyResult<()> {
    kernel::unload(name, even_if_used).map_err(raise)
}

/// Unloads the laws that were loaded to stay; returns their names.
#[pyfunction]
pub(crate) fn kernel_clean() -> PyResult<Vec<String>> {
    kernel::clean().map_err(raise)
}
