//! What the MAC tells the protocol, and what it asks.

use super::state::Routing;
use crate::medium::air::FrameKind;
use crate::medium::interface::{Cause, Out};
use crate::medium::wifi::mac::Wifi;
use crate::medium::wifi::station::{ALL, Frame, Waiting};
use crate::packet::{Kind, Packet};
use windward_units::Time;

impl Wifi {
    /// Before the first packet.
    pub(in crate::medium::wifi) fn begin_routing(&mut self, out: &mut impl Out) {
        match &self.routing {
            None | Some(Routing::Backpressure(_)) => {}
            Some(Routing::Dsdv(_)) => self.begin_dsdv(out),
        }
    }

    /// A station sends a packet on that follows no route of its own.
    pub(in crate::medium::wifi) fn find_way(&mut self, now: Time, at: u32, packet: Packet, out: &mut impl Out) {
        match &self.routing {
            None => out.lose(packet, Cause::NoRoute),
            Some(Routing::Dsdv(_)) => self.find_dsdv_way(now, at, packet, out),
            Some(Routing::Backpressure(_)) => self.queue_by_backlog(now, at, packet, out),
        }
    }

    /// A station may have something to tell.
    pub(in crate::medium::wifi) fn tell(&mut self, now: Time, at: u32, out: &mut impl Out) {
        match &self.routing {
            None => {}
            Some(Routing::Dsdv(_)) => self.tell_dsdv(now, at, out),
            Some(Routing::Backpressure(_)) => self.report_backlog(now, at, out),
        }
    }

    /// A frame that concerns the protocol has been on the air; `heard` are those who received it.
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
            Some(Routing::Backpressure(_)) => {
                self.hear_backlog(now, from, frame.kind == FrameKind::Broadcast, heard, out);
            }
        }
    }

    /// The MAC gave up a packet.
    pub(in crate::medium::wifi) fn lose_link(&mut self, now: Time, at: u32, to: u32, out: &mut impl Out) {
        match &self.routing {
            None | Some(Routing::Backpressure(_)) => {}
            Some(Routing::Dsdv(_)) => self.lose_dsdv_link(now, at, to, out),
        }
    }

    /// A message of the protocol, known to it as `handle`, waits for the air: before the data, as ns-2's queue has it, and whether
    /// there is room or not.
    pub(super) fn broadcast(&mut self, now: Time, at: u32, handle: u32, size: u32, out: &mut impl Out) {
        let packet = Packet { number: handle, ..Packet::new(Kind::Parcel, now, 0, 0, size) };
        let waiting = Waiting { since: now, way: ALL, packet };
        let station = &mut self.stations[at as usize];
        if station.head.is_some() {
            station.note_queue(now);
            station.bytes += u64::from(size);
            station.queue.push_front(waiting);
        } else {
            self.take(at, waiting);
            self.contend_anew(now, at, out);
        }
    }
}
