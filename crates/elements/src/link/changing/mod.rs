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
use super::queried::{Offered, Queried, Sending, Transmission, Transmit};
use super::wire::Wire;
use crate::packet::Packet;
use crate::queue::QueueConfig;
use crate::status::Cause;
use std::collections::VecDeque;
use windward_units::Time;

/// A queue, a transmitter and a wire with scheduled changes.
pub type ChangingLink = Queried<Changing>;

/// A transmitter with scheduled changes.
#[derive(Debug)]
pub struct Changing {
    is_up: bool,
    sending: Option<Sending>,
    steps: VecDeque<LinkStep>,
}

/// Wake-ups that a change requires.
#[derive(Clone, Copy, Debug)]
pub struct Changed {
    /// Time to wake the transmitter.
    pub transmits: Option<Time>,
    /// Time of the next change.
    pub next: Option<Time>,
}

impl Transmit for Changing {
    /// Begins a transmission, which is reported as a packet that waits for its end.
    fn send(link: &mut ChangingLink, now: Time, begins: Time, packet: Packet) -> Offered {
        Offered::Waits(Some(link.send(now, begins, packet)))
    }

    fn is_up(&self) -> bool {
        self.is_up
    }

    fn sending(&self) -> Option<&Sending> {
        self.sending.as_ref()
    }

    fn ends_at(&self, _: Time) -> Option<Time> {
        self.sending.map(|sending| sending.ends_at).filter(|ends_at| *ends_at < Time::NEVER)
    }
}

impl ChangingLink {
    /// Creates the link of `config` with a queue of its own discipline in the run of `seed`; `steps` are in order of
    /// time.
    pub fn new(config: &LinkConfig, queue: QueueConfig, steps: &[LinkStep], seed: u64) -> Self {
        debug_assert!(steps.is_sorted_by_key(|step| step.at), "changes are in order of time");
        let transmitter = Changing { is_up: true, sending: None, steps: steps.iter().cloned().collect() };
        Self::of(config, queue, seed, Wire::changing(config, seed), transmitter)
    }

    /// Time of the next change.
    pub fn next_change(&self) -> Option<Time> {
        self.transmitter.steps.front().map(|step| step.at)
    }

    /// Adds changes, which are in order of time, to those that are due later. A change follows those of its own time.
    pub fn plan(&mut self, steps: &[LinkStep]) {
        debug_assert!(steps.is_sorted_by_key(|step| step.at), "changes are in order of time");
        self.transmitter.steps.extend(steps.iter().cloned());
        self.transmitter.steps.make_contiguous().sort_by_key(|step| step.at);
    }

    /// Ends the transmission that is due and begins the next one; does nothing if none is due. Packets that the
    /// discipline drops go to `dropped`.
    pub fn transmit(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Transmission {
        if self.asks_at <= now {
            return Transmission { sent: None, next: self.take(now, dropped) };
        }
        let Some(Sending { packet, ends_at, .. }) = self.transmitter.sending.filter(|sending| sending.ends_at <= now)
        else {
            return Transmission { sent: None, next: None };
        };
        debug_assert!(ends_at == now, "the transmitter was woken late");
        self.transmitter.sending = None;
        let fate = self.carry(now, packet);
        Transmission { sent: Some((packet, fate)), next: self.take(now, dropped) }
    }

    /// Begins with the next packet of the queue, or waits for its time; returns the time to wake the transmitter.
    fn take(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Option<Time> {
        self.asks_at = Time::NEVER;
        let start = self.start(self.room.since()?);
        if start > now {
            self.asks_at = start;
            return Some(start);
        }
        let (packet, begins) = self.query(now, dropped)?;
        Some(self.send(now, begins, packet))
    }

    /// Sends a packet from `begins` on; returns the end of its transmission.
    fn send(&mut self, now: Time, begins: Time, packet: Packet) -> Time {
        let ends_at = self.begin(begins, packet);
        self.send_until(now, packet, ends_at);
        ends_at
    }

    fn send_until(&mut self, now: Time, packet: Packet, ends_at: Time) {
        self.occupy(now, ends_at);
        self.transmitter.sending = Some(Sending { packet, ends_at, rest: None });
    }

    /// Stops the current transmission and stores its rest.
    fn interrupt(&mut self, now: Time) {
        self.asks_at = Time::NEVER;
        let Some(sending) = &mut self.transmitter.sending else { return };
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
        let Some(Sending { packet, rest, .. }) = self.transmitter.sending else { return self.take(now, dropped) };
        let ends_at = rest.and_then(|rest| self.clock.rest(now, rest));
        let ends_at = ends_at.unwrap_or_else(|| self.clock.finish(now, now, packet.size));
        self.send_until(now, packet, ends_at);
        Some(ends_at)
    }

    /// Applies the change that is due, after [`Self::transmit`]. Packets that it loses go to `lost`, with the cause,
    /// and true if they were in flight.
    pub fn change(&mut self, now: Time, mut lost: impl FnMut(Packet, Cause, bool)) -> Changed {
        let due = self.next_change().is_some_and(|at| at <= now);
        let Some(LinkStep { change, .. }) = due.then(|| self.transmitter.steps.pop_front()).flatten() else {
            return Changed { transmits: None, next: None };
        };
        let was_up = self.transmitter.is_up;
        self.transmitter.is_up = change.is_up.unwrap_or(was_up);
        let is_disturbed = change.rate.is_some() || was_up != self.transmitter.is_up || change.drops != Drops::Nothing;
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
        let transmits = if is_disturbed && self.transmitter.is_up {
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
        if let Some(sending) = self.transmitter.sending.take() {
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
}

#[cfg(test)]
mod tests;
