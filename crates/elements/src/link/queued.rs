//! A link whose queue decides on a packet only when it is sent (AQM).
//!
//! A discipline that drops or reorders at the head leaves the departure of an arrival unknown. The transmitter
//! therefore queries the queue whenever it is free, which costs one more event per packet than [`super::Link`].

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
pub struct QueuedLink {
    room: Room,
    clock: Clock,
    rate: f64,
    /// End of the current transmission.
    free_at: Time,
    /// Time at which the transmitter queries the queue next; [`Time::NEVER`] while the queue is empty.
    asks_at: Time,
    wire: Wire,
    sent: Sent,
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

impl QueuedLink {
    /// Creates the link of `config` with a queue of its own discipline, in the run of `seed`.
    pub fn new(config: &LinkConfig, queue: QueueConfig, seed: u64) -> Self {
        Self {
            room: Room::new(config, queue, seed),
            clock: Clock::new(&config.rate),
            rate: config.rate.mean().as_bits_per_sec() as f64,
            free_at: Time::ZERO,
            asks_at: Time::NEVER,
            wire: Wire::new(config, seed),
            sent: Sent::default(),
        }
    }

    /// Provides the labels of all routes to the queue.
    pub fn label(&mut self, labels: &Labels) {
        self.room.label(labels);
    }

    /// Start of the transmission of the next packet, which arrived at `since`: the transmitter is free and the queue's
    /// shaper, if any, is ready.
    #[inline]
    fn start(&self, since: Time) -> Time {
        let since = self.room.ready_at().map_or(since, |ready| ready.max(since));
        self.clock.start(self.free_at, since)
    }

    /// Offers a packet, after [`Self::transmit`] if that was due. Packets that the discipline drops for it go to
    /// `dropped`.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet, dropped: impl FnMut(Packet)) -> Offered {
        let is_idle = self.asks_at == Time::NEVER;
        let start = self.start(now);
        if is_idle && start <= now {
            let passed = self.room.pass(now, packet);
            return passed.map_or(Offered::Refused, |packet| Offered::Sent(self.send(now, now, packet)));
        }
        if !self.room.offer(now, packet, self.queue_delay(now), dropped) {
            return Offered::Refused;
        }
        if is_idle {
            self.asks_at = start;
        }
        Offered::Waits(is_idle.then_some(start))
    }

