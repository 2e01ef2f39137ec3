//! The receiving end: in-order delivery, delayed ACKs, SACK blocks.

mod ack_due;
mod beside;
mod delayed_ack;
mod misbehaving;
mod offload;
mod rtt;
mod sack_compression;

pub use ack_due::AckDue;
pub use beside::Beside;
pub use delayed_ack::Outlook;
pub use misbehaving::{Misbehaving, Piece};
pub use rtt::ReceiverRtt;

use super::headers::Headers;
use super::ranges::Ranges;
use super::right_sizing::WindowGrowth;
use super::timer::Timer;
use crate::network::{EcnMode, TcpOptions};
use delayed_ack::DelayedAck;
use offload::Offload;
use sack_compression::Compression;
use windward_elements::ecn::Ecn;
use windward_elements::packet::{Packet, Range, SACK_BLOCKS};
use windward_units::{Duration, Time};

/// Segments after which an ACK is due at the latest (RFC 5681 §4.2).
const ACK_EVERY: u32 = 2;

/// Delay of ACKs.
#[derive(Clone, Debug)]
enum Delay {
    /// Every segment is acknowledged at once.
    None,
    /// Constant.
    Fixed(Duration),
    /// That of Linux on two-way connections.
    Adaptive(Box<DelayedAck>),
}

/// The receiving end of a flow.
#[derive(Clone, Debug)]
pub struct Receiver {
    next: u32,
    unacked: u32,
    /// TS.Recent (RFC 7323 §4.3).
    echo: u64,
    /// Last.ACK.sent: first missing segment in the last ACK.
    acknowledged: u32,
    delay: Delay,
    has_sack: bool,
    /// True if duplicates are reported (RFC 2883).
    reports: bool,
    /// Duplicate to report in the next ACK.
    duplicate: Option<Range>,
    /// Quick ACKs at the beginning and after an old segment; and the number left.
    quick_acks: u32,
    quick: u32,
    /// True if ACKs are quick while the receive window grows.
    has_quick_growth: bool,
    /// Growth of a receive window that is not modelled otherwise.
    growth: Option<Box<WindowGrowth>>,
    beyond: Ranges,
    /// The ranges beyond the first gap that changed most recently, newest first (RFC 2018 §4).
    recent: [Range; SACK_BLOCKS],
    compression: Compression,
    offload: Offload,
    ecn: EcnMode,
    /// True while a mark is repeated, until the sender confirms it (RFC 3168 §6.1.3).
    repeats: bool,
    /// Marked packets so far (RFC 9768 §3.2.2).
    marked: u32,
    /// Marked packets of earlier connections, which ACKs do not count.
    unreported: u32,
    /// Deadline of the delayed ACK.
    pub timer: Timer,
}

impl Receiver {
    /// A receiver before its first segment.
    pub fn new(tcp: &TcpOptions) -> Self {
        let is_modelled = tcp.quick_growth && tcp.moving_window().is_none();
        let growth = is_modelled.then(|| Box::new(WindowGrowth::new(tcp, Headers::new(tcp).data())));
        Self { growth, ..Self::without_growth(tcp) }
    }

    fn without_growth(tcp: &TcpOptions) -> Self {
        Self {
            next: 0,
            unacked: 0,
            echo: 0,
            acknowledged: 0,
            delay: tcp.delayed_ack.map_or(Delay::None, Delay::Fixed),
            has_sack: tcp.sack,
            reports: tcp.is_by_time(),
            duplicate: None,
            quick_acks: tcp.quick_acks,
            quick: tcp.quick_acks,
            has_quick_growth: tcp.quick_growth,
            growth: None,
            beyond: Ranges::default(),
            recent: Default::default(),
            compression: Compression::new(tcp.sack && tcp.compress_sacks),
            offload: Offload::new(tcp.receive_offload),
            ecn: tcp.ecn,
            repeats: false,
            marked: 0,
            unreported: 0,
            timer: Timer::off(),
        }
    }

    /// A receiver of a two-way connection, whose packets' size is that of their payload.
    pub fn two_way(tcp: &TcpOptions) -> Self {
        let is_modelled = tcp.quick_growth && tcp.moving_window().is_none();
        let growth = is_modelled.then(|| Box::new(WindowGrowth::new(tcp, 0)));
        let mut receiver = Self { growth, ..Self::without_growth(tcp) };
        if tcp.adapts_delayed_ack && tcp.delayed_ack.is_some() {
            receiver.delay = Delay::Adaptive(Box::new(DelayedAck::of(tcp)));
        }
        receiver
    }

