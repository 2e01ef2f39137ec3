//! A bound on the windows of all connections of a transfer together.
//!
//! Under random loss the sum of n free windows wanders, and what of it exceeds the path is a queue. Who receives may bound each
//! connection's window by what it offers (RFC 9293 §3.8.6; rLEDBAT, RFC 9840, controls a single one so). With more connections than
//! are needed, the sum W of whose windows is a little more than the path carries, one loss costs little and W is never exceeded.
//!
//! With x the rate, smoothed over τ/2, in bytes per second, X the most it was, r = rtt_min, θ the threshold, q the queue as
//! [`fast`](super::fast) smooths it, but of the connection that sees the least, q' = q less its least of the last 10 τ under the bound,
//! which is at most θ/4 or 3000/X, the time of a segment and of the next one that its ACK waits for, and the target q* = 0.03·r + 1 ms:
//!
//! * the first queue above θ with two connections or more sets W = X·(r + q*), which grows only with X for 0.5 τ + 3r until it shows;
//! * dW/dt = W/(r + q)·max(q* − q', −θ)/(τ + 6r): what is missing to the target, or too much, within τ and six round trips;
//! * while less than half the target is seen, (W/τ)·max(1 if the target was never seen since, ln 2·min(2m, 1))·(1 − 2q'/q*) in addition, m
//!   what is missing of the rate: the queue that began it is most often that of a slow start, before the path was full;
//! * W does not grow beyond x·(r + q)/0.7, or x·(r + q)/0.5 until the target was seen: windows that are not used would wait to become a queue;
//! * usage u = x·(r + q)/W, smoothed over τ: dn/dt = 5n·(0.88 − u)/τ, from −0.1 n/τ to 0.7 n/τ, or to 1.7 n/τ until the target was seen, is
//!   what lets n connections use W.
//!
//! W ends with the second connection: one alone is what any download would be, and yields no more than that.

use super::least::Least;
use super::params::Params;
use super::smooth::smooth;
use core::f64::consts::LN_2;

/// q*: a share of the base RTT, and seconds in addition, as the kernel's stamps count in milliseconds.
const TARGET: f64 = 0.03;
const TICK: f64 = 0.001;
/// For so many τ the least queue is what jitter makes; of the threshold, the most that it can be, or the time of so many bytes: handshakes, which
/// rtt_min is from, are short, and segments are not.
const JITTER_MEMORY: f64 = 10.0;
const MOST_JITTER: f64 = 0.25;
const TWO_SEGMENTS: f64 = 3000.0;
/// A new bound stays for this share of τ and so many round trips.
const STAYS: f64 = 0.5;
const STAYS_ROUNDS: f64 = 3.0;
/// In τ and so many round trips the queue is brought to its target: the kernel's mean of what it receives lags behind by four.
const ROUNDS: f64 = 6.0;
/// dW/dt over W/τ until the target is seen under the bound.
const FIRST_RISE: f64 = 1.0;
/// W grows while more than this share of it is used, and until the target is seen.
const LEAST_USAGE: f64 = 0.7;
const FIRST_LEAST_USAGE: f64 = 0.5;
/// u where n stays, the speed with which n goes there, and the limits of dn/dt over n/τ.
const USAGE: f64 = 0.88;
const SPEED: f64 = 5.0;
const FALLS: f64 = 0.1;
const RISES: f64 = 0.7;
/// The last one until the target is seen: as fast as a start.
const FIRST_RISES: f64 = 1.7;

/// W, and what it rests on.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    /// W in bytes.
    pub window: Option<f64>,
    usage: f64,
    /// The smoothed queue, in seconds.
    queue: Option<f64>,
    stays_until: f64,
    /// Whether the bound has not made the target yet.
    is_rising: bool,
    jitter: Least,
}

/// What is seen of the path.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub now: f64,
    /// Time since the last look, in τ.
    pub part: f64,
    /// Seconds; q is not smoothed.
    pub rtt_min: f64,
    pub queue: f64,
    pub threshold: f64,
    /// x, X in bytes per second, and m.
    pub rate: f64,
    pub most: f64,
    pub missing: f64,
}

impl Bound {
    /// Takes what is seen; whether the bound begins, with `n` connections.
    pub fn begins(&mut self, params: &Params, seen: &Seen, n: f64) -> bool {
        let queue = smooth(self.queue, seen.queue, seen.part);
        self.queue = Some(queue);
        let begins = self.window.is_none() && n >= 2.0 && queue > seen.threshold && seen.most > 0.0;
        if begins {
            self.window = Some(seen.most * (seen.rtt_min + target(seen)));
            self.usage = USAGE;
            self.is_rising = true;
            self.jitter = Least::default();
            self.stays_until = seen.now + STAYS * params.tau + STAYS_ROUNDS * seen.rtt_min;
        }
        begins
    }

    /// Changes W; returns whether a queue of half the target is there.
    pub fn update(&mut self, params: &Params, seen: &Seen) -> bool {
        let Seen { now, part, rtt_min, threshold, .. } = *seen;
        let (Some(window), Some(queue)) = (self.window, self.queue) else { return false };
        let rtt = rtt_min + queue;
        // X is above 0 once there is a bound, and infinity is no harm.
        let most_jitter = f64::max(MOST_JITTER * threshold, TWO_SEGMENTS / seen.most);
        let jitter = self.jitter.see(now, queue, JITTER_MEMORY * params.tau).min(most_jitter);
        let (target, queue) = (target(seen), queue - jitter);
        if now < self.stays_until {
            // A queue is seen before the rate that fills it.
            self.window = Some(window.max(seen.most * (rtt_min + target)));
        } else {
            self.is_rising &= queue < target;
            let lasts = 1.0 + ROUNDS * rtt_min / params.tau;
            let step = window / rtt * (target - queue).max(-threshold) / lasts;
            let (first, usage) = if self.is_rising { (FIRST_RISE, FIRST_LEAST_USAGE) } else { (0.0, LEAST_USAGE) };
            let hurry = f64::max(first, LN_2 * (2.0 * seen.missing).min(1.0)) * (1.0 - 2.0 * queue / target).max(0.0);
            let most = f64::max(seen.rate * rtt / usage, window);
            self.window = Some((window + (step + window * hurry) * part).clamp(window / 2.0, most).max(1.0));
        }
        let used = seen.rate * rtt / window;
        self.usage += (used - self.usage) * (1.0 - libm::exp(-part));
        queue >= target / 2.0
    }

    /// dn/dt over n/τ.
    pub fn growth(&self) -> f64 {
        (SPEED * (USAGE - self.usage)).clamp(-FALLS, if self.is_rising { FIRST_RISES } else { RISES })
    }
}

/// q*.
fn target(seen: &Seen) -> f64 {
    TARGET * seen.rtt_min + TICK
}
