//! Schedulers written in Python, as schedulers of the simulator.

use crate::error::LawError;
use crate::interrupt::{self, Inside};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use std::sync::Arc;
use windward_run::Fuse;
use windward_sim::MakeScheduler;
use windward_sim::cell::{self, Choose};

/// State of a cell at the beginning of a slot.
#[pyclass(frozen, get_all, module = "windward")]
pub(crate) struct Slot {
    /// Number of earlier slots.
    number: u64,
    /// Beginning of the slot, in seconds.
    now: f64,
    /// Stations, in the order of the scenario.
    stations: Vec<Candidate>,
}

/// State of a station for its scheduler.
#[pyclass(frozen, get_all, from_py_object, module = "windward")]
#[derive(Clone)]
pub(crate) struct Candidate {
    /// Packets in the queue.
    backlog_packets: u64,
    /// Bits in the queue.
    backlog_bits: f64,
    /// Waiting time of the packet at the head, in seconds; 0 for an empty queue.
    head_wait: f64,
    /// Signal-to-noise ratio of this slot, linear.
    snr: f64,
    /// Rate of the station if served in this slot, in bits per second.
    rate: f64,
    /// Filtered rate of delivered data, in bits per second.
    average_rate: f64,
    /// Filtered rate offered by the channel, served or not, in bits per second.
    average_offer: f64,
    /// -ln(violation)/deadline of M-LWDF and the EXP rule, in 1/s.
    urgency: f64,
}

impl From<&cell::Candidate> for Candidate {
    fn from(station: &cell::Candidate) -> Self {
        Self {
            backlog_packets: station.backlog_packets,
            backlog_bits: station.backlog_bits,
            head_wait: station.head_wait.as_secs(),
            snr: station.snr,
            rate: station.rate,
            average_rate: station.average_rate,
            average_offer: station.average_offer,
            urgency: station.urgency,
        }
    }
}

/// An instance of a Python scheduler; after a failure it is not called again.
struct PythonScheduler {
    instance: Option<Py<PyAny>>,
    name: String,
    fuse: Arc<Fuse<PyErr>>,
    /// Python's identifier for its thread.
    thread: u64,
}

impl PythonScheduler {
    /// Calls `factory()`; a failure stops the run.
    fn new(factory: &Py<PyAny>, name: &str, fuse: Arc<Fuse<PyErr>>) -> Self {
        let mut scheduler = Self { instance: None, name: name.to_owned(), fuse, thread: 0 };
        Python::attach(|py| {
            let made = (|| {
                scheduler.thread = interrupt::this_thread(py)?;
                let _inside = Inside::new(scheduler.thread);
                let instance = factory.bind(py).call0()?;
                if !instance.hasattr("choose")? {
                    return Err(PyTypeError::new_err(format!("{name} has no `choose`: a scheduler needs it")));
                }
                Ok(instance.unbind())
            })();
            match made {
                Ok(instance) => scheduler.instance = Some(instance),
                Err(error) => scheduler.fail(py, "the constructor failed", error),
            }
        });
        scheduler
    }

    fn fail(&mut self, py: Python<'_>, what: &str, error: PyErr) {
        self.instance = None;
        let failure = LawError::new_err(format!("{}: {what}: {error}", self.name));
        failure.set_cause(py, Some(error));
        self.fuse.blow(failure);
    }
}

impl Choose for PythonScheduler {
    fn choose(&mut self, slot: &cell::Slot<'_>) -> Option<usize> {
        let chosen = Python::attach(|py| -> Option<PyResult<Option<usize>>> {
            let instance = self.instance.as_ref()?.bind(py);
            let _inside = Inside::new(self.thread);
            let stations = slot.stations.iter().map(Candidate::from).collect();
            let view = Slot { number: slot.number, now: slot.now.as_secs(), stations };
            let answer = instance.call_method1(pyo3::intern!(py, "choose"), (view,));
            Some(answer.and_then(|answer| station(&answer, slot.stations.len())))
        })?;
        chosen.unwrap_or_else(|error| {
            let when = format!("choose failed at {:.6} s", slot.now.as_secs());
            Python::attach(|py| self.fail(py, &when, error));
            None
        })
    }
}

/// Reads the index of one of `count` stations, or None.
fn station(answer: &Bound<'_, PyAny>, count: usize) -> PyResult<Option<usize>> {
    if answer.is_none() {
        return Ok(None);
    }
    let given = match answer.extract::<i64>() {
        Ok(index) => match usize::try_from(index) {
            Ok(index) if index < count => return Ok(Some(index)),
            _ => index.to_string(),
        },
        Err(error) if error.is_instance_of::<PyOverflowError>(answer.py()) => "a number beyond 64 bits".to_owned(),
        Err(error) => return Err(error),
    };
    Err(LawError::new_err(format!("{given} is no station: 0 to {}, or None for no station", count - 1)))
}

/// Makes instances of the Python scheduler `class` by calling `factory`.
pub(crate) fn maker(class: &str, factory: Arc<Py<PyAny>>, fuse: &Arc<Fuse<PyErr>>) -> MakeScheduler {
    let (name, fuse) = (class.to_owned(), Arc::clone(fuse));
    Arc::new(move || Box::new(PythonScheduler::new(&factory, &name, Arc::clone(&fuse))))
}
