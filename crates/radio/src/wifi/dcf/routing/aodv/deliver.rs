//! AODV messages on the air, and packets on the routes found.

use super::Order;
use super::message::Message;
use super::routing::AodvRouting;
use crate::interface::Out;
use crate::wifi::dcf::mac::{Timer, Wifi};
use crate::wifi::dcf::routing::Routing;
use crate::wifi::dcf::station::Head;
use windward_elements::packet::{Kind, Packet, TIME_TO_LIVE};
use windward_elements::status::Cause;
use windward_units::{Duration, Time};

impl Wifi<Routing> {
    fn aodv(&mut self) -> Option<&mut AodvRouting> {
        match &mut self.routing {
            Some(Routing::Aodv(routing)) => Some(routing),
            _ => None,
        }
    }

    /// Schedules the first hello messages.
    pub(in crate::wifi::dcf::routing) fn begin_aodv(&mut self, out: &mut impl Out) {
        for at in 0..self.stations.len() as u32 {
            let draw = self.stations[at as usize].backoff.uniform();
            if let Some(routing) = self.aodv() {
                routing.protocol.begin(at, draw);
            }
            self.wake_aodv(Time::ZERO, at, out);
        }
    }

    /// Forwards a packet without a source route.
    pub(in crate::wifi::dcf::routing) fn find_aodv_way(
        &mut self,
        now: Time,
        at: u32,
        packet: Packet,
        out: &mut impl Out,
    ) {
        let Some(routing) = self.aodv() else { return };
        let Some(to) = routing.directory.station(packet.to) else { return out.lose(packet, Cause::NoRoute) };
        let next = routing.protocol.next_hop(now, at, to);
        if let Some(way) = next.and_then(|next| routing.directory.way(at, next)) {
            return self.queue_up(now, way, packet, out);
        }
        match packet.ttl == TIME_TO_LIVE {
            true => routing.protocol.seek(now, at, to, packet),
            false => routing.protocol.refuse(now, at, to, packet),
        }
        self.carry_out(now, at, out);
    }

    /// Executes the protocol's orders for a station.
    fn carry_out(&mut self, now: Time, at: u32, out: &mut impl Out) {
        while let Some(routing) = self.aodv() {
            let orders = routing.protocol.orders();
            if orders.is_empty() {
                break;
            }
            for order in orders {
                self.obey(now, order, out);
            }
        }
        self.wake_aodv(now, at, out);
    }

    fn obey(&mut self, now: Time, order: Order, out: &mut impl Out) {
        let Some(routing) = self.aodv() else { return };
        match order {
            Order::Broadcast { at, message, after } if after > Duration::ZERO => {
                routing.later[at as usize].push((now + after, message));
            }
            Order::Broadcast { at, message, .. } => self.tell_all(now, at, message, out),
            Order::Unicast { at, next, message } => {
                let Some(way) = routing.directory.way(at, next) else { return };
                let size = message.bytes();
                let handle = routing.messages.keep(message);
                self.send_message(now, at, way, handle, size, out);
            }
            Order::Send { at, packet } => self.find_aodv_way(now, at, packet, out),
            Order::Lose(packet) => out.lose(packet, Cause::NoRoute),
        }
    }

    fn tell_all(&mut self, now: Time, at: u32, message: Message, out: &mut impl Out) {
        let Some(routing) = self.aodv() else { return };
        let size = message.bytes();
        let handle = routing.messages.keep(message);
        self.broadcast(now, at, handle, size, out);
    }

    fn wake_aodv(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(routing) = self.aodv() else { return };
        let due = routing.due(at).max(now);
        let wakes_at = &mut routing.wakes_at[at as usize];
        if due < *wakes_at {
            *wakes_at = due;
            out.wake_at(due, Timer::Route.of(at));
        }
    }

    /// Handles a timer of a station.
    pub(in crate::wifi::dcf::routing) fn tell_aodv(&mut self, now: Time, at: u32, out: &mut impl Out) {
        let Some(routing) = self.aodv() else { return };
        if routing.wakes_at[at as usize] <= now {
            routing.wakes_at[at as usize] = Time::NEVER;
        }
        let ready: Vec<(Time, Message)> = routing.later[at as usize].extract_if(.., |(time, _)| *time <= now).collect();
        routing.protocol.tick(now, at);
        for (_, message) in ready {
            self.tell_all(now, at, message, out);
        }
        self.carry_out(now, at, out);
    }

    /// Delivers a broadcast message to the stations `heard`, which received it.
    pub(in crate::wifi::dcf::routing) fn hear_aodv(
        &mut self,
        now: Time,
        from: u32,
        handle: u32,
        heard: &[u32],
        out: &mut impl Out,
    ) {
        let Some(message) = self.aodv().and_then(|routing| routing.messages.release(handle)) else { return };
        for &at in heard {
            self.hear_message(now, at, from, &message, out);
        }
    }

    fn hear_message(&mut self, now: Time, at: u32, from: u32, message: &Message, out: &mut impl Out) {
        let draw = self.stations[at as usize].backoff.uniform();
        if let Some(routing) = self.aodv() {
            routing.protocol.hear(now, at, from, message, draw);
        }
        self.carry_out(now, at, out);
    }

    /// Delivers a unicast message.
    pub(in crate::wifi::dcf::routing) fn hear_aodv_alone(
        &mut self,
        now: Time,
        at: u32,
        from: u32,
        handle: u32,
        out: &mut impl Out,
    ) {
        if let Some(message) = self.aodv().and_then(|routing| routing.messages.get(handle)).cloned() {
            self.hear_message(now, at, from, &message, out);
        }
    }

    /// Handles a frame that the MAC gave up: the link is broken, also for packets queued for it.
    pub(in crate::wifi::dcf::routing) fn lose_aodv_link(
        &mut self,
        now: Time,
        at: u32,
        head: &Head,
        out: &mut impl Out,
    ) {
        let is_message = head.packet.kind == Kind::Routing;
        let to = self.ways[head.way as usize].to;
        let packet = (!is_message && !head.is_received).then_some(head.packet);
        let Some(routing) = self.aodv() else { return };
        if !routing.protocol.asks_mac() {
            if is_message {
                routing.messages.release(head.packet.number);
            }
            packet.into_iter().for_each(|packet| out.lose(packet, Cause::Sent));
            return;
        }
        if is_message {
            routing.messages.release(head.packet.number);
            routing.protocol.distrust(now, at, to);
        }
        let waiting = self.withdraw(now, at, head.way);
        let Some(routing) = self.aodv() else { return };
        let (messages, others): (Vec<Packet>, Vec<Packet>) =
            waiting.into_iter().partition(|packet| packet.kind == Kind::Routing);
        for message in messages {
            routing.messages.release(message.number);
        }
        let all: Vec<(u32, Packet)> = packet
            .into_iter()
            .chain(others)
            .filter_map(|packet| Some((routing.directory.station(packet.to)?, packet)))
            .collect();
        routing.protocol.break_link(now, at, to, all);
        self.carry_out(now, at, out);
    }
}
