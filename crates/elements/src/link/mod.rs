//! One-way FIFO links of constant or recorded rate.
//!
//! The departure of a packet is known at its arrival, so it costs one event per hop: its arrival at the far end. The
//! link schedules only the first of the packets in flight; the others wait in its ring.
//!
//! A link schedules nothing itself: `now` is an argument, and the caller asks for the next delivery.

mod changing;
mod clock;
mod config;
mod delays;
mod flight;
mod impair;
mod opportunities;
mod queried;
mod queued;
mod replay;
mod room;
mod tidy;
mod trace;
mod wire;

pub use changing::ChangingLink;
pub use clock::Transmitter;
pub use config::{Delay, Drops, Hold, Jitter, LinkChange, LinkConfig, LinkStep, Loss, Rate, Reorder};
pub use delays::DelayTrace;
pub use flight::Flight;
pub use opportunities::{OPPORTUNITY, Opportunities};
pub use queried::{Offered, Transmission};
pub use queued::QueuedLink;
pub use trace::{TraceError, TraceProblem};
pub use wire::Fate;

use crate::packet::Packet;
use crate::queue::Buffer;
use crate::status::{Counts, Line, Sent, Sight};
use clock::Clock;
use std::collections::VecDeque;
use windward_tables::Histogram;
use windward_units::Time;
use wire::Wire;

/// A drop-tail queue, a transmitter and a wire.
#[derive(Debug)]
pub struct Link {
    // Fields touched by every packet come first.
    free_at: Time,
    clock: Clock,
    wire: Wire,
    waiting: VecDeque<Waiting>,
    waiting_bytes: u64,
    buffer: Buffer,
    line: Line,
    /// Counters since the last reset; busy time at acceptance.
    sent: Sent,
    dropped: u64,
}

/// A queued packet whose departure is known: 20 bytes, of which a crowd of links holds many.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
struct Waiting {
    since: Time,
    start: Time,
    /// Twice the size in bytes, plus one if the packet will be lost on the wire.
    size_and_loss: u32,
}

const _: () = assert!(size_of::<Waiting>() == 20);

impl Waiting {
    #[inline]
    fn new(since: Time, start: Time, size: u32, is_lost: bool) -> Self {
        debug_assert!(size < 1 << 31, "a packet has less than 2 GiB");
        Self { since, start, size_and_loss: size << 1 | u32::from(is_lost) }
    }

    #[inline]
    fn size(self) -> u32 {
        self.size_and_loss >> 1
    }

    #[inline]
    fn is_lost(self) -> bool {
        self.size_and_loss & 1 == 1
    }
}

impl Link {
    /// Creates the link of `config` in the run of `seed`.
    pub fn new(config: &LinkConfig, seed: u64) -> Self {
        Self {
            free_at: Time::ZERO,
            clock: Clock::new(&config.rate),
            wire: Wire::new(config, seed),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            buffer: config.buffer,
            line: Line::default(),
            sent: Sent::default(),
            dropped: 0,
        }
    }

