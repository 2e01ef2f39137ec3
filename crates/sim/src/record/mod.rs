//! Records of a run: totals, series and packet captures.

mod capture;
mod coded;
mod figures;
mod output;
mod pcapng;
mod radio;
mod recorder;

pub use capture::Capture;
pub use figures::{Column, Figure, Figures, Of};
pub use output::{
    BacklogSeries, BacklogStats, Balance, BlockStats, CodingStats, FlowSeries, FlowStats, Internals, LinkSeries,
    LinkStats, Output, Queued, Series, ShareStats, SourceStats,
};
pub use pcapng::{LinkType, Pcapng};
pub use recorder::Recorder;
