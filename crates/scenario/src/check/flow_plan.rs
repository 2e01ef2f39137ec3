//! TCP flows, as planned.

use crate::format::Stack;
use crate::names::FlowName;
use std::ops::Range;
use windward_laws::emultcp;
use windward_sim::coding::CodingConfig;
use windward_sim::{LawChoice, NodeId, TcpOptions};
use windward_units::{Bytes, Duration, Time};

/// Seed whose flows start as written if no spread is given: the usual single run is that of the file.
pub(crate) const UNSPREAD: u64 = 1;

impl FlowPlan {
    /// Maximum delay of the start after [`Self::start`] in the run of `seed`.
    pub fn spread(&self, entry: &FlowEntry, seed: u64) -> Duration {
        let own = if seed == UNSPREAD { Duration::ZERO } else { self.start_spread };
        entry.start_spread.unwrap_or(own)
    }
}

/// Properties common to the flows of one table.
#[derive(Clone, Debug)]
pub(crate) struct FlowEntry {
    pub law: LawChoice,
    /// Spread as given; `None` if the scenario determines it.
    pub start_spread: Option<Duration>,
    pub stop: Option<Time>,
    pub size: Option<Bytes>,
    /// Controller of the number of open flows of a member; `None` if it has one flow.
    pub controller: Option<emultcp::Params>,
    /// True if that number multiplies the rate of one flow.
    pub is_combined: bool,
    pub stack: Stack,
    pub tcp: TcpOptions,
    pub coding: Option<CodingConfig>,
    pub is_base_rtt_of_path: bool,
    pub has_base_of_handshake: bool,
}

impl FlowEntry {
    /// Maximum number of connections per member.
    pub fn slots(&self) -> u32 {
        self.controller.filter(|_| !self.is_combined).map_or(1, |params| params.max)
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
    /// Start time without its spread.
    pub start: Duration,
    /// Spread if none is given, for seeds other than [`UNSPREAD`].
    pub start_spread: Duration,
    pub forward: Vec<u32>,
    pub backward: Vec<u32>,
    /// True if the file gives the route, for the forward and the return path.
    pub is_fixed: [bool; 2],
    pub known_base_rtt: Option<Duration>,
    /// Round trip of a full segment and its ACK less that of the handshake, if that is a sample of the base.
    pub handshake_excess: Option<Duration>,
    /// Pacing shift of TCP small queues; `None`: off.
    pub small_queues: Option<u8>,
}

pub(crate) struct Flows {
    pub entries: Vec<FlowEntry>,
    pub plans: Vec<FlowPlan>,
    pub names: Vec<FlowName>,
    /// Flows of each transfer, by their indices.
    pub transfers: Vec<Range<usize>>,
}
