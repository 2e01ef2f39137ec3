//! Slots of a cell: scheduling and transmission.

use super::amc::Table;
use super::channel::Channel;
use super::config::{Average, CellConfig, MeanChange, Service};
use super::scheduler::{Candidate, Choose, Scheduler, Slot};
use super::station::{Fate, Grant, Station};
use crate::Hooks;
use crate::interface::{Medium, Out};
use std::collections::VecDeque;
use std::sync::Arc;
use windward_elements::engine::{Purpose, Stream};
use windward_elements::packet::{NodeId, Packet};
use windward_elements::status::{Cause, Counts, Sight};
use windward_tables::{Frames, Histogram};
use windward_units::{Duration, Time};

/// Number of the only timer: the start of a slot.
const SLOT: u32 = 0;

/// Stations of one carrier and their scheduler.
///
/// At the beginning of every slot all channels advance, the scheduler chooses a station, and its packets leave one
/// after the other at the rate of its channel. A packet that arrives during a slot waits for the next.
#[derive(Debug)]
pub struct Cell {
    stations: Vec<Station>,
    /// Input of the scheduler, refilled in every slot.
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
    changes: VecDeque<MeanChange>,
}

impl Cell {
    /// Creates the cell of `config` in the run of `seed`; a user-defined scheduler comes from `hooks`.
    pub fn new(config: &CellConfig, hooks: &Hooks, seed: u64) -> Self {
        let channel = |station: &super::StationConfig| {
            let stream = Stream::new(seed, station.key, Purpose::Fading);
            Channel::new(&station.fading, station.mean_snr, config.slot, &config.table, stream)
        };
        let start = config.average.start;
        let station = |(local, station): (u32, &super::StationConfig)| {
            Station::new(station, channel(station), start, config.mean_rate(local), seed)
        };
        Self {
            stations: (0..).zip(&config.stations).map(station).collect(),
            views: Vec::with_capacity(config.stations.len()),
            scheduler: Scheduler::new(config.scheduler, |index| hooks.scheduler(index)),
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
            changes: config.changes.iter().copied().collect(),
        }
    }

    /// Applies the changes of means that are due.
    fn change_means(&mut self, now: Time) {
        while let Some(&MeanChange { at, station, mean_snr }) = self.changes.front()
            && at <= now
        {
            self.changes.pop_front();
            self.stations[station as usize].channel.change_mean(mean_snr, self.slot, &self.table);
        }
    }

    /// Begins a slot.
    fn slot(&mut self, now: Time, out: &mut impl Out) {
        self.change_means(now);
        self.views.clear();
        for station in &mut self.stations {
            station.settle(now);
            station.view.snr = station.channel.next_slot();
            station.view.rate = self.table.efficiency(station.view.snr) * self.symbol_rate;
            station.look(now);
            station.air.slots += 1;
            station.air.offered += station.view.rate;
            station.air.snr += station.view.snr;
            self.views.push(station.view);
        }
        self.serve(now, out);
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

    /// Serves the slot: one station, or with fluid service several in turn.
    fn serve(&mut self, now: Time, out: &mut impl Out) {
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
                // An oblivious rule left the slot unused.
                return;
            }
            let grant = Grant {
                start: now + Duration::from_secs(used),
                span: length - used,
                rate: view.rate,
                carries: self.service != Service::Whole,
                max_transmissions: self.max_transmissions.unwrap_or(1),
            };
            let (table, stream) = (&*self.table, &mut self.errors[chosen]);
            let before = station.queue.packets();
            let is_perfect = self.max_transmissions.is_none();
            let fails = |bits| !is_perfect && stream.chance(table.error_probability(view.snr, bits));
            let seconds = station.serve(&grant, fails, |packet, fate| {
                out.complete(now, &packet);
                match fate {
                    Fate::Arrives(time) => out.arrive_at(time, chosen as u32, packet),
                    Fate::Lost => out.lose(packet, Cause::Sent),
                    Fate::Dropped => out.lose(packet, Cause::Queue),
                }
            });
            self.waiting -= (before - station.queue.packets()) as u64;
            station.use_air(grant.start, Duration::from_secs(seconds));
            if self.service != Service::Fluid || station.queue.packets() > 0 {
                return;
            }
            // Fluid service: what an emptied queue leaves of the slot goes to the next station.
            used += seconds;
            self.views[chosen].backlog_packets = 0;
        }
    }
}

impl Medium for Cell {
    fn begin(&mut self, out: &mut impl Out) {
        out.wake_at(Time::ZERO, SLOT);
    }

    fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        let station = &mut self.stations[local as usize];
        let has_room = self.shared_buffer.is_none_or(|most| self.waiting < most);
        let before = station.queue.packets() as u64;
        let is_taken = has_room
            && station.offer(now, packet, |packet| {
                out.complete(now, &packet);
                out.lose(packet, Cause::Queue);
            });
        self.waiting = self.waiting + station.queue.packets() as u64 - before;
        if !is_taken {
            station.counts.dropped += 1;
            out.complete(now, &packet);
            out.lose(packet, Cause::Queue);
        }
    }

    fn wake(&mut self, now: Time, _: u32, out: &mut impl Out) {
        self.slot(now, out);
        out.wake_at(now + self.slot, SLOT);
    }

    /// The queueing delay is the scheduler's estimate: backlog over average rate (huang2020 §III-A).
    fn see(&mut self, now: Time, local: u32) -> Sight {
        let station = &mut self.stations[local as usize];
        station.look(now);
        let backlog = station.queue.packets();
        let queue_delay = match backlog {
            0 => Duration::ZERO,
            _ => Duration::from_secs(station.view.backlog_bits / station.view.average_rate),
        };
        Sight { backlog, queue_delay, rate: station.view.rate }
    }

    fn counts(&self, now: Time, local: u32) -> Counts {
        self.stations[local as usize].counts(now)
    }

    fn reset_counts(&mut self, now: Time) {
        self.stations.iter_mut().for_each(|station| station.reset_counts(now));
    }

    fn all_waits(&mut self, now: Time, local: u32) -> Option<Histogram> {
        Some(self.stations[local as usize].all_waits(now))
    }

    fn report(&self, _: Time, members: &[u32], _: &[NodeId], tables: &mut Frames) {
        let rows = members.iter().zip(&self.stations).map(|(&port, station)| station.air.row(port));
        tables.add(&rows.collect::<Vec<_>>());
    }
}
