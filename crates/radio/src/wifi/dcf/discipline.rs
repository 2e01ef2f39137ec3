//! Packets at a station whose interface queue has an AQM.

use super::mac::{Router, Wifi};
use super::managed::Managed;
use super::station::WayState;
use super::waiting::Waiting;
use crate::interface::Out;
use windward_elements::packet::Packet;
use windward_elements::queue::Queue;
use windward_elements::status::Cause;
use windward_units::{Duration, Time};

/// Counts a queued packet that the discipline drops.
fn drop(ways: &mut [WayState], now: Time, gone: &Waiting, out: &mut impl Out) {
    let way = &mut ways[gone.way as usize];
    way.backlog -= 1;
    way.line.drop(gone.since, now);
    way.counts.link.dropped += 1;
    out.complete(now, &gone.packet);
    out.lose(gone.packet, Cause::Queue);
}

impl<R: Router> Wifi<R> {
    /// Offers a packet to a station whose queue has an AQM.
    pub(super) fn queue_up_managed(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        let Self { ways, stations, .. } = self;
        let id = ways[local as usize].from;
        let station = &mut stations[id as usize];
        let is_free = station.head.is_none();
        station.note_queue(now);
        let Some(Managed { queue, aside }) = station.managed.as_deref_mut() else { return };
        let marked = queue.marked();
        let way = &mut ways[local as usize];
        // The packet arrives before others are dropped in its place.
        let before = way.line.books();
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
            way.line.undo(before);
            way.backlog -= 1;
            way.counts.link.dropped += 1;
            out.complete(now, &packet);
            out.lose(packet, Cause::Queue);
        }
        if let Some(Some(packet)) = passed {
            self.take(now, id, Waiting { since: now, way: local, packet, turn: 0 });
            self.contend_anew(now, id, out);
        }
    }

    /// Takes the next packet for a station's MAC.
    pub(super) fn next_waiting(&mut self, now: Time, id: u32, out: &mut impl Out) -> Option<Waiting> {
        let Self { ways, stations, .. } = self;
        let station = &mut stations[id as usize];
        let Some(Managed { queue, aside }) = station.managed.as_deref_mut() else {
            let is_due = station.queue.front().is_some_and(|first| first.turn <= station.chosen);
            return if is_due { station.pop() } else { None };
        };
        let marked = queue.marked();
        let taken = queue.take(now, |gone| drop(ways, now, &aside.restore(gone.since, gone.packet), out))?;
        let next = aside.restore(taken.since, taken.packet);
        ways[next.way as usize].counts.link.marked += queue.marked() - marked;
        Some(next)
    }
}
