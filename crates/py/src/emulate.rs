//! The network between real kernels.

use crate::error::{EmulationError, KernelError};
use crate::output;
use crate::scenario::Scenario;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use windward_emulate::link::{self, Ends};
use windward_emulate::{Emulation, Error, Options, Quality, emulate};
use windward_scenario as scenario;
use windward_sim::{Control, LawChoice, LinkStats};

fn raise(error: &Error) -> PyErr {
    match error {
        Error::Law(why) => KernelError::new_err(why.to_string()),
        other => EmulationError::new_err(other.to_string()),
    }
}

/// The emulations of one scenario's seeds, one after the other; polled as a `Job` is.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct EmulationJob {
    scenario: scenario::Scenario,
    seeds: Vec<u64>,
    is_forced: bool,
    controls: Vec<Arc<Control>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    worker: Option<JoinHandle<()>>,
    results: Option<Receiver<Result<Emulation, PyErr>>>,
}

#[pymethods]
impl EmulationJob {
    /// Prepares the emulation of `seeds`; with `force` also where this machine is too slow for them.
    #[new]
    #[pyo3(signature = (scenario, *, seeds, force))]
    fn new(scenario: &Scenario, seeds: Vec<u64>, force: bool) -> PyResult<Self> {
        scenario.inner.check_packets().map_err(|error| PyValueError::new_err(error.to_string()))?;
        if !scenario.python_schedulers.is_empty() {
            let message = "a scheduler in Python is too slow for real time; choose one of Windward's, or `simulate`";
            return Err(EmulationError::new_err(message));
        }
        let controls = seeds.iter().map(|_| Arc::new(Control::new())).collect();
        Ok(Self { scenario: scenario.inner.clone(), seeds, is_forced: force, controls, state: Mutex::default() })
    }

    /// Starts; with `captures`, each seed writes the packets of its flows to seed-N.pcapng in that folder.
    #[pyo3(signature = (captures=None))]
    fn start(&self, captures: Option<PathBuf>) -> PyResult<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.worker.is_some() || state.results.is_some() {
            return Err(PyRuntimeError::new_err("the job has been started already"));
        }
        let (sender, receiver) = mpsc::channel();
        let work = Work { scenario: self.scenario.clone(), captures, is_forced: self.is_forced };
        let seeds: Vec<_> = self.seeds.iter().copied().zip(self.controls.iter().map(Arc::clone)).collect();
        state.worker = Some(thread::spawn(move || work.run(seeds, &sender)));
        state.results = Some(receiver);
        Ok(())
    }

    /// Waits until a seed has finished, at most `seconds`; returns the tables of those that have, once each, with
    /// `quality` and `notes` beside them. Raises what ended the job.
    fn wait<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let next = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let next = state.results.as_ref().map(|results| results.recv_timeout(limit));
            if matches!(next, Some(Err(RecvTimeoutError::Disconnected))) {
                state.results = None;
            }
            next
        });
        match next {
            Some(Ok(Ok(emulation))) => Ok(vec![to_python(py, emulation)?]),
            Some(Ok(Err(error))) => Err(error),
            _ => Ok(Vec::new()),
        }
    }

    /// Whether all has been returned that there will be.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        py.detach(|| self.state.lock().unwrap_or_else(PoisonError::into_inner).results.is_none())
    }

    /// Emulated seconds of each seed, in the order given.
    fn simulated_s(&self) -> Vec<f64> {
        self.controls.iter().map(|control| control.simulated().as_secs()).collect()
    }

    /// Stops what still runs and waits until nothing of it is left.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.stop());
    }
}

impl EmulationJob {
    fn stop(&self) {
        self.controls.iter().for_each(|control| control.cancel());
        let worker = self.state.lock().unwrap_or_else(PoisonError::into_inner).worker.take();
        if let Some(worker) = worker {
            // One that panicked has dropped its end of the channel, which ends the job.
            let _ = worker.join();
        }
    }
}

