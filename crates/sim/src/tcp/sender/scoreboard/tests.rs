//! Examples worked out by hand, and counters compared with flags.

use super::*;
use proptest::prelude::*;

fn sent(count: u32) -> Scoreboard {
    sent_on(Scoreboard::new(4, false), count)
}

fn sent_on(mut board: Scoreboard, count: u32) -> Scoreboard {
    for n in 0..count {
        board.send(Segment { sent_at: u64::from(n) * 10, ..Segment::default() });
    }
    board
}

fn count_of(board: &Scoreboard, flag: u8) -> u32 {
    (board.una..board.next).filter(|&n| board.at(n).flags & flag != 0).count() as u32
}

/// RFC 8985 §6.2 step 5: of 0 to 5, sent at 0, 10, …, 50, segment 5 was delivered. Segments sent by 20 are lost; 4,
/// sent at 40, is the last that may still arrive. 1, retransmitted at 60 and lost again, is found when 2, retransmitted
/// at 70, is delivered.
#[test]
fn what_was_overtaken_long_ago_is_lost_repetitions_too() {
    let mut board = sent_on(Scoreboard::new(4, true), 6);
    let mut delivery = Delivery::default();
    board.sack((5, 6), &mut delivery);
    assert_eq!(delivery.latest, Some((50, 5)));
    assert_eq!(board.mark_overtaken(70, 50, |at, n| (at, n) < (50, 5)), (3, Some(40)));
    assert_eq!((board.lost(), board.pipe()), (3, 2));
    for (sent_at, expected) in [(55, 0), (60, 1), (70, 2)] {
        assert_eq!(board.next_lost(), Some(expected));
        board.resend(expected, Segment { sent_at, ..Segment::default() });
    }
    let mut delivery = Delivery { repeats_until: 69, ..Delivery::default() };
    board.sack((2, 3), &mut delivery);
    // The original may have been late: a segment that was just retransmitted gives no information.
    assert_eq!((delivery.latest, delivery.lowest_clean), (None, None));
    assert_eq!(board.mark_overtaken(110, 50, |at, n| (at, n) < (70, 2)), (4, None));
    assert_eq!([board.lost(), board.retransmitted(), board.pipe()], [4, 0, 0]);
    assert_eq!(board.next_lost(), Some(0));
}

/// A timeout with 0 to 3 sent at 0, 10, 20 and 30: the first is lost, and those sent by 10. After the undo all are in
/// flight.
#[test]
fn a_timeout_spares_what_was_sent_just_now() {
    let mut board = sent_on(Scoreboard::new(4, true), 4);
    assert_eq!((board.mark_timed_out(10), board.pipe()), (2, 2));
    board.unmark_lost();
    assert_eq!((board.pipe(), board.next_lost()), (4, None));
    assert_eq!(board.mark_overtaken(60, 50, |at, _| at < 30), (2, Some(20)));
}

/// Ten in flight, 0 and 2 missing: after SACKs of 1, 3, 4 the first hole has three above it, the second only two.
#[test]
fn a_hole_is_lost_with_three_above_it() {
    let mut board = sent(10);
    let mut delivery = Delivery::default();
    board.sack((1, 2), &mut delivery);
    board.sack((3, 4), &mut delivery);
    assert_eq!(board.mark_lost(), 0);
    board.sack((3, 5), &mut delivery);
    assert_eq!((delivery.count, board.mark_lost(), board.pipe()), (3, 1, 6));
    assert!(board.is_first_lost());
    assert_eq!(board.next_lost(), Some(0));
    board.resend(0, Segment::default());
    assert_eq!((board.next_lost(), board.pipe(), board.next_unsure()), (None, 7, Some(2)));
    board.sack((3, 6), &mut delivery);
    assert_eq!((board.mark_lost(), board.next_lost()), (1, Some(2)));
}

#[test]
fn an_ack_samples_only_segments_sent_once() {
    let mut board = sent(4);
    board.mark_all_lost(true);
    assert_eq!((board.pipe(), board.next_lost()), (0, Some(0)));
    board.resend(0, Segment { sent_at: 100, ..Segment::default() });
    let mut delivery = Delivery::default();
    board.acknowledge(3, &mut delivery);
    // Segments 1 and 2 have waited for the retransmission; a segment that is SACKed with them has not.
    assert_eq!((delivery.count, delivery.oldest_clean, delivery.newest_clean), (3, None, None));
    assert_eq!(delivery.newest.map(|s| s.sent_at), Some(100));
    assert_eq!((board.pipe(), board.next_lost()), (0, Some(3)));
    board.sack((3, 4), &mut delivery);
    assert_eq!((delivery.oldest_clean, delivery.newest_clean), (Some(30), Some(30)));
}