    /// Records that a data segment arrives at a two-way end with these estimates of its own sender.
    pub fn note_arrival(&mut self, now: Time, srtt: Duration, rto: Duration) {
        if let Delay::Adaptive(delay) = &mut self.delay
            && delay.arrive(now, srtt, rto)
        {
            self.quick = self.quick_acks;
        }
    }

    /// Records that a two-way end sends data.
    pub fn note_send(&mut self, now: Time) {
        if let Delay::Adaptive(delay) = &mut self.delay {
            delay.send(now);
        }
    }

    /// Records that the delayed ACK of a two-way end is due, whose own sender has the timeout `rto`.
    pub fn note_expiry(&mut self, now: Time, rto: Duration) {
        if let Delay::Adaptive(delay) = &mut self.delay
            && !self.offload.ends(now)
        {
            delay.expire(rto);
        }
    }

    /// Records the state of a receive buffer that the application of a two-way end does not empty at once.
    pub fn expect(&mut self, outlook: Outlook) {
        if let Delay::Adaptive(delay) = &mut self.delay {
            delay.expect(outlook);
        }
    }

    /// Records that the application of a two-way end reads, and empties the buffer or not. Returns true if it
    /// acknowledges.
    pub fn note_read(&self, is_drained: bool) -> bool {
        matches!(&self.delay, Delay::Adaptive(delay) if delay.read(is_drained))
    }

    /// Records the round-trip time that this end would measure as the receiver of data.
    #[inline]
    pub fn note_rtt(&mut self, rtt: impl FnOnce() -> Option<Duration>) {
        if let Some(growth) = &mut self.growth {
            growth.rtt = rtt();
        }
    }

    /// Records that the receive window grows: the next ACK is quick (Linux: `tcp_grow_window`).
    #[inline]
    pub fn note_growth(&mut self) {
        if self.has_quick_growth {
            self.quick |= 1;
        }
    }

    /// Records that less than half of the receive buffer is free: ACKs are quick no more (Linux:
    /// `__tcp_select_window`).
    pub fn note_shortage(&mut self) {
        if self.has_quick_growth {
            self.quick = 0;
        }
    }

    /// Number of segments beyond the first gap.
    pub fn beyond(&self) -> u32 {
        self.beyond.count()
    }

    /// Starts a new connection whose segment numbers continue those of this one.
    pub fn renew(&mut self, tcp: &TcpOptions) {
        let Self { next, marked, .. } = *self;
        let mut timer = std::mem::replace(&mut self.timer, Timer::off());
        timer.cancel();
        *self = Self { next, acknowledged: next, marked, unreported: marked, timer, ..Self::new(tcp) };
    }

    /// Starts over as a receiver of a two-way connection, in the storage of this one. The options are those with which
    /// it was made.
    pub fn recycle(&mut self, tcp: &TcpOptions) {
        let mut delay = std::mem::replace(&mut self.delay, Delay::None);
        if let Delay::Adaptive(own) = &mut delay {
            **own = DelayedAck::of(tcp);
        }
        let beyond = self.beyond.take_storage();
        let mut growth = self.growth.take();
        if let Some(growth) = &mut growth {
            growth.recycle(tcp);
        }
        *self = Self { delay, beyond, growth, ..Self::without_growth(tcp) };
    }

    /// First missing segment, which is the number of segments delivered in order.
    #[inline]
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Number of segments that have arrived, each counted once: in order, and beyond the first gap.
    pub fn arrived(&self) -> u32 {
        self.next + self.beyond.count()
    }

    /// Counts a segment that arrives at an optimistic receiver, for which numbers do not matter.
    pub fn count(&mut self) {
        self.next += 1;
    }

    /// Number of segments that have arrived with a mark.
    pub fn marked(&self) -> u32 {
        self.marked
    }

    /// One past the last segment that has arrived.
    pub fn end(&self) -> u32 {
        self.next.max(self.beyond.end())
    }

    /// Records the answer to a SYN.
    pub fn answer_syn(&mut self, now: Time) {
        self.compression.answer_syn(now);
    }

    /// Records the end of the handshake.
    pub fn open(&mut self, now: Time) {
        self.compression.open(now);
    }

