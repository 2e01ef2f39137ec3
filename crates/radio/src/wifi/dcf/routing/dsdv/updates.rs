//! DSDV updates on the air, and forwarding of packets.

use super::Dsdv;
use crate::interface::Out;
use crate::wifi::dcf::mac::{Timer, Wifi};
use crate::wifi::dcf::routing::Routing;
use windward_elements::packet::Packet;
use windward_elements::status::Cause;
use windward_units::Time;

impl Wifi<Routing> {
    /// Schedules every station's first update.
    pub(in crate::wifi::dcf::routing) fn begin_dsdv(&mut self, out: &mut impl Out) {
        let Some(Routing::Dsdv(routing)) = &mut self.routing else { return };
        for (index, station) in (0..).zip(&mut self.stations) {
            let first = routing.dsdv.begin(index, &mut station.backoff);
            routing.wakes_at[index as usize] = first;
            out.wake_at(first, Timer::Route.of(index));
        }
    }

    /// Forwards a packet without a source route.
    pub(in crate::wifi::dcf::routing) fn find_dsdv_way(
        &mut self,
        now: Time,
        at: u32,
        packet: Packet,
        out: &mut impl Out,
    ) {
        let Some(Routing::Dsdv(routing)) = &mut self.routing else { return out.lose(packet, Cause::NoRoute) };
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

    /// Broadcasts a station's update if one is due.
    pub(in crate::wifi::dcf::routing) fn tell_dsdv(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(Routing::Dsdv(routing)) = &mut self.routing else { return };
        if routing.wakes_at[at as usize] <= now {
            routing.wakes_at[at as usize] = Time::NEVER;
        }
        let told = routing.dsdv.tell(now, at, &mut self.stations[at as usize].backoff);
        if told.is_empty() {
            return self.wake_routing(now, at, out);
        }
        let size = Dsdv::bytes(&told);
        let handle = routing.updates.keep(told);
        self.wake_routing(now, at, out);
        self.broadcast(now, at, handle, size, out);
    }

    fn wake_routing(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(Routing::Dsdv(routing)) = &mut self.routing else { return };
        let due = routing.dsdv.due(at).max(now);
        let wakes_at = &mut routing.wakes_at[at as usize];
        if due < *wakes_at {
            *wakes_at = due;
            out.wake_at(due, Timer::Route.of(at));
        }
    }

    /// Delivers an update to the stations `heard`, which received it.
    pub(in crate::wifi::dcf::routing) fn hear_dsdv(
        &mut self,
        now: Time,
        from: u32,
        handle: u32,
        heard: &[u32],
        out: &mut impl Out,
    ) {
        let Some(Routing::Dsdv(routing)) = &mut self.routing else { return };
        let Some(told) = routing.updates.release(handle) else { return };
        for &at in heard {
            routing.dsdv.hear(now, at, from, &told);
        }
        for &at in heard {
            self.wake_routing(now, at, out);
            self.send_waiting(now, at, out);
        }
    }

    /// Sends the packets that waited for a route.
    fn send_waiting(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(Routing::Dsdv(routing)) = &mut self.routing else { return };
        let waiting = std::mem::take(&mut routing.waiting[at as usize]);
        for packet in waiting {
            self.find_dsdv_way(now, at, packet, out);
        }
    }

    /// Handles a packet that the MAC gave up.
    pub(in crate::wifi::dcf::routing) fn lose_dsdv_link(&mut self, now: Time, at: u32, to: u32, out: &mut impl Out) {
        if let Some(Routing::Dsdv(routing)) = &mut self.routing {
            routing.dsdv.lose_link(now, at, to);
            self.wake_routing(now, at, out);
        }
    }
}
