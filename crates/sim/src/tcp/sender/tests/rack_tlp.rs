//! Loss detection by time: RFC 8985, RFC 5682, RFC 2883, and undo as in Linux.

use super::*;
use proptest::prelude::*;

/// Linux's TCP. The RTO is 300 ms: 100 ms plus the floor of 200 ms.
fn linux(timestamps: bool) -> TcpOptions {
    TcpOptions {
        timestamps,
        loss_detection: LossDetection::Rack,
        rto: RtoRule::Linux,
        min_rto: Duration::from_millis(200),
        ..tcp(true)
    }
}

fn late(path: &mut Path, number: u32, times: u32, by_ms: u64) {
    path.extra_delay.insert((number, times), Duration::from_millis(by_ms));
}

/// RFC 8985 §6.2: three SACKed segments and no reordering so far: the reordering window is zero, and a loss is repaired
/// as by RFC 6675.
#[test]
fn three_duplicates_end_the_wait() {
    let mut path = Path::new(20, 400, &linux(true), &[(45, 0)]);
    path.run();
    assert_eq!((path.counts(), path.receiver.next()), ((1, 1, 0), 400));
    let first = path.transmissions.iter().find(|(_, n)| *n == 45).expect("it was sent").0;
    assert_eq!(path.repeats(45), [first + 100]);
}

/// §6.2 step 5: with one segment SACKed above it, the ninth of ten waits for a quarter of the round trip, 25 ms, and
/// Linux's 2 ms.
#[test]
fn few_duplicates_wait_for_the_reordering_window() {
    let mut path = Path::new(10, 10, &linux(true), &[(8, 0)]);
    path.run();
    assert_eq!((path.counts(), path.repeats(8)), ((1, 1, 0), vec![127]));
}

/// §3.1's second advantage: a retransmission is lost when a segment sent after it is delivered, a round trip later.
#[test]
fn a_lost_repetition_is_found_in_a_round_trip() {
    let mut path = Path::new(20, 200, &linux(true), &[(3, 0), (3, 1), (3, 2)]);
    path.run();
    assert_eq!((path.repeats(3), path.receiver.next()), (vec![100, 200, 300], 200));
    assert_eq!(path.counts(), (3, 1, 0));
}

/// §7.2: two segments at the tail are lost. The probe (the last one) leaves 2·100 + 2 ms after the last ACK at 100 ms.
/// Its SACK at 402 ms shows that the other is lost (§7.4.1), without a timeout.
#[test]
fn a_probe_finds_a_lost_tail() {
    let mut path = Path::new(10, 10, &linux(true), &[(8, 0), (9, 0)]);
    path.run();
    assert_eq!([path.repeats(9), path.repeats(8)], [[302], [402]]);
    assert_eq!((path.counts(), path.sender.tcb.counts.probes, path.receiver.next()), ((2, 1, 0), 1, 10));
}

/// §7.2: for a single segment the timer includes the receiver's delay, 2·100 + 200 ms, but does not exceed the timeout
/// of 300 ms.
#[test]
fn the_last_segment_is_probed_no_later_than_the_timeout() {
    let mut path = Path::new(10, 10, &linux(true), &[(9, 0)]);
    path.run();
    assert_eq!((path.counts(), path.repeats(9), path.sender.tcb.counts.probes), ((1, 0, 0), vec![400], 1));
}

/// §7.3: a whole window is lost. The probe is a new segment, regardless of the window. Its SACK shows all four lost at
/// once.
#[test]
fn a_probe_is_new_data_where_there_is_some() {
    let drops = [0, 1, 2, 3].map(|number| (number, 0));
    let mut path = Path::new(4, 40, &linux(true), &drops);
    path.run();
    let probe = path.transmissions.iter().find(|(_, n)| *n == 4).expect("it was sent").0;
    assert_eq!((probe, path.repeats(0), path.counts().2), (202, vec![302], 0));
    assert_eq!(path.receiver.next(), 40);
}

/// §7.3: one probe, then the timeout 300 ms after it.
#[test]
fn a_lost_probe_is_followed_by_the_timeout() {
    let mut path = Path::new(10, 10, &linux(true), &[(8, 0), (9, 0), (9, 1)]);
    path.run();
    assert_eq!([path.repeats(9)[0], path.repeats(8)[0]], [302, 602]);
    assert_eq!((path.counts().2, path.sender.tcb.counts.probes, path.receiver.next()), (1, 1, 10));
}

