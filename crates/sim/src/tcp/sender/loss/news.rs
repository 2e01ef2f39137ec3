//! News that one ACK brings to a sender that detects losses by time.

/// Information in one ACK.
#[derive(Clone, Copy)]
pub struct News {
    /// True if the cumulative ACK advanced.
    pub advances: bool,
    /// First unacknowledged segment before this ACK.
    pub una: u32,
    /// Number of newly SACKed segments.
    pub sacked: u32,
    /// True if a duplicate was reported.
    pub has_duplicate: bool,
    /// Lowest delivered segment that was sent only once.
    pub lowest_clean: Option<u32>,
    /// Echoed timestamp, on connections with timestamps.
    pub stamp: Option<u64>,
}

/// Information in a reported duplicate.
#[derive(Clone, Copy, Default)]
pub struct Duplicates {
    pub count: u32,
    /// True if it is the probe's duplicate: the original arrived too.
    pub is_probe: bool,
}
