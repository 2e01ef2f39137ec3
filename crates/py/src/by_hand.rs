//! Laws driven by hand from Python in place of a sender or a host. See `windward.theory.laws`.

use crate::error;
use crate::network::spec;
use crate::num::{parse, refused};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};
use windward_laws::emultcp::{Controller, Sample};
use windward_laws::{self as laws, Ack, AnyLaw, Congestion, CongestionKind, Repair};
use windward_units::{Duration, PacketRate, Packets, Time};

/// Weight of a sample in the smoothed round-trip time (RFC 6298 §2).
const SRTT_WEIGHT: f64 = 1.0 / 8.0;

/// Window of a law, and the state of its sender.
#[pyclass(module = "windward._engine", name = "LawWindow")]
pub(crate) struct Window {
    /// Python may pass the object to another thread; laws need not be shareable.
    law: Mutex<AnyLaw>,
    now: Time,
    rtt: Duration,
    srtt: Option<Duration>,
    base_rtt: Option<Duration>,
    /// Completed round trips, and the time of the last one.
    round: u64,
    round_began: Time,
    delivered: Packets,
}

#[pymethods]
impl Window {
    #[new]
    fn new(law: &str, initial: f64) -> PyResult<Self> {
        let law = Mutex::new(spec(parse("law", law).map_err(refused)?)?.build(Packets::new(initial)));
        let (rtt, round_began) = (Duration::ZERO, Time::ZERO);
        let delivered = Packets::ZERO;
        Ok(Self { law, now: Time::ZERO, rtt, srtt: None, base_rtt: None, round: 0, round_began, delivered })
    }

    /// Raises ValueError if the clock goes back or a value is impossible.
    #[pyo3(signature = (now, rtt, acked, flight, recovering))]
    fn on_ack(
        &mut self,
        now: f64,
        rtt: Option<f64>,
        acked: f64,
        flight: Option<f64>,
        recovering: bool,
    ) -> PyResult<()> {
        let now = self.clock(now)?;
        let acked = above_zero("acked", acked)?;
        if let Some(rtt) = rtt {
            self.sample(Duration::from_secs(above_zero("rtt_s", rtt)?));
        }
        let sent_at = now - self.rtt;
        if sent_at >= self.round_began {
            (self.round, self.round_began) = (self.round + 1, now);
        }
        let flight_at_send = self.flight(flight)?;
        self.delivered += Packets::new(acked);
        self.law().on_ack(&Ack {
            now,
            acked: Packets::new(acked),
            counts_acks: false,
            marked: Packets::ZERO,
            lost: Packets::ZERO,
            rtt: rtt.is_some().then_some(self.rtt),
            srtt: self.srtt.unwrap_or(Duration::ZERO),
            base_rtt: self.base_rtt.unwrap_or(Duration::MAX),
            flight: Packets::new((flight_at_send.count() - acked).max(0.0)),
            sent_at,
            flight_at_send,
            delivery_rate: (self.rtt > Duration::ZERO).then(|| flight_at_send / self.rtt),
            app_limited: false,
            recovering,
            round: self.round,
            // A window of packets is delivered in a round trip.
            sample: laws::Sample {
                delivered: self.delivered,
                delivered_at_send: Packets::new((self.delivered - flight_at_send).count().max(0.0)),
                interval: self.rtt,
                prior_flight: flight_at_send,
                next_send: now,
                repair: if recovering { Repair::Losses } else { Repair::Nothing },
                ..laws::Sample::default()
            },
        });
        Ok(())
    }