/// §7.3: no second probe while the outcome of the last one is open. Three of ten are acknowledged after the probe of
/// 202 ms, which postpones the timer. When it expires, nothing is sent, and the timeout follows.
#[test]
fn a_probe_does_not_follow_a_probe() {
    let mut path = Path::new(10, 10, &linux(true), &[]);
    path.send();
    path.expire();
    path.now = Time::ZERO + Duration::from_millis(250);
    path.sender.on_ack(path.now, &packet(Kind::Ack, 3, 0));
    path.send();
    path.expire();
    assert_eq!((path.repeats(9), path.sender.tcb.counts.probes, path.counts().2), (vec![202], 1, 0));
}

/// §7.4.2: a probe repaired a loss, as the ACK of a later segment shows, and halves the window. A reported duplicate
/// (RFC 2883) shows that there was no loss.
#[test]
fn a_probe_that_repaired_a_loss_halves_the_window() {
    for (duplicate, is_loss) in [((0, 0), true), ((9, 10), false)] {
        let mut path = Path::new(20, 10, &linux(true), &[(9, 0), (9, 1)]);
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        path.send();
        let ack = |number, sack| Packet { sack, stamp: at(99).as_nanos(), ..packet(Kind::Ack, number, 0) };
        path.now = at(100);
        path.sender.on_ack(path.now, &ack(9, Default::default()));
        path.now = at(400);
        path.sender.tcb.timer.cancel();
        path.sender.on_timer(path.now);
        path.send();
        assert_eq!(path.repeats(9), [400]);
        // The application writes more.
        path.sender.tcb.end = 12;
        let before = path.sender.law().cwnd().count();
        path.send();
        path.sender.on_ack(at(500), &ack(10, [duplicate, (0, 0), (0, 0)]));
        path.sender.on_ack(at(501), &ack(12, Default::default()));
        let after = path.sender.law().cwnd().count();
        assert_eq!(after < before, is_loss, "{before} {after}");
        assert!(!is_loss || after < 0.6 * before, "{before} {after}");
    }
}

/// A segment overtaken by 40 ms is considered lost and retransmitted. The ACK at 140 ms echoes the original's timestamp
/// (RFC 3522), and Linux undoes the reduction. From then on the window is 25 ms, so that 20 ms are no loss.
#[test]
fn reordering_is_taken_back_and_then_borne() {
    let mut path = Path::new(20, 600, &linux(true), &[]);
    late(&mut path, 5, 0, 40);
    late(&mut path, 200, 0, 20);
    path.run();
    assert_eq!((path.repeats(5), path.repeats(200)), (vec![100], vec![]));
    assert_eq!((path.counts(), path.sender.tcb.counts.undone, path.receiver.next()), ((1, 1, 0), 1, 600));
    assert!(path.sender.law().cwnd().count() > 100.0, "slow start went on");
}

/// RFC 8985 §6.2 step 4: the D-SACK of the first retransmission, at 200 ms, widens the window to two quarters of the
/// round trip. From then on 40 ms are tolerated, which exceed 25 ms.
#[test]
fn a_reported_duplicate_widens_the_window() {
    let mut path = Path::new(20, 600, &linux(true), &[]);
    late(&mut path, 5, 0, 40);
    late(&mut path, 200, 0, 40);
    path.run();
    assert_eq!((path.repeats(5), path.repeats(200), path.counts()), (vec![100], vec![], (1, 1, 0)));
}

/// RFC 3708 §3: duplicates of segments that were never retransmitted come from the network. 8 is overtaken by 9; a
/// duplicate of 3 reported after that widens the window of 25 ms only if a segment was retransmitted.
#[test]
fn what_the_network_repeats_is_no_mistake() {
    for (retransmits, window_ms) in [(0, 25), (1, 50)] {
        let mut path = Path::new(10, 40, &linux(true), &[]);
        path.send();
        path.sender.tcb.counts.retransmits = retransmits;
        let none = Default::default();
        for (ms, number, block) in [(100, 8, (9, 10)), (110, 10, none), (120, 10, (3, 4)), (210, 12, none)] {
            path.now = Time::ZERO + Duration::from_millis(ms);
            path.sender.on_ack(path.now, &Packet { sack: [block, none, none], ..packet(Kind::Ack, number, 0) });
            path.send();
        }
        let rack = &rack_tlp(&mut path.sender).rack;
        assert_eq!((rack.reorderings(), rack.reordering_window(false, 0, HALF_RTT * 2)), (1, window_ms * 1_000_000));
    }
}