    /// Handles the arrival of a data segment.
    #[inline]
    pub fn receive(&mut self, now: Time, packet: &Packet) -> AckDue {
        if self.ecn != EcnMode::Off {
            self.note_ecn(packet.ecn);
        }
        let number = packet.number;
        // RFC 7323 §4.3: takes the timestamp of the first segment that the next ACK covers, or of a retransmission of
        // an older one.
        if number <= self.acknowledged && packet.stamp >= self.echo {
            self.echo = packet.stamp;
        }
        if let Some(growth) = &mut self.growth
            && number >= self.next
            && growth.arrive(now, packet.size, || self.beyond.count())
        {
            self.quick |= 1;
        }
        if number != self.next {
            return self.receive_out_of_order(now, number);
        }
        self.next += 1;
        self.unacked += 1;
        if !self.beyond.is_empty() {
            return self.fill_gap();
        }
        if self.offload.is_on() {
            self.offload.arrive(now);
        }
        let by = match &mut self.delay {
            // The last segment carries FIN: no further one would make it two.
            Delay::Fixed(delay) if self.unacked < ACK_EVERY && self.quick == 0 && !packet.is_last => Some(now + *delay),
            Delay::Adaptive(delay) if !packet.is_last => delay.decide(now, packet.size, self.quick > 0),
            _ => None,
        };
        // A pushed segment, such as the last one, ends what is joined.
        let by = by.or_else(|| self.offload.ack_at(self.unacked).filter(|_| !packet.is_last));
        by.map_or(AckDue::Now, AckDue::By)
    }

    #[cold]
    fn note_ecn(&mut self, ecn: Ecn) {
        let is_marked = ecn.is_marked();
        self.marked += u32::from(is_marked);
        // A marked packet that confirms the last mark (CWR) is itself a new mark.
        self.repeats = is_marked || (self.repeats && !ecn.flag());
    }

    /// Returns the ECN fields of an ACK.
    #[inline]
    pub fn echo(&self) -> Ecn {
        if self.ecn == EcnMode::Off { Ecn::default() } else { self.echoed() }
    }

    #[cold]
    fn echoed(&self) -> Ecn {
        match self.ecn {
            EcnMode::Off => Ecn::default(),
            EcnMode::Classic => Ecn::echo(self.repeats, 0),
            EcnMode::Accurate | EcnMode::Scalable => Ecn::echo(false, self.marked - self.unreported),
        }
    }

    /// RFC 5681 §4.2: a segment that fills or lies below a gap is acknowledged at once.
    fn fill_gap(&mut self) -> AckDue {
        if let Some((_, end)) = self.beyond.take_from(self.next) {
            self.next = end;
        }
        let next = self.next;
        self.forget_blocks(|block| block.0 < next);
        AckDue::Now
    }

    #[cold]
    fn receive_out_of_order(&mut self, now: Time, number: u32) -> AckDue {
        let mut is_new = false;
        let mut before = 0;
        if number > self.next {
            let whole = self.beyond.insert((number, number + 1), |_| is_new = true);
            let is_part = |block: Range| block.0 >= whole.0 && block.1 <= whole.1;
            before = self.recent.iter().position(|block| block.0 >= block.1 || is_part(*block)).unwrap_or(SACK_BLOCKS);
            self.forget_blocks(is_part);
            self.recent.rotate_right(1);
            self.recent[0] = whole;
        }
        if !is_new {
            self.note_duplicate(number);
        }
        // An old segment: the sender has missed ACKs.
        if number < self.next || self.quick > 0 { AckDue::Now } else { self.compression.decide(now, self.next, before) }
    }

    fn note_duplicate(&mut self, number: u32) {
        if number < self.next {
            self.quick = self.quick_acks;
            if let Delay::Adaptive(delay) = &mut self.delay {
                delay.leave();
            }
        }
        if self.reports {
            self.duplicate = Some((number, number + 1));
        }
    }

    /// Removes the blocks for which `is_stale` holds, and closes the gaps.
    fn forget_blocks(&mut self, is_stale: impl Fn(Range) -> bool) {
        let mut kept = 0;
        for at in 0..SACK_BLOCKS {
            let block = self.recent[at];
            if block.0 < block.1 && !is_stale(block) {
                self.recent[kept] = block;
                kept += 1;
            }
        }
        self.recent[kept..].fill((0, 0));
    }

