//! Control laws written in Python, as laws of the simulator.

use crate::answer::{float, kind};
use crate::error::LawError;
use crate::interrupt::{self, Inside};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt;
use std::sync::Arc;
use windward_laws::{self as laws, AnyLaw, Law};
use windward_run::Fuse;
use windward_sim::MakeLaw;
use windward_units::{PacketRate, Packets, Time};

/// New data was acknowledged: times in seconds, amounts in packets.
#[pyclass(frozen, get_all, module = "windward")]
pub(crate) struct Ack {
    /// Seconds since the run began.
    now: f64,
    /// Packets that this ACK reports delivered for the first time.
    acked: f64,
    /// ECN-marked packets among these.
    marked: f64,
    /// Packets newly found lost.
    lost: f64,
    /// Round-trip sample in seconds; None where Karn's rule forbids one.
    rtt: Option<f64>,
    /// Smoothed round-trip time in seconds; 0 before the first sample.
    srtt: f64,
    /// Least round-trip time ever seen, in seconds, or the propagation delay where it is known.
    base_rtt: f64,
    /// Packets in flight after this ACK.
    flight: f64,
    /// Send time of the newest packet that this ACK delivers, in seconds.
    sent_at: f64,
    /// Packets in flight just after that packet was sent.
    flight_at_send: f64,
    /// Delivery rate over the life of that packet, in packets a second; None until one is known.
    delivery_rate: Option<f64>,
    /// True if the window did not limit the sender: do not grow on this ACK.
    app_limited: bool,
    /// True if the sender is repairing a loss and holds the window itself: learn, do not grow.
    recovering: bool,
    /// Completed round trips.
    round: u64,
}

impl From<&laws::Ack> for Ack {
    fn from(ack: &laws::Ack) -> Self {
        Self {
            now: ack.now.as_secs(),
            acked: ack.acked.count(),
            marked: ack.marked.count(),
            lost: ack.lost.count(),
            rtt: ack.rtt.map(|rtt| rtt.as_secs()),
            srtt: ack.srtt.as_secs(),
            base_rtt: ack.base_rtt.as_secs(),
            flight: ack.flight.count(),
            sent_at: ack.sent_at.as_secs(),
            flight_at_send: ack.flight_at_send.count(),
            delivery_rate: ack.delivery_rate.map(PacketRate::as_per_sec),
            app_limited: ack.app_limited,
            recovering: ack.recovering,
            round: ack.round,
        }
    }
}

/// The network is congested: times in seconds, amounts in packets.
#[pyclass(frozen, get_all, module = "windward")]
pub(crate) struct Congestion {
    /// Seconds since the run began.
    now: f64,
    /// Kind of congestion signal: "loss", "mark" or "timeout".
    kind: &'static str,
    /// Packets in flight at detection, the lost ones included.
    flight: f64,
    /// Packets declared lost so far in this event.
    lost: f64,
    /// Smoothed round-trip time in seconds.
    srtt: f64,
    /// Least round-trip time ever seen, in seconds.
    base_rtt: f64,
}

impl From<&laws::Congestion> for Congestion {
    fn from(event: &laws::Congestion) -> Self {
        Self {
            now: event.now.as_secs(),
            kind: match event.kind {
                laws::CongestionKind::Loss => "loss",
                laws::CongestionKind::Mark => "mark",
                laws::CongestionKind::Timeout => "timeout",
            },
            flight: event.flight.count(),
            lost: event.lost.count(),
            srtt: event.srtt.as_secs(),
            base_rtt: event.base_rtt.as_secs(),
        }
    }
}

/// An instance of a Python law.
pub(crate) struct PythonLaw {
    instance: Option<Py<PyAny>>,
    name: String,
    fuse: Arc<Fuse<PyErr>>,
    /// Python's identifier for the thread of the law.
    thread: u64,
    cwnd: Packets,
    pacing_rate: Option<PacketRate>,
    /// True after a failure: the law is not called again, and its window stays until the run has ended.
    is_dead: bool,
    has_restart: bool,
    has_undo: bool,
    has_observe: bool,
}

impl PythonLaw {
    /// Calls `factory(initial)`; a failure stops the run.
    pub(crate) fn new(factory: &Py<PyAny>, name: &str, initial: Packets, fuse: Arc<Fuse<PyErr>>) -> Self {
        let mut law = Self {
            instance: None,
            name: name.to_owned(),
            fuse,
            thread: 0,
            cwnd: initial,
            pacing_rate: None,
            is_dead: false,
            has_restart: false,
            has_undo: false,
            has_observe: false,
        };
        Python::attach(|py| {
            let made = (|| {
                law.thread = interrupt::this_thread(py)?;
                let _inside = Inside::new(law.thread);
                let instance = factory.bind(py).call1((initial.count(),))?;
                for method in ["on_ack", "on_congestion", "cwnd"] {
                    if !instance.hasattr(method)? {
                        return Err(PyTypeError::new_err(format!("{name} has no `{method}`: a law needs it")));
                    }
                }
                law.has_restart = instance.hasattr("on_restart")?;
                law.has_undo = instance.hasattr("on_undo")?;
                law.has_observe = instance.hasattr("observe")?;
                law.instance = Some(instance.clone().unbind());
                law.read(&instance)
            })();
            if let Err(error) = made {
                law.fail(py, "the constructor", None, error);
            }
        });
        law
    }

