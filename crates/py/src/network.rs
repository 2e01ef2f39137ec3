//! F, capacity regions and fluid trajectories of any network, for Python: descriptions are JSON, numbers arrays.

use crate::array::{Vector, matrix, vector};
use crate::fluid::{losses, method};
use crate::num::{certificate, parse, refused};
use crate::waiting::{self, stop};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use std::sync::Arc;
use windward_fluid::{Congestion, Download, Emultcp, EmultcpUser, FluidFlow, Model, integrate};
use windward_laws::emultcp::Params;
use windward_laws::{LawSpec, SpecError, TimeUnit};
use windward_num::{Network, Region, region};
use windward_units::Control;

/// F: w → (x, q, r) of one network, warm-started. See `windward.num.FluidMap`.
#[pyclass(module = "windward._engine")]
pub(crate) struct FluidMap {
    inner: windward_num::FluidMap,
}

#[pymethods]
impl FluidMap {
    #[new]
    fn new(network: &str, base_rtt: Vector) -> PyResult<Self> {
        let network: Network = parse("network", network).map_err(refused)?;
        let routes = network.routes.len();
        if base_rtt.len() != routes {
            return Err(PyValueError::new_err(format!("{} base RTTs for {routes} routes", base_rtt.len())));
        }
        Ok(Self { inner: windward_num::FluidMap::new(network, &base_rtt).map_err(refused)? })
    }

    /// Finds F(w); returns rates and path delays. Raises ValueError.
    fn solve<'py>(&mut self, py: Python<'py>, windows: Vector) -> PyResult<Pair<'py>> {
        self.inner.solve(&windows).map_err(refused)?;
        Ok((vector(py, self.inner.rates())?, vector(py, self.inner.path_delays())?))
    }

    /// q_l of every link, seconds.
    fn link_delays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        vector(py, &self.inner.link_delays())
    }

    /// c_l or r_l of every link.
    fn link_rates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        vector(py, &self.inner.link_rates())
    }

    /// Residuals of the last answer.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        certificate(py, self.inner.certificate())
    }

    /// ∂x_s/∂w_n, one row per s; None where r jumps.
    fn rate_jacobian<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.inner.rate_jacobian().map(|rows| matrix(py, &rows)).transpose()
    }
}

type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// MaxWeight's rates in a region at these prices. Raises ValueError.
#[pyfunction]
pub(crate) fn num_region_rates<'py>(py: Python<'py>, region: &str, prices: Vector) -> PyResult<Bound<'py, PyAny>> {
    vector(py, &checked(region, &prices)?.rates(&prices))
}

/// ∂r_l/∂q_n, one row per l; None where r jumps. Raises ValueError.
#[pyfunction]
pub(crate) fn num_region_jacobian<'py>(
    py: Python<'py>,
    region: &str,
    prices: Vector,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    checked(region, &prices)?.jacobian(&prices).map(|rows| matrix(py, &rows)).transpose()
}

/// Probabilities of the independent sets at these prices; None except for CSMA with entropy. Raises ValueError.
#[pyfunction]
pub(crate) fn num_region_stationary<'py>(
    py: Python<'py>,
    region: &str,
    prices: Vector,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    checked(region, &prices)?.stationary(&prices).map(|u| vector(py, &u)).transpose()
}

/// Independent sets of a conflict graph as bit masks. Raises ValueError if there are too many.
#[pyfunction]
pub(crate) fn num_independent_sets(links: usize, conflicts: Vec<(u32, u32)>) -> PyResult<Vec<u64>> {
    if conflicts.iter().any(|(a, b)| a == b || *a.max(b) as usize >= links) {
        return Err(PyValueError::new_err(format!("conflicts are pairs of different positions below {links}")));
    }
    region::independent_sets(links, &conflicts)
        .ok_or_else(|| PyValueError::new_err(format!("{links} links have too many independent sets to be enumerated")))
}

/// A region that is valid for the number of prices.
fn checked(region: &str, prices: &[f64]) -> PyResult<Region> {
    let region: Region = parse("region", region).map_err(refused)?;
    if prices.iter().any(|q| !(*q >= 0.0 && q.is_finite())) {
        return Err(PyValueError::new_err("prices must be numbers from 0"));
    }
    let network = Network {
        links: vec![windward_num::Link::Wireless; prices.len()],
        couplings: vec![windward_num::Coupling { links: (0..prices.len() as u32).collect(), region: region.clone() }],
        routes: Vec::new(),
    };
    network.check().map_err(refused)?;
    Ok(region)
}

