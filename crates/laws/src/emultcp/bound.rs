//! The bound on the sum of the receive windows, W.
//!
//! The number of connections is whole, and what it does is seen seconds later: n alone keeps a queue of the size of θ. What
//! the connections together may have in flight decides the queue within some round trips, and that is the receiver's to say.
//! rLEDBAT (RFC 9840) controls one connection so.
//!
//! * begin: a queue longer than θ is seen, and is made by four connections or more, by three of an excursion of 2 s, or by two of one
//!   of 5 s: where one connection fills the path (BBR's) the others are gone before. With a queue the link is full: W is
//!   1.1·rtt_min times the rate, smoothed over 0.2 τ, and has room for four connections at least.
//! * target: Q = 0.015·rtt_min and the time of 1.3 packets at the most that the path carried in 20 τ, smoothed over 0.2 τ, but of
//!   one packet at the rate x at least. At x itself they would take the longer, the more others have of the link. q is the queue
//!   that the connections see on the mean.
//! * dW/dt = W·((rtt_min + Q)/(rtt_min + q) − 1)/(τ + 6·rtt_min), which is 0 where q = Q. Where q < Q it is up to four times as much,
//!   but no more than a quarter without a queue: on long paths Q is a small part of the RTT, and a window a tenth too short would take five
//!   seconds to come back; on short ones, where a packet is a large part, W would grow in each gap of a neighbour's. Where nobody saw Q
//!   for τ/2 + 2·rtt_min there is W·min(m, 1)/τ besides, m what is missing of the path, as for n without a bound.
//! * use: u = x·(rtt_min + q)/W is the share of W in flight. Below 0.6 W does not grow: a window that nobody fills says nothing.
//! * dn/dt = n·6·(0.95 − u)/(τ + 3·rtt_min), from −0.2·n to 1.7·n over that, and n is at most W over four segments: with fewer in flight
//!   no loss can be told by duplicates (RFC 5681 §3.2). Above 1.1 u tells of windows that were offered before W: n and W stay.
//! * end: W has room for less than two connections, or 0.7 of what it was when the queue was last shorter than Q, or when it
//!   began. Others fill the queue then, and n goes by θ again, for 30 s by a third of it; meanwhile there is no other bound.

use super::params::Params;
use super::sample::Sample;

/// So many connections begin a bound once there have been several for so many seconds.
const FROM: [(u32, f64); 3] = [(4, 0.0), (3, 2.0), (2, 5.0)];
/// W at its beginning beside what the path carries, smoothed over a share of τ, and for how many connections it has room at least.
const SPARE: f64 = 1.1;
pub(super) const FRESH: f64 = 0.2;
const BEGINS: f64 = 4.0;
/// Q, as a share of rtt_min, in packets at the most that the path carried, and at least in packets at the rate.
const TARGET: f64 = 0.015;
const TARGET_PACKETS: f64 = 1.3;
const TARGET_LEAST: f64 = 1.0;
/// Time constant of W, in round trips besides τ, how many times faster it grows than it shrinks, and how much at most without a queue.
const ROUNDS: f64 = 6.0;
const HASTE: f64 = 4.0;
const FASTEST: f64 = 0.25;
/// So long without Q, in τ and in round trips, and W seeks what is missing.
const PATIENCE: f64 = 0.5;
const PATIENCE_ROUNDS: f64 = 2.0;
/// A use below which W does not grow, and one above which n stays.
const USED: f64 = 0.6;
const OVERUSED: f64 = 1.1;
/// The use that n aims at, how n goes there, how fast at most, and the round trips of its time constant besides τ.
const AIM: f64 = 0.95;
const GAIN: f64 = 6.0;
const GROWTH: f64 = 1.7;
const DECAY: f64 = 0.2;
const REACTION_ROUNDS: f64 = 3.0;
/// The least number of connections that a bound is for, and the least share of W when the queue was last shorter than Q.
const LEAST: f64 = 2.0;
const YIELDS: f64 = 0.7;
/// Seconds without a bound after one that others ended, and what is left of θ meanwhile.
const REST: f64 = 30.0;
const WARY: f64 = 1.0 / 3.0;
/// Bits of a packet, of the segment in it, and of the least room of a connection: four segments.
const PACKET: f64 = 1500.0 * 8.0;
pub(super) const SEGMENT: f64 = 1448.0 * 8.0;
const ROOM: f64 = 4.0 * SEGMENT;

