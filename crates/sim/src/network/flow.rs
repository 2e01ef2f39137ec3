//! TCP flows, their laws, and transfers over several of them.

use super::tcp::TcpOptions;
use crate::topology::Route;
use std::ops::Range;
use windward_elements::coding::CodingConfig;
use windward_elements::packet::NodeId;
use windward_laws::{LawSpec, emultcp};
use windward_units::{Bytes, Time};

/// One TCP flow: data goes from `source` to `sink` along `forward`, ACKs return along `backward`.
#[derive(Clone, Debug)]
pub struct FlowConfig {
    /// Names the flow's random streams; different for every flow.
    pub key: u64,
    /// Sender of the data.
    pub source: NodeId,
    /// Receiver of the data.
    pub sink: NodeId,
    /// Route of the data.
    pub forward: Route,
    /// Route of the ACKs.
    pub backward: Route,
    /// Congestion control law.
    pub law: LawChoice,
    /// Time at which the connection opens; [`Time::NEVER`] if a transfer opens it.
    pub start: Time,
    /// Time after which no new data is sent; `None`: end of the run.
    pub stop: Option<Time>,
    /// Amount of data to transfer; `None`: unbounded.
    pub size: Option<Bytes>,
    /// TCP parameters other than the law.
    pub tcp: TcpOptions,
    /// Network coding between TCP and the network; `None` for flows of a transfer.
    pub coding: Option<CodingConfig>,
}

/// Congestion control of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawChoice {
    /// A built-in law.
    Known(LawSpec),
    /// TFRC in place of TCP.
    Tfrc(TfrcOptions),
    /// This law over QUIC in place of TCP, between ends that the [`Makers`](crate::Makers) of the run make.
    Quic(LawSpec, QuicOptions),
    /// A user-defined law, by its index in the [`Makers`](crate::Makers) of the run, which must contain it.
    Own(u32),
}

/// Options of a connection over QUIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuicOptions {
    /// Implementation of the law.
    pub law_of: LawOf,
    /// True to resume a session and send data with the first flight (0-RTT).
    pub zero_rtt: bool,
}

/// Implementation of a law over QUIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LawOf {
    /// The law of this project.
    #[default]
    Windward,
    /// The controller of the same name in quinn.
    Quinn,
    /// The controller of the same name in noq, between endpoints of noq.
    Noq,
}

/// Options of a TFRC flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TfrcOptions {
    /// True to discount older loss intervals during long intervals without loss (§5.5).
    pub history_discounting: bool,
    /// True to follow short-term changes of the RTT with the instantaneous rate (§4.5).
    pub oscillation_reduction: bool,
}

impl Default for TfrcOptions {
    fn default() -> Self {
        Self { history_discounting: true, oscillation_reduction: true }
    }
}

/// An endless transfer over several TCP flows between the same two nodes. A controller decides the number of open
/// flows. A closed flow sends no new data; a new connection opens in its place when more are needed.
#[derive(Clone, Debug)]
pub struct TransferConfig {
    /// Indices of its flows; not empty, and no flow belongs to two transfers. Their start is [`Time::NEVER`], because
    /// the transfer opens them in order. They have neither a stop time nor a size.
    pub flows: Range<usize>,
    /// Law of the number of open flows, with valid parameters.
    pub controller: emultcp::Params,
    /// True if its only flow, one of TFRC, sends at n times the rate of a connection (AIO-TFRC).
    pub is_combined: bool,
    /// Index of the source of [`Pattern::Probes`](super::Pattern::Probes) that measures its round trips; `None`: its
    /// connections measure them.
    pub probes: Option<u32>,
    /// Time at which the first connection opens.
    pub start: Time,
    /// Time after which no new data is sent; `None`: end of the run.
    pub stop: Option<Time>,
}
