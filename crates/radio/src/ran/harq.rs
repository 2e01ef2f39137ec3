//! HARQ processes of a station and direction.

use super::intervals::Interval;
use super::phy::grid::Entry;
use windward_units::Time;

/// Most processes of a direction.
pub(super) const PROCESSES: usize = 16;
/// Most intervals of a block: new data, and parts that RLC repeats.
pub(super) const PARTS: usize = 4;
/// Most gaps that a status report names.
pub(super) const GAPS: usize = 8;

/// A status report of RLC.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Status {
    /// Everything below is received or named as missing.
    pub upto: u64,
    /// Missing intervals.
    pub gaps: [Interval; GAPS],
    /// Number of them.
    pub count: usize,
}

impl Status {
    /// Bytes: 3, and 6 for each gap.
    pub const fn bytes(count: usize) -> u64 {
        3 + 6 * count as u64
    }
}

/// Progress of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Free.
    #[default]
    Free,
    /// Sent; the feedback is known from slot `known` on.
    Sent {
        /// Slot.
        known: u64,
        /// True for an ACK.
        is_good: bool,
    },
    /// To be sent again.
    Failed,
    /// To be sent in an uplink slot that is decided.
    Granted,
}

/// A transport block in its process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Process {
    pub stage: Stage,
    pub parts: [Interval; PARTS],
    pub part_count: usize,
    /// Status report for the other direction.
    pub status: Option<Status>,
    /// Backlog that an uplink block reports, and the slot of the report.
    pub backlog: u64,
    pub made_at: u64,
    /// Start of its first slot.
    pub made: Time,
    /// True if RLC sent a part of it before.
    pub has_repeats: bool,
    /// True if the block carries a poll.
    pub has_poll: bool,
    pub entry: Entry,
    pub mcs: u8,
    pub rank: u8,
    /// Resource elements of the block.
    pub elements: u32,
    /// Transmissions so far.
    pub attempts: u32,
    /// Sum of the linear ratios of all transmissions.
    pub energy: f64,
}

impl Process {
    /// Adds a part.
    pub fn add(&mut self, part: Interval) {
        self.parts[self.part_count] = part;
        self.part_count += 1;
    }

    /// Parts of the block.
    pub fn parts(&self) -> &[Interval] {
        &self.parts[..self.part_count]
    }
}
