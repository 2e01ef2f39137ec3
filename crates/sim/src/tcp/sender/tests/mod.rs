//! Scripted losses: RFC behaviour of the sender.
//!
//! A sender and a receiver exchange packets over a path with a round-trip time of 100 ms and no transmission time,
//! which drops exactly the transmissions that the test lists.

mod rack_tlp;

use super::loss::{RackTlp, Recovery, Tlp};
use super::{Sender, Turn};
use crate::network::{EcnMode, LossDetection, NewReno, RtoRule, TcpOptions};
use crate::tcp::receiver::{AckDue, Receiver};
use std::collections::{BTreeMap, BTreeSet};
use windward_elements::ecn::Ecn;
use windward_elements::packet::{Kind, Packet};
use windward_laws::LawSpec;
use windward_units::{Duration, Packets, Time};

const HALF_RTT: Duration = Duration::from_millis(50);

/// Record of a run: each transmission with its time in milliseconds.
struct Path {
    sender: Sender,
    receiver: Receiver,
    now: Time,
    /// Data and ACKs in flight, by arrival time and order of transmission.
    flying: BTreeMap<(Time, u64), Packet>,
    count: u64,
    transmissions: Vec<(u64, u32)>,
    seen: BTreeMap<u32, u32>,
    drops: BTreeSet<(u32, u32)>,
    /// Lost ACKs, by the order in which the receiver sends them.
    lost_acks: BTreeSet<u32>,
    acks: u32,
    extra_delay: BTreeMap<(u32, u32), Duration>,
    /// Window at the start of the first recovery.
    halved: Option<f64>,
    /// Extra delay of each packet over the previous one, in nanoseconds: orders the transmissions that answer several
    /// packets.
    spacing: u64,
}

/// The recovery of a sender that detects losses by time.
fn rack_tlp(sender: &mut Sender) -> &mut RackTlp {
    match &mut sender.recovery {
        Recovery::RackTlp(recovery) => recovery,
        Recovery::DupAck(_) => panic!("the sender detects losses by time"),
    }
}

impl Path {
    /// Advances to the timer's deadline and lets it expire.
    fn expire(&mut self) {
        self.now = self.sender.tcb.timer.deadline();
        self.sender.tcb.timer.cancel();
        self.sender.on_timer(self.now);
        self.send();
    }

    /// A flow of `end` segments with initial window `window`; `drops` lists (segment, earlier transmissions of it).
    fn new(window: u32, end: u32, tcp: &TcpOptions, drops: &[(u32, u32)]) -> Self {
        let law = LawSpec::from_json("reno", serde_json::json!({})).expect("Reno is known");
        let mut sender = Sender::new(law.build(Packets::new(f64::from(window))), tcp, end, 1);
        sender.establish(Time::ZERO, 1, Some(HALF_RTT * 2));
        Self {
            sender,
            receiver: Receiver::new(tcp),
            now: Time::ZERO,
            flying: BTreeMap::new(),
            count: 0,
            transmissions: Vec::new(),
            seen: BTreeMap::new(),
            drops: drops.iter().copied().collect(),
            lost_acks: BTreeSet::new(),
            acks: 0,
            extra_delay: BTreeMap::new(),
            halved: None,
            spacing: u64::from(tcp.is_by_time()),
        }
    }

    fn fly(&mut self, packet: Packet, delay: Duration) {
        self.count += 1;
        self.flying.insert((self.now + delay + Duration::from_nanos(self.spacing * self.count), self.count), packet);
    }

    fn send(&mut self) {
        while let turn @ (Turn::New(number) | Turn::Again(number)) = self.sender.turn(self.now) {
            self.sender.on_send(self.now, turn);
            self.transmissions.push((self.now.as_nanos() / 1_000_000, number));
            let times = self.seen.entry(number).or_default();
            let this = (number, *times);
            *times += 1;
            if !self.drops.contains(&this) {
                let extra = self.extra_delay.get(&this).copied().unwrap_or_default();
                self.fly(packet(Kind::Data, number, self.now.as_nanos()), HALF_RTT + extra);
            }
        }
    }

