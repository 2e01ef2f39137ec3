//! Results of a run: totals, tables and series, as plain data.

mod air;
mod coded;
mod run;
mod tables;

pub use air::{AirFrame, AirLog, FRAME_KINDS, FrameKind};
pub use run::{Balance, Output, TABLES, share};
pub use tables::{
    BacklogSeries, BacklogStats, BlockStats, CodingStats, FlowSeries, FlowStats, GroupStats, InternalSeries, Internals,
    LinkSeries, LinkStats, Series, ShareStats, SourceStats,
};