    /// Runs `call` on the instance and reads the answer; a failure stops the run.
    fn call(&mut self, what: &str, now: Option<Time>, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) {
        if self.is_dead {
            return;
        }
        Python::attach(|py| {
            let Some(instance) = self.instance.as_ref().map(|instance| instance.bind(py).clone()) else { return };
            let _inside = Inside::new(self.thread);
            if let Err(error) = call(&instance).and_then(|()| self.read(&instance)) {
                self.fail(py, what, now, error);
            }
        });
    }

    /// Reads the window and the rate, and rejects impossible ones.
    fn read(&mut self, instance: &Bound<'_, PyAny>) -> PyResult<()> {
        let window = format_args!("a window is a number of packets from 0 to {MOST_PACKETS}");
        let cwnd = number(instance, "cwnd", window)?
            .ok_or_else(|| LawError::new_err("cwnd is None: a window is a number of packets"))?;
        if !(0.0..=MOST_PACKETS).contains(&cwnd) {
            return Err(LawError::new_err(format!("cwnd is {cwnd:?}: {window}")));
        }
        let pace = format_args!("a rate is a number of packets a second from {LEAST_RATE:e} to {MOST_RATE:e}, or None");
        let rate = if instance.hasattr("pacing_rate")? { number(instance, "pacing_rate", pace)? } else { None };
        if let Some(rate) = rate.filter(|rate| !(LEAST_RATE..=MOST_RATE).contains(rate)) {
            return Err(LawError::new_err(format!("pacing_rate is {rate:?}: {pace}")));
        }
        self.cwnd = Packets::new(cwnd);
        self.pacing_rate = rate.map(PacketRate::per_sec);
        Ok(())
    }

    fn fail(&mut self, py: Python<'_>, what: &str, now: Option<Time>, error: PyErr) {
        self.is_dead = true;
        let when = now.map(|now| format!(" at {:.6} s", now.as_secs())).unwrap_or_default();
        let failure = LawError::new_err(format!("{}: {what} failed{when}: {error}", self.name));
        failure.set_cause(py, Some(error));
        self.fuse.blow(failure);
    }
}

impl Law for PythonLaw {
    fn on_ack(&mut self, ack: &laws::Ack) {
        self.call("on_ack", Some(ack.now), |law| {
            law.call_method1(pyo3::intern!(law.py(), "on_ack"), (Ack::from(ack),)).map(drop)
        });
    }

    fn on_congestion(&mut self, event: &laws::Congestion) {
        self.call("on_congestion", Some(event.now), |law| {
            law.call_method1(pyo3::intern!(law.py(), "on_congestion"), (Congestion::from(event),)).map(drop)
        });
    }

    fn cwnd(&self) -> Packets {
        self.cwnd
    }

    fn pacing_rate(&self) -> Option<PacketRate> {
        self.pacing_rate
    }

    fn on_restart(&mut self, now: Time) {
        if self.has_restart {
            self.call("on_restart", Some(now), |law| law.call_method1("on_restart", (now.as_secs(),)).map(drop));
        }
    }

    fn on_undo(&mut self, _before: Packets) {
        if self.has_undo {
            self.call("on_undo", None, |law| law.call_method0("on_undo").map(drop));
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        let Some(instance) = self.instance.as_ref().filter(|_| self.has_observe && !self.is_dead) else { return };
        let shown = Python::attach(|py| -> PyResult<Vec<(String, f64)>> {
            let _inside = Inside::new(self.thread);
            let shown = instance.bind(py).call_method0("observe")?;
            let expected = format_args!("observe answers with a dict of numbers by their names");
            let not_so = |given: &Bound<'_, PyAny>| LawError::new_err(format!("{}: {expected}", kind(given)));
            let values = shown.cast::<PyDict>().map_err(|_| not_so(&shown))?;
            let value = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                let name: String = name.extract().map_err(|_| not_so(&name))?;
                let value = float(&value, &name, "law", expected)?;
                Ok((name, value))
            };
            values.iter().map(value).collect()
        });
        match shown {
            Ok(values) => values.into_iter().for_each(|(name, value)| sink(&name, value)),
            Err(error) => {
                let failure = LawError::new_err(format!("{}: observe failed: {error}", self.name));
                Python::attach(|py| failure.set_cause(py, Some(error)));
                self.fuse.blow(failure);
            }
        }
    }
}

/// Largest window of a Python law, in packets: the range of the kernel's 32 bits.
const MOST_PACKETS: f64 = u32::MAX as f64;

/// Pacing rates of a Python law, in packets per second: one packet in thirty years to one a nanosecond.
const LEAST_RATE: f64 = 1e-9;
const MOST_RATE: f64 = 1e9;

/// Value of an attribute, a property or a method without arguments; `allowed` describes it in messages.
fn number(instance: &Bound<'_, PyAny>, name: &str, allowed: fmt::Arguments<'_>) -> PyResult<Option<f64>> {
    let value = instance.getattr(name)?;
    let value = if value.is_callable() { value.call0()? } else { value };
    if value.is_none() { Ok(None) } else { float(&value, name, "law", allowed).map(Some) }
}

/// Makes instances of the Python law `class` by calling `factory`.
pub(crate) fn maker(class: &str, factory: Arc<Py<PyAny>>, fuse: &Arc<Fuse<PyErr>>) -> MakeLaw {
    let (name, fuse) = (class.to_owned(), Arc::clone(fuse));
    Arc::new(move |initial| AnyLaw::external(PythonLaw::new(&factory, &name, initial, Arc::clone(&fuse))))
}
