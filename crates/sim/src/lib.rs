//! Packet-level discrete-event simulation of TCP and applications over wires, Wi-Fi, LTE and NR cells.
//!
//! [`Network`] describes links, flows and sources by indices and typed units; [`run`] simulates it for one seed and
//! returns an [`Output`]. The same network and seed give the same output, bit for bit. The crate uses no clock, no file
//! and no thread-local random numbers.

#![forbid(unsafe_code)]

#[macro_use]
mod applications;
mod apps;
mod endpoint;
mod ends;
mod fabric;
mod makers;
mod net;
mod network;
mod output;
mod port;
mod quic;
mod record;
mod run;
mod stepped;
mod tcp;
pub mod tfrc;
mod topology;
mod world;

pub use apps::all::*;
pub use apps::{Apps, Client, Opening, ProbePace, Probed, Transport, TwoWay};
pub use ends::{
    MakeQuic, QuicConfig, QuicDatagram, QuicEnds, QuicExchange, QuicFlow, QuicHeard, QuicMaker, QuicState, UDP_HEADERS,
};
pub use fabric::{Fabric, Parcel};
pub use makers::{MakeLaw, Makers};
pub use network::{
    AppConfig, AppKind, Arrivals, ConnectionUse, Demand, EcnMode, ExtremeValue, FlowConfig, Ideal, IdleRestart,
    LEAST_SPACING, LawChoice, LawOf, Length, LossDetection, MOST_PERIODS, Network, NewReno, Pattern, QuicOptions,
    Reading, ReceiveBuffer, RequestsConfig, RtoRule, SendBuffer, SessionConfig, SourceConfig, Spread, TcpOptions,
    TfrcOptions, Timing, TransferConfig, Writing,
};
pub use output::{
    AppStats, BacklogSeries, BacklogStats, Balance, BlockStats, CallVideoSeries, CodingStats, FlowSeries, FlowStats,
    GroupStats, InternalSeries, Internals, LinkSeries, LinkStats, Output, RequestClassStats, RequestLog, Series,
    ShareStats, SourceStats, share,
};
pub use record::{Destination, LinkType, Pcapng, add_requests};
pub use run::{RunError, Shown, run, run_shown};
pub use stepped::{FlowState, Pause, Stepped};
pub use tcp::{Reader, Side, Writer, socket};
pub use topology::{Points, PortConfig, PortKind, Route, Step, Topology};
pub use windward_elements::ecn::Codepoint;
pub use windward_elements::engine::AppTimer;
pub use windward_elements::link::{
    Delay, DelayTrace, Drops, Hold, Jitter, LinkChange, LinkConfig, LinkStep, Loss, OPPORTUNITY, Opportunities, Rate,
    Reorder, TraceError, TraceProblem,
};
pub use windward_elements::node::{Forwarding, NodeConfig};
pub use windward_elements::packet::NodeId;
pub use windward_elements::queue::parameters::*;
pub use windward_elements::queue::{
    Buffer, Cells, Framing, Isolation, QueueConfig, Sharing, Tins, parcel_conversation,
};
pub use windward_elements::size::{DATA_MINING, Size, WEB_SEARCH};
pub use windward_elements::status::{Cause, Sight};
pub use windward_elements::{backpressure, coding, csv};
pub use windward_radio::air::{AirFormat, AirLog, FrameKind, MpduLog, RanBlockLog};
pub use windward_radio::all::*;
pub use windward_radio::{Hooks, MakeRule, MakeScheduler, MediumConfig};
pub use windward_traffic as traffic;
pub use windward_units::Control;

/// Tables of a run, those of entities first, those of media after the links.
pub fn tables() -> Vec<&'static windward_tables::Table> {
    use windward_tables::Row;
    [
        output::ENTITIES,
        windward_radio::TABLES,
        &[SourceStats::TABLE],
        apps::OF_SOURCES,
        output::SHARED,
        apps::OF_APPS,
        output::SERIES,
    ]
    .concat()
}
