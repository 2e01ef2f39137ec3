//! A station's interface queue under a discipline other than drop-tail: one for all its ways.
//!
//! The MAC takes a packet from it as soon as it is done with the last one, and then contends: that time the discipline does not
//! see. A packet that finds the MAC without one goes there at once.

use super::waiting::{ROOM, Waiting};
use crate::packet::Packet;
use crate::queue::{AnyQueue, Queue};
use windward_units::Time;

/// A queue, and the ways of its packets.
#[derive(Debug)]
pub(super) struct Managed {
    pub(super) queue: AnyQueue,
    pub(super) aside: Aside,
}

/// What a discipline need not know of a packet. While it waits its `hop` tells its place here.
#[derive(Debug)]
pub(super) struct Aside {
    /// Its way, and its hop.
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
        Waiting { since, way, packet: Packet { hop, ..packet } }
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
