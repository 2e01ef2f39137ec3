//! Packet-level discrete-event simulation of TCP over networks.
//!
//! [`Network`] says what there is, in indices and typed units; [`run`] simulates it for one seed and returns an
//! [`Output`]. The same network and seed give the same output, bit for bit. Nothing here reads a clock, a file or a
//! thread's own random numbers.

mod apps;
mod capture;
pub mod cell;
mod engine;
mod fabric;
mod link;
mod net;
mod network;
mod opportunities;
mod output;
mod packet;
mod pcapng;
mod record;
mod run;
mod tcp;
mod transfer;
mod world;

pub use fabric::{Fabric, Parcel};
pub use network::{
    Buffer, FlowConfig, Jitter, LawChoice, LinkConfig, Loss, Network, NodeId, Pattern, Rate, SourceConfig, Spread,
    TcpOptions, TransferConfig,
};
pub use opportunities::{OPPORTUNITY, Opportunities, TraceError, TraceProblem};
pub use output::{FlowSeries, FlowStats, Internals, LinkSeries, LinkStats, Output, SourceStats, StationStats};
pub use pcapng::Pcapng;
pub use run::{Control, RunError, run};
