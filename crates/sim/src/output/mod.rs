//! Results of a run: totals, tables and series, as plain data.

mod air;
mod coded;
mod requests;
mod run;
mod tables;

pub use air::{
    AirBlockAck, AirFormat, AirFrame, AirLog, AirMode, AirMpdu, AirRecord, Direction, FRAME_KINDS, FrameKind, MpduLog,
    SEQUENCE_MODULO,
};
pub use requests::{RequestContext, RequestRow};
pub use run::{Balance, Output, TABLES, share};
pub use tables::{
    AppStats, BacklogSeries, BacklogStats, BlockStats, CodingStats, FlowSeries, FlowStats, FlowWindowStats, GroupStats,
    InternalSeries, Internals, LinkSeries, LinkStats, LinkWindowStats, RequestClassStats, RequestLog, Series,
    ShareStats, SourceStats,
};
