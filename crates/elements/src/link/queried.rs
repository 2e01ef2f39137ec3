//! A link that queries its queue: buffer, service and counters, whether or not it changes.
//!
//! A discipline that drops or reorders at the head leaves the departure of an arrival unknown. The transmitter
//! therefore queries the queue whenever it is free, which costs one more event per packet than [`super::Link`]. What
//! differs between a link that stays as it is and one that changes is [`Transmit`].

use super::clock::Clock;
use super::config::LinkConfig;
use super::flight::Flight;
use super::room::Room;
use super::wire::{Fate, Wire};
use crate::packet::Packet;
use crate::queue::{Labels, QueueConfig};
use crate::status::{Counts, Sent, Sight};
use windward_tables::Histogram;
use windward_units::{Duration, Time};

/// A queue, a transmitter and a wire.
#[derive(Debug)]
pub struct Queried<T> {
    pub(super) room: Room,
    pub(super) clock: Clock,
    pub(super) rate: f64,
    /// End of the last transmission.
    pub(super) free_at: Time,
    /// Time at which an idle transmitter queries the queue next; [`Time::NEVER`] without one.
    pub(super) asks_at: Time,
    pub(super) wire: Wire,
    /// Counters since the last reset; busy time at a constant rate, up to the end of the current transmission.
    pub(super) sent: Sent,
    pub(super) transmitter: T,
}

/// The transmitter of a [`Queried`] link.
pub trait Transmit: Sized {
    /// Sends a packet from `begins` on.
    fn send(link: &mut Queried<Self>, now: Time, begins: Time, packet: Packet) -> Offered;

    /// True if it can send.
    #[inline]
    fn is_up(&self) -> bool {
        true
    }

    /// Packet that is not on the wire before the end of its transmission.
    #[inline]
    fn sending(&self) -> Option<&Sending> {
        None
    }

    /// End of the transmission whose busy time is counted, on a link that is free at `free_at`.
    fn ends_at(&self, free_at: Time) -> Option<Time>;
}

/// A packet in transmission.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// The packet.
    pub packet: Packet,
    /// End of its transmission; [`Time::NEVER`] during an outage, or if it would take forever.
    pub ends_at: Time,
    /// Rest of its transmission during an outage, in nanoseconds at one bit a second; `None`: the whole packet is sent
    /// again.
    pub rest: Option<u128>,
}

/// Result of offering a packet to such a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Its transmission has begun.
    Sent(Fate),
    /// Queued; the transmitter must be woken at the time given, if any.
    Waits(Option<Time>),
    /// Refused by the queue.
    Refused,
}

/// Result of waking a transmitter.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// Packet whose transmission has begun (on a changing link: has ended), and its fate.
    pub sent: Option<(Packet, Fate)>,
    /// Time of the next wake-up.
    pub next: Option<Time>,
}

impl<T> Queried<T> {
    /// Creates the link of `config` with a queue of its own discipline, a transmitter and a wire, in the run of `seed`.
    pub(super) fn of(config: &LinkConfig, queue: QueueConfig, seed: u64, wire: Wire, transmitter: T) -> Self {
        Self {
            room: Room::new(config, queue, seed),
            clock: Clock::new(&config.rate),
            rate: config.rate.mean().as_bits_per_sec() as f64,
            free_at: Time::ZERO,
            asks_at: Time::NEVER,
            wire,
            sent: Sent::default(),
            transmitter,
        }
    }

    /// Provides the labels of all routes to the queue.
    pub fn label(&mut self, labels: &Labels) {
        self.room.label(labels);
    }

    /// Start of the transmission of the next packet, which arrived at `since`: the transmitter is free and the queue's
    /// shaper, if any, is ready.
    #[inline]
    pub(super) fn start(&self, since: Time) -> Time {
        let since = self.room.ready_at().map_or(since, |ready| ready.max(since));
        self.clock.start(self.free_at, since)
    }

