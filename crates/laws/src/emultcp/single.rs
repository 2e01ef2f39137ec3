//! Detection of servers for which one connection is enough.
//!
//! A server whose law does not respond to random losses (BBR's) fills a lossy link with one connection, and a second
//! only makes a queue; on a clean link other laws do so too. n is set to 1
//!
//! * at once, if several make a queue and carry less than 1.1 of the rate that one kept for τ/2 alone, both smoothed
//!   over τ/2. Random losses take most of a loss-based window before that;
//! * or if the second closes within 15 s.
//!
//! n stays at 1 for 32 s, and for 64 s each later time. A rate below three quarters of the earlier one, smoothed over 2
//! τ and over τ, ends the hold: n grows again, and the rate that one has carried no longer counts.

use super::least::Least;
use super::params::Params;
use super::sample::Sample;
use super::smooth::smoothed;

/// Time for which one connection must keep a rate, in τ, and the multiple of it below which several are too many.
const KEPT_FOR: f64 = 0.5;
const ENOUGH: f64 = 1.1;
/// Time constants of the smoothed rate before and since the return to one connection, in τ, and the required share.
const BEFORE: f64 = 1.0;
const SINCE: f64 = 2.0;
const REFUTED: f64 = 0.75;
/// First and maximum duration of a hold at n = 1, in seconds.
const FIRST_HOLD: f64 = 32.0;
const LONGEST_HOLD: f64 = 64.0;
/// Duration in seconds from which an excursion from n = 1 was justified.
const LONG_EXCURSION: f64 = 15.0;

/// Rate of one connection, and the hold.
#[derive(Clone, Debug)]
pub(super) struct Single {
    /// Time since which there have been two connections or more.
    excursion: Option<f64>,
    hold: f64,
    held_until: f64,
    /// Minimum of the rate in τ/2, 0 for several connections, and its maximum.
    kept: Least,
    carried: f64,
    /// Rate smoothed for [`BEFORE`], its value at the return to one connection, and the rate since.
    steady: f64,
    before: f64,
    since: f64,
    is_refuted: bool,
}

impl Default for Single {
    fn default() -> Self {
        Self {
            excursion: None,
            hold: FIRST_HOLD,
            held_until: f64::NEG_INFINITY,
            kept: Least::default(),
            carried: 0.0,
            steady: 0.0,
            before: 0.0,
            since: 0.0,
            is_refuted: false,
        }
    }
}

impl Single {
    /// Updates with the rate, smoothed over τ/2, after a `part` of τ.
    pub fn see(&mut self, params: &Params, sample: &Sample, rate: f64, part: f64) {
        let alone = if sample.connections <= 1 { rate } else { 0.0 };
        self.carried = self.carried.max(self.kept.see(sample.now, alone, KEPT_FOR * params.tau));
        self.steady = smoothed(self.steady, sample.rate, part, BEFORE);
        self.since = smoothed(self.since, sample.rate, part, SINCE);
        if self.is_held(sample.now) && self.since < REFUTED * self.before {
            self.held_until = sample.now;
            self.is_refuted = true;
        }
    }

    /// True if several connections that make a queue carry no more than one at this rate.
    pub fn is_enough(&self, sample: &Sample, rate: f64) -> bool {
        !self.is_refuted && sample.connections > 1 && rate < ENOUGH * self.carried
    }

    /// True if n stays at 1.
    pub fn is_held(&self, now: f64) -> bool {
        now < self.held_until
    }

    /// Seconds for which there have been two connections or more.
    pub fn excursion(&self, now: f64) -> f64 {
        self.excursion.map_or(0.0, |since| now - since)
    }

    /// Begins a hold at one connection.
    pub fn hold(&mut self, now: f64) {
        self.excursion = None;
        self.held_until = now + self.hold;
        self.hold = (2.0 * self.hold).min(LONGEST_HOLD);
        (self.before, self.since) = (self.steady, self.steady);
    }

    /// Updates with the new n, which closes the second connection if `is_closing`. True if one remains after a short
    /// excursion.
    pub fn watch(&mut self, now: f64, n: f64, is_closing: bool) -> bool {
        match self.excursion {
            None if n >= 2.0 => self.excursion = Some(now),
            Some(since) if now - since > LONG_EXCURSION => self.hold = FIRST_HOLD,
            _ => {}
        }
        is_closing && self.excursion.take().is_some_and(|since| now - since <= LONG_EXCURSION)
    }
}
