//! Start: n doubles until a queue forms.
//!
//! * growth: n doubles in T, two round trips, from 0.4 τ to τ, or where a bound may follow from 0.3 τ, or four round
//!   trips down to 0.2 τ, while the queue is below half the threshold, which delayed ACKs and timers alone can cause.
//! * level: few connections whose rate has grown by less than a tenth for 0.4 τ and four round trips, and is not below
//!   0.65 of its value, fill the path, or the server has no more: n grows as after the start. This recognises one
//!   connection of BBR's, where its queue comes and goes; arrivals behind gaps make its rate vary. The rates of
//!   loss-based ones fall after their first losses.
//! * windows: where a bound may follow, the receive windows of several connections are twice the load of the path, and
//!   at least eight segments each. An offered window cannot be withdrawn, so that a bound at the first queue would
//!   otherwise have to wait until all of it is used up. Where a round trip is longer than τ/10 the windows are as many
//!   times larger, for the connections that have not delivered anything yet.
//! * end: a queue has reduced n by a tenth of its maximum; or, with more than four connections, the queue reaches twice
//!   the threshold, and a fifth of them is closed, those opened when the queue was already forming; or a bound begins.

use super::bound::SEGMENT;
use super::params::Params;
use core::f64::consts::LN_2;

/// Round trips in which the start doubles n, and the minimum as a share of τ; where a bound may follow, the minimum in
/// round trips between these.
const ROUNDS: f64 = 2.0;
const LEAST: f64 = 0.4;
const BOUND_ROUNDS: f64 = 4.0;
const BOUND_LEAST: (f64, f64) = (0.2, 0.3);
/// Limit of few connections; factor of a rate that has grown; time without growth, in τ and in round trips, and share
/// of the rate for a level one.
const FEW: f64 = 4.0;
const GROWN: f64 = 1.1;
const LEVEL_AFTER: f64 = 0.4;
const LEVEL_ROUNDS: f64 = 4.0;
const LEVEL: f64 = 0.65;
/// Windows as a multiple of the load of the path, and the minimum for each connection in segments; up to this round
/// trip, in τ.
const OFFER: f64 = 2.0;
const OFFER_LEAST: f64 = 8.0;
const NEAR: f64 = 0.1;
/// Share of the maximum number of connections below which the start is over.
const KEEPS: f64 = 0.9;
/// Number of connections above which the start ends at twice the threshold, and the remaining share.
const MANY: f64 = 4.0;
const LEAVES: f64 = 0.8;

/// State of a start.
#[derive(Clone, Debug)]
pub(super) struct Start {
    is_on: bool,
    /// Maximum number of connections.
    most: f64,
    /// Rate at its last growth, and the time of it.
    grown: f64,
    grown_at: f64,
    /// Sum of the receive windows in bits.
    window: Option<f64>,
}

impl Start {
    /// Start from `n` connections.
    pub fn new(n: f64) -> Self {
        Self { is_on: true, most: n, grown: 0.0, grown_at: 0.0, window: None }
    }

    /// Updates with the rate at `now`, smoothed over τ/2.
    pub fn see(&mut self, now: f64, rate: f64) {
        if rate > GROWN * self.grown {
            (self.grown, self.grown_at) = (rate, now);
        }
    }

    /// dn/dt in connections per τ while the start lasts and the rate is not level.
    pub fn growth(&self, params: &Params, now: f64, rtt_min: f64, rate: f64, slack: f64, n: f64) -> Option<f64> {
        let rtt = rtt_min / params.tau;
        let is_old = now - self.grown_at >= f64::max(LEVEL_AFTER, LEVEL_ROUNDS * rtt) * params.tau;
        // A host that tells no rate has none that is level.
        let is_level = is_old && n < FEW && rate > 0.0 && rate >= LEVEL * self.grown;
        let least = if params.bound { (BOUND_ROUNDS * rtt).clamp(BOUND_LEAST.0, BOUND_LEAST.1) } else { LEAST };
        let doubling = (ROUNDS * rtt).clamp(least, 1.0);
        (self.is_on && !is_level).then(|| LN_2 * n * (2.0 * slack).min(1.0) / doubling)
    }

    /// Records growth to n.
    pub fn reach(&mut self, n: f64) {
        self.most = self.most.max(n);
    }

    /// Handles a queue; returns the remaining n.
    pub fn meet(&mut self, slack: f64, n: f64) -> f64 {
        if self.is_on && slack <= -1.0 && n > MANY {
            self.is_on = false;
            return LEAVES * n;
        }
        n
    }

    /// Records n after a queue.
    pub fn keep(&mut self, n: f64) {
        self.is_on &= n > (KEEPS * self.most).max(1.0);
    }

    /// Ends the start: a bound has begun, or one connection is enough.
    pub fn end(&mut self) {
        self.is_on = false;
    }

    /// Offers windows to several connections on a path with this rate, smoothed over 0.2 τ.
    pub fn offer(&mut self, tau: f64, rtt_min: f64, rate: f64, n: f64) {
        let far = (rtt_min / (NEAR * tau)).max(1.0);
        let several = self.is_on && n >= 2.0;
        self.window = several.then(|| far * (OFFER * rate * rtt_min).max(n * OFFER_LEAST * SEGMENT));
    }

    /// Sum of the receive windows in bits, as last offered.
    pub fn window(&self) -> Option<f64> {
        self.window
    }
}
