//! Fluid runs of a scenario for Python.

use crate::array::vector;
use crate::error::NoAnswerError;
use crate::scenario::Scenario;
use crate::table::column;
use crate::waiting;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use windward_fluid::{Lag, Losses, Method, Rest};
use windward_models::{FluidRun, Models};
use windward_units::Control;

/// Cancellation of a computation from another thread.
#[pyclass(frozen, module = "windward._engine")]
#[derive(Default)]
pub(crate) struct Stop {
    inner: Arc<Control>,
}

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends the run that received this object.
    fn set(&self) {
        self.inner.cancel();
    }
}

#[pymethods]
impl Scenario {
    /// Integrates the windows: as differential equations with this `tolerance`, by updates every `period` seconds, or
    /// with a feedback delay of `feedback_delay` seconds, 0 for a round trip. `is_loss_free` leaves losses out of the
    /// equations of delay-based laws. Columns of samples, flow by flow within an instant. `progress` is called several
    /// times a second with the integrated seconds. Raises NoAnswerError if the scenario has no fluid form, and once
    /// `stop` is set; KeyboardInterrupt on Ctrl-C.
    #[pyo3(signature = (*, tolerance=1e-6, period=None, feedback_delay=None, is_loss_free=false, stop=None, progress=None))]
    fn fluid<'py>(
        slf: &Bound<'py, Self>,
        tolerance: f64,
        period: Option<f64>,
        feedback_delay: Option<f64>,
        is_loss_free: bool,
        stop: Option<&Stop>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = slf.py();
        let method = method(tolerance, period, feedback_delay);
        let control = stop.map_or_else(Arc::default, |stop| Arc::clone(&stop.inner));
        let scenario = slf.clone().unbind();
        let own = Arc::clone(&control);
        let losses = losses(is_loss_free);
        let follow = move || scenario.get().inner.fluid_until(method, losses, &own).map_err(|error| error.to_string());
        let tell = || progress.map_or(Ok(()), |tell| tell.call1((control.simulated().as_secs(),)).map(drop));
        let run = waiting::wait(py, &control, follow, tell)?.map_err(NoAnswerError::new_err)?;
        columns(py, &run)
    }
}

/// Integration method for these arguments from Python.
pub(crate) fn method(tolerance: f64, period: Option<f64>, feedback_delay: Option<f64>) -> Method {
    match (period, feedback_delay) {
        (Some(period), _) => Method::Discrete { period },
        (None, Some(0.0)) => Method::Delayed { lag: Lag::RoundTrip },
        (None, Some(seconds)) => Method::Delayed { lag: Lag::Seconds(seconds) },
        (None, None) => Method::Ode { tolerance },
    }
}

/// Losses of delay-based laws.
pub(crate) fn losses(is_loss_free: bool) -> Losses {
    if is_loss_free { Losses::Paper } else { Losses::Law }
}

fn columns<'py>(py: Python<'py>, run: &FluidRun) -> PyResult<Bound<'py, PyDict>> {
    let flows = run.flows.len();
    let trajectory = &run.trajectory;
    let flat = |rows: &[Vec<f64>], scale: f64| {
        let values = rows.iter().flat_map(|row| run.class.iter().map(|&class| row[class as usize] * scale));
        vector(py, &values.collect::<Vec<f64>>())
    };
    let series = PyDict::new(py);
    let times = trajectory.time.iter().flat_map(|&time| std::iter::repeat_n(time, flows));
    series.set_item("time_s", vector(py, &times.collect::<Vec<f64>>())?)?;
    let indices = (0..trajectory.time.len()).flat_map(|_| 0..flows as u32);
    series.set_item("flow", vector(py, &indices.collect::<Vec<u32>>())?)?;
    series.set_item("cwnd", flat(&trajectory.windows, 1.0)?)?;
    series.set_item("rate_bps", flat(&trajectory.rates, run.packet_bits)?)?;
    let goodputs = trajectory.time.iter().zip(&trajectory.rates).flat_map(|(&time, rates)| {
        let efficiency = &run.efficiency[trajectory.piece_at(time)];
        let rates = run.class.iter().map(|&class| rates[class as usize]);
        rates.zip(efficiency).map(|(rate, share)| rate * (run.packet_bits * share))
    });
    series.set_item("goodput_bps", vector(py, &goodputs.collect::<Vec<f64>>())?)?;
    series.set_item("queue_delay_ms", flat(&trajectory.delays, 1e3)?)?;
    let answer = PyDict::new(py);
    answer.set_item("flow", run.flows.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
    answer.set_item("law", run.flows.iter().map(|(_, law)| law.as_str()).collect::<Vec<_>>())?;
    answer.set_item("series", series)?;
    answer.set_item("rests", rests(py, run)?)?;
    answer.set_item("lyapunov", run.lyapunov.clone())?;
    answer.set_item("settled_s", trajectory.settled(0.01))?;
    answer.set_item("evaluations", trajectory.evaluations)?;
    Ok(answer)
}

