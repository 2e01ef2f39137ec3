//! Delivery opportunities: recorded link capacity in mahimahi's format (Netravali et al., USENIX ATC 2015).
//!
//! Each instant of a trace serves up to [`OPPORTUNITY`] bytes of as many packets as fit; the rest of a packet continues
//! at the next one. An opportunity without a queued packet is lost, also at the instant of a packet's arrival. The
//! trace repeats at its end.

use super::trace::{MAX_MILLIS, TraceError, TraceProblem};
use windward_units::{BitRate, Time};

/// Bytes of an opportunity.
pub const OPPORTUNITY: u32 = 1500;

/// A recording: not empty, in order, and of positive length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// Instants in nanoseconds from the start; the last is the length of the trace.
    instants: Vec<u64>,
}

impl Opportunities {
    /// Reads mahimahi's format: the instant of one opportunity per line in whole milliseconds from the start, in order.
    /// A repeated instant has several opportunities. The last instant is the length of the trace.
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

    /// Creates a recording from instants in milliseconds.
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

    /// Instants in milliseconds, as in a file.
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

    /// Instant of opportunity `number`, counted through all repetitions.
    #[inline]
    pub fn instant(&self, number: u64) -> Time {
        let count = self.instants.len() as u64;
        Time::from_nanos(number / count * self.length() + self.instants[(number % count) as usize])
    }

    /// Number of opportunities up to and including `now`, which is the number of the first later one.
    #[inline]
    pub fn until(&self, now: Time) -> u64 {
        let (round, rest) = (now.as_nanos() / self.length(), now.as_nanos() % self.length());
        round * self.instants.len() as u64 + self.instants.partition_point(|instant| *instant <= rest) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
