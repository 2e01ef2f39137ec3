//! How stations find routes.

use super::check::Check;
use crate::format::wifi::Routing;
use windward_sim::wifi::DsdvConfig;

impl Check<'_> {
    /// The numbers of distance vectors; `None` where routes are fixed.
    pub fn routing(&self) -> Option<DsdvConfig> {
        let Routing::DistanceVectors(rule) = &self.wifi.routing.0 else { return None };
        Some(DsdvConfig {
            period: rule.period.0,
            settling: rule.settling.0,
            spacing: rule.spacing.0,
            missed: rule.missed.0,
            asks_mac: rule.link_layer,
            ..DsdvConfig::default()
        })
    }
}
