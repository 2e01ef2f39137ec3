//! ProbeBW: down, cruise, refill, up, and the long-term model.

use super::parts::{Acks, ProbeBw};
use super::{Phase, State};
use crate::Ack;
use windward_units::Duration;

/// Maximum rounds between probes (T_reno), and the clock's bounds in seconds (T_bbr).
const MOST_ROUNDS: f64 = 63.0;
const LEAST_WAIT: f64 = 2.0;
/// Maximum number of doublings of the growth of inflight_longterm.
const MOST_DOUBLINGS: u32 = 30;

impl ProbeBw {
    /// Counts a round.
    pub(super) fn count_round(&mut self) {
        self.rounds = self.rounds.saturating_add(1);
        self.is_full = [false, self.is_full[0]];
    }

    /// Records `flight` packets in flight at an ACK.
    pub(super) fn note_flight(&mut self, flight: f64, cwnd: f64) {
        self.is_full[0] |= flight >= cwnd.floor();
    }

    /// `C.is_cwnd_limited`.
    fn is_cwnd_limited(&self) -> bool {
        self.is_full[0] || self.is_full[1]
    }

    /// Stops probing: samples from here on belong to ProbeRTT.
    pub(super) fn stop(&mut self) {
        self.acks = Acks::Stopping;
    }
}

impl State {
    pub(super) fn start_down(&mut self) {
        self.short.reset_signals();
        self.probe.acked_per_packet = f64::INFINITY;
        self.probe.rounds = u32::from(self.draw() < 0.5);
        self.probe.wait = Duration::from_secs(LEAST_WAIT + self.draw());
        self.probe.cycle_at = self.now;
        self.probe.acks = Acks::Stopping;
        self.start_round();
        self.phase = Phase::Down;
    }

    pub(super) fn start_cruise(&mut self) {
        self.phase = Phase::Cruise;
    }

    pub(super) fn start_refill(&mut self) {
        self.short.reset();
        (self.probe.up_rounds, self.probe.up_acked) = (0, 0.0);
        self.probe.was_precautionary = false;
        self.probe.acks = Acks::Refilling;
        self.start_round();
        self.phase = Phase::Refill;
    }

    fn start_up(&mut self) {
        self.probe.acks = Acks::Starting;
        self.start_round();
        self.reset_full_bw();
        self.full_bw = self.rs.rate;
        self.phase = Phase::Up;
        self.raise_slope();
    }

    /// `UpdateProbeBWCyclePhase()`.
    pub(super) fn update_probe_bw(&mut self, ack: &Ack) {
        if !self.full_bw_reached || self.adapt_long_term(ack.acked.count()) {
            return;
        }
        let flight = ack.flight.count();
        let phase = self.phase;
        match phase {
            Phase::Down | Phase::Cruise if self.is_time_to_probe() => self.start_refill(),
            Phase::Down if self.is_time_to_cruise(flight) => self.start_cruise(),
            Phase::Refill if self.is_round_start => {
                self.probe.is_sample = true;
                self.start_up();
            }
            Phase::Up if self.is_time_to_go_down(flight, ack.sample.prior_flight.count()) => {
                self.probe.was_too_high = false;
                self.start_down();
            }
            _ => {}
        }
    }

    fn is_time_to_probe(&self) -> bool {
        let rounds = self.target_inflight().min(MOST_ROUNDS);
        self.now > self.probe.cycle_at + self.probe.wait || f64::from(self.probe.rounds) >= rounds
    }

    fn is_time_to_cruise(&self, flight: f64) -> bool {
        flight <= self.inflight_with_headroom() && flight <= self.inflight(self.max_bw(), 1.0)
    }

    fn is_time_to_go_down(&mut self, flight: f64, prior: f64) -> bool {
        // The window is at most the bound: what is in flight after an ACK reaches it only if the window is not the
        // limit. Linux compares `prior_in_flight`, in whole packets.
        let has_reached = if self.params.prior_flight {
            prior >= self.inflight_longterm.floor()
        } else {
            flight >= self.inflight_longterm
        };
        if self.params.precaution && self.probe.was_too_high && has_reached {
            self.probe.was_precautionary = true;
            return true;
        }
        if self.probe.is_cwnd_limited() && self.cwnd >= self.inflight_longterm {
            // The bound limits the rate, and not the path.
            self.reset_full_bw();
            self.full_bw = self.rs.rate;
            return false;
        }
        self.full_bw_now
    }

    /// `AdaptLongTermModel()`; true if it has decided on a phase.
    fn adapt_long_term(&mut self, acked: f64) -> bool {
        if self.probe.acks == Acks::Starting && self.is_round_start {
            self.probe.acks = Acks::Feedback;
        }
        if self.probe.acks == Acks::Stopping && self.is_round_start {
            self.probe.is_sample = false;
            self.probe.acks = Acks::Init;
            if self.phase.is_probe_bw() {
                if !self.rs.is_limited {
                    self.advance_max_bw();
                }
                if self.probe.was_precautionary && !self.probe.was_too_high {
                    self.start_refill();
                    return true;
                }
            }
        }
        if !self.is_inflight_too_high() && self.inflight_longterm.is_finite() {
            self.inflight_longterm = self.inflight_longterm.max(self.rs.tx_in_flight);
            if self.phase == Phase::Up {
                self.probe_upward(acked);
            }
        }
        false
    }

    /// `RaiseInflightLongtermSlope()`.
    fn raise_slope(&mut self) {
        let growth = f64::from(1u32 << self.probe.up_rounds);
        self.probe.up_rounds = (self.probe.up_rounds + 1).min(MOST_DOUBLINGS);
        self.probe.acked_per_packet = (self.cwnd / growth).max(1.0);
    }

    /// `ProbeInflightLongtermUpward()`.
    fn probe_upward(&mut self, acked: f64) {
        if !self.probe.is_cwnd_limited() || self.cwnd < self.inflight_longterm {
            return;
        }
        self.probe.up_acked += acked;
        let packets = (self.probe.up_acked / self.probe.acked_per_packet).floor();
        self.probe.up_acked -= packets * self.probe.acked_per_packet;
        self.inflight_longterm += packets;
        if self.is_round_start {
            self.raise_slope();
        }
    }

    // Losses

    /// `IsInflightTooHigh()`.
    pub(super) fn is_inflight_too_high(&self) -> bool {
        self.rs.lost > self.rs.tx_in_flight * self.params.loss_threshold
    }

    /// `HandleLostPacket()`, once per ACK.
    pub(super) fn handle_losses(&mut self) {
        if !self.short.has_loss {
            self.save_cwnd();
            self.save_state();
        }
        self.short.note_loss(self.delivered);
        if self.probe.is_sample && self.is_inflight_too_high() {
            self.rs.tx_in_flight = self.inflight_at_loss();
            self.handle_inflight_too_high();
        }
    }

    /// `InflightAtLoss()`: packets in flight when the losses passed the threshold.
    fn inflight_at_loss(&self) -> f64 {
        let threshold = self.params.loss_threshold;
        let (flight, lost) = (self.rs.tx_in_flight - 1.0, self.rs.lost - 1.0);
        flight + (threshold * flight - lost) / (1.0 - threshold)
    }

    fn handle_inflight_too_high(&mut self) {
        self.probe.was_too_high = true;
        self.probe.is_sample = false;
        if !self.rs.is_limited {
            self.inflight_longterm = self.rs.tx_in_flight.max(self.target_inflight() * self.params.beta);
        }
        if self.phase == Phase::Up {
            self.undo.phase = Some(Phase::Up);
            self.start_down();
        }
    }
}
