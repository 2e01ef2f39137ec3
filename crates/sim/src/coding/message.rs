//! What the two ends tell each other.

use windward_units::Duration;

/// The header of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The block, counted from 0.
    pub block: u32,
    /// Its number among the combinations of the block.
    pub id: u32,
    /// H, the segments of the block. Fewer where the data end before.
    pub size: u32,
    /// The segments in it: the first ones of the block, at least one.
    pub columns: u32,
    /// The segment that TCP sent when this left, which the loss of this at the source shows to be lost; `None` for what the layer
    /// sends of itself. Not on the wire.
    pub segment: Option<u32>,
    /// The smoothed round trip that the source's TCP measures; zero before the first sample.
    pub rtt: Duration,
}

/// What a sink says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The block of the combination that came.
    pub block: u32,
    /// Independent combinations of it so far.
    pub rank: u32,
    /// All blocks before this one are decoded.
    pub below: u32,
    /// What it asks for.
    pub request: Option<Request>,
}

/// A request for further combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Of this block.
    pub block: u32,
    /// So many; at least one.
    pub missing: u32,
}