/// RFC 2883 §4: the first block reports a duplicate if it lies below the cumulative ACK or within the second block;
/// else it is a plain SACK.
#[test]
fn duplicates_are_below_the_ack_or_within_the_second_block() {
    for (first, count) in [((1, 3), 2), ((7, 8), 1), ((12, 14), 0)] {
        let mut path = Path::new(20, 40, &linux(true), &[]);
        path.send();
        let ack = Packet { sack: [first, (6, 10), (0, 0)], ..packet(Kind::Ack, 5, 0) };
        path.sender.on_ack(Time::ZERO + Duration::from_millis(100), &ack);
        assert_eq!(path.sender.tcb.counts.duplicates, count, "{first:?}");
    }
}

/// After a timeout that follows a mark, nothing can be undone. Segment 8 is delivered after 9. Linux counts that as
/// reordering if a cumulative ACK shows it (`tcp_clean_rtx_queue`), not if a SACK does (`tcp_sacktag_write_queue`,
/// which leaves out `TCP_CA_Loss` without `undo_marker`).
#[test]
fn after_a_timeout_cumulative_acks_show_reordering() {
    let none = (0, 0);
    for (number, sack, expected) in [(10, none, 1), (1, (8, 10), 0)] {
        let mut path = Path::new(10, 40, &TcpOptions { ecn: EcnMode::Classic, ..linux(true) }, &[]);
        path.send();
        let acks = [(100, (0, 0), true), (101, (4, 8), false)];
        for (ms, block, is_marked) in acks {
            path.now = Time::ZERO + Duration::from_millis(ms);
            let ecn = Ecn::echo(is_marked, 0);
            path.sender.on_ack(path.now, &Packet { sack: [block, none, none], ecn, ..packet(Kind::Ack, 1, 0) });
            path.send();
        }
        while path.counts().2 == 0 {
            path.expire();
        }
        let rack = |path: &mut Path| rack_tlp(&mut path.sender).rack.reorderings();
        for (number, sack, expected) in [(1, (9, 10), 0), (number, sack, expected)] {
            path.now += Duration::from_millis(1);
            path.sender.on_ack(path.now, &Packet { sack: [sack, none, none], ..packet(Kind::Ack, number, 0) });
            assert_eq!(rack(&mut path), expected, "{number} {sack:?}");
        }
        assert_eq!((path.counts().1, path.counts().2), (1, 1));
    }
}

/// Reordering without timestamps: the D-SACK of the retransmission, a round trip later, shows that it was unnecessary.
#[test]
fn a_reported_duplicate_takes_the_reduction_back() {
    let mut path = Path::new(20, 400, &linux(false), &[]);
    late(&mut path, 5, 0, 40);
    path.run();
    assert_eq!((path.repeats(5), path.counts(), path.sender.tcb.counts.undone), (vec![100], (1, 1, 0), 1));
    assert_eq!(path.receiver.next(), 400);
}

/// A loss is not reordering: the reduction stays.
#[test]
fn a_loss_is_not_taken_back() {
    for stamps in [true, false] {
        let mut path = Path::new(20, 400, &linux(stamps), &[(5, 0), (7, 0)]);
        path.run();
        assert_eq!((path.counts(), path.sender.tcb.counts.undone), ((2, 1, 0), 0));
    }
}

/// RFC 5682 §3.1 without timestamps: everything is late by 1.5 s. The first ACK after two timeouts releases new
/// segments (step 2.b). The second covers a segment that was sent once (step 3.b): the timeouts were spurious, and
/// nothing else is retransmitted.
#[test]
fn a_spurious_timeout_repeats_one_segment() {
    let mut path = Path::new(10, 60, &linux(false), &[]);
    (0..10).for_each(|number| late(&mut path, number, 0, 1500));
    // The probe, and the two retransmissions at 502 and 1102 ms: the path preserves order.
    late(&mut path, 10, 0, 1300);
    late(&mut path, 0, 1, 1100);
    late(&mut path, 0, 2, 600);
    path.run();
    assert_eq!((path.repeats(0), path.counts().0, path.counts().2), (vec![502, 1102], 2, 2));
    assert_eq!((path.sender.tcb.counts.undone, path.receiver.next()), (1, 60));
    assert!(path.sender.law().cwnd().count() > 10.0);
}

