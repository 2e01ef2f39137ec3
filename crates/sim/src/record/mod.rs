//! Recorders of a run: totals, series and packet captures.

mod capture;
mod pcapng;
mod radio;
mod recorder;
mod windows;

pub use capture::Capture;
pub use pcapng::{Destination, LinkType, Pcapng};
pub use recorder::{Recorder, add_requests};
