//! Recovery state of a sender after losses and marks.

use super::prr::Prr;
use windward_laws::Repair;

/// State of loss recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// No segment is known to be lost.
    Open,
    /// On a connection with SACK, a mark reduces the window until everything sent before is acknowledged. The reduction
    /// is as even as after a loss (Linux's state CWR).
    Reduction {
        /// Next new segment at the start of the reduction.
        until: u32,
        /// Rate reduction.
        prr: Prr,
    },
    /// Fast recovery until everything sent before it is acknowledged.
    Recovery {
        /// Next new segment at the start of recovery (RFC 6675's RecoveryPoint).
        until: u32,
        /// Rate reduction.
        prr: Prr,
    },
    /// Fast recovery of RFC 6582, where the window limits transmissions.
    WindowRecovery {
        /// Next new segment at the start of recovery (`recover`).
        until: u32,
    },
    /// After a timeout, until everything sent before it is acknowledged.
    Loss {
        /// Next new segment when the timer expired, or later: when F-RTO saw the first retransmission acknowledged.
        until: u32,
    },
}

impl Phase {
    /// State as reported to a law.
    #[inline]
    pub fn repair(&self) -> Repair {
        match self {
            Self::Open | Self::Reduction { .. } => Repair::Nothing,
            Self::Recovery { .. } | Self::WindowRecovery { .. } => Repair::Losses,
            Self::Loss { .. } => Repair::Timeout,
        }
    }

    /// True in fast recovery.
    #[inline]
    pub fn is_recovery(&self) -> bool {
        matches!(self, Self::Recovery { .. } | Self::WindowRecovery { .. })
    }

    /// Limit on the segments to send, if it is not the window.
    #[inline]
    pub fn prr(&mut self) -> Option<&mut Prr> {
        match self {
            Self::Reduction { prr, .. } | Self::Recovery { prr, .. } => Some(prr),
            Self::Open | Self::WindowRecovery { .. } | Self::Loss { .. } => None,
        }
    }
}
