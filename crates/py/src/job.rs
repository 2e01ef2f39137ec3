//! Simulation of a scenario's seeds, polled by Python while workers run without the interpreter's lock.

use crate::captures;
use crate::error::{self, NoAnswerError};
use crate::interrupt;
use crate::makers::{self, Resolvers, Runs};
use crate::output;
use crate::scenario::Scenario;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::time::Duration;

/// Seeds of one scenario: started once, polled until done.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct Job {
    inner: windward_run::Job<Runs>,
}

#[pymethods]
impl Job {
    /// Prepares `seeds` of `scenario` for at most `threads` workers. `law(name, parameters)` returns the factory of the
    /// Python law of that name: a callable that takes the initial window. Those of `scheduler(name, parameters)` and
    /// `rule(name, parameters)` take nothing.
    #[new]
    #[pyo3(signature = (scenario, *, seeds, threads, law, scheduler, rule))]
    fn new(
        scenario: &Scenario,
        seeds: Vec<u64>,
        threads: usize,
        law: &Bound<'_, PyAny>,
        scheduler: &Bound<'_, PyAny>,
        rule: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let scenario = &scenario.inner;
        scenario.check_packets().map_err(|error| NoAnswerError::new_err(error.to_string()))?;
        let resolve =
            Resolvers { law: law.clone().unbind(), scheduler: scheduler.clone().unbind(), rule: rule.clone().unbind() };
        // What is written in Python takes turns at the interpreter's lock: more workers would only wait for it.
        let threads = if makers::is_ours(scenario) { threads } else { 1 };
        let simulations = resolve.simulations(law.py(), scenario)?;
        Ok(Self { inner: windward_run::Job::new(simulations, seeds, threads) })
    }

    /// Starts the workers. In `folder`, each seed writes its packets to seed-N.pcapng (`packets="together"`), or those
    /// of each interface to captures-N/NAME.pcapng ("apart"), and with `qlog` the events of connections over QUIC to
    /// qlog-N.
    #[pyo3(signature = (folder=None, *, packets=None, qlog=false))]
    fn start(&self, folder: Option<PathBuf>, packets: Option<&str>, qlog: bool) -> PyResult<()> {
        let captures = folder.map(|folder| captures::of(folder, packets, qlog));
        self.inner.start(captures).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// Waits until a seed has finished, at most `seconds`; returns the tables of those that have, once each. Raises the
    /// error that ended the job: LawError, OSError of a capture.
    fn wait<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let finished = py.detach(|| self.inner.wait(timeout)).map_err(|error| error::job(error, |failure| failure))?;
        finished.into_iter().map(|output| output::to_python(py, output)).collect()
    }

    /// True if all results have been returned.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        py.detach(|| self.inner.is_done())
    }

    /// Simulated seconds of each seed, in the order given.
    fn simulated_s(&self) -> Vec<f64> {
        self.inner.progress().into_iter().map(|time| time.as_secs()).collect()
    }

    /// Samples of running seeds since the last call: `seed`, `flow_series`, `link_series`.
    fn peek<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let shown = py.detach(|| self.inner.peek());
        shown.into_iter().map(|(seed, series)| output::shown(py, seed, series)).collect()
    }

    /// Stops running seeds and waits for the workers; the results of finished seeds remain available.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.end());
    }
}

impl Job {
    /// Stops running seeds; interrupts a law in Python that does not return.
    fn end(&self) {
        self.inner.stop();
        if interrupt::wait_for(|| self.inner.running()) {
            self.inner.cancel();
        } else {
            self.inner.abandon();
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // A worker may wait for the interpreter's lock.
        Python::attach(|py| py.detach(|| self.end()));
    }
}
