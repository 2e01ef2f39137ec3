//! Runs of a sweep, polled by Python while workers run without the interpreter's lock.

use crate::error;
use crate::makers::{self, Resolvers, Runs};
use crate::scenario::Scenario;
use crate::waiting::{BUG, stop};
use crate::{fluid, interrupt, optimum, output};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use windward_fluid::{Losses, Method};
use windward_models::{FluidError, FluidRun, Models, Objective, Optimum};
use windward_run::{Error, Pool, Seed, Task};
use windward_sim::Output;
use windward_units::{Control, Time};

/// Points of a sweep, each a scenario of its own, submitted one by one and polled for results.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct Sweep {
    pool: Pool<Finished>,
    engine: Engine,
    folder: PathBuf,
    resolvers: Arc<Resolvers>,
}

/// Engine of a sweep.
#[derive(Clone, Copy)]
enum Engine {
    Simulate,
    Fluid,
    Optimum(Objective),
}

/// A point, read by the first of its runs.
struct Point {
    number: u64,
    text: String,
    folder: PathBuf,
    ready: OnceLock<Result<Ready, String>>,
}

/// A point that can be run.
struct Ready {
    scenario: Scenario,
    simulations: Option<Runs>,
}

/// A run that has ended, with or without an answer.
struct Finished {
    point: Arc<Point>,
    seed: u64,
    answer: Result<Answer, String>,
}

enum Answer {
    Packets(Box<Output>),
    Fluid(FluidRun),
    Optimum(Optimum),
}

#[pymethods]
impl Sweep {
    /// Workers for an engine: "simulate", "fluid", or "optimum" with its objective. Recordings and Python files of the
    /// scenarios are looked up in `folder` and by the resolvers, as for a `Job`.
    #[new]
    #[pyo3(signature = (engine, *, threads, folder, law, scheduler, rule, objective=None, alpha=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        engine: &str,
        threads: usize,
        folder: PathBuf,
        law: Py<PyAny>,
        scheduler: Py<PyAny>,
        rule: Py<PyAny>,
        objective: Option<&str>,
        alpha: Option<f64>,
    ) -> PyResult<Self> {
        let engine = match (engine, objective) {
            ("simulate", None) => Engine::Simulate,
            ("fluid", None) => Engine::Fluid,
            ("optimum", Some(objective)) => Engine::Optimum(optimum::objective(objective, alpha)?),
            _ => return Err(PyValueError::new_err(format!("{engine} with objective {objective:?} does not sweep"))),
        };
        let resolvers = Arc::new(Resolvers { law, scheduler, rule });
        Ok(Self { pool: Pool::new(threads), engine, folder, resolvers })
    }

    /// Adds a point, a scenario in JSON, with its seeds; an engine without seeds gets one.
    fn submit(&self, number: u64, text: String, seeds: Vec<u64>) {
        let point = Arc::new(Point { number, text, folder: self.folder.clone(), ready: OnceLock::new() });
        for seed in seeds {
            let (engine, resolvers) = (self.engine, Arc::clone(&self.resolvers));
            let finished = move |point: &Arc<Point>, answer| Finished { point: Arc::clone(point), seed, answer };
            let failed = Arc::clone(&point);
            let otherwise = move |text: &str| finished(&failed, Err(format!("the engine failed: {text}\n{BUG}")));
            let point = Arc::clone(&point);
            let work = move |control: &Arc<Control>| {
                let answer = point.ready(engine, &resolvers).and_then(|ready| ready.run(engine, seed, control));
                answer.transpose().map(|answer| finished(&point, answer))
            };
            self.pool.submit(Box::new(work), Box::new(otherwise));
        }
    }

    /// Number of runs that have not begun.
    #[getter]
    fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    /// Simulated seconds of the present runs.
    fn simulated_s(&self) -> Vec<f64> {
        self.pool.progress().into_iter().map(|time| time.as_secs()).collect()
    }

    /// Waits until a run has ended, at most `seconds`. Returns those that have, once each, as point, seed, tables,
    /// reason: either tables, or the reason for their absence.
    #[expect(clippy::type_complexity, reason = "a tuple of Python's")]
    fn wait<'py>(
        &self,
        py: Python<'py>,
        seconds: f64,
    ) -> PyResult<Vec<(u64, u64, Option<Bound<'py, PyDict>>, Option<String>)>> {
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let finished = py.detach(|| self.pool.wait(timeout));
        let row = |Finished { point, seed, answer }| {
            let (tables, reason) = match answer {
                Ok(answer) => (Some(point.to_python(py, answer)?), None),
                Err(reason) => (None, Some(reason)),
            };
            Ok((point.number, seed, tables, reason))
        };
        finished.into_iter().map(row).collect()
    }

    /// Stops present runs and discards the remaining ones; finished results remain available.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.end());
    }
}

