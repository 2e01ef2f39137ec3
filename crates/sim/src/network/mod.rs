//! Input of the simulator: links, flows and background sources, as indices and typed units.
//!
//! A [`Network`] is the compiled form of a scenario: names are resolved, routes are lists of links, all values are
//! checked. Code that builds one by hand must respect the constraints stated at each field.

mod app;
mod application;
mod arrivals;
mod flow;
mod requests;
mod session;
mod source;
mod tcp;

use crate::topology::Topology;
pub use app::{AppConfig, AppKind, Ideal};
pub use application::{Application, ConnectionUse, Demand};
pub use arrivals::Arrivals;
pub use flow::{FlowConfig, LawChoice, LawOf, QuicOptions, TfrcOptions, TransferConfig};
pub use requests::RequestsConfig;
pub use session::{Length, SessionConfig};
pub use source::{ExtremeValue, LEAST_SPACING, MOST_PERIODS, Pattern, SourceConfig, Spread};
use std::ops::Range;
pub use tcp::{
    EcnMode, IdleRestart, LossDetection, NewReno, Reading, ReceiveBuffer, RtoRule, SendBuffer, TcpOptions, Writing,
};
use windward_units::{Duration, Time};

/// A network ready to run.
#[derive(Clone, Debug)]
pub struct Network {
    /// The network below the endpoints.
    pub topology: Topology,
    /// TCP flows.
    pub flows: Vec<FlowConfig>,
    /// Transfers over a changing number of TCP flows.
    pub transfers: Vec<TransferConfig>,
    /// Clients and servers over two-way TCP connections.
    pub apps: Vec<AppConfig>,
    /// UDP background sources.
    pub sources: Vec<SourceConfig>,
    /// Start of the statistics and end of the run.
    pub timing: Timing,
    /// True to record the laws' internal state ([`windward_laws::Law::observe`]) in every sample.
    pub internals: bool,
    /// Records the wireless frames that start within this range.
    pub air: Option<Range<Time>>,
    /// Windows of time with figures of their own, each after the warm-up.
    pub windows: Vec<Range<Time>>,
}

impl Network {
    /// Creates a network without traffic, of which neither internal state nor frames nor windows are recorded.
    pub fn new(topology: Topology, timing: Timing) -> Self {
        Self {
            topology,
            flows: Vec::new(),
            transfers: Vec::new(),
            apps: Vec::new(),
            sources: Vec::new(),
            timing,
            internals: false,
            air: None,
            windows: Vec::new(),
        }
    }
}

/// Duration, warm-up and sampling interval of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Simulated time; positive.
    pub duration: Time,
    /// Start of the statistics; before `duration`.
    pub warmup: Time,
    /// Sampling interval of the series; positive.
    pub sample_interval: Duration,
}
