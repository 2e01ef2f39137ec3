//! A link whose queue decides on a packet only when it is sent (AQM).
//!
//! A packet's loss and delay are decided at the begin of its transmission, by parameters that never change.

use super::config::LinkConfig;
use super::queried::{Offered, Queried, Transmission, Transmit};
use super::wire::{Fate, Wire};
use crate::packet::Packet;
use crate::queue::QueueConfig;
use windward_units::Time;

/// A queue, a transmitter and a wire.
pub type QueuedLink = Queried<Constant>;

/// A transmitter that never changes.
#[derive(Debug)]
pub struct Constant;

impl Transmit for Constant {
    #[inline]
    fn send(link: &mut QueuedLink, now: Time, begins: Time, packet: Packet) -> Offered {
        Offered::Sent(link.send(now, begins, packet))
    }

    #[inline]
    fn ends_at(&self, free_at: Time) -> Option<Time> {
        Some(free_at)
    }
}

impl QueuedLink {
    /// Creates the link of `config` with a queue of its own discipline, in the run of `seed`.
    pub fn new(config: &LinkConfig, queue: QueueConfig, seed: u64) -> Self {
        Self::of(config, queue, seed, Wire::new(config, seed), Constant)
    }

    /// Takes the next packet at the end of a transmission; does nothing if none is due. Packets that the discipline
    /// drops go to `dropped`.
    #[inline]
    pub fn transmit(&mut self, now: Time, dropped: impl FnMut(Packet)) -> Transmission {
        if self.asks_at != now {
            return Transmission { sent: None, next: None };
        }
        let next = self.query(now, dropped);
        let sent = next.map(|(packet, begins)| (packet, self.send(now, begins, packet)));
        let next = self.room.since().map(|since| self.start(since));
        self.asks_at = next.unwrap_or(Time::NEVER);
        Transmission { sent, next }
    }

    /// Sends a packet from `begins` on.
    #[inline]
    fn send(&mut self, now: Time, begins: Time, packet: Packet) -> Fate {
        let ends_at = self.begin(begins, packet);
        self.occupy(now, ends_at);
        self.carry(ends_at, packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Jitter, Link, Loss, Opportunities, Rate};
    use super::*;
    use crate::packet::Kind;
    use crate::queue::Buffer;
    use crate::status::Counts;
    use proptest::prelude::*;
    use std::sync::Arc;
    use windward_units::{BitRate, Bytes, Duration};

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