/// RFC 5682 §3.1 step 3.b without an advance: of 20 segments the first is lost, with its retransmission at 502 ms, and
/// the second is late. Its SACK shows that the timeout is spurious. The next timeout of the first segment counts
/// separately: the path is dead, and the window closes.
#[test]
fn a_timeout_after_an_undone_one_closes_the_window() {
    let mut path = Path::new(20, 400, &linux(true), &[]);
    path.send();
    // The probe, a new segment, and the timeout.
    path.expire();
    path.expire();
    assert_eq!((path.repeats(0), path.sender.law().cwnd()), (vec![502], Packets::ONE));
    path.now = Time::ZERO + Duration::from_millis(600);
    path.sender.on_ack(path.now, &Packet { sack: [(1, 2), (0, 0), (0, 0)], ..packet(Kind::Ack, 0, 0) });
    path.send();
    assert_eq!((path.sender.tcb.counts.undone, path.sender.law().cwnd()), (1, Packets::new(20.0)));
    let before = path.transmissions.len();
    path.expire();
    let sent: Vec<u32> = path.transmissions[before..].iter().map(|(_, number)| *number).collect();
    assert_eq!((path.counts().2, path.sender.law().cwnd(), sent), (2, Packets::ONE, vec![0]));
}

/// RFC 5682 §3.1 step 3.a: everything was lost. The new segments after the first ACK are SACKed before the one that
/// timed out: the timeout was necessary, and the rest is retransmitted.
#[test]
fn a_timeout_that_was_necessary_repeats_all() {
    let drops: Vec<(u32, u32)> = (0..11).map(|number| (number, 0)).collect();
    let mut path = Path::new(10, 60, &linux(false), &drops);
    path.run();
    assert_eq!((path.repeats(0), path.counts().2, path.sender.tcb.counts.undone), (vec![502], 1, 0));
    let new: Vec<u32> = path.transmissions.iter().filter(|(ms, _)| *ms == 602).map(|(_, n)| *n).collect();
    assert_eq!((new, path.receiver.next(), path.counts().0), (vec![11, 12], 60, 11));
}

/// RFC 5682 §3.1 step 3.a ends F-RTO: new segments are SACKed at 702 ms. An original that was late by 620 ms and
/// arrives 18 ms later does not make the timeout spurious. All others were lost.
#[test]
fn a_late_original_does_not_overturn_the_judgement() {
    let drops: Vec<(u32, u32)> = (0..9).chain([10]).map(|number| (number, 0)).collect();
    let mut path = Path::new(10, 60, &linux(false), &drops);
    late(&mut path, 9, 0, 620);
    path.run();
    assert_eq!((path.repeats(0), path.repeats(9), path.counts().2), (vec![502], vec![], 1));
    assert_eq!((path.sender.tcb.counts.undone, path.receiver.next()), (0, 60));
}

/// Without SACK, Linux's sender repairs losses by RFC 6582.
#[test]
fn without_sack_nothing_is_found_by_time() {
    let mut path = Path::new(20, 200, &TcpOptions { sack: false, ..linux(true) }, &[(1, 0), (5, 0)]);
    path.run();
    assert_eq!((path.repeats(1), path.repeats(5), path.counts()), (vec![100], vec![200], (2, 1, 0)));
}

proptest! {
    /// For any losses and delays: all data arrive, no unrequested segment is sent, and every duplicate that arrived was
    /// a retransmission.
    #[test]
    fn all_arrives(
        drops in prop::collection::vec((0_u32..80, 0_u32..3), 0..40),
        lates in prop::collection::vec((0_u32..80, 0_u32..2, 1_u64..700), 0..20),
        stamps: bool,
        window in 2_u32..30,
    ) {
        let mut path = Path::new(window, 80, &linux(stamps), &drops);
        lates.into_iter().for_each(|(number, times, by)| late(&mut path, number, times, by));
        path.run();
        prop_assert_eq!((path.receiver.next(), path.sender.una()), (80, 80));
        prop_assert_eq!(path.transmissions.len() as u64, 80 + path.sender.tcb.counts.retransmits);
        prop_assert_eq!(path.sender.pipe(), 0);
    }
}
