//! Short-term model: bounds from losses since the last probe.

use super::parts::ShortTerm;
use super::{Phase, RateSample, State};

impl ShortTerm {
    /// `UpdateLatestDeliverySignals()`.
    pub(super) fn hear(&mut self, rs: &RateSample, prior_delivered: f64, delivered: f64) {
        self.bw_latest = self.bw_latest.max(rs.rate);
        self.inflight_latest = self.inflight_latest.max(rs.delivered);
        self.is_round_start = prior_delivered >= self.round_delivered;
        if self.is_round_start {
            self.round_delivered = delivered;
        }
    }

    /// `AdvanceLatestDeliverySignals()`.
    pub(super) fn advance(&mut self, rs: &RateSample) {
        if self.is_round_start {
            (self.bw_latest, self.inflight_latest) = (rs.rate, rs.delivered);
        }
    }

    /// `ResetCongestionSignals()`.
    pub(super) fn reset_signals(&mut self) {
        (self.has_loss, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
    }

    /// `ResetShortTermModel()`.
    pub(super) fn reset(&mut self) {
        (self.bw, self.inflight) = (f64::INFINITY, f64::INFINITY);
    }

    /// `NoteLoss()`.
    pub(super) fn note_loss(&mut self, delivered: f64) {
        if !self.has_loss {
            self.round_delivered = delivered;
        }
        self.has_loss = true;
        self.events += 1;
    }
}

/// Loss events in a round that end Startup (`BBRStartupFullLossCnt`).
const STARTUP_LOSSES: u32 = 6;

impl State {
    /// `AdaptLowerBoundsFromCongestion()`, once per round.
    pub(super) fn adapt_lower_bounds(&mut self) {
        if self.short.has_loss && !self.phase.is_accelerating() {
            let (max_bw, cwnd, beta) = (self.max_bw(), self.cwnd, self.params.beta);
            let short = &mut self.short;
            if short.bw.is_infinite() {
                short.bw = max_bw;
            }
            if short.inflight.is_infinite() {
                short.inflight = cwnd;
            }
            short.bw = short.bw_latest.max(beta * short.bw);
            short.inflight = short.inflight_latest.max(beta * short.inflight);
        }
        self.short.has_loss = false;
    }

    /// `CheckStartupHighLoss()`.
    pub(super) fn check_startup_high_loss(&mut self, ack: &crate::Ack) {
        if !self.short.is_round_start {
            return;
        }
        let is_high = ack.sample.repair == crate::Repair::Losses
            && self.short.events >= STARTUP_LOSSES
            && self.is_inflight_too_high();
        self.short.events = 0;
        if self.phase == Phase::Startup && is_high && !self.full_bw_reached {
            self.undo.phase = Some(Phase::Startup);
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp(self.bw, 1.0).max(self.short.inflight_latest);
        }
    }
}