    /// Runs until no packet is in flight and no timer is set, or for a minute.
    fn run(&mut self) {
        self.send();
        while self.now < Time::ZERO + Duration::from_millis(60_000) {
            let arrival = self.flying.first_key_value().map_or(Time::NEVER, |((time, _), _)| *time);
            let timeout = self.sender.tcb.timer.deadline();
            if arrival == Time::NEVER && timeout == Time::NEVER {
                break;
            }
            if timeout < arrival {
                self.now = timeout;
                // The path checks the deadline itself and needs no events.
                self.sender.tcb.timer.cancel();
                self.sender.on_timer(self.now);
                self.send();
                continue;
            }
            let ((time, _), packet) = self.flying.pop_first().expect("there is one");
            self.now = time;
            self.arrive(&packet);
        }
    }

    fn arrive(&mut self, packet: &Packet) {
        if packet.kind == Kind::Data {
            let answer = self.receiver.receive(self.now, packet);
            assert_eq!(answer, AckDue::Now, "these tests do not delay ACKs");
            let (sack, stamp) = self.receiver.acknowledge();
            let number = self.receiver.next();
            self.acks += 1;
            if self.lost_acks.contains(&(self.acks - 1)) {
                return;
            }
            self.fly(Packet { sack, stamp, ..self::packet(Kind::Ack, number, 0) }, HALF_RTT);
        } else {
            self.sender.on_ack(self.now, packet);
            if self.sender.tcb.counts.recoveries == 1 {
                self.halved.get_or_insert(self.sender.law().cwnd().count());
            }
            if self.sender.is_done() {
                self.sender.tcb.timer.cancel();
            }
            self.send();
        }
    }

    /// Times of the retransmissions of `segment`, in milliseconds.
    fn repeats(&self, segment: u32) -> Vec<u64> {
        self.transmissions.iter().filter(|(_, n)| *n == segment).map(|(ms, _)| *ms).skip(1).collect()
    }

    fn counts(&self) -> (u64, u64, u64) {
        let counts = self.sender.tcb.counts;
        (counts.retransmits, counts.recoveries, counts.timeouts)
    }
}

fn packet(kind: Kind, number: u32, stamp: u64) -> Packet {
    Packet { stamp, number, ..Packet::new(kind, Time::ZERO, 0, 0, 1500) }
}

fn tcp(sack: bool) -> TcpOptions {
    TcpOptions { sack, delayed_ack: None, min_rto: Duration::from_millis(1000), ..TcpOptions::default() }
}

/// One loss in a window of 20: RFC 5681 §3.2 repairs it after three duplicates, one round trip after its transmission,
/// and the window is halved once.
#[test]
fn one_loss_costs_one_retransmission_and_half_the_window() {
    for sack in [true, false] {
        let mut path = Path::new(20, 400, &tcp(sack), &[(45, 0)]);
        path.run();
        assert_eq!((path.counts(), path.receiver.next()), ((1, 1, 0), 400), "SACK {sack}");
        let first = path.transmissions.iter().find(|(_, n)| *n == 45).expect("it was sent").0;
        assert_eq!(path.repeats(45), [first + 100], "SACK {sack}");
    }
}

/// Karn's rule: segments 3 and 4 arrived long before the retransmission of 2, whose ACK covers them. RFC 6298 uses the
/// round trip of 100 ms alone.
#[test]
fn what_waited_for_a_repetition_is_no_sample() {
    for timestamps in [false, true] {
        let mut path = Path::new(5, 5, &TcpOptions { timestamps, ..tcp(false) }, &[(2, 0)]);
        path.run();
        assert_eq!((path.counts(), path.receiver.next()), ((1, 0, 1), 5), "timestamps {timestamps}");
        assert_eq!(path.repeats(2), [1100], "timestamps {timestamps}");
        assert_eq!(path.sender.rtt().srtt(), HALF_RTT * 2, "timestamps {timestamps}");
    }
}

