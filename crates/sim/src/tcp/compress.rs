//! SACKs that the receiver holds back while segments are missing, as Linux does (`__tcp_ack_snd_check`, net/ipv4/tcp_input.c).
//!
//! Of the segments beyond a gap the first three are acknowledged at once, each, as fast retransmission needs it; those that follow
//! wait for min(1 ms, round trip/20), for the ACK of 44, or until anything else is to be acknowledged.

use super::answer::Answer;
use windward_units::{Duration, Time};

/// Duplicates that are sent at once, for each gap (`TCP_FASTRETRANS_THRESH`).
const AT_ONCE: u32 = 3;
/// Most segments that one ACK waits for (`tcp_comp_sack_nr`).
const MOST: u32 = 44;
/// The longest that it waits (`tcp_comp_sack_delay_ns`), and its share of the round trip.
const LONGEST: Duration = Duration::from_millis(1);
const SHARE: f64 = 0.05;
/// By how much the timer may be late, and without another one is (`tcp_comp_sack_slack_ns`).
const SLACK: Duration = Duration::from_micros(100);
/// SACK blocks above which a new one does not wait (`TCP_SACK_BLOCKS_EXPECTED`).
const BLOCKS: usize = 2;

/// What a receiver holds back.
#[derive(Clone, Debug)]
pub struct Compression {
    is_on: bool,
    answered_syn: Option<Time>,
    /// The round trip of the handshake; zero before.
    rtt: Duration,
    /// The gap whose duplicates `sent` counts.
    gap: u32,
    sent: u32,
    held: u32,
    until: Time,
}

impl Compression {
    /// Nothing is held back, and never will be unless `is_on`.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, answered_syn: None, rtt: Duration::ZERO, gap: 0, sent: 0, held: 0, until: Time::ZERO }
    }

    /// A SYN is answered.
    pub fn answer_syn(&mut self, now: Time) {
        self.answered_syn = Some(now);
    }

    /// The handshake is over.
    pub fn open(&mut self, now: Time) {
        if let Some(then) = self.answered_syn.take() {
            self.rtt = now.since(then);
        }
    }

    /// An ACK leaves: nothing is held back any more.
    #[inline]
    pub fn release(&mut self) {
        self.held = 0;
    }

    /// A segment arrived beyond the gap at `next`; there are so many ranges `before` the one that it is in.
    pub fn answer(&mut self, now: Time, next: u32, before: usize) -> Answer {
        if !self.is_on || self.held >= MOST || (self.held > 0 && before >= BLOCKS) {
            return Answer::Now;
        }
        if self.gap != next {
            (self.gap, self.sent) = (next, 0);
        }
        if self.sent < AT_ONCE {
            self.sent += 1;
            return Answer::Now;
        }
        self.held += 1;
        if self.held == 1 {
            self.until = now + LONGEST.min(self.rtt.scale(SHARE)) + SLACK;
        }
        Answer::By(self.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    /// After the three duplicates of a gap that go out at once, on a path of `rtt_ms`.
    fn held(rtt_ms: u64) -> Compression {
        let mut held = Compression::new(true);
        held.answer_syn(at(0));
        held.open(at(1000 * rtt_ms));
        for _ in 0..3 {
            assert_eq!(held.answer(at(500_000), 7, 0), Answer::Now);
        }
        held
    }

    #[test]
    fn short_round_trips_wait_a_twentieth() {
        // 10 ms/20 = 0.5 ms, 100 ms/20 = 5 ms > 1 ms; and the slack of 0.1 ms.
        for (rtt, wait) in [(10, 600), (20, 1_100), (100, 1_100)] {
            assert_eq!(held(rtt).answer(at(600_000), 7, 0), Answer::By(at(600_000 + wait)), "{rtt} ms");
        }
    }

    #[test]
    fn the_first_that_waits_sets_the_timer() {
        let mut held = held(100);
        assert_eq!([600_000, 600_900].map(|us| held.answer(at(us), 7, 0)), [Answer::By(at(601_100)); 2]);
    }

    #[test]
    fn one_ack_is_for_44_at_most() {
        let mut held = held(100);
        for _ in 0..44 {
            assert_eq!(held.answer(at(600_000), 7, 0), Answer::By(at(601_100)));
        }
        assert_eq!(held.answer(at(600_000), 7, 0), Answer::Now);
        held.release();
        assert_eq!(held.answer(at(600_500), 7, 0), Answer::By(at(601_600)));
    }

    #[test]
    fn a_third_range_and_a_new_gap_do_not_wait() {
        let mut held = held(100);
        assert_eq!(held.answer(at(600_000), 7, 1), Answer::By(at(601_100)));
        assert_eq!(held.answer(at(600_000), 7, 2), Answer::Now);
        held.release();
        assert_eq!([9, 9, 9].map(|gap| held.answer(at(700_000), gap, 0)), [Answer::Now; 3]);
        assert_eq!(held.answer(at(700_000), 9, 2), Answer::By(at(701_100)), "nothing is held for it to let out");
    }

    #[test]
    fn without_compression_nothing_waits() {
        let mut off = Compression::new(false);
        assert!((0..10).all(|_| off.answer(at(0), 7, 0) == Answer::Now));
    }
}
