//! A one-way FIFO link of constant rate, or of a recorded one.
//!
//! When a packet will leave is known when it arrives, so a packet costs one event per hop: its arrival at the far
//! end. The link schedules only the first of the packets in flight; the others wait in its ring.
//!
//! Nothing here schedules anything: `now` is an argument, and the caller asks when the next delivery is due.

mod clock;
mod impair;
mod opportunities;
mod replay;

pub use opportunities::{OPPORTUNITY, Opportunities, TraceError, TraceProblem};

use crate::network::{Buffer, LinkConfig};
use crate::packet::Packet;
use clock::Clock;
use impair::{Delays, Losses};
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// A link and everything on it.
#[derive(Debug)]
pub struct Link {
    // What every packet touches comes first.
    free_at: Time,
    delay: Duration,
    last_delivery: Time,
    clock: Clock,
    counted_from: Time,
    in_flight: VecDeque<Passage>,
    waiting: VecDeque<(Time, u32)>,
    waiting_bytes: u64,
    buffer: Buffer,
    losses: Option<Box<Losses>>,
    delays: Option<Box<Delays>>,
    /// Since the last reset; packets, bytes and busy time as of acceptance.
    accepted: Counts,
}

/// A packet in flight and when it arrives: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Passage {
    delivery: Time,
    packet: Packet,
}

/// What a link counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets whose transmission has begun.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets refused by the full buffer.
    pub dropped: u64,
    /// Packets lost on the wire.
    pub lost: u64,
    /// How long the transmitter was busy, in nanoseconds; where its rate is recorded, the share of the opportunities' bytes that
    /// were used, of the time that passed.
    pub busy: u64,
    /// Waiting time of the packets accepted, in nanoseconds.
    pub waited: u64,
    /// Most packets found waiting, the arriving one included.
    pub max_backlog: u64,
}

/// What became of a packet offered to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is on its way behind others that are already scheduled.
    Queued,
    /// It is on its way and first: schedule its delivery.
    First(Time),
    /// The buffer is full.
    Dropped,
    /// It is transmitted and will not arrive.
    Lost,
}

