//! E-MULTCP for files that take about a minute.
//!
//! With q the queue rtt − rtt_min, smoothed over 0.2 τ, and θ = max(γ·rtt_min, floor), the threshold below which q
//! counts as no queue, both in seconds, the slack is e = (θ − q)/θ: 1 without a queue, 0 at the threshold, −1 at twice
//! the threshold and beyond. x is the rate, smoothed over τ/2, and X its maximum in the last 20 τ, the capacity that
//! the path has shown. In connections per second:
//!
//! * start: dn/dt = (ln 2/T)·n·min(2e, 1) while e ≥ 0: `start.rs`.
//! * after it: dn/dt = (α/n + κ·n)·e/τ + (ln 2/τ)·n·min(2m, 1)·max(2e − 1, 0) while e ≥ 0, κ = 0.02. The term α/n is
//!   the paper's; κ·n recovers from a decrease at any n. m is the unused share, max(1 − x/(0.95·X), 0.3·(t/5 s)²) with
//!   t the time since the last queue. A path that carried more and has no queue is filled at once, and one that was
//!   never full is probed ever faster.
//! * at any time: dn/dt = (ln β/τ)·3.5·n·(q − θ)/(rtt_min + q) while e < 0. Under random loss n connections take
//!   n·w/(rtt_min + q), so the last factor is the excess share of them. A queue of a whole round trip causes the
//!   paper's βn in two thirds of τ.
//! * blindness: for 2·settle seconds after a connection opened no queue lowers n, because its slow start makes one. The
//!   queue still stops growth.
//! * hold: if one connection is enough, n stays at 1: `single.rs`.
//! * window: if set, the minimum RTT is that of the last `window` seconds, so that a longer path is eventually
//!   recognised.
//! * bound: if enabled, the receive windows of several connections that make a queue are bounded, and n follows the use
//!   of the bound: `bound.rs`.
//! * memory: a transfer begins with half of the final n of the last one from the same host.
//!
//! n changes continuously with the evidence instead of by whole steps at the end of a long period, because a minute has
//! only three of the paper's periods.

use super::bound::{self, Bound, Path};
use super::least::Least;
use super::params::Params;
use super::sample::Sample;
use super::single::Single;
use super::smooth::smoothed;
use super::start::Start;
use core::f64::consts::LN_2;

/// Time constant of the smoothed queue, in τ.
const SMOOTHING: f64 = 0.2;
/// κ, the share of n added in τ without a queue.
const RECOVERY: f64 = 0.02;
/// Time constant of the smoothed rate, in τ, and the memory of its maximum.
const RATE_SMOOTHING: f64 = 0.5;
const RATE_MEMORY: f64 = 20.0;
/// Share of the maximum rate above which a path counts as full.
const FULL: f64 = 0.95;
/// Share that counts as unused after [`PATIENCE`] seconds without a queue; it grows with the square of the time.
const UNSEEN: f64 = 0.3;
const PATIENCE: f64 = 5.0;
/// Reciprocal of the unused share that doubles n in τ.
const HURRY: f64 = 2.0;
/// Reciprocal of the excess share of connections at which a queue reduces n to βn in τ.
const EXCESS: f64 = 3.5;
/// Blindness after a connection opened, in settling times.
const BLINDNESS: f64 = 2.0;
/// Distance of n below the number of connections at which one closes.
pub(super) const CLOSING: f64 = 0.5;

/// n, and the state from which it follows.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    pub n: f64,
    /// Smoothed queue, in seconds.
    pub queue: Option<f64>,
    last: Option<f64>,
    start: Start,
    connections: u32,
    blind_until: f64,
    single: Single,
    least: Least,
    /// Smoothed rate, one smoothed less, and the maximum of each.
    rate: f64,
    fresh: f64,
    busiest: Least,
    peak: Least,
    /// Time of the last queue, or of the transfer's beginning.
    queued_at: f64,
    pub bound: Bound,
}

impl Fast {
    pub fn new(params: &Params, remembered: Option<f64>) -> Self {
        // A maximum with NaN is the other number.
        let n = f64::max(remembered.unwrap_or(1.0) / 2.0, 1.0).min(f64::from(params.max));
        Self {
            n,
            queue: None,
            last: None,
            start: Start::new(n),
            connections: 0,
            blind_until: f64::NEG_INFINITY,
            single: Single::default(),
            least: Least::default(),
            rate: 0.0,
            fresh: 0.0,
            busiest: Least::default(),
            peak: Least::default(),
            queued_at: f64::NAN,
            bound: Bound::default(),
        }
    }