/// RFC 5681 §3.1: every timeout leaves a window of one segment, even while the timer is backed off because of another
/// segment (Karn's rule: until an ACK of a segment that was sent once). Segments 0 and 1 are lost, and the
/// retransmission of 1 too.
#[test]
fn a_timeout_of_another_segment_closes_the_window_again() {
    let tcp = TcpOptions { timestamps: false, ..tcp(false) };
    let mut path = Path::new(2, 20, &tcp, &[(0, 0), (1, 0), (1, 1)]);
    path.run();
    assert_eq!((path.sender.tcb.counts.timeouts, path.receiver.next()), (2, 20));
    assert_eq!((path.repeats(0), path.repeats(1)), (vec![1000], vec![1100, 3100]));
    let last: Vec<u32> = path.transmissions.iter().filter(|(ms, _)| *ms == 3100).map(|(_, n)| *n).collect();
    assert_eq!(last, [1]);
}

/// An ACK that skips segments delivered before a timeout opens the window as a delayed ACK does, also above ssthresh.
/// Segments 0 to 2 are lost, and each once more. The second timeout leaves an ssthresh of 2, and the ACK of 2 covers
/// hundreds. Duplicates of the old flight after a timeout release no retransmissions either (RFC 5681 §3.1: the window
/// is one segment).
#[test]
fn what_waited_for_a_repetition_does_not_open_the_window() {
    let tcp = TcpOptions { timestamps: false, ..tcp(false) };
    let mut path = Path::new(40, 2000, &tcp, &[(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    path.run();
    assert_eq!(path.receiver.next(), 2000);
    let sent_at =
        |instant| path.transmissions.iter().filter(|(ms, _)| *ms == instant).map(|(_, n)| *n).collect::<Vec<_>>();
    assert_eq!(sent_at(1200), [1, 2]);
    let again = *path.repeats(2).last().expect("it was repeated");
    // The window of three, and one segment of limited transmit for the duplicate that the retransmission of 3 causes.
    assert_eq!(sent_at(again + 100).len(), 4);
}

/// RFC 5681 §3.2 step 2: half of the flight at the loss, without the segments of limited transmit since.
#[test]
fn a_window_of_twenty_is_halved_to_ten() {
    for sack in [true, false] {
        let mut path = Path::new(20, 200, &tcp(sack), &[(0, 0)]);
        path.run();
        assert_eq!(path.halved, Some(10.0), "SACK {sack}");
    }
}

/// Three losses in one window: NewReno repairs one per round trip (RFC 6582 §3.2), SACK all within the first (RFC
/// 6675).
#[test]
fn three_losses_take_three_round_trips_without_sack_and_one_with() {
    let drops = [(1, 0), (5, 0), (9, 0)];
    let mut path = Path::new(20, 200, &tcp(false), &drops);
    path.run();
    assert_eq!(path.counts(), (3, 1, 0));
    assert_eq!([1, 5, 9].map(|n| path.repeats(n)), [vec![100], vec![200], vec![300]]);
    let mut path = Path::new(20, 200, &tcp(true), &drops);
    path.run();
    assert_eq!(path.counts(), (3, 1, 0));
    assert_eq!([1, 5, 9].map(|n| path.repeats(n)), [vec![100], vec![100], vec![100]]);
}

/// A lost retransmission is detected by the timer only (RFC 6675 does not find it). Slow start from one segment
/// follows.
#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    let mut path = Path::new(20, 200, &tcp(true), &[(3, 0), (3, 1)]);
    path.run();
    assert_eq!((path.counts().1, path.counts().2, path.receiver.next()), (1, 1, 200));
    let repeats = path.repeats(3);
    // The timer restarts with the retransmission at 100 ms and waits for at least its minimum of 1 s.
    assert_eq!((repeats[0], repeats[1]), (100, 1100));
}

/// RFC 6298 §5.5: each expiry doubles the timeout: 1, 2 and 4 s.
#[test]
fn timeouts_back_off() {
    let mut path = Path::new(2, 2, &tcp(true), &[(0, 0), (1, 0), (0, 1), (0, 2)]);
    path.run();
    assert_eq!(path.repeats(0), [1000, 3000, 7000]);
    assert_eq!((path.counts().2, path.receiver.next()), (3, 2));
}

/// RFC 3042: each of the first two duplicates releases a new segment, and at most flight + 2 are outstanding.
#[test]
fn two_duplicates_let_two_new_segments_out() {
    for sack in [true, false] {
        // A window of 4 sees three duplicates only thanks to these two: without limited transmit it would time out.
        let mut path = Path::new(4, 40, &tcp(sack), &[(0, 0)]);
        path.run();
        assert_eq!(path.counts(), (1, 1, 0), "SACK {sack}");
        let early: Vec<u32> = path.transmissions.iter().filter(|(ms, _)| *ms == 100).map(|(_, n)| *n).collect();
        assert_eq!(early[..2], [4, 5], "SACK {sack}: {early:?}");
        assert_eq!(early[2], 0, "SACK {sack}: {early:?}");
    }
}

/// The last segment is lost: no duplicates, so only the timer detects it.
#[test]
fn a_lost_tail_waits_for_the_timer() {
    let mut path = Path::new(10, 10, &tcp(true), &[(9, 0)]);
    path.run();
    assert_eq!((path.counts(), path.repeats(9)), ((1, 0, 1), vec![1100]));
}

/// Holes at the very end of a transfer, with two SACKed segments above, are repaired without a timeout: RFC 6675 §4
/// NextSeg rule 3 and the rescue of rule 4 send only what a timeout would have to send.
#[test]
fn holes_near_the_end_are_repaired_in_recovery() {
    let mut path = Path::new(10, 10, &tcp(true), &[(3, 0), (7, 0)]);
    path.run();
    assert_eq!((path.counts().1, path.counts().2, path.receiver.next()), (1, 0, 10));
}

/// RFC 3522: a segment is late by more than the timeout. Its ACK echoes the first timestamp, and the window is
/// restored.
#[test]
fn a_late_segment_is_no_loss() {
    let mut path = Path::new(10, 60, &TcpOptions { timestamps: true, ..tcp(true) }, &[]);
    for number in 0..10 {
        path.extra_delay.insert((number, 0), Duration::from_millis(1500));
    }
    // The path preserves order: the retransmission arrives after the ten.
    path.extra_delay.insert((0, 1), Duration::from_millis(600));
    path.run();
    assert_eq!((path.counts().2, path.receiver.next()), (1, 60));
    // Only the first segment was sent twice: after the spurious timeout is detected no other is.
    assert_eq!(path.counts().0, 1);
    // The window of ten is restored, and has grown by the segments acknowledged since.
    assert_eq!((path.sender.tcb.counts.undone, path.sender.law().cwnd()), (1, Packets::new(70.0)));
}

/// RFC 3522 §3.2: a second expiry does not overwrite RetransmitTS. All ten are late by 3.5 s; the timer expires at 1
/// and 3 s.
#[test]
fn a_segment_that_is_late_by_two_timeouts_is_no_loss() {
    for sack in [true, false] {
        let mut path = Path::new(10, 60, &TcpOptions { timestamps: true, ..tcp(sack) }, &[]);
        for number in 0..10 {
            path.extra_delay.insert((number, 0), Duration::from_millis(3500));
        }
        // The path preserves order: the retransmissions arrive after the ten.
        path.extra_delay.insert((0, 1), Duration::from_millis(2600));
        path.extra_delay.insert((0, 2), Duration::from_millis(600));
        path.run();
        assert_eq!((path.repeats(0), path.receiver.next()), (vec![1000, 3000], 60), "SACK {sack}");
        assert_eq!((path.counts(), path.sender.tcb.counts.undone), ((2, 0, 2), 1), "SACK {sack}");
        assert!(path.sender.law().cwnd().count() >= 10.0, "SACK {sack}");
    }
}

/// RFC 7323 §4.3 and Karn's rule: an ACK is lost, and that of the retransmission a second later gives 100 ms for the
/// path rather than 1100 ms. Tested with one segment in flight, and with two, the second of which was sent once and
/// arrived long ago. Without timestamps there is no sample.
#[test]
fn what_is_acknowledged_again_after_a_lost_ack_tells_the_time_of_its_repetition() {
    for (sack, timestamps) in [(true, true), (true, false), (false, true), (false, false)] {
        for (window, lost) in [(1, vec![0]), (2, vec![0, 1])] {
            let mut path = Path::new(window, window, &TcpOptions { timestamps, ..tcp(sack) }, &[]);
            path.lost_acks.extend(lost);
            path.run();
            let case = format!("SACK {sack}, timestamps {timestamps}, {window}");
            assert_eq!((path.repeats(0), path.receiver.next()), (vec![1000], window), "{case}");
            assert_eq!(path.sender.rtt().srtt(), HALF_RTT * 2, "{case}");
        }
    }
}

/// A new connection over the same path equals a fresh one, except that it continues the numbering and knows the
/// round-trip time. The old one has sent its last segment as a probe with unknown outcome, has received marks, and has
/// backed off its timer.
#[test]
fn a_renewed_sender_remembers_the_round_trip_alone() {
    let tcp = TcpOptions {
        loss_detection: LossDetection::Rack,
        rto: RtoRule::Linux,
        min_rto: Duration::from_millis(200),
        ecn: EcnMode::Classic,
        ..tcp(true)
    };
    let mut path = Path::new(10, 10, &tcp, &[(8, 0), (9, 0)]);
    path.run();
    assert!(path.sender.tcb.counts.probes > 0 && path.sender.tcb.counts.recoveries > 0);
    rack_tlp(&mut path.sender).tlp = Tlp { end: Some(10), is_repeating: true };
    path.sender.tcb.marks.note_mark(20);
    let srtt = path.sender.rtt().srtt();
    let law = LawSpec::from_json("reno", serde_json::json!({})).expect("Reno is known");
    path.sender.tcb.end = 1000;
    path.sender.renew(law.build(Packets::new(10.0)), &tcp);
    path.receiver.renew(&tcp);
    assert_eq!(
        (path.sender.una(), path.sender.next(), path.receiver.next(), path.sender.rtt().srtt()),
        (10, 10, 10, srtt)
    );
    assert!(!path.sender.tcb.timer.is_set());
    let begun = path.now;
    path.sender.establish(begun, 1, Some(HALF_RTT * 2));
    path.send();
    let first = path.transmissions.iter().filter(|(ms, _)| *ms == begun.as_nanos() / 1_000_000).count();
    // The first ACK is beyond the old probe.
    path.sender.on_ack(begun + HALF_RTT * 2, &packet(Kind::Ack, 11, begun.as_nanos()));
    assert_eq!((first, path.sender.tcb.ssthresh()), (10, Some(f64::INFINITY)));
    assert_eq!((path.sender.law().cwnd(), path.sender.info().delivered), (Packets::new(11.0), 1));
}

/// A timeout during recovery is followed by the ACK of a retransmission that was only late. Segments were lost all the
/// same: the recovery of the timeout continues, and no second one starts at the window that it left.
#[test]
fn a_late_retransmission_does_not_undo_losses() {
    let drops = [(0, 0), (2, 0), (4, 0), (2, 1), (4, 1)];
    let mut path = Path::new(10, 60, &TcpOptions { timestamps: true, ..tcp(true) }, &drops);
    path.extra_delay.insert((0, 1), Duration::from_millis(1500));
    // The path preserves order: segments sent by the timeout arrive after it.
    path.extra_delay.insert((0, 2), Duration::from_millis(600));
    path.run();
    let (_, recoveries, timeouts) = path.counts();
    assert_eq!((recoveries, timeouts, path.receiver.next()), (1, 1, 60));
}

/// RFC 6582 §4, the impatient variant: 20 holes without SACK would take 20 round trips, 2 s. The timer of a second
/// restarts at the first partial ACK only, and then slow start repairs the rest.
#[test]
fn many_losses_without_sack_end_in_a_timeout() {
    let drops: Vec<(u32, u32)> = (0..40).step_by(2).map(|number| (number, 0)).collect();
    let mut path = Path::new(40, 80, &tcp(false), &drops);
    path.run();
    assert_eq!((path.counts().2, path.receiver.next()), (1, 80));
    // The first hole at 100 ms, then one per round trip, until the timer of the first partial ACK, at 200 ms, expires.
    assert_eq!((path.repeats(2), path.repeats(20)), (vec![200], vec![1100]));
}

/// RFC 6582 §3.2 step 2: duplicates of segments that a timeout repeated do not start a recovery. Of a window of 16 the
/// segments 0, 2, 5 and 9 are lost, and so are the ACKs of the other twelve. After the timeout the window is 1, 3, 5
/// and 7 (ACKs count for two segments at most): 0, then 2 to 4, 5 to 9 and 10 to 15 are repeated. The last six had
/// arrived, so they cause six duplicates of the ACK of everything sent before the timeout.
#[test]
fn duplicates_of_repeated_segments_start_no_recovery() {
    for newreno in [NewReno::Rfc6582, NewReno::Linux] {
        let tcp = TcpOptions { newreno, ..tcp(false) };
        let mut path = Path::new(16, 400, &tcp, &[(0, 0), (2, 0), (5, 0), (9, 0)]);
        path.lost_acks = (0..12).collect();
        path.run();
        let (repeated, recoveries, timeouts) = path.counts();
        assert_eq!((repeated, recoveries, timeouts, path.receiver.next()), (15, 0, 1, 400), "{newreno:?}");
        assert_eq!((path.repeats(9), path.repeats(15)), (vec![1200], vec![1300]), "{newreno:?}");
        // ssthresh stays half of 16.
        assert_eq!(path.sender.tcb.ssthresh(), Some(8.0), "{newreno:?}");
    }
}

/// Linux, the slow-but-steady variant of RFC 6582 §4: every partial ACK restarts the timer, and the 20 holes take 20
/// round trips. The law halves the window then, not the flight that duplicates have increased.
#[test]
fn many_losses_are_repaired_one_a_round_trip_where_each_partial_ack_restarts_the_timer() {
    let drops: Vec<(u32, u32)> = (0..40).step_by(2).map(|number| (number, 0)).collect();
    let steady = TcpOptions { newreno: NewReno::Linux, ..tcp(false) };
    let mut path = Path::new(40, 80, &steady, &drops);
    path.run();
    assert_eq!((path.counts().2, path.receiver.next()), (0, 80));
    // Of the 20 duplicates every second releases a new segment (PRR), beside the first retransmission; with RFC 6582
    // they release none.
    assert_eq!(path.transmissions.iter().filter(|(ms, _)| *ms == 100).count(), 11);
    assert_eq!((path.repeats(2), path.repeats(20), path.repeats(38)), (vec![200], vec![1100], vec![2000]));
}

/// 20 segments of a window of 40 are in flight when one is lost: RFC 5681 halves the flight, Linux without SACK the
/// window.
#[test]
fn without_sack_linux_halves_the_window_and_not_the_flight() {
    let window_after = |newreno| {
        let mut path = Path::new(40, 20, &TcpOptions { newreno, ..tcp(false) }, &[(0, 0)]);
        path.run();
        assert_eq!((path.counts().1, path.receiver.next()), (1, 20));
        path.halved
    };
    assert_eq!((window_after(NewReno::Rfc6582), window_after(NewReno::Linux)), (Some(10.0), Some(20.0)));
}

/// RFC 3168 §6.1.2: an ACK with ECN-Echo does not open the window. Linux's CUBIC computes from its own window in slow
/// start: ⌊12·717/1024⌋ = 8, where 13 would leave 9.
#[test]
fn an_echo_reduces_the_window_that_was_in_force() {
    let law = LawSpec::from_json("cubic", serde_json::json!({ "version": "linux" })).expect("CUBIC is known");
    for sack in [true, false] {
        let mut path = Path::new(12, 400, &TcpOptions { ecn: EcnMode::Classic, ..tcp(sack) }, &[]);
        path.sender.tcb.law = law.build(Packets::new(12.0));
        path.send();
        let echo = Packet { ecn: Ecn::echo(true, 0), ..packet(Kind::Ack, 1, 0) };
        path.sender.on_ack(Time::ZERO + Duration::from_millis(100), &echo);
        assert_eq!(path.sender.law().cwnd(), Packets::new(8.0), "{sack}");
    }
}

/// The window in force is the law's, in whole segments.
#[test]
fn the_first_flight_is_the_initial_window() {
    let mut path = Path::new(10, 400, &tcp(true), &[]);
    path.run();
    assert_eq!(path.transmissions.iter().filter(|(ms, _)| *ms == 0).count(), 10);
    // Slow start: twice as many, one round trip later.
    assert_eq!(path.transmissions.iter().filter(|(ms, _)| *ms == 100).count(), 20);
    assert_eq!((path.counts(), path.sender.law().cwnd().count() > 100.0), ((0, 0, 0), true));
}
