//! Packets of MPDUs.

use std::collections::VecDeque;
use std::ops::Range;
use windward_elements::packet::Packet;
use windward_units::Time;

/// A packet without a number, and the time of its arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub since: Time,
    pub packet: Packet,
    /// Airtime that AQL counts for it, in microseconds.
    pub estimate: u16,
}

/// Packets of a session's A-MSDUs behind the first of each, in the order of their MPDUs. Most MPDUs have none.
#[derive(Clone, Debug, Default)]
pub(super) struct Followers {
    packets: VecDeque<Waiting>,
    /// Packets forgotten before the first of these.
    before: u32,
}

impl Followers {
    /// Adds a packet. Returns its place, which does not change.
    pub fn push(&mut self, waiting: Waiting) -> u32 {
        self.packets.push_back(waiting);
        self.before.wrapping_add(self.packets.len() as u32 - 1)
    }

    /// Number of packets.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Packets at these places.
    pub fn of(&self, places: Range<u32>) -> impl Iterator<Item = &Waiting> {
        let first = places.start.wrapping_sub(self.before) as usize;
        self.packets.range(first..first + places.end.wrapping_sub(places.start) as usize)
    }

    /// Forgets the first `count` packets.
    pub fn forget(&mut self, count: u32) {
        self.packets.drain(..count as usize);
        self.before = self.before.wrapping_add(count);
    }
}
