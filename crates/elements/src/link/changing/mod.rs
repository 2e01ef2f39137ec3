//! A link with scheduled changes of rate, delay, buffer, loss, jitter, reordering and outages.
//!
//! A packet's loss and delay are decided at the end of its transmission, by the parameters at that time. The
//! transmitter is therefore woken at the end of each transmission and not at its beginning, the one difference from
//! [`super::QueuedLink`]. A new rate applies to the rest of the packet in transmission. Packets in flight keep their
//! arrival times, and no later packet overtakes them, however short the new delay.
//!
//! During an outage nothing is transmitted. The packet in transmission stops, and its rest follows when the link is up
//! again.

use super::clock::Clock;
use super::config::{Drops, LinkConfig, LinkStep};
use super::queued::{Offered, Transmission};
use super::room::Room;
use super::wire::{Fate, Wire};
use crate::packet::Packet;
use crate::queue::{Labels, QueueConfig};
use crate::status::{Cause, Counts, Sent, Sight};
use std::collections::VecDeque;
use windward_tables::Histogram;
use windward_units::{Duration, Time};

/// A queue, a transmitter and a wire with scheduled changes.
#[derive(Debug)]
pub struct ChangingLink {
    room: Room,
    clock: Clock,
    rate: f64,
    is_up: bool,
    sending: Option<Sending>,
    /// Time at which an idle transmitter queries the queue next, on a recorded link that waits for an opportunity.
    asks_at: Time,
    /// End of the last transmission.
    free_at: Time,
    wire: Wire,
    steps: VecDeque<LinkStep>,
    /// Counters since the last reset; busy time up to the end of the current transmission.
    sent: Sent,
}

/// A packet in transmission.
#[derive(Clone, Copy, Debug)]
struct Sending {
    packet: Packet,
    /// End of its transmission; [`Time::NEVER`] during an outage, or if it would take forever.
    ends_at: Time,
    /// Rest of its transmission during an outage, in nanoseconds at one bit a second; `None`: the whole packet is sent
    /// again.
    rest: Option<u128>,
}

/// Wake-ups that a change requires.
#[derive(Clone, Copy, Debug)]
pub struct Changed {
    /// Time to wake the transmitter.
    pub transmits: Option<Time>,
    /// Time of the next change.
    pub next: Option<Time>,
}

impl ChangingLink {
    /// Creates the link of `config` with a queue of its own discipline in the run of `seed`; `steps` are in order of
    /// time.
    pub fn new(config: &LinkConfig, queue: QueueConfig, steps: &[LinkStep], seed: u64) -> Self {
        debug_assert!(steps.is_sorted_by_key(|step| step.at), "changes are in order of time");
        Self {
            room: Room::new(config, queue, seed),
            clock: Clock::new(&config.rate),
            rate: config.rate.mean().as_bits_per_sec() as f64,
            is_up: true,
            sending: None,
            asks_at: Time::NEVER,
            free_at: Time::ZERO,
            wire: Wire::changing(config, seed),
            steps: steps.iter().cloned().collect(),
            sent: Sent::default(),
        }
    }

    /// Provides the labels of all routes to the queue.
    pub fn label(&mut self, labels: &Labels) {
        self.room.label(labels);
    }

    /// Time at which the queue's shaper, if any, is ready for a packet that arrived at `since`.
    fn ready(&self, since: Time) -> Time {
        self.room.ready_at().map_or(since, |ready| ready.max(since))
    }

    /// Time of the next change.
    pub fn next_change(&self) -> Option<Time> {
        self.steps.front().map(|step| step.at)
    }

    /// Adds changes, which are in order of time, to those that are due later. A change follows those of its own time.
    pub fn plan(&mut self, steps: &[LinkStep]) {
        debug_assert!(steps.is_sorted_by_key(|step| step.at), "changes are in order of time");
        self.steps.extend(steps.iter().cloned());
        self.steps.make_contiguous().sort_by_key(|step| step.at);
    }