/// RFC 6582 §3.2: three duplicates, the first segment is lost; a partial ACK of four consumes three counts.
#[test]
fn duplicates_count_as_arrivals() {
    let mut board = sent(10);
    let mut delivery = Delivery::default();
    (0..5).for_each(|_| board.duplicate(&mut delivery));
    assert_eq!((delivery.count, board.sacked(), board.mark_first_lost(), board.pipe()), (5, 5, 1, 4));
    board.resend(0, Segment::default());
    let mut delivery = Delivery::default();
    board.acknowledge_counting(4, true, &mut delivery);
    assert_eq!((delivery.count, board.sacked(), board.outstanding(), board.pipe()), (1, 2, 6, 4));
}

proptest! {
    /// For any order of events, the counters equal the number of flags.
    #[test]
    fn counts_agree_with_flags(steps in prop::collection::vec((0u8..6, 0u32..40, 1u32..6), 1..120)) {
        let mut board = sent(8);
        for (kind, at, length) in steps {
            let mut delivery = Delivery::default();
            match kind {
                0 => board.send(Segment::default()),
                1 => {
                    let to = (board.una + at % 8).min(board.next);
                    if to > board.una { board.acknowledge(to, &mut delivery); }
                }
                2 => board.sack((board.una + 1 + at % 20, board.una + 1 + at % 20 + length), &mut delivery),
                3 => { board.mark_lost(); }
                4 => { if let Some(n) = board.next_lost().or_else(|| board.next_unsure()) { board.resend(n, Segment::default()); } }
                _ => { if at == 0 { board.mark_all_lost(true); } else if at == 1 { board.unmark_lost(); } }
            }
            let count = |flag: u8| count_of(&board, flag);
            prop_assert_eq!((board.sacked, board.lost, board.retransmitted), (count(SACKED), count(LOST), count(RETRANSMITTED)));
            // `una` itself is never SACKed by an honest receiver; SACKs above begin at una + 1.
            let waiting = (board.una..board.next).find(|&n| board.at(n).flags & (LOST | RETRANSMITTED) == LOST);
            prop_assert_eq!(board.clone().next_lost(), waiting);
        }
    }

    /// For any order of events with loss detection by time, the counters equal the number of flags. The list contains
    /// the segments that are neither SACKed nor waiting, in order of transmission.
    #[test]
    fn counts_agree_with_flags_by_time(steps in prop::collection::vec((0u8..8, 0u32..40, 1u32..6), 1..120)) {
        let mut board = sent_on(Scoreboard::new(4, true), 8);
        let mut now = 80;
        let (mut latest, mut seen) = (None, 0);
        for (kind, at, length) in steps {
            now += u64::from(length);
            let segment = Segment { sent_at: now, ..Segment::default() };
            let mut delivery = Delivery { repeats_until: now, ..Delivery::default() };
            match kind {
                0 => board.send(segment),
                1 => {
                    let to = (board.una + at % 8).min(board.next);
                    if to > board.una { board.acknowledge(to, &mut delivery); }
                }
                2 => board.sack((board.una + 1 + at % 20, board.una + 1 + at % 20 + length), &mut delivery),
                3 | 4 => {
                    let (before, repeated) = (board.lost, board.retransmitted);
                    let (found, _) = board.mark_overtaken(now, u64::from(at), |at, n| Some((at, n)) < latest);
                    prop_assert_eq!(board.lost - before + repeated - board.retransmitted, found);
                }
                5 => { if let Some(n) = board.next_lost() { board.resend(n, segment); } }
                6 => { let last = board.next - 1; if board.is_under_way(last) { board.probe(last, segment); } }
                _ => { if at < 4 { board.mark_timed_out(now - 10); } else if at < 8 { board.unmark_lost(); } }
            }
            latest = latest.max(delivery.latest);
            seen += delivery.count;
            prop_assert_eq!(seen, board.una + board.sacked, "each segment is delivered once");
            let count = |flag: u8| count_of(&board, flag);
            prop_assert_eq!((board.sacked, board.lost, board.retransmitted), (count(SACKED), count(LOST), count(RETRANSMITTED)));
            let waits = |n: u32| board.at(n).flags & (LOST | RETRANSMITTED) == LOST;
            prop_assert_eq!(board.clone().next_lost(), (board.una..board.next).find(|&n| waits(n)));
            let mut expected: Vec<(u64, u32)> = (board.una..board.next)
                .filter(|&n| !waits(n) && board.at(n).flags & SACKED == 0).map(|n| (board.at(n).sent_at, n)).collect();
            expected.sort_unstable();
            let listed: Vec<u32> = board.order.iter().collect();
            prop_assert_eq!(listed, expected.into_iter().map(|(_, n)| n).collect::<Vec<_>>());
        }
    }
}
