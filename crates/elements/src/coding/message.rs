//! Messages between the two ends.

use windward_units::Duration;

/// The header of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Number of the block, counted from 0.
    pub block: u32,
    /// Number among the combinations of the block.
    pub id: u32,
    /// H, the number of segments of the block; fewer at the end of the data.
    pub size: u32,
    /// Number of segments combined: the first ones of the block, at least one.
    pub columns: u32,
    /// Segment that TCP sent when this combination left; its loss at the source counts as that segment's loss. `None`
    /// for repairs by the layer itself. Not on the wire.
    pub segment: Option<u32>,
    /// Smoothed round-trip time of the source's TCP; zero before the first sample.
    pub rtt: Duration,
}

/// Feedback from the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Block of the combination that arrived.
    pub block: u32,
    /// Number of independent combinations of it so far.
    pub rank: u32,
    /// Number of the first block that is not decoded.
    pub below: u32,
    /// Requested combinations.
    pub request: Option<Request>,
}

/// A request for further combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number of the block.
    pub block: u32,
    /// Number of combinations; at least one.
    pub missing: u32,
}
