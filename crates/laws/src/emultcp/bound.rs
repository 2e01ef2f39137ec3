//! Bound W on the sum of the receive windows.
//!
//! The number of connections is an integer, and its effect is visible only seconds later: n alone keeps a queue of the
//! size of θ. The total flight of the connections determines the queue within some round trips, and the receiver
//! controls it. rLEDBAT (RFC 9840) controls one connection this way.
//!
//! * begin: a queue longer than θ, made by four connections or more, by three of an excursion of 2 s, or by two of one
//!   of 5 s. If one connection fills the path (BBR's) the others are closed earlier. With a queue the link is full: W
//!   is 1.1·rtt_min times the rate, smoothed over 0.2 τ, with room for at least four connections.
//! * target: Q = 0.015·rtt_min plus the time of 1.3 packets at the maximum rate of the path in 20 τ, smoothed over 0.2
//!   τ, but at least the time of one packet at the rate x. With x throughout, Q would grow with the share of others on
//!   the link. q is the mean queue of the connections.
//! * dW/dt = W·((rtt_min + Q)/(rtt_min + q) − 1)/(τ + 6·rtt_min), which is 0 where q = Q. Where q < Q it is up to four
//!   times as much, but at most a quarter of W per time constant without a queue. On long paths Q is a small part of
//!   the RTT, and a window a tenth too short would take five seconds to recover. On short ones, where a packet is a
//!   large part, W would grow in each gap of competing traffic. If Q has not been reached for τ/2 + 2·rtt_min, W·min(m,
//!   1)/τ is added, with m the unused share of the path, as for n without a bound.
//! * use: u = x·(rtt_min + q)/W is the share of W in flight. Below 0.6 W does not grow: an unused window is no
//!   evidence.
//! * dn/dt = n·6·(0.95 − u)/(τ + 3·rtt_min), from −0.2·n to 1.7·n over that, and n is at most W over four segments:
//!   with fewer in flight duplicates cannot reveal a loss (RFC 5681 §3.2). u above 1.1 results from windows offered
//!   before W: n and W stay.
//! * end: W has room for less than two connections, or has fallen to 0.7 of its value when the queue was last shorter
//!   than Q, or at the beginning. Then other flows fill the queue, and n follows θ again, for 30 s a third of it;
//!   during that time no bound begins.

use super::params::Params;
use super::sample::Sample;

/// Numbers of connections that begin a bound, each with the seconds for which there must have been several.
const FROM: [(u32, f64); 3] = [(4, 0.0), (3, 2.0), (2, 5.0)];
/// Initial W relative to the load of the path, smoothed over a share of τ, and the minimum number of connections with
/// room.
const SPARE: f64 = 1.1;
pub(super) const FRESH: f64 = 0.2;
const BEGINS: f64 = 4.0;
/// Q: share of rtt_min, packets at the maximum rate of the path, and minimum packets at the present rate.
const TARGET: f64 = 0.015;
const TARGET_PACKETS: f64 = 1.3;
const TARGET_LEAST: f64 = 1.0;
/// Time constant of W, in round trips besides τ, ratio of its growth to its decrease, and limit of growth without a
/// queue.
const ROUNDS: f64 = 6.0;
const HASTE: f64 = 4.0;
const FASTEST: f64 = 0.25;
/// Time without Q, in τ and in round trips, after which W grows towards the unused share.
const PATIENCE: f64 = 0.5;
const PATIENCE_ROUNDS: f64 = 2.0;
/// Use below which W does not grow, and use above which n stays.
const USED: f64 = 0.6;
const OVERUSED: f64 = 1.1;
/// Target use for n, its gain, the limits of n's speed, and the round trips of its time constant besides τ.
const AIM: f64 = 0.95;
const GAIN: f64 = 6.0;
const GROWTH: f64 = 1.7;
const DECAY: f64 = 0.2;
const REACTION_ROUNDS: f64 = 3.0;
/// Minimum number of connections for a bound, and minimum share of W when the queue was last shorter than Q.
const LEAST: f64 = 2.0;
const YIELDS: f64 = 0.7;
/// Seconds without a bound after other flows have ended one, and the share of θ during that time.
const REST: f64 = 30.0;
const WARY: f64 = 1.0 / 3.0;
/// Bits of a packet, of its segment, and of the minimum room of a connection: four segments.
const PACKET: f64 = 1500.0 * 8.0;
pub(super) const SEGMENT: f64 = 1448.0 * 8.0;
const ROOM: f64 = 4.0 * SEGMENT;

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

/// Measurements of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// Rate in bit/s, smoothed over τ/2 and over [`FRESH`].
    pub rate: f64,
    pub fresh: f64,
    /// Remembered maximum of the latter.
    pub peak: f64,
    /// Base RTT in seconds.
    pub rtt_min: f64,
    /// m, the unused share.
    pub missing: f64,
    /// True if the queue is longer than θ; and the seconds for which there have been two connections or more.
    pub has_queue: bool,
    pub excursion: f64,
}

impl Bound {
    /// W in bits.
    pub fn window(&self) -> Option<f64> {
        self.window
    }

    /// Share of θ that applies at `now`.
    pub fn caution(&self, now: f64) -> f64 {
        if now < self.rests_until { WARY } else { 1.0 }
    }

    /// Begins a bound if its conditions hold.
    pub fn watch(&mut self, sample: &Sample, path: Path) {
        let is_many = FROM.iter().any(|&(many, late)| sample.connections >= many && path.excursion >= late);
        if self.window.is_none() && path.has_queue && is_many && sample.now >= self.rests_until {
            let window = (SPARE * path.fresh * path.rtt_min).max(ROOM * BEGINS);
            (self.window, self.short_window, self.met_at) = (Some(window), window, sample.now);
        }
    }

    /// Updates W after a `part` of τ, and returns the new value of `n`; `None` without a bound or without evidence.
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
