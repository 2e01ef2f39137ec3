//! Handover of a leg to another site.

use super::{GapTimer, Leg};
use crate::ran::harq::{PROCESSES, Process};
use windward_elements::packet::Packet;
use windward_elements::queue::Queue;
use windward_elements::status::Line;
use windward_units::Time;

impl Leg {
    /// Starts anew at another site at `now`: HARQ, RLC and parts of packets are forgotten. With `keeps` all packets
    /// that are not acknowledged are sent again, otherwise those that have not arrived are lost. Returns the number of
    /// packets that have been begun and have not arrived.
    pub fn reestablish(&mut self, now: Time, keeps: bool) -> u64 {
        // TS 38.322 §5.1.2: RLC forgets all parts of packets and resets its timers and variables.
        self.processes = [Process::default(); PROCESSES];
        self.busy = 0;
        self.reassembly = GapTimer::default();
        self.highest_status = 0;
        self.polls.clear();
        (self.owes_status, self.asks_status, self.status_from) = (false, false, Time::ZERO);
        self.repeats.clear();
        self.repeat_bytes = 0;
        self.named = (0, 0);
        (self.unpolled, self.polled, self.poll_expiry) = (0, 0, None);
        self.last_part = (0, 0);
        if self.next < self.numbered
            && let Some(last) = self.sdus.back_mut()
            && self.renewed < self.numbered
        {
            last.due = now;
        }
        let begun = self.held();
        if keeps {
            // TS 38.323 §5.1.2, acknowledged mode: all from the first packet that is not confirmed goes out again, in
            // order. PDCP keeps whole packets, RLC's parts of others are gone.
            let Self { received, sdus, numbered, .. } = self;
            let first = sdus.front().map_or(*numbered, |sdu| sdu.end - u64::from(sdu.packet.size));
            // Packets are contiguous: each begins at the end of the one before.
            let end = |at: usize| at.checked_sub(1).and_then(|at| sdus.get(at)).map_or(first, |sdu| sdu.end);
            let floor = |place| end(sdus.partition_point(|sdu| sdu.end <= place));
            let ceiling =
                |place| if place <= first { first } else { end(sdus.partition_point(|sdu| sdu.end < place) + 1) };
            received.shrink(floor, ceiling);
            self.next = first;
        } else {
            // TS 38.323 §5.1.2, unacknowledged mode: t-Reordering stops, and PDCP delivers at once what it holds.
            self.reordering = GapTimer::default();
            loop {
                let Some(gap) = self.received.gaps().next() else { break };
                self.abandon(gap);
            }
            if self.received.low < self.numbered {
                self.abandon((self.received.low, self.numbered));
            }
            self.next = self.numbered;
        }
        self.renewed = self.numbered;
        begun
    }

    /// Forgets the packets that are delivered and not acknowledged.
    pub fn forget_delivered(&mut self) {
        self.sdus.drain(..self.delivered);
        self.delivered = 0;
    }

    /// Drops all packets that wait.
    pub fn empty(&mut self, line: &mut Line, now: Time, mut dropped: impl FnMut(Packet)) {
        let Self { queue, counts, .. } = self;
        while queue.packets() > 0 {
            let mut drop = |waiting: windward_elements::queue::Waiting| {
                line.drop(waiting.since, now);
                counts.dropped += 1;
                dropped(waiting.packet);
            };
            let Some(waiting) = queue.take(now, &mut drop) else { break };
            drop(waiting);
        }
    }
}