/// W, and what it rests on.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    window: Option<f64>,
    /// When a queue of Q was seen last, or the bound began.
    pub met_at: f64,
    /// W when a shorter one was seen last, or the bound began.
    short_window: f64,
    /// No bound begins before.
    rests_until: f64,
}

/// What is known of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// The rate in bit/s, smoothed over τ/2 and over [`FRESH`].
    pub rate: f64,
    pub fresh: f64,
    /// The most of the latter that is remembered.
    pub peak: f64,
    /// The base RTT in seconds.
    pub rtt_min: f64,
    /// m.
    pub missing: f64,
    /// Whether the queue is longer than θ, and for how many seconds there have been two connections or more.
    pub has_queue: bool,
    pub excursion: f64,
}

impl Bound {
    /// W in bits.
    pub fn window(&self) -> Option<f64> {
        self.window
    }

    /// The part of θ that counts at `now`.
    pub fn caution(&self, now: f64) -> f64 {
        if now < self.rests_until { WARY } else { 1.0 }
    }

    /// Begins where it is to.
    pub fn watch(&mut self, sample: &Sample, path: Path) {
        let is_many = FROM.iter().any(|&(many, late)| sample.connections >= many && path.excursion >= late);
        if self.window.is_none() && path.has_queue && is_many && sample.now >= self.rests_until {
            let window = (SPARE * path.fresh * path.rtt_min).max(ROOM * BEGINS);
            (self.window, self.short_window, self.met_at) = (Some(window), window, sample.now);
        }
    }

    /// A `part` of τ later: moves W, and returns what n becomes of `n`; `None` where nothing is bounded, or there is no evidence.
    pub fn update(&mut self, params: &Params, sample: &Sample, path: Path, n: f64, part: f64) -> Option<f64> {
        let mut window = self.window?;
        let rtt = sample.rtt?.max(path.rtt_min);
        let over = |rounds: f64| params.tau / (params.tau + rounds * path.rtt_min);
        // At no rate at all everything is within the target.
        let waiting = f64::max(TARGET_PACKETS / path.peak, TARGET_LEAST / path.rate);
        let target = path.rtt_min * (1.0 + TARGET) + waiting * PACKET;
        let is_short = rtt < target;
        if !is_short {
            self.met_at = sample.now;
        }
        let haste = if is_short { (FASTEST / (target / path.rtt_min - 1.0)).clamp(1.0, HASTE) } else { 1.0 };
        let mut growth = haste * (target / rtt - 1.0).min(1.0) * over(ROUNDS);
        if sample.now - self.met_at >= PATIENCE * params.tau + PATIENCE_ROUNDS * path.rtt_min {
            growth += path.missing.min(1.0);
        }
        let used = path.rate * rtt / window;
        let is_felt = if growth < 0.0 { used <= OVERUSED } else { used >= USED };
        if is_felt {
            window *= 1.0 + growth * part;
        }
        if is_short {
            self.short_window = window;
        }
        let room = window / ROOM;
        self.window = Some(window).filter(|window| room >= LEAST && *window >= YIELDS * self.short_window);
        if self.window.is_none() {
            self.rests_until = sample.now + REST;
        }
        let growth = (GAIN * (AIM - used)).clamp(-DECAY, GROWTH) * over(REACTION_ROUNDS);
        let n = if used > OVERUSED { n } else { n * (1.0 + growth * part) };
        Some(n.max(LEAST).min(room).min(f64::from(params.max)).max(1.0))
    }
}
