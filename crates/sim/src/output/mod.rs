//! Results of a run: totals, tables and series, as plain data.

mod air;
mod coded;
mod figures;
mod tables;

pub use air::{AirFrame, AirLog, FRAME_KINDS, FrameKind};
pub use figures::{Column, Figure, Figures, Of};
pub use tables::{
    BacklogSeries, BacklogStats, Balance, BlockStats, CodingStats, FlowSeries, FlowStats, Internals, LinkSeries,
    LinkStats, Output, Queued, Series, ShareStats, SourceStats,
};
