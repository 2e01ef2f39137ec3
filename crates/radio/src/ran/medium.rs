//! An LTE or NR cell as a medium.

use super::cell::Ran;
use super::leg::Leg;
use super::mobility::Moves;
use crate::interface::{Medium, Out};
use windward_elements::packet::{NodeId, Packet};
use windward_elements::queue::Queue;
use windward_elements::status::{Cause, Counts, Sight};
use windward_tables::{Frames, Histogram};
use windward_units::{Duration, Time};

impl Medium for Ran {
    fn begin(&mut self, out: &mut impl Out) {
        if self.mobility.is_some() {
            self.arm(Time::ZERO, out);
        }
    }

    fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        let id = self.bearers.leg(&self.config, local, &packet);
        let (leg, line) = (&mut self.legs[id as usize], &mut self.lines[local as usize]);
        if !leg.offer(line, now, packet, |packet| out.lose(packet, Cause::Queue)) {
            leg.counts.dropped += 1;
            return out.lose(packet, Cause::Queue);
        }
        // An active downlink has its wake.
        if leg.is_active && id.is_multiple_of(2) {
            return;
        }
        self.note_sleep(now, id);
        self.want(now, id);
        self.arm(now, out);
    }

    fn held(&self) -> u64 {
        self.legs.iter().map(Leg::held).sum()
    }

    fn wake(&mut self, now: Time, _: u32, out: &mut impl Out) {
        let slot = now.as_nanos() / self.config.carrier.slot.as_nanos();
        if now >= self.scheduled {
            self.scheduled = Time::NEVER;
        }
        // A wake that an earlier one has replaced finds its slot done.
        if slot >= self.done {
            self.done = slot + 1;
            self.run(slot, out);
        }
        self.arm(now, out);
    }

    /// The queueing delay is the backlog over the average rate, as in the slotted cell.
    fn see(&mut self, _: Time, local: u32) -> Sight {
        let legs = || self.bearers.legs(local).map(|id| &self.legs[id]);
        let backlog = legs().map(Leg::waiting).sum();
        let queue_delay = match backlog {
            0 => Duration::ZERO,
            _ => {
                let bytes: u64 = legs().map(|leg| leg.queue.bytes()).sum();
                Duration::from_secs(bytes as f64 * 8.0 / legs().map(|leg| leg.view.average_rate).sum::<f64>())
            }
        };
        Sight { backlog, queue_delay, rate: self.legs[local as usize].view.rate }
    }

    fn counts(&self, now: Time, local: u32) -> Counts {
        let sum = self.bearers.legs(local).fold(Counts::default(), |sum, id| {
            let of = self.legs[id].counts();
            Counts {
                packets: sum.packets + of.packets,
                bytes: sum.bytes + of.bytes,
                dropped: sum.dropped + of.dropped,
                marked: sum.marked + of.marked,
                lost: sum.lost + of.lost,
                busy: sum.busy + of.busy,
                ..sum
            }
        });
        self.lines[local as usize].show(now, sum)
    }

    fn reset_counts(&mut self, now: Time) {
        self.since = now;
        self.legs.iter_mut().for_each(Leg::reset_counts);
        self.lines.iter_mut().for_each(|line| line.reset(now));
        if let Some(mobility) = &mut self.mobility {
            mobility.movers.iter_mut().flatten().for_each(|mover| mover.counts = Moves::default());
        }
    }

    fn all_waits(&mut self, _: Time, local: u32) -> Option<Histogram> {
        let packets = self.bearers.legs(local).map(|id| self.legs[id].counts.packets).sum();
        Some(self.lines[local as usize].all_waits(packets))
    }

    fn report(&self, now: Time, members: &[u32], _: &[NodeId], tables: &mut Frames) {
        self.add_rows(now, members, tables);
    }
}
