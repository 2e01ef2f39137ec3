//! What waits before a transmitter that asks its queue, and the books of it.

use super::config::LinkConfig;
use crate::packet::Packet;
use crate::queue::{AnyQueue, Buffer, Queue, QueueConfig, Waiting};
use crate::status::{Counts, Line};
use windward_units::{Duration, Time};

/// A queue and what it counts.
#[derive(Debug)]
pub struct Room {
    queue: AnyQueue,
    line: Line,
    dropped: u64,
    /// What the queue had marked at the last reset.
    marked_before: u64,
}

impl Room {
    /// The empty queue of `config` in the run of `seed`.
    pub fn new(config: &LinkConfig, queue: QueueConfig, seed: u64) -> Self {
        let rate = config.rate.mean().as_bits_per_sec() as f64;
        let queue = AnyQueue::new(queue, config.buffer, rate, config.key, seed);
        Self { queue, line: Line::default(), dropped: 0, marked_before: 0 }
    }

    /// A packet comes and would wait for `wait`; false where it is refused. What is dropped in its place is given to `dropped`.
    pub fn offer(&mut self, now: Time, packet: Packet, wait: Duration, mut dropped: impl FnMut(Packet)) -> bool {
        let Self { queue, line, dropped: count, .. } = self;
        // It has come before others are dropped in its place.
        let before = *line;
        line.join(now);
        let is_taken = queue.offer(now, packet, wait, |waiting| {
            line.drop(waiting.since, now);
            *count += 1;
            dropped(waiting.packet);
        });
        if !is_taken {
            *line = before;
            *count += 1;
        }
        is_taken
    }

    /// A packet comes that waits for nothing and needs no room; `None` where it is dropped nevertheless.
    pub fn pass(&mut self, now: Time, packet: Packet) -> Option<Packet> {
        let passed = self.queue.pass(now, packet);
        self.dropped += u64::from(passed.is_none());
        passed
    }

    /// The next packet goes. What the discipline drops before it is given to `dropped`.
    pub fn take(&mut self, now: Time, mut dropped: impl FnMut(Packet)) -> Option<Waiting> {
        let Self { queue, line, dropped: count, .. } = self;
        let next = queue.take(now, |waiting| {
            line.drop(waiting.since, now);
            *count += 1;
            dropped(waiting.packet);
        })?;
        line.leave(next.since, now);
        Some(next)
    }

    /// All that waits is lost.
    pub fn clear(&mut self, now: Time, mut lost: impl FnMut(Packet)) {
        while let Some(waiting) = self.take(now, &mut lost) {
            self.dropped += 1;
            lost(waiting.packet);
        }
    }

    /// Another limit from now on. What waits already stays.
    pub fn resize(&mut self, buffer: Buffer) {
        self.queue.resize(buffer);
    }

    /// The transmitter sends so many bits a second from now on.
    pub fn change_rate(&mut self, rate: f64) {
        self.queue.change_rate(rate);
    }

    /// Since when a packet has been waiting: the one that goes next, where the discipline knows it.
    pub fn since(&self) -> Option<Time> {
        self.queue.since()
    }

    /// Packets waiting.
    pub fn packets(&self) -> usize {
        self.queue.packets()
    }

    /// How long the packets that wait are transmitted at `rate` bits a second.
    pub fn behind(&self, rate: f64) -> Duration {
        Duration::from_secs(self.queue.bytes() as f64 * 8.0 / rate)
    }

    /// `counts` with what is known of waiting until `now`.
    pub fn show(&self, now: Time, counts: Counts) -> Counts {
        let marked = self.queue.marked() - self.marked_before;
        self.line.show(now, Counts { marked, dropped: self.dropped, ..counts })
    }

    /// Counts from now on.
    pub fn reset(&mut self, now: Time) {
        self.line.reset(now);
        self.dropped = 0;
        self.marked_before = self.queue.marked();
    }
}
