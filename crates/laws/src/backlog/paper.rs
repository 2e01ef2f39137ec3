//! The papers' law: AvgRTT by Eq. 8 on every sample, and the step of Eq. 9 on every ACK in proportion to the packets it
//! acknowledges, so that one window of ACKs makes one step.

use super::avg_rtt::{AvgRtt, FILTER};
use super::drift::{Drift, FLOOR};
use super::exit::Exit;
use crate::shared::{LOSS_FLOOR, half_flight, slow_start};
use crate::{Ack, Congestion, CongestionKind};
use windward_units::Packets;

#[derive(Clone, Debug)]
pub(super) struct Control {
    ssthresh: f64,
    is_slow_start: bool,
    /// Threshold that an undo of the last event restores, and slow start before it.
    before: (f64, bool),
    exit: Exit,
    /// κ·W^(1−2ρ), computed once per round trip.
    scale: f64,
    /// Round trip of `scale`; `None`: compute it anew.
    scale_round: Option<u64>,
}

impl Control {
    pub(super) fn new() -> Self {
        Self {
            ssthresh: f64::INFINITY,
            is_slow_start: true,
            before: (f64::INFINITY, true),
            exit: Exit::new(),
            scale: 0.0,
            scale_round: None,
        }
    }

    pub(super) fn remember(&mut self, ssthresh: Packets) -> bool {
        self.ssthresh = ssthresh.count().max(LOSS_FLOOR);
        true
    }

    #[inline]
    pub(super) fn on_ack(&mut self, ack: &Ack, drift: &Drift, cwnd: &mut f64, avg_rtt: &mut AvgRtt) {
        if self.exit.is_before(ack) {
            return;
        }
        if let Some(rtt) = ack.rtt {
            avg_rtt.push(rtt, FILTER);
        }
        if ack.app_limited || ack.recovering || avg_rtt.nanos == 0.0 {
            return;
        }
        let acked = ack.acked.count();
        if self.is_slow_start {
            self.slow_start(ack, acked, drift, cwnd, avg_rtt);
            return;
        }
        if self.scale_round != Some(ack.round) {
            self.scale = drift.scale(*cwnd);
            self.scale_round = Some(ack.round);
        }
        let step = drift.step(self.scale, *cwnd, *cwnd, avg_rtt.base_share(ack.base_rtt));
        *cwnd = (*cwnd + acked * (step / *cwnd).clamp(-MOST_DOWN, MOST_UP)).max(FLOOR);
    }

    pub(super) fn on_congestion(&mut self, event: &Congestion, cwnd: f64) -> f64 {
        self.before = (self.remembered(cwnd), self.is_slow_start);
        self.ssthresh = half_flight(event);
        self.scale_round = None;
        self.is_slow_start = event.kind == CongestionKind::Timeout;
        if self.is_slow_start { 1.0 } else { self.ssthresh }
    }

    /// Handles a spurious event.
    pub(super) fn on_undo(&mut self) {
        self.ssthresh = self.ssthresh.max(self.before.0);
        self.is_slow_start = self.before.1;
        self.scale_round = None;
    }

    /// Reduces the window to `restart` after an idle time or a lost SYN.
    pub(super) fn on_idle(&mut self, restart: f64, cwnd: &mut f64) {
        self.ssthresh = self.remembered(*cwnd);
        *cwnd = cwnd.min(restart);
        self.is_slow_start = *cwnd < self.ssthresh;
        self.scale_round = None;
    }

    /// Threshold that a reduction of the window `cwnd` remembers (Linux: `tcp_current_ssthresh`).
    fn remembered(&self, cwnd: f64) -> f64 {
        self.ssthresh.max(0.75 * cwnd)
    }

    fn slow_start(&mut self, ack: &Ack, acked: f64, drift: &Drift, cwnd: &mut f64, avg_rtt: &mut AvgRtt) {
        *cwnd = slow_start(*cwnd, self.ssthresh, acked);
        self.is_slow_start = *cwnd < self.ssthresh;
        if self.exit.found(ack, drift.backlog, cwnd, avg_rtt) {
            self.is_slow_start = false;
        }
    }
}

/// Largest increase per window of ACKs, as a share of the window: FAST's min{2W, ·}.
const MOST_UP: f64 = 1.0;

/// Largest decrease per window of ACKs, as a share of the window, that of a loss.
const MOST_DOWN: f64 = 0.5;
