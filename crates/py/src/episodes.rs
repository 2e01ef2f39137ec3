//! Episodes of environments for Python: many at once, on threads of their own.

use crate::array::Vector;
use crate::makers;
use crate::output;
use crate::scenario::Scenario;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use windward_run::{Action, Beginning, EpisodeSettings, Every, FEATURES, FIGURES, OF_NETWORK, Piece};
use windward_sim::LawChoice;
use windward_units::{Control, Duration, Time};

/// Environments of reinforcement learning of one form, each with an episode of its own.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct Episodes {
    count: usize,
    agents: usize,
    inner: Mutex<windward_run::Episodes>,
}

thread_local! {
    /// Exception of a signal's handler, which ends the step.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Calls the handlers of signals; one that raises cancels the work.
fn look(control: &Control) {
    Python::attach(|py| {
        if let Err(raised) = py.check_signals() {
            RAISED.set(Some(raised));
            control.cancel();
        }
    });
}

/// Does `work` without the interpreter's lock. Raises what a signal's handler raises meanwhile.
fn detached(py: Python<'_>, work: impl FnOnce(&Control, &dyn Fn()) + Send) -> PyResult<()> {
    py.detach(|| {
        let control = Control::watched(look);
        work(&control, &|| look(&control));
        RAISED.take().map_or(Ok(()), Err)
    })
}

/// Beginning of an episode, as Python gives it: the environment, the scenario, the indices of the agents' flows, the
/// seed, the rate at which they begin, and the times and values of the best rates.
type Given = (usize, Py<Scenario>, Vec<usize>, u64, Option<f64>, Vec<(f64, Vec<f64>)>);

#[pymethods]
impl Episodes {
    /// `count` environments without an episode, with `agents` agents each. `action` is "window", "rate", "pacing" or
    /// "target", with the number `strength`; with `is_over_law` on the law of the scenario. A step
    /// takes `every` of the unit `unit`: "rtt", "s" or "acks". Raises ValueError.
    #[new]
    #[pyo3(signature = (count, *, agents, action, strength, is_over_law, every, unit, history, features, most_events, threads))]
    #[expect(clippy::too_many_arguments, reason = "all are named")]
    fn new(
        count: usize,
        agents: usize,
        action: &str,
        strength: f64,
        is_over_law: bool,
        every: f64,
        unit: &str,
        history: usize,
        features: Vec<usize>,
        most_events: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let refused = |what: String| PyValueError::new_err(what);
        let action = match action {
            "window" => Action::Window(strength),
            "rate" => Action::Rate(strength),
            "pacing" => Action::Pacing(strength),
            "target" => Action::Target(strength),
            other => return Err(refused(format!("{other} is no action"))),
        };
        let every = match unit {
            "rtt" => Every::RoundTrips(every),
            "s" => Every::Span(Duration::from_secs(every)),
            "acks" => Every::Acks(every as u64),
            other => return Err(refused(format!("{other} is no unit of an interval"))),
        };
        if features.iter().any(|&at| at >= FEATURES.len()) {
            return Err(refused(format!("there are {} features", FEATURES.len())));
        }
        let settings = EpisodeSettings { agents, action, is_over_law, every, history, features, most_events };
        Ok(Self { count, agents, inner: Mutex::new(windward_run::Episodes::new(count, settings, threads)) })
    }

    /// Names of the features, and their least and greatest values.
    #[staticmethod]
    fn features() -> Vec<(&'static str, f32, f32)> {
        FEATURES.to_vec()
    }

    /// Names of the figures of an agent, and of a network.
    #[staticmethod]
    fn figures() -> (Vec<&'static str>, Vec<&'static str>) {
        (FIGURES.to_vec(), OF_NETWORK.to_vec())
    }

    /// Begins episodes. Raises ValueError for a flow that no agent can control.
    fn reset(&self, py: Python<'_>, given: Vec<Given>) -> PyResult<()> {
        let (count, agents) = (self.count, self.agents);
        let mut beginnings: Vec<Option<Beginning<'_>>> = vec![None; count];
        for (at, scenario, flows, seed, rate, pieces) in &given {
            let scenario = scenario.get();
            let all = scenario.network();
            if *at >= count || flows.len() != agents || flows.iter().any(|&flow| flow >= all.flows.len()) {
                return Err(PyValueError::new_err("there is no such environment or flow"));
            }
            if !makers::is_ours(&scenario.inner) {
                return Err(PyValueError::new_err("parts of the scenario are written in Python"));
            }
            if let Some(flow) = scenario.inner.first_over_quic() {
                let message = format!("`{flow}` is over QUIC, which runs without agents: choose `transport = \"tcp\"`");
                return Err(PyValueError::new_err(message));
            }
            let is_held = |flow: &usize| {
                let config = &all.flows[*flow];
                matches!(config.law, LawChoice::Known(_))
                    && !config.tcp.is_paced_by_applications()
                    && all.transfers.iter().all(|transfer| !transfer.flows.contains(flow))
            };
            if let Some(flow) = flows.iter().find(|flow| !is_held(flow)) {
                return Err(PyValueError::new_err(format!(
                    "flow {flow} has no window that an agent can set: it is TFRC's, an application's or a transfer's"
                )));
            }
            let piece = |(from, rates): &(f64, Vec<f64>)| Piece {
                from: Time::ZERO + Duration::from_secs(*from),
                rates: rates.clone(),
            };
            if pieces.iter().any(|(_, rates)| !rates.is_empty() && rates.len() != all.flows.len()) {
                return Err(PyValueError::new_err("there is one best rate for each flow"));
            }
            beginnings[*at] = Some(Beginning {
                scenario: &scenario.inner,
                flows: flows.clone(),
                seed: *seed,
                rate: *rate,
                pieces: pieces.iter().map(piece).collect(),
            });
        }
        detached(py, |control, look| self.lock().reset(&beginnings, control, look))
    }

    /// Makes a step in every environment whose mask is not 0, with an action for each agent.
    fn step(&self, py: Python<'_>, actions: Vector, mask: &[u8]) -> PyResult<()> {
        if actions.len() != self.agents * self.count || mask.len() != self.count {
            return Err(PyValueError::new_err("there is one action for each agent, and one mask for each environment"));
        }
        detached(py, |control, look| self.lock().step(&actions, mask, control, look))
    }

    /// Writes the features (float32) and figures (float64) of the agents, the figures of the networks (float64) and the
    /// endings (uint8) of all environments to arrays.
    fn results(
        &self,
        py: Python<'_>,
        features: PyBuffer<f32>,
        figures: PyBuffer<f64>,
        of_network: PyBuffer<f64>,
        endings: PyBuffer<u8>,
    ) -> PyResult<()> {
        let results = py.detach(|| self.lock().results());
        features.copy_from_slice(py, &results.features)?;
        figures.copy_from_slice(py, &results.figures)?;
        of_network.copy_from_slice(py, &results.of_network)?;
        endings.copy_from_slice(py, &results.endings)
    }

    /// Ends the episode of an environment where it is. Returns the tables of the run; None without an episode.
    fn finish<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        let output = py.detach(|| if at < self.count { self.lock().finish(at) } else { None });
        output.map(|output| output::to_python(py, output)).transpose()
    }
}

impl Episodes {
    /// The environments, without the interpreter's lock: another thread's step may need that to end.
    fn lock(&self) -> MutexGuard<'_, windward_run::Episodes> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
