//! How stations share the air.

use super::check::Check;
use crate::format::wifi::{Access, Rounding};
use crate::path::Segment;
use windward_sim::MediumConfig;
use windward_sim::csma::{Aggression, CsmaConfig, Holding};
use windward_sim::wifi::{self as model, Aggressiveness, WifiConfig};

impl Check<'_> {
    /// How contention windows follow from queues.
    pub fn access(&mut self) -> model::Access {
        let by = |scale: f64, rounding: Rounding| Aggressiveness { scale, rounding: rounding.of_sim() };
        let (access, scale) = match &self.wifi.access.0 {
            Access::Dcf(_) => (model::Access::Dcf, 0.0),
            Access::Ideal(rule) => {
                self.at_least_zero(["access".into(), "cap".into()], rule.cap.0);
                (model::Access::Dcf, rule.scale.0)
            }
            Access::ByDelay(rule) => (model::Access::QueueingDelay(by(rule.scale.0, rule.rounding)), rule.scale.0),
            Access::ByLength(rule) => (model::Access::QueueLength(by(rule.scale.0, rule.rounding)), rule.scale.0),
        };
        self.at_least_zero(["access".into(), "scale".into()], scale);
        access
    }

    /// Weight of the schedule's entropy.
    pub fn entropy(&self) -> f64 {
        let scale = match &self.wifi.access.0 {
            Access::ByDelay(rule) => rule.scale.0,
            Access::Ideal(rule) => rule.scale.0,
            Access::Dcf(_) | Access::ByLength(_) => 0.0,
        };
        let default = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        self.wifi.entropy.map_or(default, |entropy| entropy.0)
    }

    /// The medium: 802.11, or ideal CSMA.
    pub fn medium(&mut self, network: WifiConfig) -> MediumConfig {
        if let Some(entropy) = self.wifi.entropy {
            self.at_least_zero(["entropy".into()], entropy.0);
        }
        let Access::Ideal(rule) = &self.wifi.access.0 else { return MediumConfig::Wifi(network) };
        if network.routing.is_some() {
            let message = "ideal access has no frames, and so no routing messages";
            self.refuse(["routing".into()], message, Some("routing = \"shortest\""));
        }
        let aggression = match rule.aggressiveness {
            Some(rho) => Aggression::Fixed(rho.0),
            None => Aggression::QueueingDelay { scale: rule.scale.0, cap: rule.cap.0 },
        };
        let conflicts = network.conflicts(rule.conflicts.of_sim());
        MediumConfig::Csma(CsmaConfig { network, conflicts, aggression, holding: Holding::Exact })
    }

    fn at_least_zero<const N: usize>(&mut self, path: [Segment; N], value: f64) {
        if value < 0.0 {
            self.refuse(path, format!("{value} is out of range; allowed: at least 0"), None);
        }
    }
}
