//! Recorded one-way delays, one value per interval, as LeoReplayer (LeoCC, SIGCOMM 2025) has them beside mahimahi's
//! rates.
//!
//! A packet has the delay of the interval in which its transmission ends. Packets keep their order: where the delay
//! falls, a packet arrives with its predecessor at the earliest. LeoReplayer lets such packets overtake. The recording
//! repeats at its end.

use super::trace::{MAX_DELAY_MS, TraceError, TraceProblem};
use windward_units::{Duration, Time};

/// A recording of delays: not empty, of positive interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelayTrace {
    interval: u64,
    /// Delays in nanoseconds.
    delays: Vec<u64>,
}

impl DelayTrace {
    /// Reads a file of one delay a line, in milliseconds.
    ///
    /// # Errors
    /// See [`TraceProblem`].
    #[inline]
    pub fn millis_of(text: &str) -> Result<Vec<f64>, TraceError> {
        let number = |(at, line): (usize, &str)| {
            let number = line.parse().ok().filter(|millis| (0.0..=MAX_DELAY_MS).contains(millis));
            number.ok_or_else(|| TraceError { line: at + 1, problem: TraceProblem::Delay(line.to_owned()) })
        };
        text.lines().map(str::trim).enumerate().map(number).collect()
    }

    /// Creates a recording of delays in milliseconds, one per `interval`, which is positive.
    ///
    /// # Errors
    /// See [`TraceProblem`].
    pub fn from_millis(interval: Duration, millis: &[f64]) -> Result<Self, TraceError> {
        if millis.is_empty() {
            return Err(TraceError { line: 1, problem: TraceProblem::Empty });
        }
        if let Some(at) = millis.iter().position(|millis| !(0.0..=MAX_DELAY_MS).contains(millis)) {
            return Err(TraceError { line: at + 1, problem: TraceProblem::Delay(millis[at].to_string()) });
        }
        let nanos = |millis: &f64| Duration::from_secs(millis / 1e3).as_nanos();
        Ok(Self { interval: interval.as_nanos().max(1), delays: millis.iter().map(nanos).collect() })
    }

    /// Least delay.
    #[inline]
    pub fn least(&self) -> Duration {
        Duration::from_nanos(self.delays.iter().copied().min().unwrap_or(0))
    }

    /// Delay at `now`.
    #[inline]
    pub(super) fn at(&self, now: Time) -> Duration {
        let slot = now.as_nanos() / self.interval % self.delays.len() as u64;
        Duration::from_nanos(self.delays[slot as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 30, 40 and 20 ms, 10 ms each, repeat every 30 ms.
    #[test]
    fn a_recording_repeats() {
        let trace = DelayTrace::from_millis(Duration::from_millis(10), &[30.0, 40.0, 20.5]).expect("delays");
        let at = |ms: u64| trace.at(Time::from_nanos(ms * 1_000_000)).as_nanos();
        assert_eq!(
            [0, 9, 10, 29, 30, 75].map(at),
            [30_000_000, 30_000_000, 40_000_000, 20_500_000, 30_000_000, 40_000_000]
        );
        assert_eq!(trace.least(), Duration::from_secs(0.0205));
    }

    #[test]
    fn wrong_delays_are_refused_with_their_line() {
        let refusal = |text: &str| DelayTrace::millis_of(text).unwrap_err().to_string();
        assert!(refusal("30\n-1\n").starts_with("line 2: `-1` is not a delay in milliseconds"));
        assert!(refusal("30\nnan\n").starts_with("line 2"));
        assert!(refusal("\n").starts_with("line 1"));
        let empty = TraceError { line: 1, problem: TraceProblem::Empty };
        assert_eq!(DelayTrace::from_millis(Duration::from_millis(1), &[]), Err(empty));
    }
}