    /// Removes the next packet from the queue; returns the earliest begin of its transmission as well. Packets that the
    /// discipline drops go to `dropped`.
    #[inline]
    pub(super) fn query(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Option<(Packet, Time)> {
        let ready = self.room.ready_at();
        let next = self.room.take(now, dropped)?;
        Some((next.packet, ready.map_or(next.since, |ready| ready.max(next.since))))
    }

    /// Counts a packet whose transmission begins at `begins`, or once the transmitter is free; returns its end.
    #[inline]
    pub(super) fn begin(&mut self, begins: Time, packet: Packet) -> Time {
        self.sent.packets += 1;
        self.sent.bytes += u64::from(packet.size);
        self.clock.finish(self.free_at, begins, packet.size)
    }

    /// Occupies the transmitter until `ends_at`.
    #[inline]
    pub(super) fn occupy(&mut self, now: Time, ends_at: Time) {
        self.free_at = ends_at;
        if self.clock.is_constant() {
            self.sent.busy += ends_at.since(now).as_nanos();
        }
    }

    /// Puts a packet whose transmission ends at `end` on the wire.
    #[inline]
    pub(super) fn carry(&mut self, end: Time, packet: Packet) -> Fate {
        let fate = self.wire.carry(end, packet, Time::ZERO);
        self.sent.lost += u64::from(fate == Fate::Lost);
        fate
    }

    /// Packets in flight to the far end.
    #[inline]
    pub fn flight(&mut self) -> &mut Flight {
        &mut self.wire.flight
    }

    /// Delivers the first of the reordered packets; returns the time of the next one as well.
    #[inline]
    pub fn land_late(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        self.wire.land_late(now)
    }

    /// Waits of the packets sent since the last reset.
    pub fn all_waits(&mut self) -> Histogram {
        self.room.all_waits(self.sent.packets)
    }
}

impl<T: Transmit> Queried<T> {
    /// Offers a packet, after `transmit` if that was due. Packets that the discipline drops for it go to `dropped`.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet, dropped: impl FnMut(Packet)) -> Offered {
        let is_free = self.transmitter.is_up() && self.transmitter.sending().is_none();
        let is_idle = is_free && self.asks_at == Time::NEVER;
        let start = self.start(now);
        if is_idle && start <= now {
            let passed = self.room.pass(now, packet);
            return passed.map_or(Offered::Refused, |packet| T::send(self, now, now, packet));
        }
        if !self.room.offer(now, packet, self.queue_delay(now), dropped) {
            return Offered::Refused;
        }
        if is_idle {
            self.asks_at = start;
        }
        Offered::Waits(is_idle.then_some(start))
    }

    /// Number of packets in the queue, in transmission and in flight.
    #[inline]
    pub fn held(&self) -> usize {
        self.room.packets() + usize::from(self.transmitter.sending().is_some()) + self.wire.held()
    }

    /// Part of the counted busy time that lies ahead in the current transmission, in nanoseconds.
    fn busy_ahead(&self, now: Time) -> u64 {
        let ends_at = self.transmitter.ends_at(self.free_at).filter(|_| self.clock.is_constant());
        ends_at.map_or(0, |ends_at| ends_at.since(now).as_nanos())
    }

    /// Counters since the last reset.
    #[inline]
    pub fn counts(&self, now: Time) -> Counts {
        let busy = self.sent.busy - self.busy_ahead(now) + self.clock.busy(now).unwrap_or(0);
        self.room.show(now, Counts { busy, ..self.sent.into() })
    }

    /// Restarts the counters.
    pub fn reset_counts(&mut self, now: Time) {
        self.clock.count_from(now);
        self.room.reset(now);
        self.sent = Sent { busy: self.busy_ahead(now), ..Sent::default() };
    }

    /// Rate and backlog. The queueing delay during an outage is that of a link that is up, since its end is unknown.
    #[inline]
    pub fn see(&self, now: Time) -> Sight {
        let rate = if self.transmitter.is_up() { self.rate } else { 0.0 };
        Sight { backlog: self.room.packets(), queue_delay: self.queue_delay(now), rate }
    }

    /// Waiting time of an arrival: the rest of the current transmission, and the queue at the mean rate.
    #[inline]
    fn queue_delay(&self, now: Time) -> Duration {
        let rest = match self.transmitter.sending() {
            // Busy with a packet that is on the wire already, or, on a recorded link, until the next opportunity.
            None => self.clock.start(self.free_at, now).since(now),
            Some(&Sending { ends_at: Time::NEVER, packet, rest }) => match rest {
                Some(rest) => Duration::from_secs(rest as f64 / 1e9 / self.rate),
                None => Duration::from_secs(f64::from(packet.size) * 8.0 / self.rate),
            },
            Some(Sending { ends_at, .. }) => ends_at.since(now),
        };
        rest + self.room.behind(self.rate)
    }
}
