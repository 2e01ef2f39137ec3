//! Departures of a recorded link at run time.

use super::{OPPORTUNITY, Opportunities};
use std::sync::Arc;
use windward_units::{BitRate, Duration, Time};

/// A recording in use by one link.
#[derive(Debug)]
pub(super) struct Replay {
    trace: Arc<Opportunities>,
    /// Opportunity of the next byte, unless it passes before.
    next: u64,
    /// Bytes left in it.
    left: u32,
    /// Bytes assigned to opportunities, future ones included.
    taken: u64,
    /// Start of counting, and the opportunities and bytes used before it.
    counted_from: Time,
    before: u64,
    used_before: u64,
}

impl Replay {
    pub(super) fn new(trace: Arc<Opportunities>) -> Self {
        // An opportunity at 0 counts: no packet can have arrived before it, but its bytes were offered.
        Self { trace, next: 0, left: OPPORTUNITY, taken: 0, counted_from: Time::ZERO, before: 0, used_before: 0 }
    }

    /// Mean rate of the whole recording.
    #[inline]
    pub(super) fn mean_rate(&self) -> BitRate {
        self.trace.mean_rate()
    }

    /// Start of the transmission of a packet that arrives now.
    #[inline]
    pub(super) fn start(&self, now: Time) -> Time {
        match self.trace.instant(self.next) {
            next if next > now => next,
            _ => self.trace.instant(self.trace.until(now)),
        }
    }

    /// End of the transmission of `size` bytes that arrive now; their opportunities are then taken.
    #[inline]
    pub(super) fn finish(&mut self, now: Time, mut size: u32) -> Time {
        if self.trace.instant(self.next) <= now {
            (self.next, self.left) = (self.trace.until(now), OPPORTUNITY);
        }
        self.taken += u64::from(size);
        while size > self.left {
            size -= self.left;
            (self.next, self.left) = (self.next + 1, OPPORTUNITY);
        }
        self.left -= size;
        let last = self.trace.instant(self.next);
        if self.left == 0 {
            (self.next, self.left) = (self.next + 1, OPPORTUNITY);
        }
        last
    }

    /// Frees the opportunities to come; those up to `now` have passed.
    #[inline]
    pub(super) fn skip(&mut self, now: Time) {
        self.taken = self.used_until(now);
        (self.next, self.left) = (self.trace.until(now), OPPORTUNITY);
    }

    /// Restarts the counters.
    pub(super) fn count_from(&mut self, now: Time) {
        (self.counted_from, self.before) = (now, self.trace.until(now));
        self.used_before = self.used_until(now);
    }

    /// Bytes sent since the start of counting.
    #[inline]
    pub(super) fn used(&self, now: Time) -> u64 {
        self.used_until(now) - self.used_before
    }

    /// Bytes sent in opportunities up to `now`. Future opportunities are assigned in sequence, without a gap.
    #[inline]
    fn used_until(&self, now: Time) -> u64 {
        let passed = self.trace.until(now);
        let to_come = match self.next.checked_sub(passed) {
            Some(whole) => whole * u64::from(OPPORTUNITY) + u64::from(OPPORTUNITY - self.left),
            None => 0,
        };
        self.taken.saturating_sub(to_come)
    }

    /// Time since the start of counting.
    #[inline]
    pub(super) fn counted(&self, now: Time) -> Duration {
        now.since(self.counted_from)
    }

    /// Bytes offered since the start of counting.
    #[inline]
    pub(super) fn offered(&self, now: Time) -> u64 {
        (self.trace.until(now) - self.before) * u64::from(OPPORTUNITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use windward_units::BitRate;

    fn millis(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn replay(instants: &[u64]) -> Replay {
        Replay::new(Arc::new(Opportunities::from_millis(instants).expect("a trace")))
    }

    /// One opportunity every 2 ms, two at 4 ms: in all 3 · 12 000 bits in 4 ms.
    #[test]
    fn packets_leave_at_opportunities_and_share_them() {
        let trace = Opportunities::from_mahimahi("2\n4\n4\n").expect("a trace");
        assert_eq!(trace.mean_rate(), BitRate::bits_per_sec(9_000_000));
        let mut replay = Replay::new(Arc::new(trace));
        assert_eq!(replay.start(millis(0)), millis(2));
        // 1000 and 500 bytes fit into the first; 2000 take the second and 500 bytes of the third, both at 4 ms.
        let leave = |replay: &mut Replay, ms, size| replay.finish(millis(ms), size).as_nanos() / 1_000_000;
        assert_eq!([1000, 500, 2000].map(|size| leave(&mut replay, 1, size)), [2, 2, 4]);
        // The 1000 bytes left at 4 ms serve earlier arrivals only: an arrival at 4 ms waits for the repeated trace.
        assert_eq!(replay.start(millis(3)), millis(4));
        assert_eq!(leave(&mut replay, 4, 100), 6);
        // A long silence: 101 ms is 1 ms after 25 rounds.
        assert_eq!(leave(&mut replay, 101, 1501), 104);
        assert_eq!(replay.offered(millis(8)), 6 * 1500);
        replay.count_from(millis(8));
        assert_eq!(replay.offered(millis(10)), 1500);
    }

    /// mahimahi's loop: consumes opportunities one by one as the clock passes them, each for the queued packets.
    fn burn(instants: &[u64], packets: &[(u64, u32)]) -> Vec<u64> {
        let (mut waiting, mut left_at) = (VecDeque::new(), Vec::new());
        let (mut next, mut base) = (0, 0);
        let mut burn_until = |now: u64, waiting: &mut VecDeque<u32>| {
            while base + instants[next] <= now && !(now == u64::MAX && waiting.is_empty()) {
                let instant = base + instants[next];
                next += 1;
                if next == instants.len() {
                    (next, base) = (0, base + instants[instants.len() - 1]);
                }
                let mut bytes = OPPORTUNITY;
                while bytes > 0
                    && let Some(first) = waiting.front_mut()
                {
                    let used = bytes.min(*first);
                    (bytes, *first) = (bytes - used, *first - used);
                    if *first == 0 {
                        waiting.pop_front();
                        left_at.push(instant);
                    }
                }
            }
        };
        for &(arrival, size) in packets {
            burn_until(arrival, &mut waiting);
            waiting.push_back(size);
        }
        burn_until(u64::MAX, &mut waiting);
        left_at
    }

    proptest! {
        #[test]
        fn packets_leave_when_mahimahi_lets_them(
            gaps in prop::collection::vec(0_u64..4, 1..20),
            packets in prop::collection::vec((0_u64..6, 1_u32..4000), 1..60),
        ) {
            let sums = |gaps: Vec<u64>| gaps.into_iter().scan(0, |sum, gap| { *sum += gap; Some(*sum) }).collect::<Vec<_>>();
            let mut instants = sums(gaps);
            *instants.last_mut().expect("not empty") += 1;
            let arrivals = sums(packets.iter().map(|packet| packet.0).collect());
            let packets: Vec<_> = arrivals.into_iter().zip(packets.iter().map(|packet| packet.1)).collect();
            let mut replay = replay(&instants);
            let left: Vec<_> =
                packets.iter().map(|&(at, size)| replay.finish(millis(at), size).as_nanos() / 1_000_000).collect();
            prop_assert_eq!(left, burn(&instants, &packets));
        }
    }
}
