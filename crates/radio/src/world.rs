//! Test environment of a medium: its agenda, arrivals and losses.

use super::interface::Out;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use windward_elements::packet::Packet;
use windward_elements::status::Cause;
use windward_units::Time;

#[derive(Default)]
pub(super) struct World {
    agenda: BinaryHeap<Reverse<(Time, u32)>>,
    /// Time, member and number of each packet that arrived.
    pub arrived: Vec<(Time, u32, u32)>,
    pub lost: Vec<(u32, Cause)>,
}

impl World {
    /// Next timer up to `end`, and its time.
    pub fn next(&mut self, end: Time) -> Option<(Time, u32)> {
        let Reverse((time, _)) = *self.agenda.peek()?;
        if time > end {
            return None;
        }
        self.agenda.pop().map(|Reverse(first)| first)
    }
}

impl Out for World {
    fn arrive_at(&mut self, time: Time, local: u32, packet: Packet) {
        self.arrived.push((time, local, packet.number));
    }
    fn wake_at(&mut self, time: Time, timer: u32) {
        self.agenda.push(Reverse((time, timer)));
    }
    fn lose(&mut self, packet: Packet, cause: Cause) {
        self.lost.push((packet.number, cause));
    }
}
