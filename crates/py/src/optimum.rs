//! The best rates of a scenario, as Python sees them.

use crate::json::to_python;
use crate::scenario::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use windward_scenario::{Objective, Optimum};

#[pymethods]
impl Scenario {
    /// The best rates for `objective`: "proportional", "max-min", "law", or "alpha" with `alpha`. Columns by table, and
    /// the certificate. Raises ValueError where there are none.
    #[pyo3(signature = (objective, alpha=None))]
    fn optimum<'py>(&self, py: Python<'py>, objective: &str, alpha: Option<f64>) -> PyResult<Bound<'py, PyDict>> {
        let objective = match (objective, alpha) {
            ("proportional", None) => Objective::Proportional,
            ("max-min", None) => Objective::MaxMin,
            ("law", None) => Objective::Law,
            ("alpha", Some(alpha)) => Objective::Alpha(alpha),
            _ => return Err(PyValueError::new_err(format!("{objective} with alpha {alpha:?} is no objective"))),
        };
        let best = py.detach(|| self.inner.optimum(objective)).map_err(|e| PyValueError::new_err(e.to_string()))?;
        columns(py, &best)
    }
}

fn columns<'py>(py: Python<'py>, best: &Optimum) -> PyResult<Bound<'py, PyDict>> {
    let json = |value: serde_json::Result<Value>| to_python(py, &value.unwrap_or_default());
    let flows = PyDict::new(py);
    flows.set_item("flow", best.flows.iter().map(|flow| flow.name.as_str()).collect::<Vec<_>>())?;
    flows.set_item("law", best.flows.iter().map(|flow| flow.law.as_str()).collect::<Vec<_>>())?;
    flows.set_item("rate_bps", best.flows.iter().map(|flow| flow.rate_bps).collect::<Vec<_>>())?;
    flows.set_item("goodput_bps", best.flows.iter().map(|flow| flow.goodput_bps).collect::<Vec<_>>())?;
    flows.set_item("path_price", best.flows.iter().map(|flow| flow.path_price).collect::<Vec<_>>())?;
    let utilities: PyResult<Vec<_>> = best.flows.iter().map(|flow| json(serde_json::to_value(flow.utility))).collect();
    flows.set_item("utility", utilities?)?;
    let links = PyDict::new(py);
    links.set_item("link", best.links.iter().map(|link| link.name.as_str()).collect::<Vec<_>>())?;
    links.set_item("capacity_bps", best.links.iter().map(|link| link.capacity_bps).collect::<Vec<_>>())?;
    links.set_item("load_bps", best.links.iter().map(|link| link.load_bps).collect::<Vec<_>>())?;
    links.set_item("price", best.links.iter().map(|link| link.price).collect::<Vec<_>>())?;
    let answer = PyDict::new(py);
    answer.set_item("flows", flows)?;
    answer.set_item("links", links)?;
    answer.set_item("objective", best.solution.objective)?;
    answer.set_item("method", json(serde_json::to_value(best.solution.method))?)?;
    answer.set_item("iterations", best.solution.iterations)?;
    answer.set_item("certificate", json(serde_json::to_value(best.solution.certificate))?)?;
    answer.set_item("packet_bytes", best.packet_bytes)?;
    Ok(answer)
}
