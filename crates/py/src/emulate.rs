//! Emulation between real kernels.

use crate::captures;
use crate::error::{self, EmulationError, KernelError, NoAnswerError};
use crate::output;
use crate::scenario::{Recordings, Scenario};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use windward_emulate::link::{self, Ends};
use windward_emulate::{Emulation, Error, Quality};
use windward_run::{Emulations, Job, check_stacks};
use windward_sim::{LinkConfig, PortKind, Rate};

fn raise(error: &Error) -> PyErr {
    match error {
        Error::Law(why) => KernelError::new_err(why.to_string()),
        Error::Command { command, source } => error::file(Path::new(command), source),
        other => EmulationError::new_err(other.to_string()),
    }
}

/// Emulations of one scenario's seeds, one after the other; polled like a `Job`.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct EmulationJob {
    inner: Job<Emulations>,
}

#[pymethods]
impl EmulationJob {
    /// Prepares the emulation of `seeds`; with `even_if_slow` also on machines that are too slow for them. `settings`
    /// are those of the hosts' kernels; the kernel's own congestion control runs the flows in `congestion`.
    #[new]
    #[pyo3(signature = (scenario, *, seeds, even_if_slow, settings, congestion))]
    fn new(
        scenario: &Scenario,
        seeds: Vec<u64>,
        even_if_slow: bool,
        settings: Vec<(String, String)>,
        congestion: Vec<(String, String)>,
    ) -> PyResult<Self> {
        scenario.inner.check_packets().map_err(|error| NoAnswerError::new_err(error.to_string()))?;
        check_stacks(&scenario.inner).map_err(|missing| error::missing(&missing))?;
        let emulations = Emulations { scenario: scenario.inner.clone(), is_forced: even_if_slow, settings, congestion };
        Ok(Self { inner: Job::new(emulations, seeds, 1) })
    }

    /// Starts. In `folder`, each seed writes the packets of its flows to seed-N.pcapng (`packets="together"`), or those
    /// of each interface to captures-N/NAME.pcapng ("apart"), and with `qlog` the events of connections over QUIC to
    /// qlog-N.
    #[pyo3(signature = (folder=None, *, packets=None, qlog=false))]
    fn start(&self, folder: Option<PathBuf>, packets: Option<&str>, qlog: bool) -> PyResult<()> {
        let captures = folder.map(|folder| captures::of(folder, packets, qlog));
        self.inner.start(captures).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// Waits until a seed has finished, at most `seconds`; returns the tables of those that have, once each, with their
    /// `quality` and `notes`. Raises the error that ended the job.
    fn wait<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let finished =
            py.detach(|| self.inner.wait(timeout)).map_err(|error| error::job(error, |failure| raise(&failure)))?;
        finished.into_iter().map(|emulation| to_python(py, emulation)).collect()
    }

    /// True if all results have been returned.
    #[getter]
    fn is_done(&self, py: Python<'_>) -> bool {
        py.detach(|| self.inner.is_done())
    }

    /// Emulated seconds of each seed, in the order given.
    fn simulated_s(&self) -> Vec<f64> {
        self.inner.progress().into_iter().map(|time| time.as_secs()).collect()
    }

    /// Stops running emulations and waits until nothing of them is left.
    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.inner.cancel());
    }
}

impl Drop for EmulationJob {
    fn drop(&mut self) {
        Python::attach(|py| py.detach(|| self.inner.cancel()));
    }
}

fn to_python(py: Python<'_>, emulation: Emulation) -> PyResult<Bound<'_, PyDict>> {
    let tables = output::to_python(py, emulation.output)?;
    tables.set_item("quality", quality_to_python(py, &emulation.quality)?)?;
    tables.set_item("notes", emulation.notes)?;
    Ok(tables)
}

fn quality_to_python<'py>(py: Python<'py>, quality: &Quality) -> PyResult<Bound<'py, PyDict>> {
    let fields = output::row(py, quality.clone())?;
    fields.set_item("problem", quality.problem())?;
    Ok(fields)
}

/// Links without flows and without an end.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct Links {
    inner: windward_scenario::Links,
}

#[pymethods]
impl Links {
    /// Reads `node`, `link`, `wifi`, `change` and `background` of a scenario in JSON. Recordings are looked up in
    /// `folder`. Raises ScenarioError.
    #[staticmethod]
    fn from_json(text: &str, origin: &str, folder: PathBuf) -> PyResult<Self> {
        let recordings = Recordings::of(&folder);
        windward_scenario::Links::from_json_with(text, origin, &|name| recordings.read(name))
            .map(|inner| Self { inner })
            .map_err(|error| error::scenario(&error))
    }

    /// Rate of each port in bits a second, of Wi-Fi that of its data frames; None for a recorded rate.
    #[getter]
    fn rates_bps(&self) -> Vec<Option<u64>> {
        let topology = self.inner.topology();
        let rate = |(at, port): (u32, &windward_sim::PortConfig)| match &port.kind {
            PortKind::Link(LinkConfig { rate: Rate::Constant(rate), .. }) => Some(rate.as_bits_per_sec()),
            PortKind::Shared { .. } => Some(topology.nominal_rate(at)),
            PortKind::Link(_) => None,
        };
        (0..).zip(topology.ports.iter()).map(rate).collect()
    }
}

/// Runs `command` at the second node of `links`, and `servers` at the first. Returns a dictionary: `code`, `seconds`,
/// `down` and `up` (a row for each link on the way of a packet, in this order), `quality`. Interrupting the command
/// interrupts the emulation.
#[pyfunction]
pub(crate) fn emulate_link<'py>(
    py: Python<'py>,
    links: &Links,
    seed: u64,
    command: Vec<OsString>,
    servers: Vec<String>,
    congestion: Option<String>,
    is_isolated: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let ends = Ends { command, servers, congestion, is_isolated };
    let report = py.detach(|| link::run(&links.inner, seed, &ends)).map_err(|error| raise(&error))?;
    let fields = PyDict::new(py);
    fields.set_item("code", report.code)?;
    fields.set_item("seconds", report.seconds)?;
    for (name, route) in ["down", "up"].iter().zip(&report.routes) {
        let hop = |&port: &u32| {
            let row = output::row(py, report.links.get(port as usize).cloned().unwrap_or_default())?;
            for frame in &report.media.0 {
                output::add_row(py, frame, port, &row)?;
            }
            Ok(row)
        };
        fields.set_item(name, route.iter().map(hop).collect::<PyResult<Vec<_>>>()?)?;
    }
    fields.set_item("quality", quality_to_python(py, &report.quality)?)?;
    Ok(fields)
}

/// Emulates one link for the process at the other end of a Unix socket, a descriptor of which this takes, until that
/// ends. The calling process must have one thread, and belongs to the link from then on.
#[pyfunction]
pub(crate) fn serve_link(py: Python<'_>, socket: RawFd) -> PyResult<()> {
    // SAFETY: the caller hands the descriptor over.
    let stream = unsafe { UnixStream::from_raw_fd(socket) };
    py.detach(|| link::serve(stream)).map_err(|error| EmulationError::new_err(error.to_string()))
}

/// Moves the calling process, which must have one thread, behind a link, by descriptors of its namespaces; what the
/// process starts from then on ends with the link.
#[pyfunction]
#[pyo3(signature = (network, processes, user=None))]
pub(crate) fn enter_link(network: RawFd, processes: RawFd, user: Option<RawFd>) -> PyResult<()> {
    Ok(link::enter(network, processes, user)?)
}
