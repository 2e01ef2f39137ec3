//! Flows over QUIC where this build has none.

use super::flow::State;
use super::plan::FlowPlan;
use super::start::Start;
use super::traffic::FlowCounts;
use crate::error::Error;
use crate::quality::Lateness;
use crate::sys::{Namespace, TcpInfo};
use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use windward_sim::Timing;

/// No flow: see `quic.rs`.
pub(super) struct QuicFlow<'a> {
    pub plan: &'a FlowPlan,
    never: Infallible,
}

impl<'a> QuicFlow<'a> {
    pub(super) fn prepare(
        plan: &'a FlowPlan,
        _: &'a [Namespace],
        _: Timing,
        _: (u64, Option<&Path>),
    ) -> Result<Self, Error> {
        let name = &plan.name;
        let message = format!("`{name}` is over QUIC, which is not compiled yet\nhint: make .venv/engine");
        Err(Error::Impossible(message))
    }

    pub(super) fn run(&self, _: &Start, _: &AtomicBool, _: Timing) -> Result<Lateness, Error> {
        match self.never {}
    }

    pub(super) fn info(&self) -> Option<TcpInfo> {
        match self.never {}
    }

    pub(super) fn state(&self) -> State {
        match self.never {}
    }

    pub(super) fn observe(&self, _: &mut dyn FnMut(&str, f64)) {
        match self.never {}
    }

    pub(super) fn add_to(&self, _: &mut FlowCounts) {
        match self.never {}
    }
}
