//! How a receiver answers.

use windward_units::Time;

/// What to do about a segment that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Acknowledge now.
    Now,
    /// Acknowledge by then.
    By(Time),
}
