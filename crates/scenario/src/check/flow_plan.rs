//! TCP flows, as planned.

use crate::names::FlowName;
use windward_laws::emultcp;
use windward_sim::coding::CodingConfig;
use windward_sim::{LawChoice, NodeId, TcpOptions};
use windward_units::{Bytes, Duration, Time};

/// The seed whose flows start as written, where no spread is given: the usual single run is that of the file.
pub(crate) const UNSPREAD: u64 = 1;

impl FlowPlan {
    /// Up to how much later than [`Self::start`] it starts in the run of `seed`.
    pub fn spread(&self, entry: &FlowEntry, seed: u64) -> Duration {
        let own = if seed == UNSPREAD { Duration::ZERO } else { self.start_spread };
        entry.start_spread.unwrap_or(own)
    }
}

/// What the flows of one table share.
#[derive(Clone, Debug)]
pub(crate) struct FlowEntry {
    pub law: LawChoice,
    /// As given; `None`: what the scenario makes of it.
    pub start_spread: Option<Duration>,
    pub stop: Option<Time>,
    pub size: Option<Bytes>,
    /// What decides how many of a member's flows are open; `None`: it has one.
    pub controller: Option<emultcp::Params>,
    pub tcp: TcpOptions,
    pub coding: Option<CodingConfig>,
    pub is_base_rtt_of_path: bool,
}

impl FlowEntry {
    /// Connections that each member can have.
    pub fn slots(&self) -> u32 {
        self.controller.map_or(1, |params| params.max)
    }
}

/// One flow, or one connection of a transfer.
#[derive(Clone, Debug)]
pub(crate) struct FlowPlan {
    pub key: u64,
    /// Index of its [`FlowEntry`].
    pub entry: usize,
    pub source: NodeId,
    pub sink: NodeId,
    /// Without its spread.
    pub start: Duration,
    /// What the spread is where none is given, for seeds but [`UNSPREAD`].
    pub start_spread: Duration,
    pub forward: Vec<u32>,
    pub backward: Vec<u32>,
    /// Whether the file spells the route out, there and back.
    pub is_fixed: [bool; 2],
    pub known_base_rtt: Option<Duration>,
}

pub(crate) struct Flows {
    pub entries: Vec<FlowEntry>,
    pub plans: Vec<FlowPlan>,
    pub names: Vec<FlowName>,
}
