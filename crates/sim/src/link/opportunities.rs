//! Delivery opportunities: a link whose capacity was recorded, as mahimahi replays it (Netravali et al., USENIX ATC 2015).
//!
//! A trace lists instants at which up to [`OPPORTUNITY`] bytes leave, for as many packets as they hold; what does not
//! fit goes on at the next one. An opportunity at which nothing waits is lost, and so is the one of the instant at which a
//! packet arrives. The trace begins again when it ends.

use std::fmt;
use std::sync::Arc;
use windward_units::{BitRate, Time};

/// Bytes of an opportunity.
pub const OPPORTUNITY: u32 = 1500;

/// A recording: not empty, in order, and longer than nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// Nanoseconds from the beginning; the last is the trace's length.
    instants: Vec<u64>,
}

/// Why a text or a list is no trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Which line or entry, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: TraceProblem,
}

/// What is wrong with a line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceProblem {
    /// It is not a whole number of milliseconds up to a year.
    Number(String),
    /// It is earlier than the line before.
    Order,
    /// There is no line, or all are 0, so that the trace has no length.
    Length,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, problem } = self;
        write!(f, "line {line}: {problem}")
    }
}

impl fmt::Display for TraceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(text) => {
                write!(f, "`{text}` is not a number of milliseconds, whole and at most {MAX_MILLIS}")
            }
            Self::Order => f.write_str("an instant before the one that stands before it"),
            Self::Length => f.write_str("the last instant is the length of the trace; it is after 0"),
        }
    }
}

impl std::error::Error for TraceError {}

/// A year of milliseconds: sums of a trace's length and a run's stay far below what 64 bits of nanoseconds hold.
const MAX_MILLIS: u64 = 365 * 86_400_000;

impl Opportunities {
    /// Reads mahimahi's format: in each line the instant of one opportunity in whole milliseconds from the beginning, in
    /// order; an instant that stands several times has several. The last is the trace's length.
    ///
    /// # Errors
    /// See [`TraceProblem`].
    pub fn from_mahimahi(text: &str) -> Result<Self, TraceError> {
        let number = |(at, line): (usize, &str)| {
            let number = line.parse().ok().filter(|millis| *millis <= MAX_MILLIS);
            number.ok_or_else(|| TraceError { line: at + 1, problem: TraceProblem::Number(line.to_owned()) })
        };
        let millis: Vec<u64> = text.lines().map(str::trim).enumerate().map(number).collect::<Result<_, _>>()?;
        Self::from_millis(&millis)
    }

    /// The same as numbers.
    ///
    /// # Errors
    /// See [`TraceProblem`].
    pub fn from_millis(millis: &[u64]) -> Result<Self, TraceError> {
        let error = |at, problem| Err(TraceError { line: at + 1, problem });
        if let Some(at) = millis.iter().position(|millis| *millis > MAX_MILLIS) {
            return error(at, TraceProblem::Number(millis[at].to_string()));
        }
        if let Some(at) = millis.windows(2).position(|pair| pair[1] < pair[0]) {
            return error(at + 1, TraceProblem::Order);
        }
        if millis.last().is_none_or(|last| *last == 0) {
            return error(millis.len().saturating_sub(1), TraceProblem::Length);
        }
        Ok(Self { instants: millis.iter().map(|millis| millis * 1_000_000).collect() })
    }

    /// The instants in milliseconds, as a file has them.
    pub fn millis(&self) -> impl Iterator<Item = u64> {
        self.instants.iter().map(|nanos| nanos / 1_000_000)
    }

    /// Mean rate of the whole trace, rounded to a bit a second, at least one.
    pub fn mean_rate(&self) -> BitRate {
        let bits = self.instants.len() as u128 * u128::from(OPPORTUNITY) * 8 * 1_000_000_000;
        let length = u128::from(self.length());
        BitRate::bits_per_sec(u64::try_from((bits + length / 2) / length).unwrap_or(u64::MAX).max(1))
    }

    fn length(&self) -> u64 {
        self.instants[self.instants.len() - 1]
    }

    /// When the opportunity of this number comes, counted through all repetitions.
    fn instant(&self, number: u64) -> Time {
        let count = self.instants.len() as u64;
        Time::from_nanos(number / count * self.length() + self.instants[(number % count) as usize])
    }

    /// How many there are up to and with `now`: the number of the first one after it.
    fn until(&self, now: Time) -> u64 {
        let (round, rest) = (now.as_nanos() / self.length(), now.as_nanos() % self.length());
        round * self.instants.len() as u64 + self.instants.partition_point(|instant| *instant <= rest) as u64
    }
}

/// A trace at work for one link.
#[derive(Debug)]
pub(super) struct Replay {
    trace: Arc<Opportunities>,
    /// The opportunity that the next byte takes, unless it passes before.
    next: u64,
    /// Bytes that it still holds.
    left: u32,
    /// Opportunities before the counting began.
    before: u64,
}

impl Replay {
    pub(super) fn new(trace: Arc<Opportunities>) -> Self {
        // An opportunity at 0 is one: nothing can have come before it, but its bytes count as offered.
        Self { trace, next: 0, left: OPPORTUNITY, before: 0 }
    }

    /// When a packet that arrives now begins to leave.
    pub(super) fn start(&self, now: Time) -> Time {
        match self.trace.instant(self.next) {
            next if next > now => next,
            _ => self.trace.instant(self.trace.until(now)),
        }
    }

    /// When the last of `size` bytes that arrive now has left; they are spoken for.
    pub(super) fn finish(&mut self, now: Time, mut size: u32) -> Time {
        if self.trace.instant(self.next) <= now {
            (self.next, self.left) = (self.trace.until(now), OPPORTUNITY);
        }
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

    /// Begins to count opportunities.
    pub(super) fn count_from(&mut self, now: Time) {
        self.before = self.trace.until(now);
    }

    /// Bytes that could have left since the counting began.
    pub(super) fn offered(&self, now: Time) -> u64 {
        (self.trace.until(now) - self.before) * u64::from(OPPORTUNITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

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
        // 1000 bytes are left at 4 ms, for who comes before: at 4 ms it is too late, and the trace begins again.
        assert_eq!(replay.start(millis(3)), millis(4));
        assert_eq!(leave(&mut replay, 4, 100), 6);
        // A long silence: 101 ms is 1 ms after 25 rounds.
        assert_eq!(leave(&mut replay, 101, 1501), 104);
        assert_eq!(replay.offered(millis(8)), 6 * 1500);
        replay.count_from(millis(8));
        assert_eq!(replay.offered(millis(10)), 1500);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        let refusal = |text| Opportunities::from_mahimahi(text).unwrap_err().to_string();
        assert!(refusal("1\n2.5\n").starts_with("line 2: `2.5` is not a number of milliseconds"));
        assert!(refusal("1\n\n2\n").starts_with("line 2: `` is not"));
        assert!(refusal("99999999999\n").starts_with("line 1: `99999999999` is not"));
        assert_eq!(refusal("3\n2\n"), "line 2: an instant before the one that stands before it");
        assert_eq!(refusal("0\n0\n"), "line 2: the last instant is the length of the trace; it is after 0");
        assert_eq!(refusal(""), "line 1: the last instant is the length of the trace; it is after 0");
        assert!(Opportunities::from_mahimahi("5\r\n6\r\n").is_ok());
    }

    /// mahimahi's own way: opportunities are burned one by one as the clock passes them, each on what waits.
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