    /// Sends an ACK: returns its SACK blocks and the timestamp that it echoes.
    #[inline]
    pub fn acknowledge(&mut self) -> ([Range; SACK_BLOCKS], u64) {
        self.unacked = 0;
        self.acknowledged = self.next;
        let was_quick = self.quick > 0;
        self.quick = self.quick.saturating_sub(1);
        self.compression.release();
        self.timer.cancel();
        if let Delay::Adaptive(delay) = &mut self.delay {
            delay.acknowledge(was_quick && self.quick == 0);
        }
        let mut sack = if self.has_sack { self.recent } else { Default::default() };
        if let Some(duplicate) = self.duplicate.take() {
            // RFC 2883 §4: it goes into the first block, ahead of the block that contains it, if any.
            sack.rotate_right(1);
            sack[0] = duplicate;
        }
        (sack, self.echo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::LossDetection;
    use windward_elements::ecn::Codepoint;
    use windward_elements::packet::Kind;

    fn data(number: u32) -> Packet {
        let stamp = u64::from(number) + 100;
        Packet { stamp, number, ..Packet::new(Kind::Data, Time::ZERO, 0, 0, 1500) }
    }

    fn receiver() -> Receiver {
        Receiver::new(&TcpOptions::default())
    }

    #[test]
    fn every_second_segment_is_acknowledged_at_once() {
        let mut receiver = receiver();
        let now = Time::from_nanos(5);
        assert_eq!(receiver.receive(now, &data(0)), AckDue::By(now + Duration::from_millis(40)));
        assert_eq!(receiver.receive(now, &data(1)), AckDue::Now);
        // The ACK echoes the timestamp of the first segment.
        assert_eq!(receiver.acknowledge(), (Default::default(), 100));
        assert_eq!(receiver.next(), 2);
    }

    /// RFC 7323 §4.3: TS.Recent follows segments at or below Last.ACK.sent, unless they are older. Segments beyond a
    /// gap or beyond the last ACK leave it unchanged.
    #[test]
    fn a_repetition_brings_its_stamp() {
        let mut receiver = receiver();
        let mut echo = |number, stamp, acknowledges| {
            receiver.receive(Time::ZERO, &Packet { stamp, ..data(number) });
            if acknowledges { receiver.acknowledge().1 } else { receiver.echo }
        };
        assert_eq!([echo(0, 100, true), echo(0, 500, true), echo(0, 90, true)], [100, 500, 500]);
        assert_eq!([echo(2, 600, true), echo(1, 700, true)], [500, 700]);
        // With two segments per ACK, the first one's timestamp counts.
        assert_eq!([echo(3, 800, false), echo(4, 900, true)], [800, 800]);
    }

    /// RFC 2018 §4: the first block contains the newest segment, the others follow by recency. A filled gap disappears.
    #[test]
    fn blocks_tell_the_newest_first() {
        let mut receiver = receiver();
        for number in [1, 3, 5, 7] {
            assert_eq!(receiver.receive(Time::ZERO, &data(number)), AckDue::Now);
        }
        assert_eq!(receiver.acknowledge().0, [(7, 8), (5, 6), (3, 4)]);
        assert_eq!((receiver.arrived(), receiver.end()), (4, 8));
        receiver.receive(Time::ZERO, &data(4));
        assert_eq!(receiver.acknowledge().0, [(3, 6), (7, 8), (0, 0)]);
        receiver.receive(Time::ZERO, &data(0));
        assert_eq!(receiver.next(), 2);
        receiver.receive(Time::ZERO, &data(2));
        assert_eq!((receiver.next(), receiver.acknowledge().0), (6, [(7, 8), (0, 0), (0, 0)]));
        receiver.receive(Time::ZERO, &data(6));
        assert_eq!((receiver.next(), receiver.acknowledge().0), (8, Default::default()));
        assert_eq!((receiver.arrived(), receiver.end()), (8, 8));
    }

    fn reporting() -> Receiver {
        Receiver::new(&TcpOptions { loss_detection: LossDetection::Rack, quick_acks: 2, ..TcpOptions::default() })
    }

    /// RFC 2883 §4.1 and §4.2: the first block reports the duplicate, once. If a later block contains it, that is the
    /// second.
    #[test]
    fn duplicates_are_reported_once() {
        let mut receiver = reporting();
        for number in [0, 1, 4, 5, 8] {
            receiver.receive(Time::ZERO, &data(number));
        }
        receiver.acknowledge();
        assert_eq!(receiver.receive(Time::ZERO, &data(1)), AckDue::Now);
        assert_eq!(receiver.acknowledge().0, [(1, 2), (8, 9), (4, 6)]);
        assert_eq!(receiver.acknowledge().0, [(8, 9), (4, 6), (0, 0)]);
        receiver.receive(Time::ZERO, &data(5));
        assert_eq!(receiver.acknowledge().0, [(5, 6), (4, 6), (8, 9)]);
        // A receiver for a sender without loss detection by time reports none.
        let mut plain = self::receiver();
        for _ in 0..2 {
            plain.receive(Time::ZERO, &data(0));
        }
        assert_eq!(plain.acknowledge().0, [(0, 0); 3]);
    }

    #[test]
    fn the_first_segments_are_acknowledged_at_once_and_those_after_a_duplicate() {
        let mut receiver = reporting();
        let mut answer = |number| {
            let answer = receiver.receive(Time::ZERO, &data(number));
            if answer == AckDue::Now {
                receiver.acknowledge();
            }
            answer == AckDue::Now
        };
        assert_eq!([0, 1, 2, 3, 4].map(&mut answer), [true, true, false, true, false]);
        // The duplicate's own ACK counts.
        assert_eq!([5, 5, 6, 7, 8].map(&mut answer), [true, true, true, false, true]);
    }

    /// Linux: `tcp_event_data_recv` sets the count at the first data. The ACKs of a handshake and of requests are not
    /// part of it.
    #[test]
    fn quick_acks_count_from_the_first_segment() {
        let linux = TcpOptions { quick_acks: 2, adapts_delayed_ack: true, ..TcpOptions::default() };
        let mut receiver = Receiver::two_way(&linux);
        for _ in 0..3 {
            receiver.acknowledge();
            receiver.note_send(Time::ZERO);
        }
        let mut answer = |number| {
            receiver.note_arrival(Time::ZERO, Duration::from_millis(100), Duration::from_millis(300));
            let answer = receiver.receive(Time::ZERO, &Packet { size: 1448, ..data(number) });
            if answer == AckDue::Now {
                receiver.acknowledge();
            }
            answer == AckDue::Now
        };
        assert_eq!([0, 1, 2, 3].map(&mut answer), [true, true, false, true]);
    }

    /// Three duplicate ACKs leave at once. The others of the gap are merged into one ACK, 1.1 ms after the first of
    /// them or with the first segment in order.
    #[test]
    fn sacks_beyond_three_are_held_back() {
        let mut receiver = Receiver::new(&TcpOptions { compress_sacks: true, ..TcpOptions::default() });
        receiver.answer_syn(Time::ZERO);
        receiver.open(Time::ZERO + Duration::from_millis(100));
        let at = |us: u64| Time::ZERO + Duration::from_micros(200_000 + us);
        let until = AckDue::By(at(300 + 1_100));
        for (number, answer) in [(1, AckDue::Now), (2, AckDue::Now), (3, AckDue::Now), (4, until), (5, until)] {
            assert_eq!(receiver.receive(at(100 * u64::from(number - 1)), &data(number)), answer, "{number}");
            if answer == AckDue::Now {
                receiver.acknowledge();
            }
        }
        assert_eq!(receiver.acknowledge().0, [(1, 6), (0, 0), (0, 0)]);
        // The gap is the same: no more ACKs leave at once.
        assert_eq!(receiver.receive(at(2_000), &data(6)), AckDue::By(at(2_000 + 1_100)));
        assert_eq!(receiver.receive(at(2_001), &data(0)), AckDue::Now);
        receiver.acknowledge();
        // A new gap.
        assert_eq!(receiver.receive(at(2_002), &data(8)), AckDue::Now);
    }

    /// RFC 3168 §6.1.3: every ACK carries ECE from a mark to the sender's CWR, unless that packet is marked itself.
    #[test]
    fn a_mark_is_repeated_until_it_is_answered() {
        let mut receiver = Receiver::new(&TcpOptions { ecn: EcnMode::Classic, ..TcpOptions::default() });
        let [plain, mut marked] = [Codepoint::Capable, Codepoint::Marked].map(Ecn::new);
        let mut echo = |number, ecn| {
            receiver.receive(Time::ZERO, &Packet { ecn, ..data(number) });
            receiver.echo().flag()
        };
        assert_eq!([echo(0, plain), echo(1, marked), echo(2, plain)], [false, true, true]);
        marked = marked.flagged();
        assert_eq!([echo(3, marked), echo(4, plain), echo(5, plain.flagged())], [true, true, false]);
    }

    #[test]
    fn marks_are_counted_whatever_order_they_come_in() {
        let mut receiver = Receiver::new(&TcpOptions { ecn: EcnMode::Accurate, ..TcpOptions::default() });
        for number in [1, 0, 0, 2, 3, 4, 5, 6, 7] {
            receiver.receive(Time::ZERO, &Packet { ecn: Ecn::new(Codepoint::Marked), ..data(number) });
        }
        assert_eq!((receiver.echo().flag(), receiver.echo().count()), (false, 9 % 8));
    }

    #[test]
    fn an_old_segment_is_acknowledged_again() {
        let mut receiver = receiver();
        receiver.receive(Time::ZERO, &data(0));
        assert_eq!(receiver.receive(Time::ZERO, &data(0)), AckDue::Now);
        assert_eq!((receiver.next(), receiver.arrived()), (1, 1));
    }
}
