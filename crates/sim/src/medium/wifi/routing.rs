//! Stations that find routes themselves: updates on the air, packets that ask for a next hop.

use super::dsdv::Dsdv;
use super::mac::{Timer, Wifi};
use super::station::{ALL, Waiting};
use crate::medium::interface::{Cause, Out};
use crate::packet::{Kind, Packet};
use windward_units::Time;

impl Wifi {
    /// Schedules every station's first update.
    pub(super) fn begin_routing(&mut self, out: &mut impl Out) {
        let Some(routing) = &mut self.routing else { return };
        for (index, station) in (0..).zip(&mut self.stations) {
            let first = routing.dsdv.begin(index, &mut station.backoff);
            routing.wakes_at[index as usize] = first;
            out.wake_at(first, Timer::Route.of(index));
        }
    }

    /// A station sends a packet on that follows no route of its own.
    pub(super) fn find_way(&mut self, now: Time, at: u32, packet: Packet, out: &mut impl Out) {
        let Some(routing) = &mut self.routing else { return out.lose(packet, Cause::NoRoute) };
        if let Some(way) = routing.way(at, packet.to) {
            return self.queue_up(now, way, packet, out);
        }
        let most = routing.dsdv.waiting();
        let waiting = &mut routing.waiting[at as usize];
        waiting.push_back(packet);
        if waiting.len() > most
            && let Some(first) = waiting.pop_front()
        {
            out.lose(first, Cause::NoRoute);
        }
    }

    /// A station may have something to tell.
    pub(super) fn tell(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(routing) = &mut self.routing else { return };
        if routing.wakes_at[at as usize] <= now {
            routing.wakes_at[at as usize] = Time::NEVER;
        }
        let told = routing.dsdv.tell(now, at, &mut self.stations[at as usize].backoff);
        if told.is_empty() {
            return self.wake_routing(now, at, out);
        }
        let size = Dsdv::bytes(&told);
        routing.sent.0 += 1;
        routing.sent.1 += u64::from(size);
        let handle = routing.keep(told);
        self.wake_routing(now, at, out);
        let packet = Packet { number: handle, ..Packet::new(Kind::Parcel, now, 0, 0, size) };
        let waiting = Waiting { since: now, way: ALL, packet };
        let station = &mut self.stations[at as usize];
        if station.head.is_some() {
            // Before the data, as ns-2's queue has it, and whether there is room or not.
            station.note_queue(now);
            station.bytes += u64::from(size);
            station.queue.push_front(waiting);
        } else {
            self.take(at, waiting);
            self.contend_anew(now, at, out);
        }
    }

    fn wake_routing(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(routing) = &mut self.routing else { return };
        let due = routing.dsdv.due(at).max(now);
        let wakes_at = &mut routing.wakes_at[at as usize];
        if due < *wakes_at {
            *wakes_at = due;
            out.wake_at(due, Timer::Route.of(at));
        }
    }

    /// An update has been on the air; `heard` are those who received it.
    pub(super) fn hear(&mut self, now: Time, from: u32, handle: u32, heard: &[u32], out: &mut impl Out) {
        let Some(routing) = &mut self.routing else { return };
        let told = routing.release(handle);
        for &at in heard {
            routing.dsdv.hear(now, at, from, &told);
        }
        for &at in heard {
            self.wake_routing(now, at, out);
            self.send_waiting(now, at, out);
        }
    }

    /// Packets that waited for a route take it.
    fn send_waiting(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(routing) = &mut self.routing else { return };
        let waiting = std::mem::take(&mut routing.waiting[at as usize]);
        for packet in waiting {
            self.find_way(now, at, packet, out);
        }
    }

    /// The MAC gave up a packet.
    pub(super) fn lose_link(&mut self, now: Time, at: u32, to: u32, out: &mut impl Out) {
        if let Some(routing) = &mut self.routing {
            routing.dsdv.lose_link(now, at, to);
            self.wake_routing(now, at, out);
        }
    }
}
