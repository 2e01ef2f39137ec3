//! Proportional integral controller enhanced (PIE; Pan and others, RFC 8033): drops arrivals with a probability that a
//! controller adjusts by the delay.
//!
//! The delay is the waiting time of the last packet sent, not an estimate from the departure rate (RFC 8033 §4.3 allows
//! both), and zero for an empty queue. Linux does the same by default.

use super::discipline::{Configure, Queue, Site, Waiting};
use super::line::{Line, Rule, Ruled};
use crate::engine::{Purpose, Stream};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Parameters of PIE (RFC 8033).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieConfig {
    /// Target delay.
    pub target: Duration,
    /// Update interval of the drop probability.
    pub update: Duration,
    /// Integral gain: change of the probability per update and second of error.
    pub alpha: f64,
    /// Proportional gain: change of the probability per second by which the delay has risen.
    pub beta: f64,
    /// Time after idleness without drops.
    pub burst: Duration,
    /// True if ECN-capable packets are marked instead of dropped, while the probability is at most
    /// [`PieConfig::MARKS_BELOW`].
    pub marks: bool,
}

impl PieConfig {
    /// Probability above which ECN-capable packets too are dropped (RFC 8033 §5.1).
    pub const MARKS_BELOW: f64 = 0.1;
}

impl Default for PieConfig {
    /// RFC 8033 §4.1, §4.2 and §4.4.
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            update: Duration::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            burst: Duration::from_millis(150),
            marks: false,
        }
    }
}

impl Configure for PieConfig {
    type Queue = Ruled<Pie>;
    const IS_RANDOM: bool = true;

    fn build(self, Site { buffer, key, seed, .. }: Site) -> Self::Queue {
        Ruled::new(Pie::new(self, key, seed), buffer)
    }

    fn with_marks(self, marks: bool) -> Option<Self> {
        Some(Self { marks, ..self })
    }
}

/// Queue size in bytes up to which no packet is dropped: two full-size packets (RFC 8033 §4.1).
const LEAST_BYTES: u64 = 2 * 1500;
/// Delay above which the probability rises by [`STEP`] more at each update (§5.5).
const HIGH: Duration = Duration::from_millis(250);
/// Largest rise per update of a probability of at least a tenth (§5.5).
const STEP: f64 = 0.02;
/// Bounds of the accumulated probability: no drop below the first, a drop above the second (§5.4).
const ACCUMULATED: [f64; 2] = [0.85, 8.5];

/// PIE controller of a FIFO queue.
#[derive(Debug)]
pub struct Pie {
    config: PieConfig,
    stream: Stream,
    /// Drop probability.
    probability: f64,
    accumulated: f64,
    delay: Duration,
    last_delay: Duration,
    /// Remaining time without drops.
    burst: Duration,
    next_update: Time,
}

impl Pie {
    /// Initial state of an empty queue.
    pub fn new(config: PieConfig, key: u64, seed: u64) -> Self {
        Self {
            config,
            stream: Stream::new(seed, key, Purpose::Queue),
            probability: 0.0,
            accumulated: 0.0,
            delay: Duration::ZERO,
            last_delay: Duration::ZERO,
            burst: config.burst,
            next_update: Time::ZERO + config.update,
        }
    }

    /// Makes the updates that are due: their inputs do not change between two packets.
    #[inline]
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            self.update();
            self.next_update += self.config.update;
        }
    }

    /// Controller update (RFC 8033 §4.2, §4.4 and §5.5).
    #[inline]
    fn update(&mut self) {
        let (delay, last) = (self.delay.as_secs(), self.last_delay.as_secs());
        let PieConfig { alpha, beta, target, update, .. } = self.config;
        let mut change = alpha * (delay - target.as_secs()) + beta * (delay - last);
        change /= damping(self.probability);
        if self.probability >= 0.1 {
            change = change.min(STEP);
        }
        if self.delay > HIGH {
            change += STEP;
        }
        self.probability += change;
        // RFC 8033 §4.2: an idle queue forgets its probability within seconds.
        if self.delay == Duration::ZERO && self.last_delay == Duration::ZERO {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.last_delay = self.delay;
        self.burst = self.burst.saturating_sub(update);
    }

    /// Returns the arrival, marked or not, or `None` if it is dropped (RFC 8033 §4.1, §5.1 and §5.4).
    #[inline]
    fn admit(&mut self, line: &mut Line, now: Time, mut packet: Packet) -> Option<Packet> {
        self.catch_up(now);
        let half = self.config.target.scale(0.5);
        // RFC 8033 §4.4: after congestion has ended, the next burst is spared again.
        if self.probability == 0.0 && self.delay < half && self.last_delay < half {
            self.burst = self.config.burst;
        }
        if self.burst > Duration::ZERO || !self.strikes(line.queue.bytes(), half) {
            return Some(packet);
        }
        let may_mark = self.config.marks && self.probability <= PieConfig::MARKS_BELOW;
        if may_mark && packet.ecn.mark() {
            line.marked += 1;
            return Some(packet);
        }
        None
    }

    /// True if an arrival is to be dropped (`drop_early`).
    #[inline]
    fn strikes(&mut self, waiting: u64, half: Duration) -> bool {
        if (self.last_delay < half && self.probability < 0.2) || waiting <= LEAST_BYTES {
            return false;
        }
        if self.probability == 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        let [few, many] = ACCUMULATED;
        let strikes = self.accumulated >= few && (self.accumulated >= many || self.stream.chance(self.probability));
        if strikes {
            self.accumulated = 0.0;
        }
        strikes
    }
}

/// Divisor of changes while the probability is small (RFC 8033 §4.2).
#[inline]
fn damping(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    STEPS.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, damping)| *damping)
}

impl Rule for Pie {
    #[inline]
    fn offer(&mut self, line: &mut Line, now: Time, packet: Packet, wait: Duration) -> bool {
        // A full queue refuses arrivals before the controller decides.
        if line.queue.is_full(&packet, wait) {
            self.catch_up(now);
            return false;
        }
        let admitted = self.admit(line, now, packet);
        admitted.is_some_and(|packet| line.queue.offer(now, packet, wait, |_| ()))
    }

    #[inline]
    fn pass(&mut self, line: &mut Line, now: Time, packet: Packet) -> Option<Packet> {
        let admitted = self.admit(line, now, packet);
        self.delay = Duration::ZERO;
        admitted
    }

    #[inline]
    fn take(&mut self, line: &mut Line, now: Time, _: impl FnMut(Waiting)) -> Option<Waiting> {
        self.catch_up(now);
        let taken = line.queue.leave()?;
        // Otherwise the wait of the last packet would count until the next departure.
        self.delay = if line.queue.packets() == 0 { Duration::ZERO } else { now.since(taken.since) };
        Some(taken)
    }
}

#[cfg(test)]
impl Ruled<Pie> {
    pub fn probability(&self) -> f64 {
        self.rule.probability
    }

    /// Queues a packet without a drop decision.
    pub fn join(&mut self, now: Time, packet: Packet) {
        self.line.queue.join(now, packet);
    }

    pub fn catch_up_to(&mut self, now: Time) {
        self.rule.catch_up(now);
    }

    /// Freezes the controller: no burst allowance, no update.
    pub fn hold(&mut self, probability: f64, delay: Duration) {
        let Self { rule, .. } = self;
        (rule.probability, rule.delay, rule.last_delay) = (probability, delay, delay);
        (rule.burst, rule.next_update) = (Duration::ZERO, Time::NEVER);
    }
}
