//! What is kept of a run: totals and series, and the packets themselves.

mod capture;
mod figures;
mod output;
mod pcapng;
mod recorder;

pub use capture::Capture;
pub use figures::{Column, Figure, Figures};
pub use output::{Balance, FlowSeries, FlowStats, Internals, LinkSeries, LinkStats, Output, SourceStats};
pub use pcapng::Pcapng;
pub use recorder::Recorder;
