//! Random early detection (RED; Floyd and Jacobson, "Random early detection gateways for congestion avoidance", 1993):
//! drops arrivals with a probability that rises with the mean queue.

use super::discipline::{Configure, Queue, Site, Waiting};
use super::line::{Line, Rule, Ruled};
use crate::engine::{Purpose, Stream};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Parameters of random early detection (Floyd and Jacobson 1993), with the gentle slope of Floyd's note of 2000.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedConfig {
    /// Mean queue in packets at which drops begin.
    pub min: f64,
    /// Mean queue in packets at which the drop probability is `probability`; at least `min`. With `min` equal to `max`
    /// the probability is a step.
    pub max: f64,
    /// Drop probability at `max`.
    pub probability: f64,
    /// EWMA weight of the current queue in the mean.
    pub weight: f64,
    /// True if the drop probability rises to one between `max` and twice `max`; otherwise all packets are dropped above
    /// `max`.
    pub is_gentle: bool,
    /// True if ECN-capable packets are marked instead of dropped below `max`.
    pub marks: bool,
    /// True if ECN-capable packets too are dropped from `max` on (RFC 3168 §7).
    pub drops_hard: bool,
}

impl Default for RedConfig {
    /// Thresholds for a buffer of 50 packets or more, as recommended in Floyd's notes.
    fn default() -> Self {
        Self { min: 5.0, max: 15.0, probability: 0.1, weight: 0.002, is_gentle: true, marks: false, drops_hard: true }
    }
}

impl Configure for RedConfig {
    type Queue = Ruled<Red>;
    const IS_RANDOM: bool = true;

    fn build(self, Site { buffer, rate, key, seed }: Site) -> Self::Queue {
        Ruled::new(Red::new(self, rate, key, seed), buffer)
    }

    fn with_marks(self, marks: bool) -> Option<Self> {
        Some(Self { marks, ..self })
    }
}

/// Size in bits of the packets by which the mean ages while idle.
const USUAL_BITS: f64 = 12_000.0;

/// RED controller of a FIFO queue.
#[derive(Debug)]
pub struct Red {
    config: RedConfig,
    stream: Stream,
    /// Transmission time of a 1500-byte packet.
    packet_time: Duration,
    rate: f64,
    mean: f64,
    /// Packets since the last drop or mark.
    count: u32,
    /// Start of the transmitter's idle time, if the queue is empty.
    idle_since: Option<Time>,
}

/// Decision on an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Taken,
    Marked,
    Dropped,
}

impl Red {
    /// Initial state before a transmitter of `rate` bits a second.
    pub fn new(config: RedConfig, rate: f64, key: u64, seed: u64) -> Self {
        Self {
            config,
            stream: Stream::new(seed, key, Purpose::Queue),
            packet_time: packet_time(rate),
            rate,
            mean: 0.0,
            count: 0,
            idle_since: Some(Time::ZERO),
        }
    }

    /// Updates the mean with the queue that an arrival finds, and decides on the arrival (1993, Fig. 2).
    #[inline]
    fn judge(&mut self, waiting: usize, now: Time) -> Verdict {
        let RedConfig { min, max, probability, weight, is_gentle, marks, drops_hard } = self.config;
        match self.idle_since {
            // Ages the mean by the packets that could have been sent, each finding an empty queue.
            Some(since) if since <= now => {
                self.mean *= libm::pow(1.0 - weight, now.since(since).ratio(self.packet_time));
            }
            // Behind a busy transmitter an empty queue counts like any other.
            _ => self.mean += weight * (waiting as f64 - self.mean),
        }
        if self.mean < min {
            self.count = 0;
            return Verdict::Taken;
        }
        let hard = if is_gentle { 2.0 * max } else { max };
        let strike = if marks && (self.mean < max || !drops_hard) { Verdict::Marked } else { Verdict::Dropped };
        if self.mean >= hard {
            self.count = 0;
            return strike;
        }
        let share = match self.mean < max {
            true => probability * (self.mean - min) / (max - min),
            false => probability + (1.0 - probability) * (self.mean - max) / max,
        };
        // Spreads the drops evenly: the distance of two is uniform between 1 and 1/share packets.
        let rest = 1.0 - f64::from(self.count) * share;
        if rest > 0.0 && !self.stream.chance(share / rest) {
            self.count += 1;
            return Verdict::Taken;
        }
        self.count = 0;
        strike
    }

    /// Applies the decision: returns the arrival, marked or not, or `None` if it is dropped.
    #[inline]
    fn admit(&mut self, line: &mut Line, now: Time, mut packet: Packet) -> Option<Packet> {
        match self.judge(line.queue.packets(), now) {
            Verdict::Taken => Some(packet),
            Verdict::Marked if packet.ecn.mark() => {
                line.marked += 1;
                Some(packet)
            }
            Verdict::Marked | Verdict::Dropped => None,
        }
    }

    /// Records the transmission of `size` bytes; the transmitter is idle after it if the queue is empty.
    #[inline]
    fn note_end(&mut self, line: &Line, now: Time, size: u32) {
        let transmission = Duration::from_secs(f64::from(size) * 8.0 / self.rate);
        self.idle_since = (line.queue.packets() == 0).then(|| now + transmission);
    }
}

/// Transmission time of a 1500-byte packet.
#[inline]
fn packet_time(rate: f64) -> Duration {
    Duration::from_secs(USUAL_BITS / rate)
}

impl Rule for Red {
    #[inline]
    fn offer(&mut self, line: &mut Line, now: Time, packet: Packet, wait: Duration) -> bool {
        let admitted = self.admit(line, now, packet);
        let is_taken = admitted.is_some_and(|packet| line.queue.offer(now, packet, wait, |_| ()));
        if is_taken {
            self.idle_since = None;
        }
        is_taken
    }

    #[inline]
    fn pass(&mut self, line: &mut Line, now: Time, packet: Packet) -> Option<Packet> {
        let admitted = self.admit(line, now, packet)?;
        self.note_end(line, now, admitted.size);
        Some(admitted)
    }

    #[inline]
    fn take(&mut self, line: &mut Line, now: Time, _: impl FnMut(Waiting)) -> Option<Waiting> {
        let taken = line.queue.leave()?;
        self.note_end(line, now, taken.packet.size);
        Some(taken)
    }

    fn change_rate(&mut self, rate: f64) {
        (self.packet_time, self.rate) = (packet_time(rate), rate);
    }
}

#[cfg(test)]
impl Ruled<Red> {
    pub fn mean(&self) -> f64 {
        self.rule.mean
    }

    /// Queues a packet without a drop decision.
    pub fn join(&mut self, now: Time, packet: Packet) {
        self.line.queue.join(now, packet);
        self.rule.idle_since = None;
    }
}
