//! Interface queue of a station with an AQM, shared by all its links.
//!
//! The MAC takes the next packet as soon as the last one is finished, and then contends: contention is not part of the
//! sojourn time. A packet that arrives at an idle MAC bypasses the queue.

use super::waiting::Waiting;
use crate::wifi::config::ROOM;
use windward_elements::packet::Packet;
use windward_elements::queue::{AnyQueue, Queue};
use windward_units::Time;

/// A queue, and the links of its packets.
#[derive(Debug)]
pub(super) struct Managed {
    pub(super) queue: AnyQueue,
    pub(super) aside: Aside,
}

/// Link and hop of each queued packet, which the discipline does not store. Meanwhile the packet's `hop` is its index
/// here.
#[derive(Debug)]
pub(super) struct Aside {
    /// Link and hop.
    places: Vec<(u32, u32)>,
    free: Vec<u32>,
}

impl Aside {
    pub(super) fn put(&mut self, way: u32, packet: Packet) -> Packet {
        let hop = match self.free.pop() {
            Some(at) => {
                self.places[at as usize] = (way, packet.hop);
                at
            }
            None => {
                self.places.push((way, packet.hop));
                self.places.len() as u32 - 1
            }
        };
        Packet { hop, ..packet }
    }

    pub(super) fn restore(&mut self, since: Time, packet: Packet) -> Waiting {
        self.free.push(packet.hop);
        let (way, hop) = self.places[packet.hop as usize];
        Waiting { since, way, packet: Packet { hop, ..packet }, turn: 0 }
    }
}

impl Managed {
    /// An empty queue.
    pub fn new(queue: AnyQueue) -> Self {
        Self { queue, aside: Aside { places: Vec::with_capacity(ROOM), free: Vec::with_capacity(ROOM) } }
    }

    /// Packets waiting.
    pub fn packets(&self) -> usize {
        self.queue.packets()
    }
}
