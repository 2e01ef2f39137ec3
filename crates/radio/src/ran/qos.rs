//! Quality of service of a bearer: the 5QI of NR (3GPP TS 23.501, table 5.7.4-1), and the QCI of LTE, which has the
//! same values up to 9.

use super::rlc::{Pdcp, Rlc, RlcMode};
use windward_units::Duration;

/// 5QI of a station's default bearer.
pub const DEFAULT_QI: u32 = 9;
/// Part of a delay budget that the core network has: TS 23.501, note 11 of the table.
const CORE: Duration = Duration::from_millis(20);
/// t-PollRetransmit of acknowledged mode, and t-Reordering of PDCP, of bearers other than the default one.
const TIMER: Duration = Duration::from_millis(80);

/// Class of a bearer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Qos {
    /// 5QI, or QCI.
    pub qi: u32,
    /// True for a guaranteed bit rate (GBR).
    pub is_guaranteed: bool,
    /// Priority level: a lower one goes first.
    pub level: u32,
    /// Packet delay budget, in milliseconds.
    budget: u64,
    /// Packet error rate.
    pub error_rate: f64,
    mode: RlcMode,
    /// t-Reassembly, in milliseconds.
    reassembly: u64,
    discards: bool,
}

const fn class(
    (qi, is_guaranteed, level): (u32, bool, u32),
    (budget, error_rate): (u64, f64),
    (mode, reassembly, discards): (RlcMode, u64, bool),
) -> Qos {
    Qos { qi, is_guaranteed, level, budget, error_rate, mode, reassembly, discards }
}

/// Classes of the table. Modes, t-Reassembly and discard timers are those of open-source base stations (srsRAN
/// Project), whose discard timers are the budgets of the classes that have one.
const CLASSES: [Qos; 9] = {
    use RlcMode::{Acknowledged as Am, Unacknowledged as Um};
    [
        class((1, true, 20), (100, 1e-2), (Um, 50, true)),
        class((2, true, 40), (150, 1e-3), (Um, 50, true)),
        class((3, true, 30), (50, 1e-3), (Um, 35, true)),
        class((4, true, 50), (300, 1e-6), (Am, 80, true)),
        class((5, false, 10), (100, 1e-6), (Am, 80, false)),
        class((6, false, 60), (300, 1e-6), (Am, 80, true)),
        class((7, false, 70), (100, 1e-3), (Um, 100, false)),
        class((8, false, 80), (300, 1e-6), (Am, 80, true)),
        class((DEFAULT_QI, false, 90), (300, 1e-6), (Am, 20, false)),
    ]
};

/// Numbers above all priority levels: of the highest station priority and of the least important level.
const LEVELS: u32 = 128;

impl Qos {
    /// Class of the default bearer.
    pub const DEFAULT: Self = CLASSES[DEFAULT_QI as usize - 1];

    /// Class of a 5QI.
    pub fn of(qi: u32) -> Option<Self> {
        CLASSES.iter().find(|class| class.qi == qi).copied()
    }

    /// Part of the delay budget that the radio link has.
    pub fn radio_budget(&self) -> Duration {
        Duration::from_millis(self.budget) - CORE
    }

    /// RLC of a bearer of this class in a cell whose default bearers have `rlc`.
    #[must_use]
    pub fn rlc(&self, rlc: Rlc) -> Rlc {
        let window = if self.mode == RlcMode::Unacknowledged { None } else { rlc.window };
        let reassembly = Duration::from_millis(self.reassembly);
        Rlc { mode: self.mode, reassembly, poll_retransmit: TIMER, window, ..rlc }
    }

    /// PDCP of a bearer of this class.
    pub fn pdcp(&self) -> Pdcp {
        Pdcp { reordering: Some(TIMER), discard: self.discards.then(|| Duration::from_millis(self.budget)) }
    }

    /// a = −ln δ/T of M-LWDF and the EXP rule, for the budget T of the radio link and the error rate δ, in 1/s.
    pub fn urgency(&self) -> f64 {
        -libm::log(self.error_rate) / self.radio_budget().as_secs()
    }

    /// Factor of the scheduler's rule: (128 − level)/38, one for the default bearer.
    pub(super) fn weight(&self) -> f64 {
        f64::from(LEVELS - self.level) / f64::from(LEVELS - Self::DEFAULT.level)
    }

    /// Rank among all bearers of a cell, the highest first: that of the station's priority, then, within a guaranteed
    /// rate, the level.
    pub(super) fn rank(&self, priority: u32, is_within_guarantee: bool) -> u32 {
        let level = if is_within_guarantee { self.level } else { Self::DEFAULT.level };
        priority * LEVELS + (LEVELS - 1 - level)
    }
}
