//! Results of a run: totals, tables and series, as plain data.

mod coded;
mod figures;
mod pages;
mod requests;
mod run;
mod tables;
mod videos;

pub use coded::{BlockStats, CodingStats};
pub use figures::share;
pub use pages::{ObjectLog, PageStats, VisitLog};
pub use requests::{AppStats, RequestClassStats, RequestContext, RequestLog, RequestRow};
pub use run::{Balance, Output, TABLES};
pub use tables::{
    BacklogSeries, BacklogStats, CallStats, CallVideoSeries, CallVideoStats, FlowSeries, FlowStats, FlowWindowStats,
    GameStats, GroupStats, InternalSeries, Internals, LinkSeries, LinkStats, LinkWindowStats, Series, ShareStats,
    SourceStats,
};
pub use videos::{ChunkLog, VideoStats};
