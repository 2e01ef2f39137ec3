//! What every endpoint shares: the clock, the calendar, the links, the cells and the table of routes.

use crate::engine::{Calendar, Class, Event};
use crate::link::{Counts, Fate, Link};
use crate::medium::cell::{Air, Cell, Outcome};
use crate::packet::{Kind, Packet};
use crate::record::Capture;
use windward_units::{Duration, Time};

/// Ends every route in the table.
pub const ARRIVED: u32 = u32::MAX;

/// What will not arrive.
#[derive(Default)]
pub struct Losses {
    /// Data segments of each flow.
    pub segments: Vec<u64>,
    /// Parcels, until their owner asks for them.
    pub parcels: Vec<Packet>,
}

impl Losses {
    #[cold]
    fn count(&mut self, packet: &Packet) {
        match packet.kind {
            Kind::Data => self.segments[packet.flow as usize] += 1,
            Kind::Parcel => self.parcels.push(*packet),
            _ => {}
        }
    }
}

/// The network below the endpoints.
pub struct Net {
    /// The instant of the event being handled.
    pub now: Time,
    /// What happens next.
    pub calendar: Calendar,
    /// All links.
    pub links: Vec<Link>,
    /// All cells. Their stations are links too, with the indices after those of `links`.
    pub cells: Vec<Cell>,
    /// Of each station, its cell and its place there.
    pub stations: Vec<(u32, u32)>,
    /// All routes one after the other, each ended by [`ARRIVED`]; packets carry an index into this.
    pub routes: Vec<u32>,
    /// Link traversals so far.
    pub hops: u64,
    /// What queues dropped and wires lost.
    pub losses: Losses,
    /// Parcels that arrived, and when, until their owner asks for them.
    pub arrived: Vec<(Time, Packet)>,
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
        let Some(link) = self.links.get_mut(index as usize) else {
            return self.offer_to_cell(index, packet);
        };
        match link.offer(self.now, packet) {
            Fate::First(time) => {
                self.hops += 1;
                self.calendar.push(Event::new(time, Class::Deliver, index));
            }
            Fate::Queued => self.hops += 1,
            Fate::Lost => {
                self.hops += 1;
                self.losses.count(&packet);
            }
            Fate::Dropped => self.losses.count(&packet),
        }
    }

    /// The first packet on a link arrives. Returns it where its route ends; else sends it on.
    #[inline]
    pub fn deliver(&mut self, link: u32) -> Option<Packet> {
        let (mut packet, next) = match self.links.get_mut(link as usize) {
            Some(link) => link.deliver()?,
            None => {
                let (cell, station) = self.station(link);
                self.cells[cell].deliver(station)?
            }
        };
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

    /// The cell and the place in it of a station, by its index as a link.
    #[inline]
    fn station(&self, link: u32) -> (usize, usize) {
        let (cell, station) = self.stations[link as usize - self.links.len()];
        (cell as usize, station as usize)
    }

    #[inline]
    fn offer_to_cell(&mut self, link: u32, packet: Packet) {
        let (cell, station) = self.station(link);
        if !self.cells[cell].offer(self.now, station, packet) {
            self.losses.count(&packet);
        }
    }

    /// A slot of a cell begins.
    pub fn slot(&mut self, index: u32) {
        let first = self.links.len() + self.stations.partition_point(|(cell, _)| *cell < index);
        let Self { now, calendar, cells, hops, losses, .. } = self;
        let cell = &mut cells[index as usize];
        cell.slot(*now, &mut |station, outcome| match outcome {
            Outcome::Sent => *hops += 1,
            Outcome::First(time) => {
                *hops += 1;
                calendar.push(Event::new(time, Class::Deliver, (first + station) as u32));
            }
            Outcome::Lost(packet) => {
                *hops += 1;
                losses.count(&packet);
            }
        });
        calendar.push(Event::new(*now + cell.slot_length(), Class::Slot, index));
    }

    /// How many links there are, stations included.
    pub fn link_count(&self) -> usize {
        self.links.len() + self.stations.len()
    }

    /// What a link or station counted since the last reset.
    pub fn counts(&mut self, link: usize) -> Counts {
        match self.links.get_mut(link) {
            Some(link) => link.counts(self.now),
            None => {
                let (cell, station) = self.station(link as u32);
                self.cells[cell].counts(station)
            }
        }
    }

    /// Links and stations count from now on.
    pub fn reset_counts(&mut self) {
        self.links.iter_mut().for_each(|link| link.reset_counts(self.now));
        self.cells.iter_mut().for_each(Cell::reset_counts);
    }

    /// Packets waiting at a link or station, and how long one that arrives now would wait; at a station, as its scheduler
    /// reckons.
    pub fn queue(&mut self, link: usize) -> (usize, Duration) {
        match self.links.get_mut(link) {
            Some(link) => (link.backlog(self.now), link.queue_delay(self.now)),
            None => {
                let (cell, station) = self.station(link as u32);
                let cell = &mut self.cells[cell];
                (cell.backlog(station), cell.queue_delay(self.now, station))
            }
        }
    }

    /// What the stations counted beyond a link's counts, cell by cell.
    pub fn air(&self) -> impl Iterator<Item = Air> {
        self.stations.iter().map(|&(cell, station)| self.cells[cell as usize].air(station as usize))
    }
}