/// Ends of the pieces of the run, flow by flow within a piece.
fn rests<'py>(py: Python<'py>, run: &FluidRun) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let rests = &run.trajectory.rests;
    let class = |flow: usize| run.class[flow] as usize;
    let each = |of: &dyn Fn(&Rest, usize, usize) -> f64| {
        let values = rests
            .iter()
            .enumerate()
            .flat_map(|(piece, rest)| (0..run.flows.len()).map(move |flow| (rest, piece, flow)));
        vector(py, &values.map(|(rest, piece, flow)| of(rest, piece, flow)).collect::<Vec<f64>>())
    };
    table.set_item("from_s", each(&|rest, _, _| rest.span.0)?)?;
    table.set_item("until_s", each(&|rest, _, _| rest.span.1)?)?;
    let names = rests.iter().flat_map(|_| run.flows.iter().map(|(name, _)| name.as_str()));
    table.set_item("flow", names.collect::<Vec<_>>())?;
    table.set_item("cwnd", each(&|rest, _, flow| rest.windows[class(flow)])?)?;
    table.set_item("rate_bps", each(&|rest, _, flow| rest.rates[class(flow)] * run.packet_bits)?)?;
    let goodput = |rest: &Rest, piece: usize, flow: usize| {
        rest.rates[class(flow)] * (run.packet_bits * run.efficiency[piece][flow])
    };
    table.set_item("goodput_bps", each(&goodput)?)?;
    table.set_item("queue_delay_ms", each(&|rest, _, flow| rest.delays[class(flow)] * 1e3)?)?;
    Ok(table)
}

/// Final windows: columns by flow, and the settling time.
pub(crate) fn end<'py>(py: Python<'py>, run: &FluidRun) -> PyResult<Bound<'py, PyDict>> {
    let trajectory = &run.trajectory;
    let last = |rows: &[Vec<f64>], scale: &dyn Fn(usize) -> f64| {
        let row = &rows[rows.len() - 1];
        let values = run.class.iter().enumerate().map(|(flow, &class)| row[class as usize] * scale(flow));
        column(py, &values.collect::<Vec<f64>>())
    };
    let flows = PyDict::new(py);
    flows.set_item("flow", run.flows.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
    flows.set_item("law", run.flows.iter().map(|(_, law)| law.as_str()).collect::<Vec<_>>())?;
    flows.set_item("cwnd", last(&trajectory.windows, &|_| 1.0)?)?;
    flows.set_item("rate_bps", last(&trajectory.rates, &|_| run.packet_bits)?)?;
    let efficiency = &run.efficiency[run.efficiency.len() - 1];
    flows.set_item("goodput_bps", last(&trajectory.rates, &|flow| run.packet_bits * efficiency[flow])?)?;
    flows.set_item("queue_delay_ms", last(&trajectory.delays, &|_| 1e3)?)?;
    let answer = PyDict::new(py);
    answer.set_item("flows", flows)?;
    answer.set_item("settled_s", trajectory.settled(0.01))?;
    Ok(answer)
}
