//! A queue before a transmitter that takes several slots per packet and keeps the packet it has begun.

use super::AnyQueue;
use super::QueueConfig;
use super::discipline::{Buffer, Queue, Waiting};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// A queue, and the packet that the transmitter has taken from it.
#[derive(Debug)]
pub struct Front {
    queue: AnyQueue,
    /// Packet in transmission. With drop-tail it stays in the queue instead and occupies the buffer, the only
    /// difference.
    head: Option<Waiting>,
}

impl Front {
    /// Creates the empty queue of `config`, as [`AnyQueue::new`] does.
    pub fn new(config: QueueConfig, buffer: Buffer, rate: f64, key: u64, seed: u64) -> Self {
        Self { queue: AnyQueue::new(config, buffer, rate, key, seed), head: None }
    }

    /// Queues a packet; returns false if it is refused. Packets dropped in its place go to `dropped`.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet, dropped: impl FnMut(Waiting)) -> bool {
        // The waiting time is unknown.
        self.queue.offer(now, packet, Duration::ZERO, dropped)
    }

    /// Packet in transmission, taken from the queue at `now` if there is none. Packets that the discipline drops before
    /// it go to `dropped`.
    #[inline]
    pub fn head(&mut self, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting> {
        if let AnyQueue::Tail(tail) = &self.queue {
            return tail.head().copied();
        }
        if self.head.is_none() {
            self.head = self.queue.take(now, dropped);
        }
        self.head
    }

    /// Removes the packet in transmission at its end.
    #[inline]
    pub fn leave(&mut self) {
        match &mut self.queue {
            AnyQueue::Tail(tail) => tail.leave(),
            _ => self.head.take(),
        };
    }

    /// Arrival time of the packet that has waited longest.
    #[inline]
    pub fn oldest(&self) -> Option<Time> {
        let waiting = self.queue.oldest();
        self.head.map_or(waiting, |head| Some(waiting.map_or(head.since, |waiting| waiting.min(head.since))))
    }

    /// Number of packets, including the one in transmission.
    #[inline]
    pub fn packets(&self) -> usize {
        self.queue.packets() + usize::from(self.head.is_some())
    }

    /// Their bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.queue.bytes() + self.head.map_or(0, |head| u64::from(head.packet.size))
    }

    /// Total number of packets marked.
    #[inline]
    pub fn marked(&self) -> u64 {
        self.queue.marked()
    }
}