/// Follows the windows of laws over any network; see `windward.theory.fluid.follow`. Raises ValueError.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
#[pyo3(signature = (network, laws, *, base_rtt, known_base_rtt, windows, buffers, duration, interval, tolerance, period, feedback_delay, is_common, is_loss_free))]
pub(crate) fn fluid_follow<'py>(
    py: Python<'py>,
    network: &str,
    laws: &str,
    base_rtt: Vector,
    known_base_rtt: Vector,
    windows: Vector,
    buffers: Vector,
    duration: f64,
    interval: f64,
    tolerance: f64,
    period: Option<f64>,
    feedback_delay: Option<f64>,
    is_common: bool,
    is_loss_free: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let network: Network = parse("network", network).map_err(refused)?;
    let laws: Vec<Value> = parse("laws", laws).map_err(refused)?;
    let flow = |(law, (&base_rtt, &known_base_rtt)): (Value, (&f64, &f64))| {
        let law = spec(law)?;
        let refusal = || {
            PyValueError::new_err(format!("`{}` has no fluid form: it paces at a rate that it measures", law.name()))
        };
        let mut flow = FluidFlow::new(&law, base_rtt, 0.0).ok_or_else(refusal)?;
        flow.base_error = known_base_rtt - base_rtt;
        if is_common {
            flow.unit = TimeUnit::Seconds;
        }
        Ok(flow)
    };
    let flows = laws.into_iter().zip(base_rtt.iter().zip(&*known_base_rtt)).map(flow).collect::<PyResult<Vec<_>>>()?;
    let model = Model::new(network, flows, buffers.to_vec()).map_err(refused)?;
    let mut model = model.with_losses(losses(is_loss_free));
    let method = method(tolerance, period, feedback_delay);
    let control = Arc::new(Control::new());
    model.stop_when(stop(&control));
    let windows = windows.to_vec();
    let follow = move || integrate(&mut model, &windows, duration, interval, method);
    let run = waiting::wait(py, &control, follow, || Ok(()))?.map_err(refused)?;
    let answer = PyDict::new(py);
    answer.set_item("windows", matrix(py, &run.windows)?)?;
    answer.set_item("rates", matrix(py, &run.rates)?)?;
    answer.set_item("delays_s", matrix(py, &run.delays)?)?;
    answer.set_item("time_s", vector(py, &run.time)?)?;
    answer.set_item("evaluations", run.evaluations)?;
    Ok(answer)
}

/// Follows E-MULTCP's rates and numbers of connections; see `windward.theory.fluid.follow_emultcp`. Raises ValueError.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
#[pyo3(signature = (capacities, routes, *, users, rates, connections, beta, duration, interval, tolerance))]
pub(crate) fn fluid_emultcp<'py>(
    py: Python<'py>,
    capacities: Vector,
    routes: Vec<Vec<u32>>,
    users: Vec<(f64, f64, f64, f64)>,
    rates: Vector,
    connections: Vector,
    beta: Option<f64>,
    duration: f64,
    interval: f64,
    tolerance: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let users =
        users.into_iter().map(|(segment, rtt, loss, speed)| EmultcpUser { segment, rtt, loss, speed }).collect();
    let congestion = beta.map_or(Congestion::Discontinuous, |beta| Congestion::Smooth { beta });
    let model = Emultcp::new(&capacities, routes, users, congestion).map_err(refused)?;
    let run = py.detach(|| model.follow(&rates, &connections, duration, interval, tolerance));
    let prices: Vec<_> = run.rates.iter().map(|rates| model.path_prices(rates)).collect();
    let answer = PyDict::new(py);
    answer.set_item("rates", matrix(py, &run.rates)?)?;
    answer.set_item("connections", matrix(py, &run.connections)?)?;
    answer.set_item("prices", matrix(py, &prices)?)?;
    answer.set_item("time_s", vector(py, &run.time)?)?;
    answer.set_item("evaluations", run.evaluations)?;
    Ok(answer)
}

/// Follows a download of `emultcp-fast`; see `windward.theory.fluid.follow_download`. Raises ValueError.
#[pyfunction]
#[pyo3(signature = (*, capacity, rtt, loss, buffer, duration, bound))]
pub(crate) fn fluid_download(
    py: Python<'_>,
    capacity: f64,
    rtt: f64,
    loss: f64,
    buffer: f64,
    duration: f64,
    bound: bool,
) -> PyResult<Bound<'_, PyDict>> {
    let path = Download { capacity, rtt, loss, buffer };
    let params = Params { bound, ..Params::default() };
    let run = py.detach(|| path.follow(params, duration)).map_err(refused)?;
    let answer = PyDict::new(py);
    answer.set_item("time_s", vector(py, &run.time)?)?;
    answer.set_item("connections", vector(py, &run.connections)?)?;
    answer.set_item("windows", vector(py, &run.windows)?)?;
    answer.set_item("rates", vector(py, &run.rates)?)?;
    answer.set_item("queues_s", vector(py, &run.queues)?)?;
    Ok(answer)
}

/// A law from {"name": …, parameters}.
pub(crate) fn spec(mut law: Value) -> PyResult<LawSpec> {
    let name = law.as_object_mut().and_then(|fields| fields.remove("name"));
    let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
    LawSpec::from_json(name, law).map_err(|error| match error {
        SpecError::Name(name) => {
            PyValueError::new_err(format!("there is no law `{name}`; laws: {}", LawSpec::NAMES.join(", ")))
        }
        SpecError::Parameter(field, why) => PyValueError::new_err(format!("{name}.{field}: {why}")),
    })
}
