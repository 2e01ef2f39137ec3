//! E-MULTCP for files that take about a minute.
//!
//! [`Path`](super::path::Path) defines the queue q, the slack e, the rate x and the unused share m. In connections per
//! second:
//!
//! * start: n doubles until a queue forms: `start.rs`.
//! * after it: dn/dt = (α/n)·e/τ + (ln 2/τ)·n·m·max(2e − 1, 0) while e ≥ 0. The first term is the paper's; the
//!   second needs a queue below half of θ.
//! * at any time: dn/dt = (ln β/τ)·n·|e| while e < 0. A queue of twice θ causes the paper's βn in τ.
//! * blindness: for 2·settle seconds after a connection opened no queue lowers n, because its slow start makes one. The
//!   queue still stops growth.
//! * hold: if one connection is enough, n stays at 1: `single.rs`.
//! * bound: if enabled, the receive windows of several connections that make a queue are bounded, and n follows the use
//!   of the bound: `bound.rs`.
//! * memory: a transfer begins with half of the final n of the last one from the same host.
//!
//! n changes continuously with the evidence instead of by whole steps at the end of a long period, because a minute has
//! only three of the paper's periods.

use super::bound::Bound;
use super::constants::{GROWTH, START};
use super::params::Params;
use super::path::{Meter, Path};
use super::sample::Sample;
use super::single::Single;
use super::start::Start;
use core::f64::consts::LN_2;

/// n, and the state from which it follows.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    pub n: f64,
    last: Option<f64>,
    connections: u32,
    blind_until: f64,
    /// Time since which n has been two or more.
    several_since: Option<f64>,
    meter: Meter,
    start: Start,
    single: Single,
    pub bound: Bound,
}

impl Fast {
    pub fn new(params: &Params, remembered: Option<f64>) -> Self {
        Self {
            // A maximum with NaN is the other number.
            n: f64::max(remembered.unwrap_or(1.0) / 2.0, 1.0).min(f64::from(params.max)),
            last: None,
            connections: 0,
            blind_until: f64::NEG_INFINITY,
            several_since: None,
            meter: Meter::new(),
            start: Start::new(),
            single: Single::default(),
            bound: Bound::default(),
        }
    }

    pub fn update(&mut self, params: &Params, sample: &Sample) {
        let last = self.last.replace(sample.now).unwrap_or_else(|| {
            self.meter.queued_at = sample.now;
            sample.now
        });
        if sample.connections > self.connections {
            self.blind_until = sample.now + GROWTH.blindness * params.settle;
        }
        self.connections = sample.connections;
        let Some(rtt) = sample.rtt.filter(|_| sample.rtt_min.is_finite()) else {
            return;
        };
        // A host that was asleep has not seen what happened meanwhile.
        let part = ((sample.now - last) / params.tau).clamp(0.0, 1.0);
        let path = self.meter.measure(params, sample, rtt, part);
        self.single.see(params, sample, path.rate, part);
        if path.has_queue() && self.bound.window().is_none() && self.single.is_enough(sample, path.rate) {
            self.n = 1.0;
            self.start.end();
            self.single.hold(sample.now);
        } else if params.bound {
            let several = self.several_since.map_or(0.0, |since| sample.now - since);
            self.bound.watch(sample, &path, several);
        }
        self.decide(params, sample, &path, part);
        if self.n >= 2.0 {
            self.several_since.get_or_insert(sample.now);
        } else if self.n < 2.0 - GROWTH.closing {
            self.several_since = None;
        }
        self.start.offer(&path, params.tau, self.n);
    }

    /// Moves n by a `part` of τ.
    fn decide(&mut self, params: &Params, sample: &Sample, path: &Path, part: f64) {
        if let Some(n) = self.bound.update(params, sample, path, self.n, part) {
            self.start.end();
            self.meter.queued_at = self.bound.met_at;
            self.n = n;
        } else if path.has_queue() {
            self.meter.queued_at = sample.now;
            if sample.now >= self.blind_until {
                self.start.end();
                self.n = (self.n * libm::pow(params.beta, -path.slack * part)).max(1.0);
            }
        } else if !self.single.is_held(sample.now) {
            let growth = self.start.growth(params, path, self.n).unwrap_or_else(|| {
                let free = (1.0 - (1.0 - path.slack) / START.free_share).max(0.0);
                params.alpha / self.n * path.slack + LN_2 * self.n * path.unused * free
            });
            self.n = (self.n + growth * part).min(f64::from(params.max));
        }
    }

    /// Smoothed queue, in seconds.
    pub fn queue(&self) -> Option<f64> {
        self.meter.queue
    }

    /// Sum of the receive windows in bits; `None` without a bound.
    pub fn window(&self, params: &Params) -> Option<f64> {
        self.bound.window().or(self.start.window().filter(|_| params.bound))
    }
}
