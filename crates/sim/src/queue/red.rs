//! Random early detection (Floyd and Jacobson, "Random early detection gateways for congestion avoidance", 1993): packets are
//! dropped at the tail with a probability that rises with the mean queue.

use super::config::RedConfig;
use super::discipline::{Buffer, Queue, Waiting};
use super::tail::Tail;
use crate::engine::{Purpose, Stream};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// A usual packet, by which the time is told in which an idle queue's mean falls.
const USUAL_BITS: f64 = 12_000.0;

/// A queue with early detection.
#[derive(Debug)]
pub struct Red {
    queue: Tail,
    config: RedConfig,
    stream: Stream,
    /// How long a usual packet is transmitted.
    packet_time: Duration,
    mean: f64,
    /// Packets since the last one that was dropped or marked.
    count: u32,
    /// Since when the transmitter has been idle, while nothing waits.
    idle_since: Option<Time>,
    marked: u64,
}

/// What becomes of a packet that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Taken,
    Marked,
    Dropped,
}

impl Red {
    /// An empty queue before a transmitter of `rate` bits a second.
    pub fn new(config: RedConfig, buffer: Buffer, rate: f64, key: u64, seed: u64) -> Self {
        Self {
            queue: Tail::new(buffer),
            config,
            stream: Stream::new(seed, key, Purpose::Queue),
            packet_time: Duration::from_secs(USUAL_BITS / rate),
            mean: 0.0,
            count: 0,
            idle_since: Some(Time::ZERO),
            marked: 0,
        }
    }

    /// Takes what a packet finds into the mean, and judges it (1993, Fig. 2).
    fn judge(&mut self, now: Time) -> Verdict {
        let RedConfig { min, max, probability, weight, is_gentle, marks, drops_hard } = self.config;
        match self.idle_since {
            // As many packets as could have been sent would have found it empty.
            Some(since) => self.mean *= libm::pow(1.0 - weight, now.since(since).ratio(self.packet_time)),
            None => self.mean += weight * (self.queue.packets() as f64 - self.mean),
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

    /// The packet as it goes on; `None` where it is dropped.
    fn admit(&mut self, now: Time, mut packet: Packet) -> Option<Packet> {
        match self.judge(now) {
            Verdict::Taken => Some(packet),
            Verdict::Marked if packet.ecn.mark() => {
                self.marked += 1;
                Some(packet)
            }
            Verdict::Marked | Verdict::Dropped => None,
        }
    }

    /// The transmitter has taken the last packet and is idle when that is sent.
    fn note_end(&mut self, now: Time) {
        self.idle_since = (self.queue.packets() == 0).then(|| now + self.packet_time);
    }
}

impl Queue for Red {
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration, dropped: impl FnMut(Waiting)) -> bool {
        let admitted = self.admit(now, packet);
        let is_taken = admitted.is_some_and(|packet| self.queue.offer(now, packet, wait, dropped));
        if is_taken {
            self.idle_since = None;
        }
        is_taken
    }

    fn resize(&mut self, buffer: Buffer) {
        self.queue.resize(buffer);
    }

    fn pass(&mut self, now: Time, packet: Packet) -> Option<Packet> {
        let admitted = self.admit(now, packet)?;
        self.note_end(now);
        Some(admitted)
    }

    fn take(&mut self, now: Time, _: impl FnMut(Waiting)) -> Option<Waiting> {
        let taken = self.queue.leave();
        self.note_end(now);
        taken
    }

    fn since(&self) -> Option<Time> {
        self.queue.since()
    }

    fn packets(&self) -> usize {
        self.queue.packets()
    }

    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    fn marked(&self) -> u64 {
        self.marked
    }
}

#[cfg(test)]
impl Red {
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// A packet waits that nobody has judged.
    pub fn join(&mut self, now: Time, packet: Packet) {
        self.queue.join(now, packet);
        self.idle_since = None;
    }

    pub fn leave_last(&mut self) {
        self.queue.leave_last();
    }
}