    /// Offers a packet to the buffer.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet) -> Fate {
        self.offer_before(now, packet, Time::ZERO)
    }

    /// Offers a packet to the buffer. A packet that arrives before `until` with none in flight before it has
    /// [`Fate::Passed`].
    // The simulator calls it once per packet and hop: a call would cost it 3 % of its instructions.
    #[inline(always)]
    pub fn offer_before(&mut self, now: Time, packet: Packet, until: Time) -> Fate {
        let start = self.clock.start(self.free_at, now);
        self.settle(now);
        let waits = start > now;
        if waits && self.buffer.is_full(self.waiting.len() as u64, self.waiting_bytes, packet.size, start.since(now)) {
            self.dropped += 1;
            return Fate::Dropped;
        }
        self.free_at = self.clock.finish(self.free_at, now, packet.size);
        self.sent.busy += self.free_at.since(start).as_nanos();
        let fate = self.wire.carry(self.free_at, packet, until);
        let is_lost = fate == Fate::Lost;
        if waits {
            self.waiting.push_back(Waiting::new(now, start, packet.size, is_lost));
            self.waiting_bytes += u64::from(packet.size);
            self.line.join(now);
        } else {
            self.begin(packet.size, is_lost);
        }
        fate
    }

    /// Counts a packet whose transmission begins.
    #[inline]
    fn begin(&mut self, size: u32, is_lost: bool) {
        self.sent.packets += 1;
        self.sent.bytes += u64::from(size);
        self.sent.lost += u64::from(is_lost);
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

    /// Number of packets queued or in flight; queued packets have their arrival times already.
    #[inline]
    pub fn held(&self) -> usize {
        self.wire.held()
    }

    /// Gives back the memory of a burst.
    pub fn tidy(&mut self) {
        self.wire.flight.tidy();
        tidy::tidy(&mut self.waiting);
    }

    /// Counters since the last reset.
    #[inline]
    pub fn counts(&mut self, now: Time) -> Counts {
        self.settle(now);
        let busy = self.clock.busy(now).unwrap_or_else(|| self.sent.busy - self.free_at.since(now).as_nanos());
        self.line.show(now, Counts { busy, dropped: self.dropped, ..self.sent.into() })
    }

    /// Waits of the packets sent since the last reset.
    pub fn all_waits(&mut self, now: Time) -> Histogram {
        self.settle(now);
        self.line.all_waits(self.sent.packets)
    }

    /// Restarts the counters. Queued packets count as transmitted after now.
    pub fn reset_counts(&mut self, now: Time) {
        self.settle(now);
        self.clock.count_from(now);
        self.line.reset(now);
        self.sent = Sent { busy: self.free_at.since(now).as_nanos(), ..Sent::default() };
        self.dropped = 0;
    }

    /// Rate and backlog.
    #[inline]
    pub fn see(&mut self, now: Time) -> Sight {
        self.settle(now);
        let queue_delay = self.clock.start(self.free_at, now).since(now);
        Sight { backlog: self.waiting.len(), queue_delay, rate: self.clock.rate() }
    }

    /// Counts the packets whose transmission has begun.
    // Most links have no queue most of the time.
    #[inline(always)]
    fn settle(&mut self, now: Time) {
        if !self.waiting.is_empty() {
            self.settle_waiting(now);
        }
    }

    #[inline]
    fn settle_waiting(&mut self, now: Time) {
        while let Some(&first) = self.waiting.front()
            && { first.start } <= now
        {
            self.waiting_bytes -= u64::from(first.size());
            self.waiting.pop_front();
            self.line.leave(first.since, first.start);
            self.begin(first.size(), first.is_lost());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;
    use std::sync::Arc;
    use windward_units::{BitRate, Bytes, Duration};

    fn packet(number: u32) -> Packet {
        Packet { number, ..Packet::new(Kind::Data, Time::ZERO, 0, 0, 1500) }
    }

    /// 12 Mbit/s: a 1500-byte packet takes 1 ms.
    fn link(buffer: Buffer) -> Link {
        let config = LinkConfig::new(1, BitRate::bits_per_sec(12_000_000), Duration::from_millis(10));
        Link::new(&LinkConfig { buffer, ..config }, 1)
    }

    fn millis(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn packets_leave_one_transmission_apart() {
        let mut link = link(Buffer::Unlimited);
        assert_eq!(link.offer(Time::ZERO, packet(0)), Fate::First(millis(11)));
        assert_eq!(link.offer(Time::ZERO, packet(1)), Fate::Queued);
        let seen = Sight { backlog: 1, queue_delay: Duration::from_millis(2), rate: 12e6 };
        assert_eq!(link.see(Time::ZERO), seen);
        let (first, next) = link.flight().land().expect("two are in flight");
        assert_eq!((first.number, next), (0, Some(millis(12))));
        assert_eq!(link.see(millis(1)).backlog, 0);
        assert_eq!(
            link.counts(millis(1)),
            Counts {
                packets: 2,
                bytes: 3000,
                busy: 1_000_000,
                waited: 1_000_000,
                backlog_time: 1_000_000,
                max_backlog: 1,
                ..Counts::default()
            }
        );
        link.reset_counts(millis(1));
        assert_eq!(link.counts(millis(2)), Counts { busy: 1_000_000, ..Counts::default() });
    }

    #[test]
    fn a_buffer_of_two_packets_refuses_the_fourth_of_a_burst() {
        let mut link = link(Buffer::Packets(2));
        let fates: Vec<Fate> = (0..4).map(|n| link.offer(Time::ZERO, packet(n))).collect();
        assert_eq!(fates[3], Fate::Dropped);
        assert!(!fates[..3].contains(&Fate::Dropped));
        assert_eq!(link.offer(millis(1), packet(4)), Fate::Queued);
    }

    #[test]
    fn a_buffer_of_bytes_or_time_holds_that_much() {
        let accepted = |mut link: Link| (0..20).filter(|&n| link.offer(Time::ZERO, packet(n)) != Fate::Dropped).count();
        // One packet in transmission and two in the queue.
        assert_eq!(accepted(link(Buffer::Bytes(Bytes::new(4499)))), 3);
        assert_eq!(accepted(link(Buffer::Bytes(Bytes::new(4500)))), 4);
        // A wait of exactly 5 ms is allowed: packets 0 to 5.
        assert_eq!(accepted(link(Buffer::Time(Duration::from_millis(5)))), 6);
    }

    /// An opportunity every millisecond: 12 Mbit/s. Even the first of a burst waits, for the next opportunity.
    #[test]
    fn a_recorded_link_queues_and_counts() {
        let trace = Arc::new(Opportunities::from_millis(&[1]).expect("a trace"));
        let config = LinkConfig::new(1, Rate::Recorded(trace), Duration::from_millis(10));
        let mut link = Link::new(&LinkConfig { buffer: Buffer::Packets(2), ..config }, 1);
        let at = millis(4) + Duration::from_micros(500);
        let fates = [0, 1, 2].map(|number| link.offer(at, packet(number)));
        assert_eq!(fates, [Fate::First(millis(15)), Fate::Queued, Fate::Dropped]);
        let seen = link.see(at);
        assert_eq!((seen.backlog, seen.queue_delay), (2, Duration::from_micros(2500)));
        assert_eq!(link.see(millis(5)).backlog, 1);
        // Of ten opportunities two were used; the packets waited 0.5 and 1.5 ms.
        let expected = Counts {
            packets: 2,
            bytes: 3000,
            dropped: 1,
            busy: 2_000_000,
            waited: 2_000_000,
            backlog_time: 2_000_000,
            max_backlog: 2,
            ..Counts::default()
        };
        assert_eq!(link.counts(millis(10)), expected);
        link.reset_counts(millis(10));
        assert_eq!(link.counts(millis(12)), Counts::default());
    }

    #[test]
    fn jitter_keeps_order() {
        let config = LinkConfig::new(1, BitRate::bits_per_sec(1_000_000_000), Duration::from_millis(10));
        let jitter = Jitter::Uniform(Duration::from_millis(20));
        let mut link = Link::new(&LinkConfig { jitter, ..config }, 1);
        for number in 0..100 {
            link.offer(millis(u64::from(number)), packet(number));
        }
        let mut last = Time::ZERO;
        let mut expected = 0;
        while let Some((packet, next)) = link.flight().land() {
            assert_eq!(packet.number, expected);
            expected += 1;
            if let Some(next) = next {
                assert!(next >= last);
                last = next;
            }
        }
        assert_eq!(expected, 100);
    }

    /// Packets of 1 ms, one every 2 ms, delay 10 ms. The first ends at 1 ms and opens a hold of 5 ms, which the second
    /// and third (3 and 5 ms) join: all arrive at 16 ms. The fourth ends at 7 ms and opens the next: 22 ms.
    #[test]
    fn packets_of_a_hold_arrive_together() {
        let config = LinkConfig::new(1, BitRate::bits_per_sec(12_000_000), Duration::from_millis(10));
        let hold = Some(Hold { length: Duration::from_millis(5), thins: false });
        let mut link = Link::new(&LinkConfig { hold, ..config }, 1);
        for n in 0..5 {
            link.offer(millis(2 * u64::from(n)), packet(n));
        }
        let mut times = Vec::new();
        while let Some(time) = link.flight().first() {
            link.flight().land();
            times.push(time);
        }
        assert_eq!(times, [16, 16, 16, 22, 22].map(millis));
    }

    /// ACKs 1, 2, 2, 3 of one flow and one of another within a hold: the duplicate and the other flow's stay, as does
    /// what precedes them.
    #[test]
    fn an_ack_takes_the_place_of_one_for_less() {
        let config = LinkConfig::new(1, BitRate::bits_per_sec(1_200_000_000), Duration::from_millis(10));
        let hold = Some(Hold { length: Duration::from_millis(5), thins: true });
        let mut link = Link::new(&LinkConfig { hold, ..config }, 1);
        let ack = |flow, number| Packet { kind: Kind::Ack, flow, number, ..packet(0) };
        let sent = [(0, 1), (0, 2), (0, 2), (0, 3), (1, 9), (0, 4)];
        let fates: Vec<Fate> = sent.iter().map(|&(flow, number)| link.offer(Time::ZERO, ack(flow, number))).collect();
        assert_eq!(fates.iter().filter(|fate| **fate == Fate::Lost).count(), 2);
        let mut left = Vec::new();
        while let Some((packet, _)) = link.flight().land() {
            left.push((packet.flow, packet.number));
        }
        assert_eq!(left, [(0, 2), (0, 3), (1, 9), (0, 4)]);
    }

    /// Packets 2 and 4 to 6 of eight, counted from 1.
    #[test]
    fn listed_packets_are_lost() {
        let config = LinkConfig::new(1, BitRate::bits_per_sec(12_000_000), Duration::from_millis(10));
        let mut link = Link::new(&LinkConfig { lose: [2..=2, 4..=6].into(), ..config }, 1);
        let fates: Vec<Fate> = (0..8).map(|n| link.offer(millis(u64::from(n)), packet(n))).collect();
        let lost: Vec<usize> = (1..).zip(&fates).filter(|(_, fate)| **fate == Fate::Lost).map(|(at, _)| at).collect();
        assert_eq!(lost, [2, 4, 5, 6]);
    }

    /// Half of the packets are delayed by 25 ms: both halves keep their own order, and arrive 10 or 35 ms after
    /// transmission.
    #[test]
    fn some_packets_are_overtaken() {
        let config = LinkConfig::new(1, BitRate::bits_per_sec(12_000_000), Duration::from_millis(10));
        let reorder = Some(Reorder { share: 0.5, delay: Duration::from_millis(25) });
        let mut link = Link::new(&LinkConfig { reorder, ..config }, 1);
        let fates: Vec<Fate> = (0..100).map(|n| link.offer(millis(u64::from(n)), packet(n))).collect();
        assert_eq!(link.held(), 100);
        let first_late = fates.iter().position(|fate| matches!(fate, Fate::Late(Some(_)))).expect("some are late");
        assert!(link.land_late(millis(first_late as u64 + 35)).is_none(), "it is not due");
        assert_eq!(fates[first_late], Fate::Late(Some(millis(first_late as u64 + 36))));
        let late =
            std::iter::from_fn(|| link.land_late(Time::NEVER)).map(|(packet, _)| packet.number).collect::<Vec<_>>();
        let others = std::iter::from_fn(|| link.flight().land()).map(|(packet, _)| packet.number).collect::<Vec<_>>();
        // 50 are expected of 100 fair draws, with a standard deviation of 5.
        assert!((30..70).contains(&late.len()), "{}", late.len());
        assert!(late.is_sorted() && others.is_sorted() && late.len() + others.len() == 100);
        assert_eq!(late[0], first_late as u32);
    }
}
