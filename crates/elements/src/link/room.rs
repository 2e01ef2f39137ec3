//! Queue of a transmitter that queries it, with its counters.

use super::config::LinkConfig;
use crate::packet::Packet;
use crate::queue::{AnyQueue, Buffer, Labels, Queue, QueueConfig, Waiting};
use crate::status::{Counts, Line};
use windward_tables::Histogram;
use windward_units::{Duration, Time};

/// A queue and its counters.
#[derive(Debug)]
pub struct Room {
    queue: AnyQueue,
    line: Line,
    dropped: u64,
    /// Number of marks at the last reset.
    marked_before: u64,
}

impl Room {
    /// Creates the empty queue of `config` in the run of `seed`.
    pub fn new(config: &LinkConfig, queue: QueueConfig, seed: u64) -> Self {
        let rate = config.rate.mean().as_bits_per_sec() as f64;
        let queue = AnyQueue::new(queue, config.buffer, rate, config.key, seed);
        Self { queue, line: Line::default(), dropped: 0, marked_before: 0 }
    }

    /// Queues a packet that would wait for `wait`; returns false if it is refused. Packets dropped in its place go to
    /// `dropped`.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet, wait: Duration, mut dropped: impl FnMut(Packet)) -> bool {
        let Self { queue, line, dropped: count, .. } = self;
        let is_taken = line.admit(now, |line| {
            queue.offer(now, packet, wait, |waiting| {
                line.drop(waiting.since, now);
                *count += 1;
                dropped(waiting.packet);
            })
        });
        *count += u64::from(!is_taken);
        is_taken
    }

    /// Passes an arrival at an empty queue and an idle transmitter, which needs no buffer; `None` if it is dropped.
    #[inline]
    pub fn pass(&mut self, now: Time, packet: Packet) -> Option<Packet> {
        let passed = self.queue.pass(now, packet);
        self.dropped += u64::from(passed.is_none());
        passed
    }

    /// Removes the next packet to send. Packets that the discipline drops before it go to `dropped`.
    #[inline]
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

    /// Empties the queue; all packets count as dropped.
    #[inline]
    pub fn clear(&mut self, now: Time, mut lost: impl FnMut(Packet)) {
        while self.packets() > 0 {
            // A shaper releases its packets one after the other.
            let now = self.ready_at().map_or(now, |ready| ready.max(now));
            let Some(waiting) = self.take(now, &mut lost) else { return };
            self.dropped += 1;
            lost(waiting.packet);
        }
    }

    /// Changes the buffer limit. Queued packets stay.
    pub fn resize(&mut self, buffer: Buffer) {
        self.queue.resize(buffer);
    }

    /// Changes the transmitter's rate, in bits a second.
    pub fn change_rate(&mut self, rate: f64) {
        self.queue.change_rate(rate);
    }

    /// Provides the labels of all routes to the queue.
    pub fn label(&mut self, labels: &Labels) {
        self.queue.label(labels);
    }

    /// Time before which the queue's shaper sends nothing.
    #[inline]
    pub fn ready_at(&self) -> Option<Time> {
        self.queue.ready_at()
    }

    /// Time since which a packet has been waiting, as in [`Queue::since`].
    #[inline]
    pub fn since(&self) -> Option<Time> {
        self.queue.since()
    }

    /// Number of packets in the queue.
    #[inline]
    pub fn packets(&self) -> usize {
        self.queue.packets()
    }

    /// Transmission time of the queue at `rate` bits a second.
    #[inline]
    pub fn behind(&self, rate: f64) -> Duration {
        Duration::from_secs(self.queue.bytes() as f64 * 8.0 / rate)
    }

    /// Adds the queue's counters up to `now` to `counts`.
    #[inline]
    pub fn show(&self, now: Time, counts: Counts) -> Counts {
        let marked = self.queue.marked() - self.marked_before;
        self.line.show(now, Counts { marked, dropped: self.dropped, ..counts })
    }

    /// Waits of the packets sent since the last reset, of which there are `packets`.
    pub fn all_waits(&mut self, packets: u64) -> Histogram {
        self.line.all_waits(packets)
    }

    /// Restarts the counters.
    pub fn reset(&mut self, now: Time) {
        self.line.reset(now);
        self.dropped = 0;
        self.marked_before = self.queue.marked();
    }
}
