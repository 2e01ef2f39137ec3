//! Common machinery of FAST and QUIC-TCP: windows that settle with `backlog` packets of the flow in queues.
//!
//! The two laws differ only in one factor of their [`Drift`]. [`Mode`] chooses between the papers' law ([`paper`]) and
//! the behaviour of the ns-2 module that produced the papers' results ([`ns2`]).

mod avg_rtt;
mod drift;
mod exit;
mod fluid;
mod ns2;
mod paper;

pub(crate) use avg_rtt::{AvgRtt, FILTER};
pub(crate) use drift::Drift;
pub(crate) use exit::Exit;
pub(crate) use fluid::backlog_law;

use crate::{Ack, Congestion, Law, Needs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::Packets;

/// Form of the law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The papers' equations: one step of the law per window of ACKs, spread over them.
    #[default]
    Paper,
    /// The ns-2 module (tcp-fast.cc 1.1.3): steps at most every 10 ms, in every other round trip, increases paced.
    Ns2,
}

/// Settings that distinguish FAST from QUIC-TCP.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub(crate) drift: Drift,
    pub(crate) mode: Mode,
}

/// A FAST or QUIC-TCP sender.
#[derive(Clone, Debug)]
pub struct Sender {
    drift: Drift,
    cwnd: f64,
    avg_rtt: AvgRtt,
    control: Control,
}

#[derive(Clone, Debug)]
enum Control {
    Paper(paper::Control),
    Ns2(ns2::Control),
}

impl Sender {
    /// A sender whose window begins at `initial`, under the parameters of its law.
    pub fn new(params: impl Into<Settings>, initial: Packets) -> Self {
        let Settings { drift, mode } = params.into();
        let control = match mode {
            Mode::Paper => Control::Paper(paper::Control::new()),
            Mode::Ns2 => Control::Ns2(ns2::Control::new()),
        };
        Self { drift, cwnd: initial.count(), avg_rtt: AvgRtt::default(), control }
    }
}

impl Law for Sender {
    const NEEDS: Needs = Needs { reads_base_rtt: true, counts_acks: false, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let Self { drift, cwnd, avg_rtt, control } = self;
        match control {
            Control::Paper(control) => control.on_ack(ack, drift, cwnd, avg_rtt),
            Control::Ns2(control) => control.on_ack(ack, drift, cwnd, avg_rtt),
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.cwnd = match &mut self.control {
            Control::Paper(control) => control.on_congestion(event, self.cwnd),
            Control::Ns2(control) => control.on_congestion(event, self.cwnd),
        };
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.cwnd)
    }

    fn on_idle(&mut self, cwnd: Packets) {
        match &mut self.control {
            Control::Paper(control) => control.on_idle(cwnd.count(), &mut self.cwnd),
            // The module keeps its window.
            Control::Ns2(_) => {}
        }
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        match &mut self.control {
            Control::Paper(control) => control.remember(ssthresh),
            // The module enters slow start by backlog alone.
            Control::Ns2(_) => false,
        }
    }

    fn on_undo(&mut self, before: Packets) {
        self.cwnd = self.cwnd.max(before.count());
        if let Control::Paper(control) = &mut self.control {
            control.on_undo();
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("avg_rtt", self.avg_rtt.nanos / 1e9);
    }
}
