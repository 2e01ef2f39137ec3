//! SACK compression: a receiver delays SACKs while segments are missing, as Linux does (`__tcp_ack_snd_check`,
//! net/ipv4/tcp_input.c).
//!
//! The first three segments beyond a gap are acknowledged at once, one by one, as fast retransmission needs it. Later
//! ones wait for min(1 ms, round trip/20), for the 44th segment, or until another segment has to be acknowledged.

use super::ack_due::AckDue;
use windward_units::{Duration, Time};

/// Duplicate ACKs sent at once for each gap (`TCP_FASTRETRANS_THRESH`).
const AT_ONCE: u32 = 3;
/// Most segments covered by one compressed ACK (`tcp_comp_sack_nr`).
const MOST: u32 = 44;
/// Longest delay of a compressed ACK (`tcp_comp_sack_delay_ns`), and its share of the round trip.
const LONGEST: Duration = Duration::from_millis(1);
const SHARE: f64 = 0.05;
/// Slack by which the timer may be late, and is late unless another timer expires first (`tcp_comp_sack_slack_ns`).
const SLACK: Duration = Duration::from_micros(100);
/// Number of SACK blocks above which a new block is reported at once (`TCP_SACK_BLOCKS_EXPECTED`).
const BLOCKS: usize = 2;

/// SACKs that a receiver delays.
#[derive(Clone, Debug)]
pub struct Compression {
    is_on: bool,
    answered_syn: Option<Time>,
    /// Round-trip time of the handshake; zero before.
    rtt: Duration,
    /// Gap whose duplicates `sent` counts.
    gap: u32,
    sent: u32,
    held: u32,
    until: Time,
}

impl Compression {
    /// Creates the state with no delayed SACK. Never delays any unless `is_on`.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, answered_syn: None, rtt: Duration::ZERO, gap: 0, sent: 0, held: 0, until: Time::ZERO }
    }

    /// Records the answer to a SYN.
    pub fn answer_syn(&mut self, now: Time) {
        self.answered_syn = Some(now);
    }

    /// Records the end of the handshake.
    pub fn open(&mut self, now: Time) {
        if let Some(then) = self.answered_syn.take() {
            self.rtt = now.since(then);
        }
    }

    /// Records that an ACK leaves: no SACK is delayed any more.
    #[inline]
    pub fn release(&mut self) {
        self.held = 0;
    }

    /// Decides on a segment beyond the gap at `next`, with `before` ranges below the one that contains it.
    pub fn decide(&mut self, now: Time, next: u32, before: usize) -> AckDue {
        if !self.is_on || self.held >= MOST || (self.held > 0 && before >= BLOCKS) {
            return AckDue::Now;
        }
        if self.gap != next {
            (self.gap, self.sent) = (next, 0);
        }
        if self.sent < AT_ONCE {
            self.sent += 1;
            return AckDue::Now;
        }
        self.held += 1;
        if self.held == 1 {
            self.until = now + LONGEST.min(self.rtt.scale(SHARE)) + SLACK;
        }
        AckDue::By(self.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// State after the three immediate duplicates of a gap, on a path of `rtt_ms`.
    fn held(rtt_ms: u64) -> Compression {
        let mut held = Compression::new(true);
        held.answer_syn(at(0));
        held.open(at(1000 * rtt_ms));
        for _ in 0..3 {
            assert_eq!(held.decide(at(500_000), 7, 0), AckDue::Now);
        }
        held
    }

    #[test]
    fn short_round_trips_wait_a_twentieth() {
        // 10 ms/20 = 0.5 ms, 100 ms/20 = 5 ms > 1 ms; plus the slack of 0.1 ms.
        for (rtt, wait) in [(10, 600), (20, 1_100), (100, 1_100)] {
            assert_eq!(held(rtt).decide(at(600_000), 7, 0), AckDue::By(at(600_000 + wait)), "{rtt} ms");
        }
    }

    #[test]
    fn the_first_that_waits_sets_the_timer() {
        let mut held = held(100);
        assert_eq!([600_000, 600_900].map(|us| held.decide(at(us), 7, 0)), [AckDue::By(at(601_100)); 2]);
    }

    #[test]
    fn one_ack_is_for_44_at_most() {
        let mut held = held(100);
        for _ in 0..44 {
            assert_eq!(held.decide(at(600_000), 7, 0), AckDue::By(at(601_100)));
        }
        assert_eq!(held.decide(at(600_000), 7, 0), AckDue::Now);
        held.release();
        assert_eq!(held.decide(at(600_500), 7, 0), AckDue::By(at(601_600)));
    }

    #[test]
    fn a_third_range_and_a_new_gap_do_not_wait() {
        let mut held = held(100);
        assert_eq!(held.decide(at(600_000), 7, 1), AckDue::By(at(601_100)));
        assert_eq!(held.decide(at(600_000), 7, 2), AckDue::Now);
        held.release();
        assert_eq!([9, 9, 9].map(|gap| held.decide(at(700_000), gap, 0)), [AckDue::Now; 3]);
        assert_eq!(held.decide(at(700_000), 9, 2), AckDue::By(at(701_100)), "nothing is held for it to let out");
    }

    #[test]
    fn without_compression_nothing_waits() {
        let mut off = Compression::new(false);
        assert!((0..10).all(|_| off.decide(at(0), 7, 0) == AckDue::Now));
    }
}
