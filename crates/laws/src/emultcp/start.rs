//! The start: n doubles until a queue is seen.
//!
//! * growth: n doubles in T, two round trips, from 0.4 τ to τ, or where a bound may follow from 0.3 τ, or four round trips down to
//!   0.2 τ, while less than half the threshold is seen, which delayed ACKs and timers alone can make.
//! * level: where few connections have a rate that has grown by less than a tenth for 0.4 τ and four round trips, and is not below
//!   0.65 of what it was, they fill the path, or the server has no more: n grows as after the start. One connection of BBR's is
//!   seen so, where its queue comes and goes; what comes behind gaps makes its rate go up and down. Loss-based ones fall after
//!   their first losses.
//! * windows: where a bound may follow, the receive windows of several connections are twice what the path carries,
//!   and eight segments each at least. What has been offered stays offered, so that a bound that comes with the first queue
//!   would otherwise have to wait until all of it is used up. Where a round trip is longer than τ/10 it is as many times more: so
//!   many connections have not delivered anything yet.
//! * end: a queue has taken away a tenth of the most there were; or, with more than four connections, twice the threshold is seen,
//!   and a fifth of them goes: those were opened when the queue was already on its way; or a bound begins.

use super::bound::SEGMENT;
use super::params::Params;
use core::f64::consts::LN_2;

/// The start doubles n in so many round trips, but not in less than this share of τ; where a bound may follow not in less than so many
/// round trips between these.
const ROUNDS: f64 = 2.0;
const LEAST: f64 = 0.4;
const BOUND_ROUNDS: f64 = 4.0;
const BOUND_LEAST: (f64, f64) = (0.2, 0.3);
/// Fewer connections than these are few. A rate has grown when it is so many times what it was; it is level after so long without, in τ
/// and in round trips, while this share of it is kept.
const FEW: f64 = 4.0;
const GROWN: f64 = 1.1;
const LEVEL_AFTER: f64 = 0.4;
const LEVEL_ROUNDS: f64 = 4.0;
const LEVEL: f64 = 0.65;
/// The windows as a multiple of what the path carries, and for each connection at least, in segments; up to which round trip, in τ.
const OFFER: f64 = 2.0;
const OFFER_LEAST: f64 = 8.0;
const NEAR: f64 = 0.1;
/// Below this share of the most connections there were, the start is over.
const KEEPS: f64 = 0.9;
/// With more connections the start ends at twice the threshold, and leaves this share of them.
const MANY: f64 = 4.0;
const LEAVES: f64 = 0.8;

/// What is known of a start.
#[derive(Clone, Debug)]
pub(super) struct Start {
    is_on: bool,
    /// The most connections that there were.
    most: f64,
    /// The rate when it had grown last, and when that was.
    grown: f64,
    grown_at: f64,
    /// The sum of the receive windows in bits.
    window: Option<f64>,
}

impl Start {
    /// From `n` connections.
    pub fn new(n: f64) -> Self {
        Self { is_on: true, most: n, grown: 0.0, grown_at: 0.0, window: None }
    }

    /// At `now` the rate, smoothed over τ/2, is this.
    pub fn see(&mut self, now: f64, rate: f64) {
        if rate > GROWN * self.grown {
            (self.grown, self.grown_at) = (rate, now);
        }
    }

    /// dn/dt in connections a τ where the start lasts and the rate is not level.
    pub fn growth(&self, params: &Params, now: f64, rtt_min: f64, rate: f64, slack: f64, n: f64) -> Option<f64> {
        let rtt = rtt_min / params.tau;
        let is_old = now - self.grown_at >= f64::max(LEVEL_AFTER, LEVEL_ROUNDS * rtt) * params.tau;
        // A host that tells no rate has none that is level.
        let is_level = is_old && n < FEW && rate > 0.0 && rate >= LEVEL * self.grown;
        let least = if params.bound { (BOUND_ROUNDS * rtt).clamp(BOUND_LEAST.0, BOUND_LEAST.1) } else { LEAST };
        let doubling = (ROUNDS * rtt).clamp(least, 1.0);
        (self.is_on && !is_level).then(|| LN_2 * n * (2.0 * slack).min(1.0) / doubling)
    }

    /// n has grown.
    pub fn reach(&mut self, n: f64) {
        self.most = self.most.max(n);
    }

    /// A queue is seen: what it leaves of n at once.
    pub fn meet(&mut self, slack: f64, n: f64) -> f64 {
        if self.is_on && slack <= -1.0 && n > MANY {
            self.is_on = false;
            return LEAVES * n;
        }
        n
    }

    /// A queue has left n.
    pub fn keep(&mut self, n: f64) {
        self.is_on &= n > (KEEPS * self.most).max(1.0);
    }

    /// A bound has begun, or one connection is enough.
    pub fn end(&mut self) {
        self.is_on = false;
    }

    /// What several connections may be offered where the path carries this rate, smoothed over 0.2 τ.
    pub fn offer(&mut self, tau: f64, rtt_min: f64, rate: f64, n: f64) {
        let far = (rtt_min / (NEAR * tau)).max(1.0);
        let several = self.is_on && n >= 2.0;
        self.window = several.then(|| far * (OFFER * rate * rtt_min).max(n * OFFER_LEAST * SEGMENT));
    }

    /// The same, as it was last.
    pub fn window(&self) -> Option<f64> {
        self.window
    }
}
