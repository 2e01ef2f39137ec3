//! The ns-2 module: `tcp-fast.cc` 1.1.3 of Cui and Andrew, as ns-2.35 carries it, with real-valued windows
//! (`high_accuracy_cwnd_` 2) and updates in every other round trip.

use super::avg_rtt::{AvgRtt, FILTER};
use super::drift::{Drift, FLOOR};
use crate::{Ack, Congestion, CongestionKind};
use windward_units::{Duration, Time};

/// State of the module; its own names are in brackets.
#[derive(Clone, Debug)]
pub(super) struct Control {
    /// Beginning of the current round trip \[fast_calc_cwnd_end\].
    boundary: Time,
    /// ACKs in this round trip \[acks_per_rtt\] and in the last \[acks_last_rtt\].
    acks: u32,
    last_acks: u32,
    /// True if steps are made in this round trip \[on_first_rtt_\].
    is_active: bool,
    /// Time of the last step \[cwnd_update_time\].
    updated: Time,
    /// Whole packets of the last increase that remain to be added \[cwnd_increments\].
    pending: f64,
    /// ACKs from one packet of an increase to the next \[bc_spacing\], and ACKs since the last \[bc_ack\].
    spacing: u32,
    since: u32,
}

impl Control {
    pub(super) fn new() -> Self {
        Self {
            boundary: Time::ZERO,
            acks: 0,
            last_acks: 0,
            is_active: true,
            updated: Time::ZERO,
            pending: 0.0,
            spacing: 0,
            since: 0,
        }
    }

    #[inline]
    pub(super) fn on_ack(&mut self, ack: &Ack, drift: &Drift, cwnd: &mut f64, avg_rtt: &mut AvgRtt) {
        if ack.recovering {
            self.updated = ack.now;
            return;
        }
        // A packet sent more than once counts as a sample of AvgRTT itself, which leaves AvgRTT as it is.
        if let Some(rtt) = ack.rtt {
            let flight = ack.flight.count() + 1.0;
            avg_rtt.push(rtt, (flight / 3.0).max(FILTER));
        }
        if avg_rtt.nanos == 0.0 {
            return;
        }
        self.count(ack, avg_rtt);
        if ack.app_limited {
            return;
        }
        let base_rtt = ack.base_rtt.as_nanos() as f64;
        if avg_rtt.nanos - base_rtt < MI_THRESHOLD.as_nanos() as f64 {
            *cwnd += 1.0;
            self.updated = ack.now;
        } else if self.is_active && ack.now >= self.updated + UPDATE_PERIOD {
            self.update(ack, drift, cwnd, avg_rtt);
        } else if ack.base_rtt >= LEAST_PACED {
            self.since += 1;
            self.pace(cwnd);
        }
    }

    pub(super) fn on_congestion(&mut self, event: &Congestion, cwnd: f64) -> f64 {
        self.pending = 0.0;
        if event.kind == CongestionKind::Timeout { FLOOR } else { (cwnd / 2.0).max(FLOOR) }
    }

    /// Counts ACKs per round trip; steps are made in every other one.
    fn count(&mut self, ack: &Ack, avg_rtt: &AvgRtt) {
        let rtt = ack.rtt.unwrap_or(Duration::from_nanos(avg_rtt.nanos as u64));
        if self.boundary + rtt < ack.now {
            self.boundary = ack.now;
            self.last_acks = self.acks;
            self.acks = 0;
            self.is_active = !self.is_active;
        }
        self.acks += 1;
    }

    fn update(&mut self, ack: &Ack, drift: &Drift, cwnd: &mut f64, avg_rtt: &AvgRtt) {
        let base_share = avg_rtt.base_share(ack.base_rtt);
        let step = drift.step(drift.scale(*cwnd), *cwnd, ack.flight_at_send.count(), base_share);
        let target = (*cwnd + step).max(FLOOR);
        self.pending = 0.0;
        if target >= *cwnd && ack.base_rtt >= LEAST_PACED {
            let increase = (target - *cwnd).trunc();
            if increase >= 1.0 {
                let acks_per_period = f64::from(self.last_acks) * UPDATE_PERIOD.as_nanos() as f64 / avg_rtt.nanos;
                self.pending = increase;
                self.spacing = (acks_per_period / increase) as u32;
                self.since = 1;
                self.pace(cwnd);
            }
        } else {
            *cwnd = target;
        }
        self.updated = ack.now;
    }

    /// Adds the next packet of an increase when it is due; adds at once to small windows, at most doubling
    /// \[fast_pace\].
    #[inline]
    fn pace(&mut self, cwnd: &mut f64) {
        if self.pending == 0.0 {
            return;
        }
        if *cwnd <= SMALL {
            let now = if *cwnd < self.pending { cwnd.trunc() } else { self.pending };
            *cwnd += if now < self.pending { *cwnd } else { now };
            self.pending -= now;
            self.since = 0;
        } else if self.since >= self.spacing {
            *cwnd += 1.0;
            self.pending -= 1.0;
            self.since = 0;
        }
    }
}

/// Least time between steps \[fast_update_cwnd_interval_\].
const UPDATE_PERIOD: Duration = Duration::from_millis(10);

/// Queueing delay below which every ACK adds a packet \[mi_threshold_\].
const MI_THRESHOLD: Duration = Duration::from_micros(750);

/// Base RTT from which increases are paced.
const LEAST_PACED: Duration = Duration::from_millis(4);

/// Windows up to this many packets take an increase at once.
const SMALL: f64 = 4.0;