impl Sweep {
    /// Stops present runs; interrupts a law in Python that does not return.
    fn end(&self) {
        self.pool.stop();
        if interrupt::wait_for(|| self.pool.running()) {
            self.pool.cancel();
        } else {
            self.pool.abandon();
        }
    }
}

impl Drop for Sweep {
    fn drop(&mut self) {
        // A worker may wait for the interpreter's lock.
        Python::attach(|py| py.detach(|| self.end()));
    }
}

impl Point {
    fn ready(&self, engine: Engine, resolvers: &Resolvers) -> Result<&Ready, String> {
        let made = self.ready.get_or_init(|| {
            let scenario = Scenario::read_json(&self.text, &format!("point {}", self.number), &self.folder)
                .map_err(|error| error.to_string())?;
            let simulations = match engine {
                Engine::Simulate => {
                    scenario.inner.check_packets().map_err(|error| error.to_string())?;
                    Some(if makers::is_ours(&scenario.inner) {
                        makers::ours(&scenario.inner).map_err(|missing| error::missing_text(&missing))?
                    } else {
                        let simulations = Python::attach(|py| resolvers.simulations(py, &scenario.inner));
                        simulations.map_err(|error| text(&error))?
                    })
                }
                Engine::Fluid | Engine::Optimum(_) => None,
            };
            Ok(Ready { scenario, simulations })
        });
        made.as_ref().map_err(Clone::clone)
    }

    fn to_python<'py>(&self, py: Python<'py>, answer: Answer) -> PyResult<Bound<'py, PyDict>> {
        match answer {
            Answer::Packets(output) => {
                let tables = output::to_python(py, *output)?;
                if let Some(Ok(ready)) = self.ready.get() {
                    tables.set_item("entities", ready.scenario.entities(py)?)?;
                    tables.set_item("measured_s", ready.scenario.duration_s() - ready.scenario.warmup_s())?;
                }
                Ok(tables)
            }
            Answer::Fluid(run) => fluid::end(py, &run),
            Answer::Optimum(best) => {
                let laws = self.ready.get().and_then(|ready| ready.as_ref().ok());
                optimum::columns(py, &best, laws.map(|ready| ready.scenario.law_names()).unwrap_or_default())
            }
        }
    }
}

impl Ready {
    /// A run of this seed; `None` if it was cancelled.
    fn run(&self, engine: Engine, seed: u64, control: &Arc<Control>) -> Result<Option<Answer>, String> {
        let scenario = &self.scenario.inner;
        match (engine, &self.simulations) {
            (Engine::Fluid, _) => {
                let method = Method::Ode { tolerance: TOLERANCE };
                match scenario.fluid_until(method, Losses::Law, control) {
                    Err(FluidError::Num(windward_num::Error::Interrupted)) => Ok(None),
                    found => found.map(|run| Some(Answer::Fluid(run))).map_err(|error| error.to_string()),
                }
            }
            (Engine::Optimum(objective), _) => {
                let end = Time::ZERO + scenario.duration();
                match scenario.optimum_until(objective, end, &stop(control)) {
                    Err(windward_num::Error::Interrupted) => Ok(None),
                    found => found.map(|best| Some(Answer::Optimum(best))).map_err(|error| error.to_string()),
                }
            }
            (Engine::Simulate, None) => Err("there is nothing to simulate".to_owned()),
            (Engine::Simulate, Some(simulations)) => {
                match simulations.run(&Seed { number: seed, control, shown: None, captures: None }) {
                    Ok(output) => Ok(output.map(|output| Answer::Packets(Box::new(output.totals())))),
                    // A law in Python that was interrupted fails, but its run has not ended. A law that fails by itself
                    // also stops its run, so that the control does not tell them apart.
                    Err(Error::Failed(failure)) if is_interrupt(&failure) => Ok(None),
                    Err(Error::Failed(failure)) => Err(text(&failure)),
                    Err(error) => Err(error.to_string()),
                }
            }
        }
    }
}

/// Error per step of the fluid engine, that of `Scenario.fluid`.
const TOLERANCE: f64 = 1e-6;

/// True for Ctrl-C, and for a failure whose cause it is.
fn is_interrupt(failure: &PyErr) -> bool {
    Python::attach(|py| {
        let is_one = |error: &PyErr| error.is_instance_of::<PyKeyboardInterrupt>(py);
        is_one(failure) || failure.cause(py).as_ref().is_some_and(is_one)
    })
}

/// Message of a Python exception.
fn text(failure: &PyErr) -> String {
    Python::attach(|py| failure.value(py).to_string())
}
