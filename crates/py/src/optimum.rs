//! Optimal rates of a scenario for Python.

use crate::error::NoAnswerError;
use crate::json::to_python;
use crate::scenario::Scenario;
use crate::waiting::{self, stop};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::sync::Arc;
use windward_models::{AppOptimum, Models, Objective, Optimum, RoutedOptimum};
use windward_sim::backpressure::Links;
use windward_units::{Control, Duration, Time};

#[pymethods]
impl Scenario {
    /// Optimal rates for `objective`: "proportional", "max-min", "law", or "alpha" with `alpha`. Returns columns by
    /// table, and the certificate. With `links`, "downstream", "not-farther", "loop-free" or "all", over all routings
    /// on such links, with additional tables of paths, links of flows and the schedule. `at` selects the state of a
    /// changing network in seconds from the beginning, by default its end. Raises NoAnswerError if there is no
    /// optimum, KeyboardInterrupt on Ctrl-C.
    #[pyo3(signature = (objective, alpha=None, links=None, at=None))]
    fn optimum<'py>(
        slf: &Bound<'py, Self>,
        objective: &str,
        alpha: Option<f64>,
        links: Option<&str>,
        at: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = slf.py();
        let objective = self::objective(objective, alpha)?;
        let now = Time::ZERO + at.map_or(slf.get().inner.duration(), Duration::from_secs);
        let scenario = slf.clone().unbind();
        let control = Arc::new(Control::new());
        let rule = match links {
            None => {
                let stop = stop(&control);
                let solve = move || scenario.get().inner.optimum_until(objective, now, &stop);
                let best = waiting::wait(py, &control, solve, || Ok(()))?.map_err(no_answer)?;
                return columns(py, &best, slf.get().law_names());
            }
            Some("downstream") => Links::Downstream,
            Some("not-farther") => Links::NotFarther,
            Some("loop-free") => Links::LoopFree,
            Some("all") => Links::All,
            Some(other) => return Err(PyValueError::new_err(format!("{other} is no rule of links"))),
        };
        let solve = move || scenario.get().inner.optimum_with_free_routing_at(objective, rule, now);
        let best = waiting::wait(py, &control, solve, || Ok(()))?.map_err(no_answer)?;
        let answer = columns(py, &best.optimum, slf.get().law_names())?;
        answer.set_item("paths", paths(py, &best)?)?;
        answer.set_item("flow_links", flow_links(py, &best)?)?;
        answer.set_item("schedule", schedule(py, &best)?)?;
        Ok(answer)
    }
}

fn no_answer(error: windward_num::Error) -> PyErr {
    NoAnswerError::new_err(error.to_string())
}

/// Objective of this name, with `alpha` if it needs one.
pub(crate) fn objective(name: &str, alpha: Option<f64>) -> PyResult<Objective> {
    match (name, alpha) {
        ("proportional", None) => Ok(Objective::Proportional),
        ("max-min", None) => Ok(Objective::MaxMin),
        ("law", None) => Ok(Objective::Law),
        ("alpha", Some(alpha)) => Ok(Objective::Alpha(alpha)),
        _ => Err(PyValueError::new_err(format!("{name} with alpha {alpha:?} is no objective"))),
    }
}

fn paths<'py>(py: Python<'py>, best: &RoutedOptimum) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    table.set_item("flow", best.paths.iter().map(|path| path.flow.as_str()).collect::<Vec<_>>())?;
    table.set_item("path", best.paths.iter().map(|path| path.nodes.join("->")).collect::<Vec<_>>())?;
    table.set_item("hops", best.paths.iter().map(|path| path.nodes.len() - 1).collect::<Vec<_>>())?;
    table.set_item("rate_bps", best.paths.iter().map(|path| path.rate_bps).collect::<Vec<_>>())?;
    table.set_item("share", best.paths.iter().map(|path| path.share).collect::<Vec<_>>())?;
    table.set_item("price", best.paths.iter().map(|path| path.price).collect::<Vec<_>>())?;
    Ok(table)
}

fn flow_links<'py>(py: Python<'py>, best: &RoutedOptimum) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    table.set_item("flow", best.flow_links.iter().map(|used| used.flow.as_str()).collect::<Vec<_>>())?;
    table.set_item("link", best.flow_links.iter().map(|used| used.link.as_str()).collect::<Vec<_>>())?;
    table.set_item("rate_bps", best.flow_links.iter().map(|used| used.rate_bps).collect::<Vec<_>>())?;
    table.set_item("share", best.flow_links.iter().map(|used| used.share).collect::<Vec<_>>())?;
    Ok(table)
}

fn schedule<'py>(py: Python<'py>, best: &RoutedOptimum) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    table.set_item("links", best.schedule.iter().map(|active| active.links.join(", ")).collect::<Vec<_>>())?;
    table.set_item("share", best.schedule.iter().map(|active| active.share).collect::<Vec<_>>())?;
    Ok(table)
}

fn apps<'py>(py: Python<'py>, apps: &[AppOptimum]) -> PyResult<Bound<'py, PyDict>> {
    let numbers = |of: fn(&AppOptimum) -> f64| apps.iter().map(of).collect::<Vec<_>>();
    let table = PyDict::new(py);
    table.set_item("app", apps.iter().map(|app| app.name.as_str()).collect::<Vec<_>>())?;
    table.set_item("requests_per_s", numbers(|app| app.requests_per_s))?;
    table.set_item("request_bps", numbers(|app| app.request_bps))?;
    table.set_item("response_bps", numbers(|app| app.response_bps))?;
    table.set_item("bottleneck", apps.iter().map(|app| app.bottleneck.as_str()).collect::<Vec<_>>())?;
    table.set_item("load", numbers(|app| app.load))?;
    table.set_item("completion_s", numbers(|app| app.completion_s))?;
    table.set_item("slowdown", numbers(|app| app.slowdown))?;
    Ok(table)
}

/// Answer as columns by table, and the certificate; `laws` are those of the flows.
pub(crate) fn columns<'py>(py: Python<'py>, best: &Optimum, laws: Vec<String>) -> PyResult<Bound<'py, PyDict>> {
    let json = |value: serde_json::Result<Value>| to_python(py, &value.unwrap_or_default());
    let flows = PyDict::new(py);
    flows.set_item("flow", best.flows.iter().map(|flow| flow.name.as_str()).collect::<Vec<_>>())?;
    flows.set_item("law", laws)?;
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
    if !best.apps.is_empty() {
        answer.set_item("apps", apps(py, &best.apps)?)?;
    }
    answer.set_item("load_multiple", best.load_multiple)?;
    answer.set_item("objective", best.solution.objective)?;
    answer.set_item("method", json(serde_json::to_value(best.solution.method))?)?;
    answer.set_item("iterations", best.solution.iterations)?;
    answer.set_item("certificate", json(serde_json::to_value(best.solution.certificate))?)?;
    answer.set_item("packet_bytes", best.packet_bytes)?;
    Ok(answer)
}
