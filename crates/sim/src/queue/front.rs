//! A queue before a transmitter that needs several turns for a packet: what it has begun stays with it.

use super::AnyQueue;
use super::config::QueueConfig;
use super::discipline::{Buffer, Queue, Waiting};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// A queue, and the packet that the transmitter has taken from it.
#[derive(Debug)]
pub struct Front {
    queue: AnyQueue,
    /// With drop-tail the packet stays in the queue and takes room there, which changes nothing else.
    head: Option<Waiting>,
}

impl Front {
    /// The empty queue of `config`, as [`AnyQueue::new`] makes it.
    pub fn new(config: QueueConfig, buffer: Buffer, rate: f64, key: u64, seed: u64) -> Self {
        Self { queue: AnyQueue::new(config, buffer, rate, key, seed), head: None }
    }

    /// Takes a packet in; false where it is refused. What is dropped in its place is given to `dropped`.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet, dropped: impl FnMut(Waiting)) -> bool {
        // For how long it will wait, nobody knows.
        self.queue.offer(now, packet, Duration::ZERO, dropped)
    }

    /// The packet that the transmitter works on, or takes at `now`. What the discipline drops before that is given to `dropped`.
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

    /// The transmitter is done with it.
    #[inline]
    pub fn leave(&mut self) {
        match &mut self.queue {
            AnyQueue::Tail(tail) => tail.leave(),
            _ => self.head.take(),
        };
    }

    /// When the packet came that has waited longest.
    #[inline]
    pub fn oldest(&self) -> Option<Time> {
        let waiting = self.queue.oldest();
        self.head.map_or(waiting, |head| Some(waiting.map_or(head.since, |waiting| waiting.min(head.since))))
    }

    /// Packets here.
    #[inline]
    pub fn packets(&self) -> usize {
        self.queue.packets() + usize::from(self.head.is_some())
    }

    /// Their bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.queue.bytes() + self.head.map_or(0, |head| u64::from(head.packet.size))
    }

    /// Packets marked since it was made.
    pub fn marked(&self) -> u64 {
        self.queue.marked()
    }
}
