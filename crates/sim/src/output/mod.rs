//! Results of a run: totals, tables and series, as plain data.

mod air;
mod coded;
mod pages;
mod requests;
mod run;
mod tables;
mod videos;

pub use air::{
    AirBlockAck, AirFormat, AirFrame, AirLog, AirMode, AirMpdu, AirRecord, Direction, FRAME_KINDS, FrameKind, MpduLog,
    SEQUENCE_MODULO,
};
pub use requests::{RequestContext, RequestRow};
pub use run::{Balance, Output, TABLES, share};
pub use tables::{
    AppStats, BacklogSeries, BacklogStats, BlockStats, CallStats, ChunkLog, CodingStats, FlowSeries, FlowStats,
    FlowWindowStats, GroupStats, InternalSeries, Internals, LinkSeries, LinkStats, LinkWindowStats, ObjectLog,
    PageStats, RequestClassStats, RequestLog, Series, ShareStats, SourceStats, VideoStats, VisitLog,
};
