//! Detection of servers for which one connection is enough.
//!
//! A server whose law does not respond to random losses (BBR's) fills a lossy link with one connection, and a second
//! only makes a queue. n is set to 1 if several connections make a queue and 0.95 of their rate is less than what one
//! kept for τ/2 alone. Random losses take most of a loss-based window before that.
//!
//! n stays at 1 for 32 s. A rate below three quarters of the one at its beginning, both smoothed over 2 τ, ends the
//! hold: n grows again, and the rate that one has carried no longer counts.

use super::constants::GROWTH;
use super::least::Least;
use super::params::Params;
use super::sample::Sample;
use super::smooth::smoothed;

/// Rate of one connection, and the hold.
#[derive(Clone, Debug)]
pub(super) struct Single {
    /// Minimum of the rate in τ/2, 0 for several connections, and its maximum.
    kept: Least,
    carried: f64,
    /// Rate smoothed over 2 τ, and its value at the beginning of the hold.
    steady: f64,
    before: f64,
    held_until: f64,
    is_refuted: bool,
}

impl Default for Single {
    fn default() -> Self {
        Self {
            kept: Least::default(),
            carried: 0.0,
            steady: 0.0,
            before: 0.0,
            held_until: f64::NEG_INFINITY,
            is_refuted: false,
        }
    }
}

impl Single {
    /// Updates with the rate, smoothed over 0.2 τ, after a `part` of τ.
    pub fn see(&mut self, params: &Params, sample: &Sample, rate: f64, part: f64) {
        let alone = if sample.connections <= 1 { rate } else { 0.0 };
        self.carried = self.carried.max(self.kept.see(sample.now, alone, GROWTH.kept * params.tau));
        self.steady = smoothed(self.steady, sample.rate, part, GROWTH.hold_smoothing);
        if self.is_held(sample.now) && self.steady < GROWTH.hold_share * self.before {
            self.held_until = sample.now;
            self.is_refuted = true;
        }
    }

    /// True if several connections that make a queue carry no more than one at this rate.
    pub fn is_enough(&self, sample: &Sample, rate: f64) -> bool {
        !self.is_refuted && sample.connections > 1 && GROWTH.full_share * rate < self.carried
    }

    /// Begins a hold at one connection.
    pub fn hold(&mut self, now: f64) {
        self.held_until = now + GROWTH.hold;
        self.before = self.steady;
    }

    /// True if n stays at 1.
    pub fn is_held(&self, now: f64) -> bool {
        now < self.held_until
    }
}
