//! What the coding layer counted, as tables have it.

use windward_sim::coding::{BlockRecord, SinkCounts, SourceCounts};
use windward_sim::{BlockStats, CodingStats};
use windward_units::Time;

/// The row of a flow.
pub(super) fn stats(flow: u32, source: &SourceCounts, sink: &SinkCounts) -> CodingStats {
    CodingStats {
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

/// What was counted after `before`.
pub(super) fn since(before: Option<&CodingStats>, after: &CodingStats) -> CodingStats {
    let Some(before) = before else { return after.clone() };
    CodingStats {
        flow: after.flow,
        combinations: after.combinations - before.combinations,
        repairs: after.repairs - before.repairs,
        unmasked: after.unmasked - before.unmasked,
        received: after.received - before.received,
        innovative: after.innovative - before.innovative,
        requests: after.requests - before.requests,
        requested: after.requested - before.requested,
    }
}

/// The row of a block.
pub(super) fn block(flow: u32, opened: Time, record: &BlockRecord) -> BlockStats {
    BlockStats {
        flow,
        block: record.block,
        size: record.size,
        opened_s: opened.as_secs(),
        began_s: record.began.as_secs(),
        decoded_s: record.ended.as_secs(),
        requests: record.requests,
    }
}
