//! The seeds of a scenario, run by worker threads without the interpreter's lock.

use crate::law::{self, Fuse};
use crate::output;
use crate::scenario::Scenario;
use crate::scheduler;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use windward_scenario as scenario;
use windward_sim::cell::SchedulerConfig;
use windward_sim::{LawChoice, Output, RunError};

/// A class that makes laws or schedulers, by the place in the scenario that names it.
type Factory<T> = (T, Arc<Py<PyAny>>);

/// The seeds of one scenario: started once, polled until done.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct Job {
    shared: Arc<Shared>,
    threads: usize,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

/// What the workers share.
struct Shared {
    scenario: scenario::Scenario,
    laws: Vec<Factory<scenario::PythonLaw>>,
    schedulers: Vec<Factory<scenario::PythonScheduler>>,
    seeds: Vec<(u64, Arc<Fuse>)>,
    /// Index of the next seed that nobody has taken.
    next: AtomicUsize,
    is_cancelled: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    finished: Vec<Output>,
    failure: Option<PyErr>,
    /// Workers that have not returned.
    working: usize,
}

#[pymethods]
impl Job {
    /// Prepares `seeds` of `scenario` for at most `threads` workers. `law(name, parameters)` returns what makes the
    /// Python law of that name: a callable that takes the initial window; `scheduler(name, parameters)` one that takes
    /// nothing.
    #[new]
    #[pyo3(signature = (scenario, *, seeds, threads, law, scheduler))]
    fn new(
        scenario: &Scenario,
        seeds: Vec<u64>,
        threads: usize,
        law: &Bound<'_, PyAny>,
        scheduler: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        scenario.inner.check_packets().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let make = |maker: &Bound<'_, PyAny>, class: &str, params: &serde_json::Map<String, serde_json::Value>| {
            let params = crate::json::to_python(maker.py(), &serde_json::Value::Object(params.clone()))?;
            PyResult::Ok(Arc::new(maker.call1((class, params))?.unbind()))
        };
        let (mut laws, mut schedulers) = (Vec::new(), Vec::new());
        for python in &scenario.python_laws {
            laws.push((python.clone(), make(law, &python.class, &python.params)?));
        }
        for python in &scenario.python_schedulers {
            schedulers.push((python.clone(), make(scheduler, &python.class, &python.params)?));
        }
        // What is written in Python takes turns at the interpreter's lock: more workers would only wait for it.
        let is_ours = laws.is_empty() && schedulers.is_empty();
        let threads = if is_ours { threads.clamp(1, seeds.len().max(1)) } else { 1 };
        let seeds = seeds.into_iter().map(|seed| (seed, Arc::new(Fuse::new()))).collect();
        let shared = Shared {
            scenario: scenario.inner.clone(),
            laws,
            schedulers,
            seeds,
            next: AtomicUsize::new(0),
            is_cancelled: AtomicBool::new(false),
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        Ok(Self { shared: Arc::new(shared), threads, workers: Mutex::default() })
    }

    /// Starts the workers; with `captures`, each seed writes its packets to seed-N.pcapng in that folder.
    #[pyo3(signature = (captures=None))]
    fn start(&self, captures: Option<PathBuf>) -> PyResult<()> {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if !workers.is_empty() {
            return Err(PyRuntimeError::new_err("the job has been started already"));
        }
        self.shared.lock().working = self.threads;
        for _ in 0..self.threads {
            let shared = Arc::clone(&self.shared);
            let captures = captures.clone();
            workers.push(thread::spawn(move || {
                let _leaving = Leaving(&shared);
                shared.work(captures.as_deref());
            }));
        }
        Ok(())
    }

    /// Waits until a seed has finished, at most `seconds`; returns the tables of those that have, once each.
    /// Raises what ended the job: LawError, OSError of a capture.
    fn wait<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let (finished, failure) = py.detach(|| self.shared.wait(timeout));
        match failure {
            Some(failure) => Err(failure),
            None => finished.into_iter().map(|output| output::to_python(py, output)).collect(),
        }
    }

    /// Whether all has been returned that there will be.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        py.detach(|| {
            let state = self.shared.lock();
            state.working == 0 && state.finished.is_empty() && state.failure.is_none()
        })
    }

    /// Simulated seconds of each seed, in the order given.
    fn simulated_s(&self) -> Vec<f64> {
        self.shared.seeds.iter().map(|(_, fuse)| fuse.control.simulated().as_secs()).collect()
    }

    /// Stops what still runs and waits for the workers; seeds that have finished can still be fetched.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.stop());
    }
}

