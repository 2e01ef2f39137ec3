//! A station's interface queue under a discipline other than drop-tail: one for all its ways.
//!
//! The MAC takes a packet from it as soon as it is done with the last one, and then contends: that time the discipline does not
//! see. A packet that finds the MAC without one goes there at once.

use super::mac::{ROOM, Wifi};
use super::station::{Waiting, WayState};
use crate::medium::interface::{Cause, Out};
use crate::packet::Packet;
use crate::queue::{AnyQueue, Queue};
use windward_units::{Duration, Time};

/// A queue, and the ways of its packets.
#[derive(Debug)]
pub(super) struct Managed {
    queue: AnyQueue,
    aside: Aside,
}

/// What a discipline need not know of a packet. While it waits its `hop` tells its place here.
#[derive(Debug)]
struct Aside {
    /// Its way, and its hop.
    places: Vec<(u32, u32)>,
    free: Vec<u32>,
}

impl Aside {
    fn put(&mut self, way: u32, packet: Packet) -> Packet {
        let hop = match self.free.pop() {
            Some(at) => {
                self.places[at as usize] = (way, packet.hop);
                at
            }
            None => {
                self.places.push((way, packet.hop));
                self.places.len() as u32 - 1
            }
        };
        Packet { hop, ..packet }
    }

    fn restore(&mut self, since: Time, packet: Packet) -> Waiting {
        self.free.push(packet.hop);
        let (way, hop) = self.places[packet.hop as usize];
        Waiting { since, way, packet: Packet { hop, ..packet } }
    }
}

impl Managed {
    /// An empty queue.
    pub fn new(queue: AnyQueue) -> Self {
        Self { queue, aside: Aside { places: Vec::with_capacity(ROOM), free: Vec::with_capacity(ROOM) } }
    }

    /// Packets waiting.
    pub fn packets(&self) -> usize {
        self.queue.packets()
    }
}

/// A discipline drops a packet that waited.
fn drop(ways: &mut [WayState], now: Time, gone: &Waiting, out: &mut impl Out) {
    let way = &mut ways[gone.way as usize];
    way.backlog -= 1;
    way.line.drop(gone.since, now);
    way.counts.link.dropped += 1;
    out.lose(gone.packet, Cause::Queue);
}

impl Wifi {
    /// A packet comes to a station whose queue has a discipline.
    pub(super) fn queue_up_managed(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        let Self { ways, stations, .. } = self;
        let id = ways[local as usize].from;
        let station = &mut stations[id as usize];
        let is_free = station.head.is_none();
        station.note_queue(now);
        let Some(Managed { queue, aside }) = station.managed.as_deref_mut() else { return };
        let marked = queue.marked();
        let way = &mut ways[local as usize];
        // It has come before others are dropped in its place.
        let before = way.line;
        way.backlog += 1;
        way.line.join(now);
        let passed = is_free.then(|| queue.pass(now, packet));
        let is_taken = match passed {
            Some(passed) => passed.is_some(),
            None => {
                let packet = aside.put(local, packet);
                let is_taken = queue.offer(now, packet, Duration::ZERO, |gone| {
                    drop(ways, now, &aside.restore(gone.since, gone.packet), out);
                });
                if !is_taken {
                    aside.restore(now, packet);
                }
                is_taken
            }
        };
        let way = &mut ways[local as usize];
        way.counts.link.marked += queue.marked() - marked;
        station.longest_queue = station.longest_queue.max(queue.packets() as u64);
        if !is_taken {
            way.line = before;
            way.backlog -= 1;
            way.counts.link.dropped += 1;
            out.lose(packet, Cause::Queue);
        }
        if let Some(Some(packet)) = passed {
            self.take(id, Waiting { since: now, way: local, packet });
            self.contend_anew(now, id, out);
        }
    }

    /// The packet that a station's MAC takes up next.
    pub(super) fn next_waiting(&mut self, now: Time, id: u32, out: &mut impl Out) -> Option<Waiting> {
        let Self { ways, stations, .. } = self;
        let station = &mut stations[id as usize];
        let Some(Managed { queue, aside }) = station.managed.as_deref_mut() else {
            let next = station.queue.pop_front();
            station.bytes -= next.map_or(0, |next| u64::from(next.packet.size));
            return next;
        };
        let marked = queue.marked();
        let taken = queue.take(now, |gone| drop(ways, now, &aside.restore(gone.since, gone.packet), out))?;
        let next = aside.restore(taken.since, taken.packet);
        ways[next.way as usize].counts.link.marked += queue.marked() - marked;
        Some(next)
    }
}
