//! One connection that is enough.
//!
//! A server whose law does not answer to random losses (BBR's) fills a lossy link by one connection, and the second only makes a
//! queue; on a clean link others do. n goes to 1
//!
//! * at once: several make a queue, and carry less than 1.1 of what one kept for τ/2 alone, both smoothed over τ/2. Random losses take
//!   most of a loss-based one's window before;
//! * or where the second closes within 15 s.
//!
//! There it stays for 32 s, and for 64 s each time after. But a rate that falls below three quarters of what came before, smoothed over
//! 2 τ and over τ, refutes it: n grows again, and what one has carried counts no more.

use super::least::Least;
use super::params::Params;
use super::sample::Sample;
use super::smooth::smoothed;

/// How long one connection has to keep a rate, in τ, and up to which multiple of it several are too many.
const KEPT_FOR: f64 = 0.5;
const ENOUGH: f64 = 1.1;
/// Time constants of the smoothed rate before one connection was left, and since, in τ, and the share that has to come.
const BEFORE: f64 = 1.0;
const SINCE: f64 = 2.0;
const REFUTED: f64 = 0.75;
/// Seconds that n stays at 1, at first and at most.
const FIRST_HOLD: f64 = 32.0;
const LONGEST_HOLD: f64 = 64.0;
/// An excursion from n = 1 that lasts so many seconds was no mistake.
const LONG_EXCURSION: f64 = 15.0;

/// What one connection carries, and whether n stays there.
#[derive(Clone, Debug)]
pub(super) struct Single {
    /// Since when there have been two connections or more.
    excursion: Option<f64>,
    hold: f64,
    held_until: f64,
    /// The least of the rate in τ/2, 0 of several connections, and the most that it was.
    kept: Least,
    carried: f64,
    /// The rate smoothed for [`BEFORE`], what it was when one connection was left, and the rate since.
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
    /// A `part` of τ later the rate, smoothed over τ/2, is this.
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

    /// Whether several connections that make a queue carry at this rate no more than one.
    pub fn is_enough(&self, sample: &Sample, rate: f64) -> bool {
        !self.is_refuted && sample.connections > 1 && rate < ENOUGH * self.carried
    }

    /// Whether n stays at 1.
    pub fn is_held(&self, now: f64) -> bool {
        now < self.held_until
    }

    /// Seconds for which there have been two connections or more.
    pub fn excursion(&self, now: f64) -> f64 {
        self.excursion.map_or(0.0, |since| now - since)
    }

    /// Leaves one connection.
    pub fn hold(&mut self, now: f64) {
        self.excursion = None;
        self.held_until = now + self.hold;
        self.hold = (2.0 * self.hold).min(LONGEST_HOLD);
        (self.before, self.since) = (self.steady, self.steady);
    }

    /// n has become this, which closes the second connection if `is_closing`. Whether one is left that was alone shortly before.
    pub fn watch(&mut self, now: f64, n: f64, is_closing: bool) -> bool {
        match self.excursion {
            None if n >= 2.0 => self.excursion = Some(now),
            Some(since) if now - since > LONG_EXCURSION => self.hold = FIRST_HOLD,
            _ => {}
        }
        is_closing && self.excursion.take().is_some_and(|since| now - since <= LONG_EXCURSION)
    }
}