    /// Raises ValueError if the clock goes back or the flight is impossible.
    #[pyo3(signature = (now, flight, is_timeout))]
    fn on_congestion(&mut self, now: f64, flight: Option<f64>, is_timeout: bool) -> PyResult<()> {
        let now = self.clock(now)?;
        let event = Congestion {
            now,
            kind: if is_timeout { CongestionKind::Timeout } else { CongestionKind::Loss },
            flight: self.flight(flight)?,
            lost: Packets::ONE,
            srtt: self.srtt.unwrap_or(Duration::ZERO),
            base_rtt: self.base_rtt.unwrap_or(Duration::MAX),
        };
        self.law().on_congestion(&event);
        Ok(())
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.law().cwnd().count()
    }

    #[getter]
    fn pacing_rate(&self) -> Option<f64> {
        self.law().pacing_rate().map(PacketRate::as_per_sec)
    }

    #[getter]
    fn srtt_s(&self) -> Option<f64> {
        self.srtt.map(Duration::as_secs)
    }

    #[getter]
    fn base_rtt_s(&self) -> Option<f64> {
        self.base_rtt.map(Duration::as_secs)
    }

    fn observe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let shown = PyDict::new(py);
        let mut failed = Ok(());
        self.law().observe(&mut |name, value| {
            if failed.is_ok() {
                failed = shown.set_item(name, value);
            }
        });
        failed.map(|()| shown)
    }
}

impl Window {
    fn law(&self) -> MutexGuard<'_, AnyLaw> {
        self.law.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clock(&mut self, now: f64) -> PyResult<Time> {
        let last = self.now.as_secs();
        let now = Time::ZERO + Duration::from_secs(not_negative("now_s", now)?);
        if now < self.now {
            return Err(PyValueError::new_err(format!("now_s is {}; the last was {last}", now.as_secs())));
        }
        self.now = now;
        Ok(now)
    }

    fn sample(&mut self, rtt: Duration) {
        self.rtt = rtt;
        self.base_rtt = Some(self.base_rtt.map_or(rtt, |least| least.min(rtt)));
        self.srtt = Some(self.srtt.map_or(rtt, |old| old.scale(1.0 - SRTT_WEIGHT) + rtt.scale(SRTT_WEIGHT)));
    }

    /// Packets in flight; the whole window for a sender that always has data.
    fn flight(&self, given: Option<f64>) -> PyResult<Packets> {
        given.map_or(Ok(self.law().cwnd()), |flight| not_negative("flight", flight).map(Packets::new))
    }
}

/// A controller of a number of connections.
#[pyclass(module = "windward._engine", name = "LawConnections")]
pub(crate) struct Connections {
    controller: Controller,
    now: f64,
}

#[pymethods]
impl Connections {
    #[new]
    fn new(law: &str) -> PyResult<Self> {
        let params = windward_scenario::controller(law).map_err(|refused| error::scenario(&refused))?;
        Ok(Self { controller: Controller::new(params, None), now: 0.0 })
    }

    /// Raises ValueError if the clock goes back or a value is impossible.
    fn update(&mut self, now: f64, rtt: Option<f64>, base_rtt: Option<f64>) -> PyResult<u32> {
        if not_negative("now_s", now)? < self.now {
            return Err(PyValueError::new_err(format!("now_s is {now}; the last was {}", self.now)));
        }
        self.now = now;
        let rtt = rtt.map(|rtt| above_zero("rtt_s", rtt)).transpose()?;
        let base_rtt = base_rtt.map(|rtt| above_zero("base_rtt_s", rtt)).transpose()?;
        Ok(self.controller.update(Sample {
            now,
            rtt,
            rtt_min: base_rtt.unwrap_or(f64::INFINITY),
            rate: 0.0,
            connections: self.controller.wanted(),
            remaining: None,
        }))
    }

    #[getter]
    fn n(&self) -> f64 {
        self.controller.connections()
    }

    #[getter]
    fn wanted(&self) -> u32 {
        self.controller.wanted()
    }
}

fn above_zero(name: &str, value: f64) -> PyResult<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!("{name} is {value}; it must be above 0")))
}

fn not_negative(name: &str, value: f64) -> PyResult<f64> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!("{name} is {value}; it must not be negative")))
}
