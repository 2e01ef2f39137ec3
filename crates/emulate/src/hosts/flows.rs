//! The flows of a run, over TCP of the kernel's or over QUIC.

use super::coded::Sight;
use super::flow::{Flow as TcpFlow, State};
#[cfg(not(feature = "quic"))]
use super::no_quic::QuicFlow;
use super::plan::FlowPlan;
#[cfg(feature = "quic")]
use super::quic::QuicFlow;
use super::traffic::FlowCounts;
use crate::error::Error;
use crate::sys::{Namespace, TcpInfo};
use std::path::Path;
use windward_sim::{LawChoice, Timing};
use windward_units::Duration;

/// A flow, before it begins and while it runs.
pub(super) enum Flow<'a> {
    Tcp(Box<TcpFlow<'a>>),
    Quic(Box<QuicFlow<'a>>),
}

impl<'a> Flow<'a> {
    /// Makes the sockets of `plan` in its two hosts.
    pub(super) fn prepare(
        plan: &'a FlowPlan,
        hosts: &'a [Namespace],
        timing: Timing,
        seed: (u64, Option<&Path>),
    ) -> Result<Self, Error> {
        match plan.config.law {
            LawChoice::Quic(..) => QuicFlow::prepare(plan, hosts, timing, seed).map(|flow| Self::Quic(Box::new(flow))),
            _ => TcpFlow::prepare(plan, hosts, timing).map(|flow| Self::Tcp(Box::new(flow))),
        }
    }

    pub(super) fn plan(&self) -> &'a FlowPlan {
        match self {
            Self::Tcp(flow) => flow.plan,
            Self::Quic(flow) => flow.plan,
        }
    }

    /// Lets a flow of a transfer open a connection, or close the one that it has. Transfers are over TCP.
    pub(super) fn want(&self, is_wanted: bool) {
        if let Self::Tcp(flow) = self {
            flow.want(is_wanted);
        }
    }

    /// Sender's state, with the counts of all its connections; `None` before the first.
    pub(super) fn info(&self) -> Option<TcpInfo> {
        match self {
            Self::Tcp(flow) => flow.info(),
            Self::Quic(flow) => flow.info(),
        }
    }

    /// Sender's state for the coding layer, which is below TCP.
    pub(super) fn sight(&self) -> Sight {
        match self {
            Self::Tcp(flow) => flow.sight(),
            Self::Quic(_) => Sight { cwnd: 1.0, srtt: Duration::ZERO },
        }
    }

    /// Outcome of the flow.
    pub(super) fn state(&self) -> State {
        match self {
            Self::Tcp(flow) => flow.state(),
            Self::Quic(flow) => flow.state(),
        }
    }

    /// Reports the internal state of the law, where the flow knows it.
    pub(super) fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        match self {
            Self::Tcp(flow) => flow.observe(sink),
            Self::Quic(flow) => flow.observe(sink),
        }
    }

    /// Adds what the network does not see.
    pub(super) fn add_to(&self, counts: &mut FlowCounts) {
        match self {
            Self::Tcp(flow) => flow.add_to(counts),
            Self::Quic(flow) => flow.add_to(counts),
        }
    }
}
