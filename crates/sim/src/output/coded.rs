//! Counters of coding layers, as rows of tables.

use super::tables::{BlockStats, CodingStats};
use crate::coding::{BlockRecord, SinkCounts, SourceCounts};
use windward_units::Time;

impl CodingStats {
    /// Counters of the two ends of a flow's layer.
    pub fn new(flow: u32, source: &SourceCounts, sink: &SinkCounts) -> Self {
        Self {
            flow,
            combinations: source.sent,
            repairs: source.repairs,
            unmasked: source.unmasked,
            received: sink.received,
            innovative: sink.innovative,
            requests: sink.requests,
            requested: sink.requested,
        }
    }

    /// Returns the counts since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            flow: self.flow,
            combinations: self.combinations - before.combinations,
            repairs: self.repairs - before.repairs,
            unmasked: self.unmasked - before.unmasked,
            received: self.received - before.received,
            innovative: self.innovative - before.innovative,
            requests: self.requests - before.requests,
            requested: self.requested - before.requested,
        }
    }
}

impl BlockStats {
    /// Record of a flow's block whose first segment was sent at `opened`.
    pub fn new(flow: u32, opened: Time, record: &BlockRecord) -> Self {
        Self {
            flow,
            block: record.block,
            size: record.size,
            opened_s: opened.as_secs(),
            began_s: record.began.as_secs(),
            decoded_s: record.ended.as_secs(),
            requests: record.requests,
        }
    }
}
