//! The receiver's decision when to acknowledge.

use windward_units::Time;

/// Acknowledgement that an arrived segment calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Acknowledge at once.
    Now,
    /// Acknowledge by this time.
    By(Time),
}
