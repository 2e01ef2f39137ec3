//! Drop-tail: FIFO that drops arrivals when full.

use super::discipline::{Buffer, Queue, Waiting};
use crate::packet::Packet;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// A drop-tail queue.
#[derive(Debug)]
pub struct Tail {
    waiting: VecDeque<Waiting>,
    bytes: u64,
    buffer: Buffer,
}

impl Tail {
    /// An empty queue.
    pub fn new(buffer: Buffer) -> Self {
        Self { waiting: VecDeque::with_capacity(buffer.room()), bytes: 0, buffer }
    }

    /// True if `packet` exceeds the buffer.
    #[inline]
    pub fn is_full(&self, packet: &Packet, wait: Duration) -> bool {
        self.buffer.is_full(self.waiting.len() as u64, self.bytes, packet.size, wait)
    }

    /// Queues a packet without checking the buffer.
    #[inline]
    pub fn join(&mut self, now: Time, packet: Packet) {
        self.waiting.push_back(Waiting { since: now, packet });
        self.bytes += u64::from(packet.size);
    }

    /// Next packet to send.
    #[inline]
    pub fn head(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// Removes the next packet to send.
    #[inline]
    pub fn leave(&mut self) -> Option<Waiting> {
        let first = self.waiting.pop_front()?;
        self.bytes -= u64::from(first.packet.size);
        Some(first)
    }
}

#[cfg(test)]
impl Tail {
    pub(super) fn leave_last(&mut self) {
        if let Some(last) = self.waiting.pop_back() {
            self.bytes -= u64::from(last.packet.size);
        }
    }
}

impl Queue for Tail {
    #[inline]
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration, _: impl FnMut(Waiting)) -> bool {
        let has_room = !self.is_full(&packet, wait);
        if has_room {
            self.join(now, packet);
        }
        has_room
    }

    fn resize(&mut self, buffer: Buffer) {
        self.buffer = buffer;
    }

    #[inline]
    fn take(&mut self, _: Time, _: impl FnMut(Waiting)) -> Option<Waiting> {
        self.leave()
    }

    #[inline]
    fn since(&self) -> Option<Time> {
        self.waiting.front().map(|first| first.since)
    }

    #[inline]
    fn packets(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}
