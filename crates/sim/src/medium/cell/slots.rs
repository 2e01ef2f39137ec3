//! A cell at work, slot by slot.

use super::amc::Table;
use super::channel::Channel;
use super::config::{Average, CellConfig, Service};
use super::scheduler::{Candidate, Choose, Scheduler, Slot};
use super::station::{Air, Grant, Outcome, Station};
use crate::engine::{Purpose, Stream};
use crate::link::Counts;
use crate::makers::Makers;
use crate::packet::Packet;
use std::sync::Arc;
use windward_units::{Duration, Time};

/// The stations of one carrier, and who of them is served.
///
/// As a link, a cell is told the time and schedules nothing itself. At the beginning of every slot its owner calls
/// [`Cell::slot`]: every channel moves on, the scheduler names a station, and the station's packets leave one after the
/// other at the rate of its channel. A packet that comes during a slot waits for the next.
#[derive(Debug)]
pub struct Cell {
    stations: Vec<Station>,
    /// What the scheduler sees, refilled in every slot.
    views: Vec<Candidate>,
    scheduler: Scheduler,
    table: Arc<Table>,
    slot: Duration,
    symbol_rate: f64,
    service: Service,
    average: Average,
    shared_buffer: Option<u64>,
    waiting: u64,
    max_transmissions: Option<u32>,
    errors: Vec<Stream>,
    number: u64,
}

impl Cell {
    /// The cell of `config` in the run of `seed`, with a scheduler of `makers` where it is not ours.
    pub fn new(config: &CellConfig, makers: &Makers, seed: u64) -> Self {
        let channel = |station: &super::StationConfig| {
            let luck = Stream::new(seed, station.key, Purpose::Fading);
            Channel::new(&station.fading, station.mean_snr, config.slot, &config.table, luck)
        };
        let start = config.average.start;
        let station = |station| Station::new(station, channel(station), start);
        Self {
            stations: config.stations.iter().map(station).collect(),
            views: Vec::with_capacity(config.stations.len()),
            scheduler: Scheduler::new(config.scheduler, makers),
            table: Arc::clone(&config.table),
            slot: config.slot,
            symbol_rate: config.symbol_rate,
            service: config.service,
            average: config.average,
            shared_buffer: config.shared_buffer,
            waiting: 0,
            max_transmissions: config.repair.map(|repair| repair.max_transmissions),
            errors: config.stations.iter().map(|s| Stream::new(seed, s.key, Purpose::Error)).collect(),
            number: 0,
        }
    }

    /// Length of a slot.
    pub fn slot_length(&self) -> Duration {
        self.slot
    }

    /// Offers a packet to a station's queue; false where it is full.
    pub fn offer(&mut self, now: Time, station: usize, packet: Packet) -> bool {
        let station = &mut self.stations[station];
        if self.shared_buffer.is_some_and(|most| self.waiting >= most) {
            station.counts.dropped += 1;
            return false;
        }
        let is_taken = station.offer(now, packet);
        self.waiting += u64::from(is_taken);
        is_taken
    }

    /// The slot that begins now. `report` is told of every packet that leaves: its station, and what became of it.
    pub fn slot(&mut self, now: Time, report: &mut dyn FnMut(usize, Outcome)) {
        self.views.clear();
        for station in &mut self.stations {
            station.view.snr = station.channel.next_slot();
            station.view.rate = self.table.efficiency(station.view.snr) * self.symbol_rate;
            station.look(now);
            station.air.slots += 1;
            station.air.offered += station.view.rate;
            station.air.snr += station.view.snr;
            self.views.push(station.view);
        }
        self.serve(now, report);
        for (station, before) in self.stations.iter_mut().zip(&self.views) {
            let offer = before.rate;
            let view = &mut station.view;
            view.average_offer += (offer - view.average_offer) / self.average.slots;
            if !(self.average.is_held_when_empty && view.backlog_packets == 0) {
                let rate = station.delivered / self.slot.as_secs();
                view.average_rate += (rate - view.average_rate) / self.average.slots;
            }
            station.delivered = 0.0;
        }
        self.number += 1;
    }

    /// Hands the slot out: all of it to one station, or with fluid service to one after the other.
    fn serve(&mut self, now: Time, report: &mut dyn FnMut(usize, Outcome)) {
        let length = self.slot.as_secs();
        let mut used = 0.0;
        while used < length {
            let slot = Slot { number: self.number, now, stations: &self.views };
            let Some(chosen) = self.scheduler.choose(&slot).filter(|&chosen| chosen < self.stations.len()) else {
                return;
            };
            let station = &mut self.stations[chosen];
            let view = station.view;
            station.air.served_slots += 1;
            station.air.served += view.rate;
            if !self.views[chosen].is_servable() {
                // An oblivious rule gave the slot away.
                return;
            }
            let grant = Grant {
                start: now + Duration::from_secs(used),
                span: length - used,
                rate: view.rate,
                carries: self.service != Service::Whole,
                max_transmissions: self.max_transmissions.unwrap_or(1),
            };
            let (table, luck) = (&*self.table, &mut self.errors[chosen]);
            let before = station.backlog();
            let is_perfect = self.max_transmissions.is_none();
            let mut fails = |bits| !is_perfect && luck.chance(table.error_probability(view.snr, bits));
            let seconds = station.serve(&grant, &mut fails, &mut |outcome| report(chosen, outcome));
            self.waiting -= (before - station.backlog()) as u64;
            station.counts.busy += Duration::from_secs(seconds).as_nanos();
            if self.service != Service::Fluid || station.backlog() > 0 {
                return;
            }
            used += seconds;
            self.views[chosen].backlog_packets = 0;
        }
    }

    /// Takes the packet of a station that arrives now, and says when its next one will.
    #[inline]
    pub fn deliver(&mut self, station: usize) -> Option<(Packet, Option<Time>)> {
        self.stations[station].deliver()
    }

    /// What a station counted since the last reset.
    pub fn counts(&self, station: usize) -> Counts {
        self.stations[station].counts
    }

    /// Counts from now on.
    pub fn reset_counts(&mut self) {
        for station in &mut self.stations {
            station.counts = Counts::default();
            station.air = Air::default();
        }
    }

    /// What a station counted beyond a link's counts.
    pub fn air(&self, station: usize) -> Air {
        self.stations[station].air
    }

    /// Packets waiting at a station.
    pub fn backlog(&self, station: usize) -> usize {
        self.stations[station].backlog()
    }

    /// The delay in a station's queue as the scheduler reckons it: backlog over average rate (huang2020 §III-A).
    pub fn queue_delay(&mut self, now: Time, station: usize) -> Duration {
        let station = &mut self.stations[station];
        station.look(now);
        match station.backlog() {
            0 => Duration::ZERO,
            _ => Duration::from_secs(station.view.backlog_bits / station.view.average_rate),
        }
    }

    /// Signal-to-noise ratio of a station in the current slot, linear.
    pub fn snr(&self, station: usize) -> f64 {
        self.stations[station].view.snr
    }
}
