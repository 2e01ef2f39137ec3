//! Results of a run: totals, tables and series, as plain data.

mod air;
mod coded;
mod run;
mod tables;

pub use air::{
    AirBlockAck, AirFormat, AirFrame, AirLog, AirMode, AirMpdu, AirRecord, Direction, FRAME_KINDS, FrameKind, MpduLog,
    SEQUENCE_MODULO,
};
pub use run::{Balance, Output, TABLES, share};
pub use tables::{
    BacklogSeries, BacklogStats, BlockStats, CodingStats, FlowSeries, FlowStats, GroupStats, InternalSeries, Internals,
    LinkSeries, LinkStats, Series, ShareStats, SourceStats,
};
