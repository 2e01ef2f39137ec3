//! Packet-level discrete-event simulation of TCP over networks.
//!
//! [`Network`] says what there is, in indices and typed units; [`run`] simulates it for one seed and returns an
//! [`Output`]. The same network and seed give the same output, bit for bit. Nothing here reads a clock, a file or a
//! thread's own random numbers.

mod apps;
mod engine;
mod fabric;
mod link;
mod makers;
mod medium;
mod net;
mod network;
mod packet;
mod record;
mod run;
mod tcp;
mod world;

pub use fabric::{Fabric, Parcel};
pub use link::{OPPORTUNITY, Opportunities, TraceError, TraceProblem};
pub use makers::{MakeLaw, MakeScheduler, Makers};
pub use medium::cell;
pub use network::{
    Buffer, FlowConfig, Jitter, LawChoice, LinkConfig, Loss, Network, NodeId, Pattern, Rate, SourceConfig, Spread,
    TcpOptions, TransferConfig,
};
pub use record::{FlowSeries, FlowStats, Internals, LinkSeries, LinkStats, Output, Pcapng, SourceStats, StationStats};
pub use run::{Control, RunError, run};