    pub fn update(&mut self, params: &Params, sample: &Sample) {
        let last = self.last.replace(sample.now).unwrap_or(sample.now);
        if self.queued_at.is_nan() {
            self.queued_at = sample.now;
        }
        if sample.connections > self.connections {
            self.blind_until = sample.now + BLINDNESS * params.settle;
        }
        self.connections = sample.connections;
        let Some(rtt) = sample.rtt.filter(|_| sample.rtt_min.is_finite()) else {
            return;
        };
        // A host that was asleep has not seen what happened meanwhile.
        let part = ((sample.now - last) / params.tau).clamp(0.0, 1.0);
        let rtt_min = match params.window > 0.0 {
            // The host's is the least ever.
            true => f64::max(sample.rtt_min, self.least.see(sample.now, rtt, params.window)),
            false => sample.rtt_min,
        };
        let threshold = params.threshold(rtt_min) * self.bound.caution(sample.now);
        let slack = self.slack(rtt - rtt_min, threshold, part);
        let missing = self.missing(params, sample, part);
        let peak = self.peak.see_most(sample.now, self.fresh, RATE_MEMORY * params.tau);
        let path = Path {
            rate: self.rate,
            fresh: self.fresh,
            peak,
            rtt_min,
            missing,
            has_queue: slack < 0.0,
            excursion: self.single.excursion(sample.now),
        };
        self.single.see(params, sample, self.rate, part);
        if path.has_queue && self.bound.window().is_none() && self.single.is_enough(sample, self.rate) {
            self.leave_one(sample.now);
        } else if params.bound {
            self.bound.watch(sample, path);
        }
        if let Some(n) = self.bound.update(params, sample, path, self.n, part) {
            self.start.end();
            self.queued_at = self.bound.met_at;
            self.n = n;
        } else if slack >= 0.0 {
            if !self.single.is_held(sample.now) {
                self.grow(params, path, sample.now, slack, part);
            }
        } else {
            self.queued_at = sample.now;
            self.n = self.start.meet(slack, self.n);
            if sample.now >= self.blind_until {
                let queue = self.queue.unwrap_or(threshold);
                self.shrink(params, EXCESS * (queue - threshold) / (rtt_min + queue) * part);
            }
        }
        if self.single.watch(sample.now, self.n, self.n < 2.0 - CLOSING) {
            self.leave_one(sample.now);
        }
        self.start.offer(params.tau, rtt_min, self.fresh, self.n);
    }

    /// Sum of the receive windows in bits; `None` without a bound.
    pub fn window(&self, params: &Params) -> Option<f64> {
        self.bound.window().or(self.start.window().filter(|_| params.bound))
    }

    /// e.
    fn slack(&mut self, queue: f64, threshold: f64, part: f64) -> f64 {
        let old = self.queue.unwrap_or(queue.max(0.0));
        let queue = smoothed(old, queue.max(0.0), part, SMOOTHING);
        self.queue = Some(queue);
        ((threshold - queue) / threshold).clamp(-1.0, 1.0)
    }

    /// m: the unused share of the path.
    fn missing(&mut self, params: &Params, sample: &Sample, part: f64) -> f64 {
        self.rate = smoothed(self.rate, sample.rate, part, RATE_SMOOTHING);
        self.fresh = smoothed(self.fresh, sample.rate, part, bound::FRESH);
        self.start.see(sample.now, self.rate);
        let most = self.busiest.see_most(sample.now, self.rate, RATE_MEMORY * params.tau);
        let unseen = (sample.now - self.queued_at) / PATIENCE;
        // A maximum with NaN, which 0/0 is, is the other number.
        f64::max(1.0 - self.rate / (FULL * most), UNSEEN * unseen * unseen).max(0.0)
    }

    fn grow(&mut self, params: &Params, path: Path, now: f64, slack: f64, part: f64) {
        let start = self.start.growth(params, now, path.rtt_min, self.rate, slack, self.n);
        let growth = start.unwrap_or_else(|| {
            let hurry = LN_2 * self.n * (HURRY * path.missing).min(1.0) * (2.0 * slack - 1.0).max(0.0);
            (params.alpha / self.n + RECOVERY * self.n) * slack + hurry
        });
        self.n = (self.n + growth * part).min(f64::from(params.max));
        self.start.reach(self.n);
    }

    fn shrink(&mut self, params: &Params, amount: f64) {
        self.n = (self.n * libm::pow(params.beta, amount)).max(1.0);
        self.start.keep(self.n);
    }

    /// Returns to one connection.
    fn leave_one(&mut self, now: f64) {
        self.n = 1.0;
        self.start.end();
        self.single.hold(now);
    }
}
