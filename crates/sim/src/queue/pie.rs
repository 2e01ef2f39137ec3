//! Proportional integral controller enhanced (Pan and others, RFC 8033): packets are dropped at the tail with a probability that
//! a controller steers by the delay.
//!
//! The delay is told by the time that the last packet sent had waited, not by a departure rate (RFC 8033 §4.3 allows both), and
//! is zero where nothing waits; so Linux does by default.

use super::config::PieConfig;
use super::discipline::{Queue, Waiting};
#[cfg(test)]
use super::line::Ruled;
use super::line::{Line, Rule};
use crate::engine::{Purpose, Stream};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// A queue of two usual packets is left alone (RFC 8033 §4.1).
const LEAST_BYTES: u64 = 2 * 1500;
/// Above this delay the probability rises by [`STEP`] more at each update (§5.5).
const HIGH: Duration = Duration::from_millis(250);
/// The probability rises by at most so much at once where it is at least a tenth (§5.5).
const STEP: f64 = 0.02;
/// Bounds of the accumulated probability: below the first nothing is dropped, above the second everything (§5.4).
const ACCUMULATED: [f64; 2] = [0.85, 8.5];

/// A line steered to a delay.
#[derive(Debug)]
pub struct Pie {
    config: PieConfig,
    stream: Stream,
    /// Probability that a packet is dropped.
    probability: f64,
    accumulated: f64,
    delay: Duration,
    last_delay: Duration,
    /// What is left of the time in which nothing is dropped.
    burst: Duration,
    next_update: Time,
}

impl Pie {
    /// Nothing has waited.
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

    /// Makes the updates that were due: between two packets nothing changes that they look at.
    #[inline]
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            self.update();
            self.next_update += self.config.update;
        }
    }

    /// The controller (RFC 8033 §4.2, §4.4 and §5.5).
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
        if self.delay == Duration::ZERO && self.last_delay == Duration::ZERO {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.last_delay = self.delay;
        self.burst = self.burst.saturating_sub(update);
    }

    /// The packet as it goes on; `None` where it is dropped (RFC 8033 §4.1, §5.1 and §5.4).
    fn admit(&mut self, line: &mut Line, now: Time, mut packet: Packet) -> Option<Packet> {
        self.catch_up(now);
        let half = self.config.target.scale(0.5);
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

    /// Whether a packet that comes now is to be dropped (`drop_early`).
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

/// What changes are divided by while the probability is small (RFC 8033 §4.2).
fn damping(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    STEPS.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, damping)| *damping)
}

impl Rule for Pie {
    fn offer(&mut self, line: &mut Line, now: Time, packet: Packet, wait: Duration) -> bool {
        // A full queue refuses before the controller is asked.
        if line.queue.is_full(&packet, wait) {
            self.catch_up(now);
            return false;
        }
        let admitted = self.admit(line, now, packet);
        admitted.is_some_and(|packet| line.queue.offer(now, packet, wait, |_| ()))
    }

    fn pass(&mut self, line: &mut Line, now: Time, packet: Packet) -> Option<Packet> {
        let admitted = self.admit(line, now, packet);
        self.delay = Duration::ZERO;
        admitted
    }

    fn take(&mut self, line: &mut Line, now: Time, _: impl FnMut(Waiting)) -> Option<Waiting> {
        self.catch_up(now);
        let taken = line.queue.leave()?;
        self.delay = if line.queue.packets() == 0 { Duration::ZERO } else { now.since(taken.since) };
        Some(taken)
    }
}

#[cfg(test)]
impl Ruled<Pie> {
    pub fn probability(&self) -> f64 {
        self.rule.probability
    }

    /// A packet waits that nobody has judged.
    pub fn join(&mut self, now: Time, packet: Packet) {
        self.line.queue.join(now, packet);
    }

    pub fn catch_up_to(&mut self, now: Time) {
        self.rule.catch_up(now);
    }

    /// Holds the controller: no burst is let through, and no update comes.
    pub fn hold(&mut self, probability: f64, delay: Duration) {
        let Self { rule, .. } = self;
        (rule.probability, rule.delay, rule.last_delay) = (probability, delay, delay);
        (rule.burst, rule.next_update) = (Duration::ZERO, Time::NEVER);
    }
}
