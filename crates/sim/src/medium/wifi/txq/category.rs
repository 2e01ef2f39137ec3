//! Access categories.

/// Access category of EDCA, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Voice, VO.
    Voice,
    /// Video, VI.
    Video,
    /// Best effort, BE.
    BestEffort,
    /// Background, BK.
    Background,
}

/// Traffic identifiers of a station: the user priorities 0 to 7.
pub(super) const TIDS: usize = 8;
/// Access categories.
pub(super) const CATEGORIES: usize = 4;

impl Category {
    /// All categories, the most urgent first.
    pub const ALL: [Self; CATEGORIES] = [Self::Voice, Self::Video, Self::BestEffort, Self::Background];

    /// Category of a traffic identifier, 0 to 7 (IEEE 802.11-2020, table 10-1).
    pub const fn of(tid: u8) -> Self {
        match tid {
            0 | 3 => Self::BestEffort,
            1 | 2 => Self::Background,
            4 | 5 => Self::Video,
            _ => Self::Voice,
        }
    }
}
