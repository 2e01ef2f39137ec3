//! Packets in flight to a port's far end, in the order of arrival.

use super::tidy::tidy;
use crate::packet::Packet;
use std::collections::VecDeque;
use windward_units::Time;

/// Packets in flight. Only the first has an event; the others wait here for theirs.
#[derive(Debug, Default)]
pub struct Flight(VecDeque<Passage>);

/// A packet in flight and its arrival time: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Passage {
    delivery: Time,
    packet: Packet,
}

impl Flight {
    /// Creates an empty flight with capacity for `capacity` packets.
    #[inline]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(VecDeque::with_capacity(capacity))
    }

    /// Adds a packet; returns true if it is the first, whose arrival must be scheduled.
    #[inline]
    pub fn add(&mut self, delivery: Time, packet: Packet) -> bool {
        debug_assert!(self.0.back().is_none_or(|last| last.delivery <= delivery), "packets keep their order");
        self.0.push_back(Passage { delivery, packet });
        self.0.len() == 1
    }

    /// Puts an ACK in the place of the last packet, if that is an ACK of the same flow for less that arrives with it.
    #[inline]
    pub fn supersede(&mut self, delivery: Time, ack: Packet) -> bool {
        let Some(Passage { packet: last, delivery: arrives }) = self.0.back_mut() else { return false };
        let is_less = last.kind == ack.kind && last.flow == ack.flow && last.number < ack.number;
        if *arrives != delivery || !is_less {
            return false;
        }
        // The FIN that the earlier one carried is acknowledged still.
        *last = Packet { is_last: ack.is_last | last.is_last, ..ack };
        true
    }

    /// Gives back the memory of a burst.
    pub fn tidy(&mut self) {
        tidy(&mut self.0);
    }

    /// True if no packet is in flight.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of packets in flight.
    #[inline]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Arrival time of the first one.
    #[inline]
    pub fn first(&self) -> Option<Time> {
        self.0.front().map(|first| first.delivery)
    }

    /// Removes all packets, in order.
    #[inline]
    pub fn clear(&mut self) -> impl Iterator<Item = Packet> {
        self.0.drain(..).map(|passage| passage.packet)
    }

    /// Removes the packet that arrives now; returns the time of the next arrival as well.
    #[inline]
    pub fn land(&mut self) -> Option<(Packet, Option<Time>)> {
        let Passage { packet, .. } = self.0.pop_front()?;
        let next = self.0.front().map(|next| next.delivery);
        if next.is_none() {
            // An empty ring restarts at its first place, which is cached, unlike the next one.
            self.0.clear();
        }
        Some((packet, next))
    }
}