impl Link {
    /// The link of `config` in the run of `seed`.
    pub fn new(config: &LinkConfig, seed: u64) -> Self {
        Self {
            free_at: Time::ZERO,
            delay: config.delay,
            last_delivery: Time::ZERO,
            clock: Clock::new(&config.rate),
            counted_from: Time::ZERO,
            in_flight: VecDeque::new(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            buffer: config.buffer,
            losses: Losses::new(config, seed).map(Box::new),
            delays: Delays::new(config, seed).map(Box::new),
            accepted: Counts::default(),
        }
    }

    /// Offers a packet to the buffer.
    #[inline]
    pub fn offer(&mut self, now: Time, packet: Packet) -> Fate {
        let start = self.clock.start(self.free_at, now);
        if start <= now {
            self.waiting.clear();
            self.waiting_bytes = 0;
        } else {
            self.settle(now);
            let wait = start.since(now);
            if self.is_full(wait, packet.size) {
                self.accepted.dropped += 1;
                return Fate::Dropped;
            }
            self.waiting.push_back((start, packet.size));
            self.waiting_bytes += u64::from(packet.size);
            self.accepted.max_backlog = self.accepted.max_backlog.max(self.waiting.len() as u64);
            self.accepted.waited += wait.as_nanos();
        }
        self.free_at = self.clock.finish(self.free_at, now, packet.size);
        self.accepted.packets += 1;
        self.accepted.bytes += u64::from(packet.size);
        self.accepted.busy += self.free_at.since(start).as_nanos();
        if let Some(losses) = &mut self.losses
            && losses.strikes()
        {
            self.accepted.lost += 1;
            return Fate::Lost;
        }
        let delay = match &mut self.delays {
            None => self.delay,
            Some(delays) => delays.draw(self.delay),
        };
        // Jitter keeps order: nothing arrives before its predecessor.
        let delivery = (self.free_at + delay).max(self.last_delivery);
        self.last_delivery = delivery;
        self.in_flight.push_back(Passage { delivery, packet });
        if self.in_flight.len() == 1 { Fate::First(delivery) } else { Fate::Queued }
    }

    /// Takes the packet that arrives now, and says when the next one will.
    #[inline]
    pub fn deliver(&mut self) -> Option<(Packet, Option<Time>)> {
        let Passage { packet, .. } = self.in_flight.pop_front()?;
        let next = self.in_flight.front().map(|next| next.delivery);
        if next.is_none() {
            // An empty ring begins anew at its first place, which is in the cache, where the next may not be.
            self.in_flight.clear();
        }
        Some((packet, next))
    }

    /// What happened since the last reset.
    pub fn counts(&mut self, now: Time) -> Counts {
        self.settle(now);
        let bytes = self.accepted.bytes - self.waiting_bytes;
        let busy = match &self.clock {
            Clock::Constant(_) => self.accepted.busy - self.free_at.since(now).as_nanos(),
            Clock::Recorded(replay) => {
                let passed = u128::from(now.since(self.counted_from).as_nanos());
                let busy = (passed * u128::from(bytes)).checked_div(u128::from(replay.offered(now)));
                busy.and_then(|busy| u64::try_from(busy).ok()).unwrap_or(0)
            }
        };
        Counts { packets: self.accepted.packets - self.waiting.len() as u64, bytes, busy, ..self.accepted }
    }

    /// Counts from now on. What waits will be transmitted after now.
    pub fn reset_counts(&mut self, now: Time) {
        self.settle(now);
        self.counted_from = now;
        if let Clock::Recorded(replay) = &mut self.clock {
            replay.count_from(now);
        }
        self.accepted = Counts {
            packets: self.waiting.len() as u64,
            bytes: self.waiting_bytes,
            busy: self.free_at.since(now).as_nanos(),
            ..Counts::default()
        };
    }

    /// Packets waiting for the transmitter.
    pub fn backlog(&mut self, now: Time) -> usize {
        self.settle(now);
        self.waiting.len()
    }

    /// How long a packet arriving now would wait.
    pub fn queue_delay(&self, now: Time) -> Duration {
        self.clock.start(self.free_at, now).since(now)
    }

    /// Forgets the packets whose transmission has begun.
    #[inline]
    fn settle(&mut self, now: Time) {
        while let Some(&(start, size)) = self.waiting.front()
            && start <= now
        {
            self.waiting_bytes -= u64::from(size);
            self.waiting.pop_front();
        }
    }

    #[inline]
    fn is_full(&self, wait: Duration, size: u32) -> bool {
        match self.buffer {
            Buffer::Unlimited => false,
            Buffer::Packets(most) => self.waiting.len() as u64 >= most,
            Buffer::Bytes(most) => self.waiting_bytes + u64::from(size) > most.count(),
            Buffer::Time(most) => wait > most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Opportunities;
    use crate::network::{Jitter, Loss, Rate};
    use crate::packet::Kind;
    use std::sync::Arc;
    use windward_units::{BitRate, Bytes};

    fn packet(number: u32) -> Packet {
        Packet {
            stamp: 0,
            flow: 0,
            hop: 0,
            number,
            size: 1500,
            sack: Default::default(),
            kind: Kind::Data,
            is_last: false,
        }
    }

    /// 12 Mbit/s: a packet of 1500 bytes takes 1 ms.
    fn link(buffer: Buffer) -> Link {
        let config = LinkConfig {
            key: 1,
            rate: BitRate::bits_per_sec(12_000_000).into(),
            delay: Duration::from_millis(10),
            buffer,
            loss: Loss::None,
            jitter: Jitter::None,
        };
        Link::new(&config, 1)
    }

    fn millis(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn packets_leave_one_transmission_apart() {
        let mut link = link(Buffer::Unlimited);
        assert_eq!(link.offer(Time::ZERO, packet(0)), Fate::First(millis(11)));
        assert_eq!(link.offer(Time::ZERO, packet(1)), Fate::Queued);
        assert_eq!(link.backlog(Time::ZERO), 1);
        assert_eq!(link.queue_delay(Time::ZERO), Duration::from_millis(2));
        let (first, next) = link.deliver().expect("two are in flight");
        assert_eq!((first.number, next), (0, Some(millis(12))));
        assert_eq!(link.backlog(millis(1)), 0);
        assert_eq!(
            link.counts(millis(1)),
            Counts { packets: 2, bytes: 3000, busy: 1_000_000, waited: 1_000_000, max_backlog: 1, ..Counts::default() }
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
        // One in transmission and two waiting.
        assert_eq!(accepted(link(Buffer::Bytes(Bytes::new(4499)))), 3);
        assert_eq!(accepted(link(Buffer::Bytes(Bytes::new(4500)))), 4);
        // A wait of exactly 5 ms is allowed: packets 0 to 5.
        assert_eq!(accepted(link(Buffer::Time(Duration::from_millis(5)))), 6);
    }

    /// An opportunity every millisecond: 12 Mbit/s. Even the first of a burst waits, for the next opportunity.
    #[test]
    fn a_recorded_link_queues_and_counts() {
        let trace = Arc::new(Opportunities::from_millis(&[1]).expect("a trace"));
        let config = LinkConfig {
            key: 1,
            rate: Rate::Recorded(trace),
            delay: Duration::from_millis(10),
            buffer: Buffer::Packets(2),
            loss: Loss::None,
            jitter: Jitter::None,
        };
        let mut link = Link::new(&config, 1);
        let at = millis(4) + Duration::from_micros(500);
        let fates = [0, 1, 2].map(|number| link.offer(at, packet(number)));
        assert_eq!(fates, [Fate::First(millis(15)), Fate::Queued, Fate::Dropped]);
        assert_eq!((link.backlog(at), link.queue_delay(at)), (2, Duration::from_micros(2500)));
        assert_eq!(link.backlog(millis(5)), 1);
        // Of ten opportunities two were used; the packets waited 0.5 and 1.5 ms.
        let expected = Counts {
            packets: 2,
            bytes: 3000,
            dropped: 1,
            busy: 2_000_000,
            waited: 2_000_000,
            max_backlog: 2,
            ..Counts::default()
        };
        assert_eq!(link.counts(millis(10)), expected);
        link.reset_counts(millis(10));
        assert_eq!(link.counts(millis(12)), Counts::default());
    }

    #[test]
    fn jitter_keeps_order() {
        let config = LinkConfig {
            key: 1,
            rate: BitRate::bits_per_sec(1_000_000_000).into(),
            delay: Duration::from_millis(10),
            buffer: Buffer::Unlimited,
            loss: Loss::None,
            jitter: Jitter::Uniform(Duration::from_millis(20)),
        };
        let mut link = Link::new(&config, 1);
        for number in 0..100 {
            link.offer(millis(u64::from(number)), packet(number));
        }
        let mut last = Time::ZERO;
        let mut expected = 0;
        while let Some((packet, next)) = link.deliver() {
            assert_eq!(packet.number, expected);
            expected += 1;
            if let Some(next) = next {
                assert!(next >= last);
                last = next;
            }
        }
        assert_eq!(expected, 100);
    }
}
