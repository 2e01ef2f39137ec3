//! The time at which a receiver acknowledges a segment.

use windward_units::Time;

/// Acknowledgement that an arrived segment calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckDue {
    /// Acknowledge at once.
    Now,
    /// Acknowledge by this time.
    By(Time),
}
