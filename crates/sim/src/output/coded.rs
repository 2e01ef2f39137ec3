//! Counters of coding layers, as rows of tables.

use windward_elements::coding::{BlockRecord, SinkCounts, SourceCounts};
use windward_tables::table;
use windward_units::Time;

table! {
    /// Counters of the coding layer of each coded flow.
    pub struct CodingStats: "coding", Parts, "flow", IfAny;
    columns {
        /// Flow.
        flow: u32 @ "flows" fixed [""],
        /// Combinations that left the source, repairs included.
        combinations: u64 ["packets"],
        /// Repairs among them: combinations sent in answer to requests of the sink.
        repairs: u64 ["packets"],
        /// Segments whose loss TCP saw: a full queue at the source dropped their combination, so the layer withheld
        /// their acknowledgement. All other losses are masked: the layer repairs them, and TCP does not notice.
        unmasked: u64 ["segments"],
        /// Combinations that arrived.
        received: u64 ["packets"],
        /// Innovative combinations among them: those that raised the rank of their block.
        innovative: u64 ["packets"],
        /// Requests of the sink.
        requests: u64 [""],
        /// Combinations requested.
        requested: u64 ["packets"],
    }
}

table! {
    /// Decoded blocks of coded flows, after the warm-up.
    pub struct BlockStats: "blocks", Series, "flow", IfAny;
    columns {
        /// Flow.
        flow: u32 @ "flows" fixed [""],
        /// Number of the block.
        block: u32 fixed [""],
        /// Number of its segments.
        size: u32 ["segments"],
        /// Time at which its first segment was sent.
        opened_s: f64 ["s"],
        /// Time at which its first combination arrived.
        began_s: f64 ["s"],
        /// Time at which its last segment was handed to the receiver, in order.
        decoded_s: f64 ["s"],
        /// Requests for it.
        requests: u32 [""],
    }
}

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
