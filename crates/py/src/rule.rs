//! Forwarding rules written in Python, as rules of the simulator.

use crate::answer::float;
use crate::error::LawError;
use crate::interrupt::{self, Inside};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;
use windward_run::Fuse;
use windward_sim::MakeRule;
use windward_sim::backpressure::{self, Rank};

/// A neighbour, and a flow that has a packet for it.
#[pyclass(frozen, get_all, module = "windward")]
pub(crate) struct Pair {
    /// Time in seconds.
    now: f64,
    /// Index of the sending station in the network.
    node: u32,
    /// Index of the neighbour.
    neighbour: u32,
    /// Flow, numbered in order of appearance.
    flow: u32,
    /// True if the neighbour is its destination.
    is_destination: bool,
    /// Its packets at the station.
    own: u32,
    /// Its packets at the neighbour, as last reported; 0 at its destination.
    theirs: u32,
    /// Threshold K of the station, in packets.
    threshold: f64,
    /// Share of successful transmissions among the recent ones to the neighbour.
    success: f64,
}

impl From<&backpressure::Pair> for Pair {
    fn from(pair: &backpressure::Pair) -> Self {
        let backpressure::Pair { now, node, neighbour, commodity, is_destination, own, theirs, threshold, success } =
            *pair;
        Self { now: now.as_secs(), node, neighbour, flow: commodity, is_destination, own, theirs, threshold, success }
    }
}

/// An instance of a Python rule; after a failure it is not called again.
struct PythonRule {
    instance: Option<Py<PyAny>>,
    name: String,
    fuse: Arc<Fuse<PyErr>>,
    /// Python's identifier for its thread.
    thread: u64,
}

impl PythonRule {
    /// Calls `factory()`; a failure stops the run.
    fn new(factory: &Py<PyAny>, name: &str, fuse: Arc<Fuse<PyErr>>) -> Self {
        let mut rule = Self { instance: None, name: name.to_owned(), fuse, thread: 0 };
        Python::attach(|py| {
            let made = (|| {
                rule.thread = interrupt::this_thread(py)?;
                let _inside = Inside::new(rule.thread);
                let instance = factory.bind(py).call0()?;
                if !instance.hasattr("rank")? {
                    return Err(PyTypeError::new_err(format!("{name} has no `rank`: a rule of forwarding needs it")));
                }
                Ok(instance.unbind())
            })();
            match made {
                Ok(instance) => rule.instance = Some(instance),
                Err(error) => rule.fail(py, "the constructor failed", error),
            }
        });
        rule
    }

    fn fail(&mut self, py: Python<'_>, what: &str, error: PyErr) {
        self.instance = None;
        let failure = LawError::new_err(format!("{}: {what}: {error}", self.name));
        failure.set_cause(py, Some(error));
        self.fuse.blow(failure);
    }
}

impl Rank for PythonRule {
    fn rank(&mut self, pair: &backpressure::Pair) -> f64 {
        let Some(instance) = &self.instance else { return 0.0 };
        let rank = Python::attach(|py| {
            let _inside = Inside::new(self.thread);
            let answer = instance.bind(py).call_method1(pyo3::intern!(py, "rank"), (Pair::from(pair),));
            let expected = format_args!("a rank is a number, or None for zero");
            answer.and_then(|rank| if rank.is_none() { Ok(0.0) } else { float(&rank, "rank", "rule", expected) })
        });
        rank.unwrap_or_else(|error| {
            let when = format!("rank failed at {:.6} s", pair.now.as_secs());
            Python::attach(|py| self.fail(py, &when, error));
            0.0
        })
    }
}

/// Makes instances of the Python rule `class` by calling `factory`.
pub(crate) fn maker(class: &str, factory: Arc<Py<PyAny>>, fuse: &Arc<Fuse<PyErr>>) -> MakeRule {
    let (name, fuse) = (class.to_owned(), Arc::clone(fuse));
    Arc::new(move || Box::new(PythonRule::new(&factory, &name, Arc::clone(&fuse))))
}
