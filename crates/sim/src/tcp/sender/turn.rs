//! The decision of a sender.

use windward_units::Time;

/// Next action of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Send this new segment.
    New(u32),
    /// Retransmit this segment.
    Again(u32),
    /// Wait until this time: pacing.
    Wait(Time),
    /// Wait for an ACK.
    Idle,
}
