//! ProbeRTT: the round-trip time of an empty path, measured every five seconds.

use super::parts::ProbeRtt;
use super::{INITIAL_CWND, MIN_PIPE, Phase, State};
use crate::{Ack, Start};
use windward_units::{Duration, Time};

/// Duration of ProbeRTT (`ProbeRTTDuration`).
const TIME: Duration = Duration::from_millis(200);

impl ProbeRtt {
    pub(super) fn start(&mut self, start: &Start) {
        self.begin(start.now);
        if let Some(rtt) = start.rtt {
            (self.min_rtt, self.delay) = (rtt, rtt);
        }
    }

    fn begin(&mut self, now: Time) {
        (self.min_rtt_at, self.delay_at, self.has_begun) = (now, now, true);
    }

    /// min_rtt in seconds; `None` before the first sample.
    pub(super) fn min_rtt_secs(&self) -> Option<f64> {
        (self.min_rtt < Duration::MAX).then(|| self.min_rtt.as_secs())
    }
}

impl State {
    /// `UpdateMinRTT()`.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let interval = Duration::from_secs(self.params.probe_rtt_interval);
        let window = Duration::from_secs(self.params.min_rtt_window);
        let rtt = &mut self.rtt;
        if !rtt.has_begun {
            rtt.begin(ack.now);
        }
        rtt.is_expired = ack.now > rtt.delay_at + interval;
        if let Some(sample) = ack.rtt
            && (sample < rtt.delay || rtt.is_expired)
        {
            (rtt.delay, rtt.delay_at) = (sample, ack.now);
        }
        rtt.prior = rtt.min_rtt;
        if rtt.delay < rtt.min_rtt || ack.now > rtt.min_rtt_at + window {
            (rtt.min_rtt, rtt.min_rtt_at) = (rtt.delay, rtt.delay_at);
        }
    }

    /// `CheckProbeRTT()`.
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        if self.phase != Phase::ProbeRtt && self.rtt.is_expired && !self.is_idle_restart {
            self.save_cwnd();
            self.phase = Phase::ProbeRtt;
            self.rtt.bound = if self.params.prior_min_rtt { self.rtt.prior } else { Duration::MAX };
            self.rtt.ends = None;
            self.probe.stop();
            self.start_round();
        }
        if self.phase == Phase::ProbeRtt {
            self.probe_rtt(ack.flight.count());
        }
        self.is_idle_restart = false;
    }

    fn probe_rtt(&mut self, flight: f64) {
        self.limited_until = (self.delivered + flight).max(1.0);
        if self.rtt.ends.is_some() {
            self.rtt.has_round |= self.is_round_start;
            if self.rtt.has_round {
                self.check_probe_rtt_done();
            }
        } else if flight <= self.probe_rtt_cwnd() {
            self.rtt.ends = Some(self.now + TIME);
            self.rtt.has_round = false;
            self.start_round();
        }
    }

    /// `CheckProbeRTTDone()`.
    pub(super) fn check_probe_rtt_done(&mut self) {
        if self.rtt.ends.is_none_or(|ends| self.now <= ends) {
            return;
        }
        self.rtt.delay_at = self.now;
        self.restore_cwnd();
        self.short.reset();
        if self.full_bw_reached {
            self.start_down();
            self.start_cruise();
        } else {
            self.phase = Phase::Startup;
        }
    }

    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        let rtt = self.rtt.min_rtt.min(self.rtt.bound);
        let volume = Phase::ProbeRtt.gains().1 * self.bw * rtt.as_secs();
        if rtt == Duration::MAX { INITIAL_CWND } else { volume.max(MIN_PIPE) }
    }
}
