//! What every endpoint shares: the clock, the calendar, the links and the table of routes.

use crate::capture::Capture;
use crate::engine::{Calendar, Class, Event};
use crate::link::{Fate, Link};
use crate::packet::{Kind, Packet};
use windward_units::Time;

/// Ends every route in the table.
pub const ARRIVED: u32 = u32::MAX;

/// The network below the endpoints.
pub struct Net {
    /// The instant of the event being handled.
    pub now: Time,
    /// What happens next.
    pub calendar: Calendar,
    /// All links.
    pub links: Vec<Link>,
    /// All routes one after the other, each ended by [`ARRIVED`]; packets carry an index into this.
    pub routes: Vec<u32>,
    /// Link traversals so far.
    pub hops: u64,
    /// Data segments of each flow that queues dropped or wires lost.
    pub segments_lost: Vec<u64>,
    /// Writes down what flows' sources send and receive.
    pub capture: Option<Capture>,
}

impl Net {
    /// Schedules an event.
    #[inline]
    pub fn schedule(&mut self, time: Time, class: Class, entity: u32) {
        self.calendar.push(Event::new(time, class, entity));
    }

    /// Sends a packet from the beginning of its route; `is_from_source` for the data's direction of a flow.
    #[inline]
    pub fn send(&mut self, packet: Packet, is_from_source: bool) {
        if is_from_source && let Some(capture) = &mut self.capture {
            capture.record(self.now, &packet, true);
        }
        self.forward(packet);
    }

    /// Offers a packet to the link that its route names.
    #[inline]
    pub fn forward(&mut self, packet: Packet) {
        let index = self.routes[packet.hop as usize];
        let link = &mut self.links[index as usize];
        match link.offer(self.now, packet) {
            Fate::First(time) => {
                self.hops += 1;
                self.calendar.push(Event::new(time, Class::Deliver, index));
            }
            Fate::Queued => self.hops += 1,
            Fate::Lost => {
                self.hops += 1;
                self.count_loss(&packet);
            }
            Fate::Dropped => self.count_loss(&packet),
        }
    }

    /// The first packet on a link arrives. Returns it where its route ends; else sends it on.
    #[inline]
    pub fn deliver(&mut self, link: u32) -> Option<Packet> {
        let (mut packet, next) = self.links[link as usize].deliver()?;
        if let Some(next) = next {
            self.calendar.push(Event::new(next, Class::Deliver, link));
        }
        packet.hop += 1;
        if self.routes[packet.hop as usize] == ARRIVED {
            return Some(packet);
        }
        self.forward(packet);
        None
    }

    #[cold]
    fn count_loss(&mut self, packet: &Packet) {
        if packet.kind == Kind::Data {
            self.segments_lost[packet.flow as usize] += 1;
        }
    }
}
