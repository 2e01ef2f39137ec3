//! Results of a run: totals, tables and series, as plain data.

mod coded;
mod figures;
mod requests;
mod run;
mod tables;

pub use coded::{BlockStats, CodingStats};
pub use figures::{nearest_rank, share};
pub use requests::{AppStats, RequestClassStats, RequestContext, RequestLog, RequestRow};
pub use run::{Balance, ENTITIES, Output, SERIES, SHARED};
pub use tables::{
    BacklogSeries, BacklogStats, CallVideoSeries, FlowSeries, FlowStats, FlowWindowStats, GroupStats, InternalSeries,
    Internals, LinkSeries, LinkStats, LinkWindowStats, Series, ShareStats, SourceStats,
};
