//! What is kept of a run: totals and series, and the packets themselves.

mod capture;
mod output;
mod pcapng;
mod recorder;

pub use capture::Capture;
pub use output::{FlowSeries, FlowStats, Internals, LinkSeries, LinkStats, Output, SourceStats, StationStats};
pub use pcapng::Pcapng;
pub use recorder::Recorder;
