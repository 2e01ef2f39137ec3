//! Packets on their way to a port's far end, in the order in which they arrive.

use crate::packet::Packet;
use std::collections::VecDeque;
use windward_units::Time;

/// The packets in flight. Of them only the first has an event; the others wait here for theirs.
#[derive(Debug, Default)]
pub struct Flight(VecDeque<Passage>);

/// A packet in flight and when it arrives: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Passage {
    delivery: Time,
    packet: Packet,
}

impl Flight {
    /// Nothing in flight, with room for `capacity` packets.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(VecDeque::with_capacity(capacity))
    }

    /// A packet sets off. Whether it is the first: then its arrival must be scheduled.
    #[inline]
    pub fn add(&mut self, delivery: Time, packet: Packet) -> bool {
        debug_assert!(self.0.back().is_none_or(|last| last.delivery <= delivery), "packets keep their order");
        self.0.push_back(Passage { delivery, packet });
        self.0.len() == 1
    }

    /// How many packets are on their way.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// When the first one arrives.
    pub fn first(&self) -> Option<Time> {
        self.0.front().map(|first| first.delivery)
    }

    /// Takes all of them out, the first one first.
    pub fn clear(&mut self) -> impl Iterator<Item = Packet> {
        self.0.drain(..).map(|passage| passage.packet)
    }

    /// Takes the packet that arrives now, and says when the next one will.
    #[inline]
    pub fn land(&mut self) -> Option<(Packet, Option<Time>)> {
        let Passage { packet, .. } = self.0.pop_front()?;
        let next = self.0.front().map(|next| next.delivery);
        if next.is_none() {
            // An empty ring begins anew at its first place, which is in the cache, where the next may not be.
            self.0.clear();
        }
        Some((packet, next))
    }
}