    /// Takes the next packet at the end of a transmission; does nothing if none is due. Packets that the discipline
    /// drops go to `dropped`.
    #[inline]
    pub fn transmit(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Transmission {
        if self.asks_at != now {
            return Transmission { sent: None, next: None };
        }
        let ready = self.room.ready_at();
        let next = self.room.take(now, dropped);
        let begin = |since: Time| ready.map_or(since, |ready| ready.max(since));
        let sent = next.map(|next| (next.packet, self.send(now, begin(next.since), next.packet)));
        let next = self.room.since().map(|since| self.start(since));
        self.asks_at = next.unwrap_or(Time::NEVER);
        Transmission { sent, next }
    }

    /// Sends a packet that arrived at `since`.
    #[inline]
    fn send(&mut self, now: Time, since: Time, packet: Packet) -> Fate {
        self.free_at = self.clock.finish(self.free_at, since, packet.size);
        self.sent.packets += 1;
        self.sent.bytes += u64::from(packet.size);
        self.sent.busy += self.free_at.since(now).as_nanos();
        let fate = self.wire.carry(self.free_at, packet);
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

    /// Number of packets queued or in flight.
    #[inline]
    pub fn held(&self) -> usize {
        self.room.packets() + self.wire.held()
    }

    /// Counters since the last reset.
    #[inline]
    pub fn counts(&self, now: Time) -> Counts {
        let busy = self.clock.busy(now).unwrap_or_else(|| self.sent.busy - self.free_at.since(now).as_nanos());
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
        self.sent = Sent { busy: self.free_at.since(now).as_nanos(), ..Sent::default() };
    }

    /// Rate and backlog.
    #[inline]
    pub fn see(&self, now: Time) -> Sight {
        Sight { backlog: self.room.packets(), queue_delay: self.queue_delay(now), rate: self.rate }
    }

    /// Waiting time of an arrival: the rest of the current transmission, and the queue at the mean rate.
    #[inline]
    fn queue_delay(&self, now: Time) -> Duration {
        let rest = self.clock.start(self.free_at, now).since(now);
        rest + self.room.behind(self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Jitter, Link, Loss, Opportunities, Rate};
    use super::*;
    use crate::packet::Kind;
    use crate::queue::Buffer;
    use proptest::prelude::*;
    use std::sync::Arc;
    use windward_units::{BitRate, Bytes};

    /// Arrival time of each packet at the far end, by number, and the counters at the end.
    type Seen = (Vec<(u32, Time)>, Counts);

    fn packet(number: usize, now: Time, size: u32) -> Packet {
        Packet { number: number as u32, ..Packet::new(Kind::Data, now, 0, 0, size) }
    }

    fn straight(config: &LinkConfig, arrivals: &[(Time, u32)]) -> Seen {
        let (mut link, mut seen) = (Link::new(config, 5), Vec::new());
        let mut due = None;
        let mut land = |link: &mut Link, due: &mut Option<Time>, until: Time| {
            while let Some(time) = due.filter(|time| *time <= until) {
                let Some((packet, next)) = link.flight().land() else { return };
                seen.push((packet.number, time));
                *due = next;
            }
        };
        for (number, &(now, size)) in arrivals.iter().enumerate() {
            land(&mut link, &mut due, now);
            if let Fate::First(time) = link.offer(now, packet(number, now, size)) {
                due = Some(time);
            }
        }
        land(&mut link, &mut due, Time::NEVER);
        (seen, link.counts(END))
    }

    const END: Time = Time::from_nanos(1_000_000_000_000);

    fn queued(config: &LinkConfig, arrivals: &[(Time, u32)]) -> Seen {
        let (mut link, mut seen) = (QueuedLink::new(config, QueueConfig::DropTail, 5), Vec::new());
        let (mut due, mut wake) = (None, None);
        let mut run = |link: &mut QueuedLink, due: &mut Option<Time>, wake: &mut Option<Time>, until: Time| {
            loop {
                let (first, second) = (due.unwrap_or(Time::NEVER), wake.unwrap_or(Time::NEVER));
                if first.min(second) > until || first.min(second) == Time::NEVER {
                    return;
                }
                if first <= second {
                    let Some((packet, next)) = link.flight().land() else { return };
                    seen.push((packet.number, first));
                    *due = next;
                } else {
                    let transmission = link.transmit(second, |_| ());
                    *wake = transmission.next;
                    if let Some((_, Fate::First(time))) = transmission.sent {
                        *due = Some(time);
                    }
                }
            }
        };
        for (number, &(now, size)) in arrivals.iter().enumerate() {
            run(&mut link, &mut due, &mut wake, now);
            match link.offer(now, packet(number, now, size), |_| ()) {
                Offered::Sent(Fate::First(time)) => due = Some(time),
                Offered::Waits(Some(time)) => wake = Some(time),
                _ => {}
            }
        }
        run(&mut link, &mut due, &mut wake, Time::NEVER);
        (seen, link.counts(END))
    }

    proptest! {
        /// With drop-tail both types of link are equal: the same packets arrive at the same nanoseconds.
        #[test]
        fn a_queue_of_its_own_changes_nothing_where_the_tail_drops(
            gaps in prop::collection::vec((0_u64..4_000_000, 40_u32..1501), 1..200),
            rate in prop_oneof![
                (1_000_000_u64..50_000_000).prop_map(|rate| Rate::from(BitRate::bits_per_sec(rate))),
                prop::collection::vec(1_u64..9, 1..6).prop_map(|gaps| {
                    let instants: Vec<u64> = gaps.iter().scan(0, |sum, gap| { *sum += gap; Some(*sum) }).collect();
                    Rate::Recorded(Arc::new(Opportunities::from_millis(&instants).expect("a trace")))
                }),
            ],
            buffer in prop_oneof![
                Just(Buffer::Unlimited),
                (0_u64..9).prop_map(Buffer::Packets),
                (0_u64..9000).prop_map(|bytes| Buffer::Bytes(Bytes::new(bytes))),
            ],
            loss in prop_oneof![Just(Loss::None), Just(Loss::Bernoulli(0.2))],
            jitter in prop_oneof![Just(Jitter::None), Just(Jitter::Exponential(Duration::from_millis(2)))],
        ) {
            let config = LinkConfig { buffer, loss, jitter, ..LinkConfig::new(1, rate, Duration::from_millis(5)) };
            let mut now = Time::ZERO;
            let arrivals: Vec<_> = gaps.iter().map(|&(gap, size)| { now += Duration::from_nanos(gap); (now, size) }).collect();
            let (first, first_counts) = straight(&config, &arrivals);
            let (second, second_counts) = queued(&config, &arrivals);
            prop_assert_eq!(first, second);
            prop_assert_eq!(first_counts, second_counts);
        }
    }
}
