//! Interface between the MAC and the routing protocol.

use super::state::Routing;
use crate::medium::interface::Out;
use crate::medium::wifi::mac::Wifi;
use crate::medium::wifi::station::{ALL, Frame, Head};
use crate::medium::wifi::waiting::Waiting;
use crate::output::FrameKind;
use crate::packet::{Kind, Packet};
use crate::status::Cause;
use windward_units::Time;

impl Wifi {
    /// Starts the protocol, before the first packet.
    pub(in crate::medium::wifi) fn begin_routing(&mut self, out: &mut impl Out) {
        match &self.routing {
            None | Some(Routing::Backpressure(_)) => {}
            Some(Routing::Dsdv(_)) => self.begin_dsdv(out),
            Some(Routing::Aodv(_)) => self.begin_aodv(out),
        }
    }

    /// Forwards a packet without a source route.
    pub(in crate::medium::wifi) fn find_way(&mut self, now: Time, at: u32, packet: Packet, out: &mut impl Out) {
        match &self.routing {
            None => out.lose(packet, Cause::NoRoute),
            Some(Routing::Dsdv(_)) => self.find_dsdv_way(now, at, packet, out),
            Some(Routing::Aodv(_)) => self.find_aodv_way(now, at, packet, out),
            Some(Routing::Backpressure(_)) => self.queue_by_backlog(now, at, packet, out),
        }
    }

    /// Handles a timer of the protocol at a station.
    pub(in crate::medium::wifi) fn tell(&mut self, now: Time, at: u32, out: &mut impl Out) {
        match &self.routing {
            None => {}
            Some(Routing::Dsdv(_)) => self.tell_dsdv(now, at, out),
            Some(Routing::Aodv(_)) => self.tell_aodv(now, at, out),
            Some(Routing::Backpressure(_)) => self.report_backlog(now, at, out),
        }
    }

    /// Delivers a frame of the protocol to the stations `heard`, which received it.
    pub(in crate::medium::wifi) fn hear(
        &mut self,
        now: Time,
        from: u32,
        frame: &Frame,
        heard: &[u32],
        out: &mut impl Out,
    ) {
        match &self.routing {
            None => {}
            Some(Routing::Dsdv(_)) => self.hear_dsdv(now, from, frame.number, heard, out),
            Some(Routing::Aodv(_)) => self.hear_aodv(now, from, frame.number, heard, out),
            Some(Routing::Backpressure(_)) => {
                self.hear_backlog(now, from, frame.kind == FrameKind::Broadcast, heard, out);
            }
        }
    }

    /// Delivers a unicast message of the protocol.
    pub(in crate::medium::wifi) fn hear_alone(
        &mut self,
        now: Time,
        at: u32,
        from: u32,
        handle: u32,
        out: &mut impl Out,
    ) {
        if let Some(Routing::Aodv(_)) = &self.routing {
            self.hear_aodv_alone(now, at, from, handle, out);
        }
    }

    /// Releases a unicast message that the MAC has finished.
    pub(in crate::medium::wifi) fn release_message(&mut self, handle: u32) {
        if let Some(Routing::Aodv(_)) = &self.routing {
            self.release_aodv_message(handle);
        }
    }

    /// Handles a packet that the MAC gave up: unless it was received or is kept, it is lost or returned to the
    /// protocol.
    pub(in crate::medium::wifi) fn give_up(
        &mut self,
        now: Time,
        at: u32,
        head: &Head,
        is_kept: bool,
        out: &mut impl Out,
    ) {
        if let Some(Routing::Aodv(_)) = &self.routing {
            return self.lose_aodv_link(now, at, head, out);
        }
        if !head.is_received && !is_kept {
            out.lose(head.packet, Cause::Sent);
        }
        if let Some(Routing::Dsdv(_)) = &self.routing {
            self.lose_dsdv_link(now, at, self.ways[head.way as usize].to, out);
        }
    }

    /// Takes the packets queued for a link out of the interface queue.
    pub(super) fn withdraw(&mut self, now: Time, at: u32, way: u32) -> Vec<Packet> {
        let station = &mut self.stations[at as usize];
        station.note_queue(now);
        let (taken, kept): (Vec<Waiting>, Vec<Waiting>) =
            station.queue.drain(..).partition(|waiting| waiting.way == way);
        station.queue.extend(kept);
        for waiting in &taken {
            station.bytes -= u64::from(waiting.packet.size);
            if waiting.packet.kind != Kind::Routing {
                let way = &mut self.ways[way as usize];
                way.backlog -= 1;
                way.line.leave(waiting.since, now);
            }
        }
        taken.into_iter().map(|waiting| waiting.packet).collect()
    }

    /// Queues a broadcast message of the protocol with the number `handle`: before the data, as in ns-2's queue, and
    /// regardless of the buffer.
    pub(super) fn broadcast(&mut self, now: Time, at: u32, handle: u32, size: u32, out: &mut impl Out) {
        self.send_message(now, at, ALL, handle, size, out);
    }

    /// Queues a unicast message of the protocol in the same way.
    pub(super) fn send_message(&mut self, now: Time, at: u32, way: u32, handle: u32, size: u32, out: &mut impl Out) {
        let packet = Packet { number: handle, ..Packet::new(Kind::Routing, now, 0, 0, size) };
        let waiting = Waiting { since: now, way, packet };
        let station = &mut self.stations[at as usize];
        station.air.messages.0 += 1;
        station.air.messages.1 += u64::from(size);
        if station.head.is_some() {
            station.note_queue(now);
            station.bytes += u64::from(size);
            station.queue.push_front(waiting);
        } else {
            self.take(now, at, waiting);
            self.contend_anew(now, at, out);
        }
    }
}
