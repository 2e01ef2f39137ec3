//! Errors of recordings, with their lines.

use std::fmt;

/// A year in milliseconds, which keeps sums of a trace's and a run's lengths far below the range of 64-bit nanoseconds.
pub(super) const MAX_MILLIS: u64 = 365 * 86_400_000;
/// Longest delay of a recording: a day, in milliseconds.
pub(super) const MAX_DELAY_MS: f64 = 86_400_000.0;

/// Error of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Number of the line or entry, from 1.
    pub line: usize,
    /// Problem of the line.
    pub problem: TraceProblem,
}

/// Problem of a trace's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceProblem {
    /// Not a whole number of milliseconds up to a year.
    Number(String),
    /// Earlier than the line before.
    Order,
    /// No line, or only zeros, which leave the trace without length.
    Length,
    /// Not a delay in milliseconds from 0 to a day.
    Delay(String),
    /// No delay.
    Empty,
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
            Self::Delay(text) => write!(f, "`{text}` is not a delay in milliseconds, from 0 to {MAX_DELAY_MS}"),
            Self::Empty => f.write_str("the recording has no delay"),
        }
    }
}

impl std::error::Error for TraceError {}
