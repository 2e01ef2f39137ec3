//! Messages of the routing protocol in the interface queue, and packets that it takes back.

use super::mac::{Router, Wifi};
use super::station::ALL;
use super::waiting::Waiting;
use crate::interface::Out;
use windward_elements::packet::{Kind, Packet};
use windward_units::Time;

impl<R: Router> Wifi<R> {
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
        let waiting = Waiting { since: now, way, packet, turn: 0 };
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
