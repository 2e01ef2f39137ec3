//! How stations find routes.

use super::check::Check;
use crate::format::wifi::{DistanceVectors, Routing};
use windward_sim::wifi::{DsdvConfig, RoutingConfig};

impl Check<'_> {
    /// The protocol and its numbers; `None` where routes are fixed.
    pub fn routing(&self) -> Option<RoutingConfig> {
        match &self.wifi.routing.0 {
            Routing::Shortest(_) => None,
            Routing::DistanceVectors(rule) => Some(RoutingConfig::Dsdv(dsdv(rule))),
        }
    }
}

fn dsdv(rule: &DistanceVectors) -> DsdvConfig {
    DsdvConfig {
        period: rule.period.0,
        settling: rule.settling.0,
        spacing: rule.spacing.0,
        missed: rule.missed.0,
        asks_mac: rule.link_layer,
        ..DsdvConfig::default()
    }
}