impl Drop for EmulationJob {
    fn drop(&mut self) {
        Python::attach(|py| py.detach(|| self.stop()));
    }
}

struct Work {
    scenario: scenario::Scenario,
    captures: Option<PathBuf>,
    is_forced: bool,
}

impl Work {
    fn run(&self, seeds: Vec<(u64, Arc<Control>)>, results: &Sender<Result<Emulation, PyErr>>) {
        for (seed, control) in seeds {
            let result = self.emulate(seed, &control);
            let is_over = control.is_cancelled() || result.is_err();
            // Nobody waits any more where the other end is gone.
            if control.is_cancelled() || results.send(result).is_err() || is_over {
                return;
            }
        }
    }

    fn emulate(&self, seed: u64, control: &Control) -> Result<Emulation, PyErr> {
        // The emulator refuses laws in Python; this one is never asked.
        let external = |_: &scenario::PythonLaw| LawChoice::External(Arc::new(|_| unreachable!()));
        let compiled = self.scenario.compile(seed, &external);
        let capture = self.captures.as_deref().map(|folder| open(&folder.join(format!("seed-{seed}.pcapng"))));
        let options = Options { seed, capture: capture.transpose()?, is_forced: self.is_forced };
        emulate(&compiled, options, control).map_err(|error| raise(&error))
    }
}

fn open(path: &Path) -> PyResult<Box<dyn std::io::Write + Send>> {
    let refused = |error: std::io::Error| {
        PyOSError::new_err((error.raw_os_error(), error.to_string(), Some(path.display().to_string())))
    };
    Ok(Box::new(BufWriter::with_capacity(1 << 20, File::create(path).map_err(refused)?)))
}

fn to_python(py: Python<'_>, emulation: Emulation) -> PyResult<Bound<'_, PyDict>> {
    let tables = output::to_python(py, emulation.output)?;
    tables.set_item("quality", quality_to_python(py, &emulation.quality)?)?;
    tables.set_item("notes", emulation.notes)?;
    Ok(tables)
}

/// A dictionary of some fields of a structure.
macro_rules! fields {
    ($py:expr, $value:expr, [$($field:ident),* $(,)?]) => {{
        let fields = PyDict::new($py);
        $(fields.set_item(stringify!($field), $value.$field)?;)*
        PyResult::Ok(fields)
    }};
}

fn quality_to_python<'py>(py: Python<'py>, quality: &Quality) -> PyResult<Bound<'py, PyDict>> {
    let fields = fields!(
        py,
        quality,
        [packets, late_p50_s, late_p99_s, late_max_s, late_share, missed, overflowed, cpu_per_packet_s, is_realtime,]
    )?;
    fields.set_item("problem", quality.problem())?;
    Ok(fields)
}

/// Runs `command` behind the first two links of a scenario, and `servers` at their other end. Returns a dictionary: `code`,
/// `seconds`, `down` and `up` (tables of one link each), `quality`. Where the command is interrupted, so is this.
#[pyfunction]
pub(crate) fn emulate_link<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    seed: u64,
    command: Vec<OsString>,
    servers: Vec<String>,
    congestion: Option<String>,
    is_isolated: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let ends = Ends { command, servers, congestion, is_isolated };
    let report = py.detach(|| link::run(&scenario.inner, seed, &ends)).map_err(|error| raise(&error))?;
    let fields = PyDict::new(py);
    fields.set_item("code", report.code)?;
    fields.set_item("seconds", report.seconds)?;
    fields.set_item("down", link_to_python(py, &report.down)?)?;
    fields.set_item("up", link_to_python(py, &report.up)?)?;
    fields.set_item("quality", quality_to_python(py, &report.quality)?)?;
    Ok(fields)
}

fn link_to_python<'py>(py: Python<'py>, link: &LinkStats) -> PyResult<Bound<'py, PyDict>> {
    fields!(py, link, [packets, bytes, dropped, lost, utilization, mean_backlog, max_backlog, mean_queue_delay_s])
}