impl Job {
    fn stop(&self) {
        self.shared.cancel();
        let workers = std::mem::take(&mut *self.workers.lock().unwrap_or_else(PoisonError::into_inner));
        for worker in workers {
            // A worker that panicked has left its failure behind.
            let _ = worker.join();
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        Python::attach(|py| py.detach(|| self.stop()));
    }
}

/// Counts its worker out, whether it returned or panicked.
struct Leaving<'a>(&'a Shared);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.fail(PyRuntimeError::new_err("the engine failed: this is a bug in Windward, please report it"));
        }
        self.0.lock().working -= 1;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, timeout: Duration) -> (Vec<Output>, Option<PyErr>) {
        let is_idle = |state: &mut State| state.finished.is_empty() && state.failure.is_none() && state.working > 0;
        let (mut state, _) =
            self.changed.wait_timeout_while(self.lock(), timeout, is_idle).unwrap_or_else(PoisonError::into_inner);
        let finished = std::mem::take(&mut state.finished);
        // Seeds that finished before a failure are handed over before it.
        let failure = if finished.is_empty() { state.failure.take() } else { None };
        (finished, failure)
    }

    fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        for (_, fuse) in &self.seeds {
            fuse.control.cancel();
        }
    }

    /// Keeps the first failure and stops the other seeds.
    fn fail(&self, error: PyErr) {
        self.lock().failure.get_or_insert(error);
        self.cancel();
        self.changed.notify_all();
    }

    /// Takes seeds until there are none.
    fn work(&self, captures: Option<&Path>) {
        while !self.is_cancelled.load(Ordering::Relaxed) {
            let Some((seed, fuse)) = self.seeds.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            match self.simulate(*seed, fuse, captures) {
                Ok(Some(output)) => {
                    self.lock().finished.push(output);
                    self.changed.notify_all();
                }
                Ok(None) => {}
                Err(error) => self.fail(error),
            }
        }
    }

    /// One seed; `None` if it was cancelled.
    fn simulate(&self, seed: u64, fuse: &Arc<Fuse>, captures: Option<&Path>) -> PyResult<Option<Output>> {
        let compiled = self.scenario.compile(seed, &Made { shared: self, fuse });
        let path = captures.map(|folder| folder.join(format!("seed-{seed}.pcapng")));
        let capture = path.as_deref().map(open).transpose()?;
        let outcome = windward_sim::run(&compiled.network, seed, &fuse.control, capture);
        match (fuse.take_failure(), outcome) {
            (Some(failure), _) => Err(failure),
            (None, Ok(output)) => Ok(Some(output)),
            (None, Err(RunError::Interrupted)) => Ok(None),
            (None, Err(RunError::Capture(error))) => Err(os_error(&error, path.as_deref())),
        }
    }
}

/// Makes the laws and schedulers of one seed.
struct Made<'a> {
    shared: &'a Shared,
    fuse: &'a Arc<Fuse>,
}

impl scenario::Python for Made<'_> {
    fn law(&self, wanted: &scenario::PythonLaw) -> LawChoice {
        law::external(find(&self.shared.laws, wanted), wanted, self.fuse)
    }
    fn scheduler(&self, scheduler: &scenario::PythonScheduler) -> SchedulerConfig {
        scheduler::external(find(&self.shared.schedulers, scheduler), scheduler, self.fuse)
    }
}

fn find<T: PartialEq>(factories: &[Factory<T>], wanted: &T) -> Option<Arc<Py<PyAny>>> {
    factories.iter().find(|(known, _)| known == wanted).map(|(_, factory)| Arc::clone(factory))
}

fn open(path: &Path) -> PyResult<Box<dyn Write + Send>> {
    let file = File::create(path).map_err(|error| os_error(&error, Some(path)))?;
    Ok(Box::new(BufWriter::with_capacity(1 << 20, file)))
}

fn os_error(error: &io::Error, path: Option<&Path>) -> PyErr {
    let file = path.map(|path| path.display().to_string());
    PyOSError::new_err((error.raw_os_error(), error.to_string(), file))
}
