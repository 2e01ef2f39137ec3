//! Chains of rates along which a PPDU is attempted.

use super::groups::Rate;
use crate::wifi::ppdu::Mode;

/// Stages of a chain.
pub const STAGES: usize = 4;

/// One rate of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Rate.
    pub mode: Mode,
    /// Most attempts.
    pub attempts: u8,
    /// True if an attempt begins with RTS and CTS.
    pub rts: bool,
    pub(super) rate: Rate,
}

/// Rates at which a PPDU is attempted, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Stages in order. Stages without attempts are skipped.
    pub stages: [Stage; STAGES],
    /// True if the first stage is a probe; ath9k does not aggregate it.
    pub probe: bool,
}

impl Chain {
    /// Chain of one rate.
    pub(super) fn of(mode: Mode, attempts: u8) -> Self {
        let stage = |attempts| Stage { mode, attempts, rts: false, rate: Rate::NONE };
        Self { stages: [stage(attempts), stage(0), stage(0), stage(0)], probe: false }
    }
}