    /// Offers a packet, after [`Self::transmit`]. A transmission that begins is reported as a packet that waits for its
    /// end.
    pub fn offer(&mut self, now: Time, packet: Packet, dropped: impl FnMut(Packet)) -> Offered {
        let is_idle = self.is_up && self.sending.is_none() && self.asks_at == Time::NEVER;
        let start = self.clock.start(self.free_at, self.ready(now));
        if is_idle && start <= now {
            let passed = self.room.pass(now, packet);
            return passed.map_or(Offered::Refused, |packet| Offered::Waits(Some(self.begin(now, now, packet))));
        }
        if !self.room.offer(now, packet, self.queue_delay(now), dropped) {
            return Offered::Refused;
        }
        if is_idle {
            self.asks_at = start;
        }
        Offered::Waits(is_idle.then_some(start))
    }

    /// Ends the transmission that is due and begins the next one; does nothing if none is due. Packets that the
    /// discipline drops go to `dropped`.
    pub fn transmit(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Transmission {
        if self.asks_at <= now {
            return Transmission { sent: None, next: self.take(now, dropped) };
        }
        let Some(Sending { packet, ends_at, .. }) = self.sending.filter(|sending| sending.ends_at <= now) else {
            return Transmission { sent: None, next: None };
        };
        debug_assert!(ends_at == now, "the transmitter was woken late");
        self.sending = None;
        let fate = self.wire.carry(now, packet);
        self.sent.lost += u64::from(fate == Fate::Lost);
        Transmission { sent: Some((packet, fate)), next: self.take(now, dropped) }
    }

    /// Begins with the next packet of the queue, or waits for its time; returns the time to wake the transmitter.
    fn take(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Option<Time> {
        self.asks_at = Time::NEVER;
        let start = self.clock.start(self.free_at, self.ready(self.room.since()?));
        if start > now {
            self.asks_at = start;
            return Some(start);
        }
        let ready = self.room.ready_at();
        let next = self.room.take(now, dropped)?;
        let begins = ready.map_or(next.since, |ready| ready.max(next.since));
        Some(self.begin(now, begins, next.packet))
    }

    /// Begins with a packet that arrived at `since`.
    fn begin(&mut self, now: Time, since: Time, packet: Packet) -> Time {
        let ends_at = self.clock.finish(self.free_at, since, packet.size);
        self.sent.packets += 1;
        self.sent.bytes += u64::from(packet.size);
        self.send_until(now, packet, ends_at);
        ends_at
    }

    fn send_until(&mut self, now: Time, packet: Packet, ends_at: Time) {
        self.free_at = ends_at;
        if self.clock.is_constant() {
            self.sent.busy += ends_at.since(now).as_nanos();
        }
        self.sending = Some(Sending { packet, ends_at, rest: None });
    }

    /// Stops the current transmission and stores its rest.
    fn interrupt(&mut self, now: Time) {
        self.asks_at = Time::NEVER;
        let Some(sending) = &mut self.sending else { return };
        if sending.ends_at == Time::NEVER {
            return;
        }
        let left = sending.ends_at.since(now).as_nanos();
        sending.rest = self.clock.bit_nanos(left);
        sending.ends_at = Time::NEVER;
        self.clock.skip(now);
        if self.clock.is_constant() {
            self.sent.busy -= left;
        }
    }

    /// Continues with the packet in transmission, or with the next one; returns the end of its transmission.
    fn resume(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Option<Time> {
        self.free_at = now;
        self.clock.skip(now);
        let Some(Sending { packet, rest, .. }) = self.sending else { return self.take(now, dropped) };
        let ends_at = rest.and_then(|rest| self.clock.rest(now, rest));
        let ends_at = ends_at.unwrap_or_else(|| self.clock.finish(now, now, packet.size));
        self.send_until(now, packet, ends_at);
        Some(ends_at)
    }

    /// Applies the change that is due, after [`Self::transmit`]. Packets that it loses go to `lost`, with the cause,
    /// and true if they were in flight.
    pub fn change(&mut self, now: Time, mut lost: impl FnMut(Packet, Cause, bool)) -> Changed {
        let due = self.next_change().is_some_and(|at| at <= now);
        let Some(LinkStep { change, .. }) = due.then(|| self.steps.pop_front()).flatten() else {
            return Changed { transmits: None, next: None };
        };
        let was_up = self.is_up;
        self.is_up = change.is_up.unwrap_or(was_up);
        let is_disturbed = change.rate.is_some() || was_up != self.is_up || change.drops != Drops::Nothing;
        if is_disturbed {
            self.interrupt(now);
        }
        if let Some(rate) = &change.rate {
            self.sent.busy += self.clock.busy(now).unwrap_or(0);
            self.clock = Clock::new(rate);
            self.clock.count_from(now);
            self.rate = rate.mean().as_bits_per_sec() as f64;
            self.room.change_rate(self.rate);
        }
        if let Some(buffer) = change.buffer {
            self.room.resize(buffer);
        }
        self.wire.change(&change);
        self.drop_what(now, change.drops, &mut lost);
        let transmits = if is_disturbed && self.is_up {
            let counts_dropped = |packet| lost(packet, Cause::Queue, false);
            self.resume(now, counts_dropped)
        } else {
            None
        };
        Changed { transmits, next: self.next_change() }
    }

    fn drop_what(&mut self, now: Time, drops: Drops, lost: &mut impl FnMut(Packet, Cause, bool)) {
        if drops == Drops::Nothing {
            return;
        }
        let mut dropped = 0;
        if let Some(sending) = self.sending.take() {
            dropped += 1;
            lost(sending.packet, Cause::Sent, false);
        }
        for packet in self.wire.clear() {
            dropped += 1;
            lost(packet, Cause::Sent, true);
        }
        // Those in flight are the newest. What was sent before the counters began does not count as lost either.
        self.sent.lost = (self.sent.lost + dropped).min(self.sent.packets);
        if drops == Drops::All {
            self.room.clear(now, |packet| lost(packet, Cause::Queue, false));
        }
    }

    /// Delivers the first packet in flight if it is due; packets lost on the wire leave their events behind.
    // Called for every packet of other links: kept out of their path.
    #[cold]
    pub fn land(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        if self.wire.flight.first().is_some_and(|delivery| delivery <= now) { self.wire.flight.land() } else { None }
    }

    /// Delivers the first of the reordered packets; returns the time of the next one as well.
    pub fn land_late(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        self.wire.land_late(now)
    }

    /// Number of packets in the queue, in transmission and in flight.
    pub fn held(&self) -> usize {
        self.room.packets() + usize::from(self.sending.is_some()) + self.wire.held()
    }

    /// Part of the counted busy time that lies ahead in the current transmission, in nanoseconds.
    fn busy_ahead(&self, now: Time) -> u64 {
        match self.sending {
            Some(sending) if self.clock.is_constant() && sending.ends_at < Time::NEVER => {
                sending.ends_at.since(now).as_nanos()
            }
            _ => 0,
        }
    }

    /// Counters since the last reset.
    pub fn counts(&self, now: Time) -> Counts {
        let busy = self.sent.busy - self.busy_ahead(now) + self.clock.busy(now).unwrap_or(0);
        self.room.show(now, Counts { busy, ..self.sent.into() })
    }

    /// Waits of the packets sent since the last reset.
    pub fn all_waits(&mut self) -> Histogram {
        self.room.all_waits(self.sent.packets)
    }

    /// Restarts the counters.
    pub fn reset_counts(&mut self, now: Time) {
        self.clock.count_from(now);
        self.room.reset(now);
        self.sent = Sent { busy: self.busy_ahead(now), ..Sent::default() };
    }

    /// Rate and backlog. The queueing delay during an outage is that of a link that is up, since its end is unknown.
    pub fn see(&self, now: Time) -> Sight {
        let rate = if self.is_up { self.rate } else { 0.0 };
        Sight { backlog: self.room.packets(), queue_delay: self.queue_delay(now), rate }
    }

    /// Waiting time of an arrival: the rest of the current transmission, and the queue at the mean rate.
    fn queue_delay(&self, now: Time) -> Duration {
        let behind = self.room.behind(self.rate);
        let rest = match self.sending {
            // A recorded link waits for its opportunity.
            None => self.clock.start(self.free_at, now).since(now),
            Some(Sending { ends_at: Time::NEVER, packet, rest }) => match rest {
                Some(rest) => Duration::from_secs(rest as f64 / 1e9 / self.rate),
                None => Duration::from_secs(f64::from(packet.size) * 8.0 / self.rate),
            },
            Some(Sending { ends_at, .. }) => ends_at.since(now),
        };
        rest + behind
    }
}

#[cfg(test)]
mod tests;
