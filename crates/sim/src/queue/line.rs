//! Disciplines of one line, first come, first served, that only differ in what they drop or mark.

use super::discipline::{Buffer, Queue, Waiting};
use super::tail::Tail;
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// What is dropped or marked of a line; as [`Queue`] has it.
pub trait Rule {
    /// A packet comes; false where it is refused.
    fn offer(&mut self, line: &mut Line, now: Time, packet: Packet, wait: Duration) -> bool;
    /// A packet comes that waits for nothing.
    fn pass(&mut self, line: &mut Line, now: Time, packet: Packet) -> Option<Packet>;
    /// The packet to be sent next goes.
    fn take(&mut self, line: &mut Line, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting>;
    /// The transmitter sends so many bits a second from now on.
    fn change_rate(&mut self, _: f64) {}
}

/// What waits, and how many were marked.
#[derive(Debug)]
pub struct Line {
    pub queue: Tail,
    pub marked: u64,
}

/// A line and its rule.
#[derive(Debug)]
pub struct Ruled<R> {
    pub(super) line: Line,
    pub(super) rule: R,
}

impl<R> Ruled<R> {
    /// An empty line.
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
