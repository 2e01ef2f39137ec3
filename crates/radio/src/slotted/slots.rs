//! Slots of the network: channel states, active links and transfers.

use super::choice::heaviest;
use super::config::SlottedConfig;
use crate::Hooks;
use crate::forward::Forward;
use crate::interface::{Medium, Out};
use windward_elements::backpressure::{Pick, Queues};
use windward_elements::engine::{Purpose, Stream};
use windward_elements::packet::{NodeId, Packet};
use windward_elements::status::{Cause, Counts, Sight};
use windward_tables::{Frames, Histogram, table};
use windward_units::{Duration, Time};

table! {
    /// Slotted links under MaxWeight: the columns that other links lack.
    pub struct SlottedLinkStats: "slotted_links", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Slots in which the link was active and sent a packet.
        active_slots: u64 ["slots"],
    }
}

/// A slotted network at run time.
#[derive(Debug)]
pub struct Slotted {
    config: SlottedConfig,
    pub(super) forward: Forward,
    /// Conflicting links of each link, as bits.
    conflicts: Vec<u64>,
    /// Start of the next slot; [`Time::NEVER`] while all queues are empty.
    next: Time,
    /// Link and commodity of each packet sent in this slot.
    sending: Vec<(u32, u32)>,
    counts: Vec<Counts>,
    /// Channel state of each link.
    channels: Vec<Stream>,
    order: Vec<u32>,
}

impl Slotted {
    /// Creates the network of `config` in the run of `seed`.
    pub fn new(config: &SlottedConfig, _: &Hooks, seed: u64) -> Self {
        let network = &config.network;
        let channel = |way: &crate::wifi::Way| {
            let [from, to] = [way.from, way.to].map(|station| network.stations[station as usize].key);
            Stream::new(seed, from ^ to.rotate_left(1), Purpose::Fading)
        };
        Self {
            forward: Forward::new(config.weight, network, seed),
            conflicts: config.conflicts.iter().map(|others| others.iter().map(|other| 1 << other).sum()).collect(),
            next: Time::NEVER,
            sending: Vec::new(),
            counts: vec![Counts::default(); config.members()],
            channels: network.ways.iter().map(channel).collect(),
            order: (0..config.members() as u32).collect(),
            config: config.clone(),
        }
    }

    /// Active links for the channel states `is_on`, and the commodity of each: the heaviest independent set.
    pub(super) fn choose(&mut self, is_on: &[bool]) -> Vec<(u32, Pick)> {
        let Self { forward, order, conflicts, .. } = self;
        let picks: Vec<Option<Pick>> =
            (0..).zip(is_on).map(|(link, &is_on)| if is_on { forward.pick(link) } else { None }).collect();
        let ties = &mut forward.ties;
        for at in (1..order.len()).rev() {
            order.swap(at, (ties.uniform() * (at + 1) as f64) as usize);
        }
        let weights: Vec<f64> = picks.iter().map(|pick| pick.map_or(0.0, |pick| pick.difference)).collect();
        let set = heaviest(&weights, conflicts, order);
        let active = (0..).zip(picks).filter(|(link, _)| set >> link & 1 == 1);
        active.filter_map(|(link, pick)| Some((link, pick?))).collect()
    }

    /// Ends a slot and begins the next one.
    fn turn(&mut self, now: Time, out: &mut impl Out) {
        for (link, commodity) in std::mem::take(&mut self.sending) {
            self.forward.queues.leave(now, link, commodity);
        }
        if self.forward.queues.waiting() == 0 {
            self.next = Time::NEVER;
            return;
        }
        let on: Vec<f64> = (0..self.channels.len() as u32).map(|link| self.config.probability_on(link)).collect();
        let is_on: Vec<bool> = self.channels.iter_mut().zip(on).map(|(channel, on)| channel.chance(on)).collect();
        let end = now + self.config.slot;
        // Before the choice of the next slot, which must see it.
        let arrival = Time::from_nanos(end.as_nanos() - 1);
        for (link, pick) in self.choose(&is_on) {
            let at = self.forward.sender(link);
            // Links without conflict may have picked the same packet.
            let Some(packet) = self.forward.queues.take(at, pick.commodity) else { continue };
            let counts = &mut self.counts[link as usize];
            counts.packets += 1;
            counts.bytes += u64::from(packet.size);
            counts.busy += self.config.slot.as_nanos();
            self.sending.push((link, pick.commodity));
            out.arrive_at(arrival, link, packet);
        }
        self.next = end;
        out.wake_at(end, 0);
    }

    /// Start of the next slot.
    fn boundary(&self, now: Time) -> Time {
        let slot = self.config.slot.as_nanos();
        Time::from_nanos((now.as_nanos() / slot + 1) * slot)
    }
}

impl Medium for Slotted {
    fn begin(&mut self, _: &mut impl Out) {}

    /// Stations choose the route: a packet offered to this link may leave by another.
    fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        let station = self.config.network.ways[local as usize].from;
        self.carry(now, station, packet, out);
    }

    fn carry(&mut self, now: Time, station: u32, packet: Packet, out: &mut impl Out) {
        match self.forward.push(now, station, packet) {
            Ok(None) => {}
            Ok(Some(dropped)) => out.lose(dropped, Cause::Queue),
            Err(packet) => return out.lose(packet, Cause::NoRoute),
        }
        if self.next == Time::NEVER {
            self.next = self.boundary(now);
            out.wake_at(self.next, 0);
        }
    }

    fn held(&self) -> u64 {
        self.forward.queues.waiting()
    }

    fn wake(&mut self, now: Time, _: u32, out: &mut impl Out) {
        self.turn(now, out);
    }

    fn see(&mut self, _: Time, local: u32) -> Sight {
        let is_sending = self.sending.iter().any(|(link, _)| *link == local);
        Sight { backlog: usize::from(is_sending), queue_delay: Duration::ZERO, rate: self.config.mean_rate(local) }
    }

    fn counts(&self, _: Time, local: u32) -> Counts {
        self.counts[local as usize]
    }

    fn queues(&self) -> Option<(&Queues, Time)> {
        Some((&self.forward.queues, self.forward.since))
    }

    fn reset_counts(&mut self, now: Time) {
        self.forward.since = now;
        self.counts.fill(Counts::default());
        self.forward.queues.reset(now);
    }

    /// Packets wait in the queues of the stations, not at a link.
    fn all_waits(&mut self, _: Time, _: u32) -> Option<Histogram> {
        None
    }

    fn report(&self, _: Time, members: &[u32], _: &[NodeId], tables: &mut Frames) {
        let row = |(&link, counts): (&u32, &Counts)| SlottedLinkStats { link, active_slots: counts.packets };
        tables.add(&members.iter().zip(&self.counts).map(row).collect::<Vec<_>>());
    }
}
