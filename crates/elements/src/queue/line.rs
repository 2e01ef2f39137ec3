//! FIFO disciplines, which differ only in the packets that they drop or mark.

use super::discipline::{Buffer, Queue, Waiting};
use super::tail::Tail;
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Drop and mark decisions for a FIFO queue; methods as in [`Queue`].
pub trait Rule {
    /// Queues an arrival; returns false if it is refused.
    fn offer(&mut self, line: &mut Line, now: Time, packet: Packet, wait: Duration) -> bool;
    /// Passes an arrival at an empty queue and an idle transmitter.
    fn pass(&mut self, line: &mut Line, now: Time, packet: Packet) -> Option<Packet>;
    /// Removes the next packet to send.
    fn take(&mut self, line: &mut Line, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting>;
    /// Changes the transmitter's rate, in bits a second.
    fn change_rate(&mut self, _: f64) {}
}

/// A FIFO queue, and its number of marks.
#[derive(Debug)]
pub struct Line {
    pub queue: Tail,
    pub marked: u64,
}

/// A FIFO queue with its rule.
#[derive(Debug)]
pub struct Ruled<R> {
    pub(super) line: Line,
    pub(super) rule: R,
}

impl<R> Ruled<R> {
    /// Creates an empty queue.
    pub fn new(rule: R, buffer: Buffer) -> Self {
        Self { line: Line { queue: Tail::new(buffer), marked: 0 }, rule }
    }
}

impl<R: Rule> Queue for Ruled<R> {
    #[inline]
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration, _: impl FnMut(Waiting)) -> bool {
        self.rule.offer(&mut self.line, now, packet, wait)
    }

    fn resize(&mut self, buffer: Buffer) {
        self.line.queue.resize(buffer);
    }

    fn change_rate(&mut self, rate: f64) {
        self.rule.change_rate(rate);
    }

    #[inline]
    fn pass(&mut self, now: Time, packet: Packet) -> Option<Packet> {
        self.rule.pass(&mut self.line, now, packet)
    }

    #[inline]
    fn take(&mut self, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting> {
        self.rule.take(&mut self.line, now, dropped)
    }

    #[inline]
    fn since(&self) -> Option<Time> {
        self.line.queue.since()
    }

    #[inline]
    fn packets(&self) -> usize {
        self.line.queue.packets()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.line.queue.bytes()
    }

    #[inline]
    fn marked(&self) -> u64 {
        self.line.marked
    }
}

#[cfg(test)]
impl<R> Ruled<R> {
    pub fn leave_first(&mut self) {
        self.line.queue.leave();
    }

    pub fn leave_last(&mut self) {
        self.line.queue.leave_last();
    }
}
