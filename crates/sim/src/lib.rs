//! Packet-level discrete-event simulation of TCP and applications over wires, Wi-Fi, LTE and NR cells.
//!
//! [`Network`] describes links, flows and sources by indices and typed units; [`run`] simulates it for one seed and
//! returns an [`Output`]. The same network and seed give the same output, bit for bit. The crate uses no clock, no file
//! and no thread-local random numbers.

#![forbid(unsafe_code)]

mod apps;
pub mod backpressure;
pub mod coding;
pub mod csv;
mod ecn;
mod endpoint;
mod engine;
mod fabric;
mod link;
mod makers;
mod medium;
mod net;
mod network;
mod node;
mod output;
mod packet;
mod port;
mod queue;
mod record;
mod run;
mod size;
mod status;
mod tcp;
pub mod tfrc;
mod topology;
mod world;

pub use apps::{Apps, Client, Opening, Transport, TwoWay};
pub use ecn::Codepoint;
pub use engine::AppTimer;
pub use fabric::{Fabric, Parcel};
pub use link::{
    Delay, DelayTrace, Drops, Hold, Jitter, LinkChange, LinkConfig, LinkStep, Loss, OPPORTUNITY, Opportunities, Rate,
    Reorder, TraceError, TraceProblem,
};
pub use makers::{MakeLaw, Makers};
pub use medium::all::*;
pub use medium::{Hooks, MakeRule, MakeScheduler, MediumConfig};
pub use network::{
    AppConfig, AppKind, Arrivals, ConnectionUse, Demand, EcnMode, ExtremeValue, FlowConfig, Ideal, IdleRestart,
    LEAST_SPACING, LawChoice, Length, LossDetection, MOST_PERIODS, Network, NewReno, Pattern, Reading, ReceiveBuffer,
    RequestsConfig, RtoRule, SendBuffer, SessionConfig, SourceConfig, Spread, TcpOptions, TfrcOptions, Timing,
    TransferConfig, Writing,
};
pub use node::{Forwarding, NodeConfig};
pub use output::{
    AirFormat, AirLog, AppStats, BacklogSeries, BacklogStats, Balance, BlockStats, CallStats, CallVideoSeries,
    CallVideoStats, ChunkLog, CodingStats, FlowSeries, FlowStats, FrameKind, GameStats, GroupStats, InternalSeries,
    Internals, LinkSeries, LinkStats, MpduLog, ObjectLog, Output, PageStats, RanBlockLog, RequestClassStats,
    RequestLog, Series, ShareStats, SourceStats, VideoStats, VisitLog, share,
};
pub use packet::NodeId;
pub use queue::parameters::*;
pub use queue::{Buffer, Cells, Framing, Isolation, QueueConfig, Sharing, Tins, parcel_conversation};
pub use record::{Destination, LinkType, Pcapng, add_requests};
pub use run::{RunError, Shown, run, run_shown};
pub use size::{DATA_MINING, Size, WEB_SEARCH};
pub use status::{Cause, Sight};
pub use tcp::{Side, socket};
pub use topology::{Points, PortConfig, PortKind, Route, Step, Topology};
pub use windward_traffic::emodel::{CallConfig, mean_opinion_score};
pub use windward_traffic::page::{Order, PageConfig, PageObject, Protocol};
pub use windward_traffic::rtp::{RtpConfig, RtpControl};
pub use windward_traffic::video::{AbrRule, Estimate, Qoe, VideoConfig};
pub use windward_units::Control;

/// Tables of a run, those of entities first, those of media after the links.
pub fn tables() -> Vec<&'static windward_tables::Table> {
    let (first, rest) = output::TABLES.split_at(2);
    [first, medium::TABLES, rest].concat()
}
