//! A rule of forwarding written in Python, seen by the simulator as any other.

use crate::error::LawError;
use crate::interrupt::{self, Inside};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;
use windward_run::Fuse;
use windward_sim::MakeRule;
use windward_sim::backlog::{self, Rank};

/// A neighbour, and a flow of which a packet could go there.
#[pyclass(frozen, get_all, module = "windward")]
pub(crate) struct Pair {
    /// When, in seconds.
    now: f64,
    /// The station that sends, by its place among the network's.
    node: u32,
    /// The neighbour, likewise.
    neighbour: u32,
    /// The flow, numbered in the order in which they appeared.
    flow: u32,
    /// Whether the neighbour is its destination.
    is_destination: bool,
    /// Packets of it at the station.
    own: u32,
    /// Packets of it at the neighbour, as last told; 0 at its destination.
    theirs: u32,
    /// K of the station, in packets.
    threshold: f64,
    /// Share of recent transmissions to the neighbour that succeeded.
    success: f64,
}

impl From<&backlog::Pair> for Pair {
    fn from(pair: &backlog::Pair) -> Self {
        let backlog::Pair { now, node, neighbour, commodity, is_destination, own, theirs, threshold, success } = *pair;
        Self { now: now.as_secs(), node, neighbour, flow: commodity, is_destination, own, theirs, threshold, success }
    }
}

/// An instance of a Python rule; one that failed is not called again.
struct PythonRule {
    instance: Option<Py<PyAny>>,
    name: String,
    fuse: Arc<Fuse<PyErr>>,
    /// Python's name for the thread that it runs in.
    thread: u64,
}

impl PythonRule {
    /// Calls `factory()`; a failure blows the fuse.
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
    fn rank(&mut self, pair: &backlog::Pair) -> f64 {
        let Some(instance) = &self.instance else { return 0.0 };
        let rank = Python::attach(|py| {
            let _inside = Inside::new(self.thread);
            let answer = instance.bind(py).call_method1(pyo3::intern!(py, "rank"), (Pair::from(pair),));
            answer.and_then(|answer| answer.extract::<Option<f64>>()).map(|rank| rank.unwrap_or(0.0))
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
