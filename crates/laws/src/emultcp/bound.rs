//! Bound W on the sum of the receive windows.
//!
//! The number of connections is an integer, and its effect is visible only seconds later: n alone keeps a queue of the
//! size of θ. The total flight of the connections determines the queue within some round trips, and the receiver
//! controls it. rLEDBAT (RFC 9840) controls one connection this way.
//!
//! * begin: a queue longer than θ, made by four connections or more, or by fewer if there have been several for 5 s. If
//!   one connection fills the path (BBR's) the others are closed earlier. With a queue the link is full: W =
//!   1.1·x·rtt_min, with room for one connection at least.
//! * target: Q = 0.015·rtt_min plus the time of 1.3 packets at X, the maximum rate of the path. With x, Q would grow
//!   with the share of others on the link. q is the mean queue of the connections.
//! * dW/dt = (W/τ)·((rtt_min + Q)/(rtt_min + q) − 1), four times as much where q < Q. If Q has not been reached for τ/2
//!   + 2·rtt_min, W·m/τ is added, with m the unused share of the path, as for n without a bound.
//! * dn/dt = (n/τ)·6·(0.95 − u), where u = x·(rtt_min + q)/W is the share of W in flight. n is at most W over four
//!   segments. u above 1.1 results from windows offered before W: n stays, and W does not shrink.
//! * end: W has room for less than one connection, or has fallen to 0.7 of its value when the queue was last shorter
//!   than Q, or at the beginning. Then other flows fill the queue, and n follows θ again. For 30 s no bound begins.

use super::constants::{BOUND, PACKET, SEGMENT};
use super::params::Params;
use super::path::Path;
use super::sample::Sample;

/// Bits of the minimum room of a connection.
const ROOM: f64 = BOUND.room * SEGMENT;

/// W, and the state from which it follows.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    window: Option<f64>,
    /// Time of the last queue of Q, or of the bound's beginning.
    pub met_at: f64,
    /// W at the last shorter queue, or at the bound's beginning.
    short_window: f64,
    /// Time before which no bound begins.
    rests_until: f64,
}

impl Bound {
    /// W in bits.
    pub fn window(&self) -> Option<f64> {
        self.window
    }

    /// Begins a bound if its conditions hold. There have been two connections or more for `several` seconds.
    pub fn watch(&mut self, sample: &Sample, path: &Path, several: f64) {
        let is_few = sample.connections < BOUND.connections;
        let is_due = !is_few || sample.connections > 1 && several >= BOUND.few_after;
        if self.window.is_none() && path.has_queue() && is_due && sample.now >= self.rests_until {
            let window = (BOUND.initial_loads * path.rate * path.rtt_min).max(ROOM);
            (self.window, self.short_window, self.met_at) = (Some(window), window, sample.now);
        }
    }

    /// Updates W after a `part` of τ, and returns the new value of `n`; `None` without a bound or without evidence.
    pub fn update(&mut self, params: &Params, sample: &Sample, path: &Path, n: f64, part: f64) -> Option<f64> {
        let mut window = self.window?;
        let rtt = sample.rtt?.max(path.rtt_min);
        let target = path.rtt_min * (1.0 + BOUND.target_share) + BOUND.target_packets * PACKET / path.peak;
        let is_short = rtt < target;
        if !is_short {
            self.met_at = sample.now;
        }
        let factor = if is_short { BOUND.growth_factor } else { 1.0 };
        // Without any rate the target is infinite.
        let mut growth = factor * (target / rtt - 1.0).min(1.0);
        if sample.now - self.met_at >= BOUND.patience * params.tau + BOUND.patience_rtts * path.rtt_min {
            growth += path.unused;
        }
        let used = path.rate * rtt / window;
        let is_overused = used > BOUND.overused;
        if growth >= 0.0 || !is_overused {
            window *= 1.0 + growth * part;
        }
        if is_short {
            self.short_window = window;
        }
        let room = window / ROOM;
        self.window = (room >= 1.0 && window >= BOUND.yield_share * self.short_window).then_some(window);
        if self.window.is_none() {
            self.rests_until = sample.now + BOUND.rest;
        }
        let growth = if is_overused { 0.0 } else { BOUND.use_gain * (BOUND.target_use - used) };
        Some((n * (1.0 + growth * part)).min(room).min(f64::from(params.max)).max(1.0))
    }
}
