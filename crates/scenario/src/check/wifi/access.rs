//! Channel access of the stations.

use super::super::common::{check_least, given_of, place};
use super::check::Check;
use super::routing::backpressure;
use crate::format::wifi::{Access, LossOf, MaxWeight, Rounding, Routing, eight, one};
use crate::path::Segment;
use windward_sim::MediumConfig;
use windward_sim::backpressure::WeightConfig;
use windward_sim::csma::{Aggression, CsmaConfig, Holding};
use windward_sim::slotted::SlottedConfig;
use windward_sim::wifi::{self as model, Aggressiveness, BackpressureConfig, RoutingConfig, WifiConfig};
use windward_units::Duration;

/// Shortest slot: some bytes of a frame.
const LEAST_SLOT: Duration = Duration::from_micros(1);

impl Check<'_> {
    /// Rule by which contention windows follow from queues.
    pub fn access(&mut self) -> model::Access {
        let by = |scale: f64, rounding: Rounding| Aggressiveness { scale, rounding: rounding.of_sim() };
        let (access, scale) = match &self.wifi.access.0 {
            Access::Dcf(_) => (model::Access::Dcf, 0.0),
            Access::Ideal(rule) => {
                self.at_least_zero(["access".into(), "cap".into()], rule.cap.0);
                (model::Access::Dcf, rule.scale.0)
            }
            Access::MaxWeight(_) => (model::Access::Dcf, 0.0),
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
            // Prices are ε times the queues, which no window law keeps.
            Access::Ideal(rule) if rule.epsilon.is_some() => 0.0,
            Access::Ideal(rule) => rule.scale.0,
            Access::Dcf(_) | Access::ByLength(_) | Access::MaxWeight(_) => 0.0,
        };
        let default = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        self.wifi.entropy.map_or(default, |entropy| entropy.0)
    }

    /// The medium: 802.11, ideal CSMA, or slots.
    pub fn medium(&mut self, network: WifiConfig) -> MediumConfig {
        if let Some(entropy) = self.wifi.entropy {
            self.at_least_zero(["entropy".into()], entropy.0);
        }
        let rule = match &self.wifi.access.0 {
            Access::Ideal(rule) => rule,
            Access::MaxWeight(rule) => return self.slotted(rule, network),
            Access::Dcf(_) | Access::ByDelay(_) | Access::ByLength(_) => return MediumConfig::Wifi(network),
        };
        if network.fading.is_some() {
            let message = "ideal access has no frames, and so no noise";
            self.refuse(["noise".into()], message, Some("[[wifi.loss]] says how likely an attempt fails"));
        }
        self.every_attempt();
        let weight = match &network.routing {
            None => None,
            Some(RoutingConfig::Backpressure(routing)) if routing.rule.is_none() => Some(routing.weight),
            Some(RoutingConfig::Backpressure(_)) => {
                let message = "a rule in Python is for stations of 802.11";
                self.refuse(["routing".into(), "class".into()], message, Some("access = \"dcf\""));
                None
            }
            Some(_) => {
                let message = "ideal access has no frames, and so no routing messages";
                self.refuse(["routing".into()], message, Some("routing = \"shortest\", or \"backpressure\""));
                None
            }
        };
        let cap = rule.cap.0;
        let is_dead = [
            ("cap", rule.aggressiveness.is_some() && rule.cap != eight(), "a constant `aggressiveness`"),
            ("scale", rule.epsilon.is_some() && rule.scale != one(), "`epsilon`"),
        ];
        for (key, _, beside) in is_dead.into_iter().filter(|(_, is_dead, _)| *is_dead) {
            let message = format!("`{key}` has no effect beside {beside}");
            self.refuse(["access".into(), key.into()], message, Some("remove one of them"));
        }
        self.refuse_frames("ideal access");
        let aggression = match (rule.aggressiveness, rule.epsilon) {
            (Some(rho), None) => Aggression::Fixed(rho.0),
            (None, Some(epsilon)) => Aggression::QueueLength { scale: epsilon.0.as_secs(), cap },
            (None, None) => Aggression::QueueingDelay { scale: rule.scale.0, cap },
            (Some(_), Some(_)) => {
                let message = "`epsilon` has no effect beside a constant `aggressiveness`";
                self.refuse(["access".into(), "epsilon".into()], message, Some("remove one of them"));
                Aggression::Fixed(0.0)
            }
        };
        let conflicts = network.conflicts(rule.conflicts.of_sim());
        let network = WifiConfig { routing: None, ..network };
        MediumConfig::Csma(CsmaConfig { network, conflicts, aggression, holding: Holding::Exact, weight })
    }

    /// Refuses keys of backpressure that belong to frames, under an access without any.
    fn refuse_frames(&mut self, access: &str) {
        let Routing::Backpressure(rule) = &self.wifi.routing.0 else { return };
        let (own, default) = (backpressure(rule), BackpressureConfig::default());
        let given = [
            ("report", own.report != default.report),
            ("report_entry", own.entry != default.entry),
            ("memory", own.memory != default.memory),
            ("failures", own.failures != default.failures),
            ("acks", own.acks != default.acks),
        ];
        for key in given_of(given) {
            let message = format!("`{key}` has no effect under {access}, which has no frames");
            self.refuse(["routing".into(), key.into()], message, Some("leave it out, or access = \"dcf\""));
        }
    }

    /// Slots under centralised MaxWeight.
    fn slotted(&mut self, rule: &MaxWeight, network: WifiConfig) -> MediumConfig {
        let mut weight = WeightConfig::default();
        self.refuse_frames("access by max-weight");
        match &network.routing {
            Some(RoutingConfig::Backpressure(routing)) => {
                weight = routing.weight;
                if routing.rule.is_some() {
                    let message = "access by max-weight has its own rule; one in Python is for stations of 802.11";
                    self.refuse(["routing".into(), "class".into()], message, Some("access = \"dcf\""));
                }
            }
            _ => {
                let message = "access by max-weight compares backlogs: it goes with routing by backpressure only";
                self.refuse(["routing".into()], message, Some("routing = \"backpressure\""));
            }
        }
        if network.members() > SlottedConfig::MAX_LINKS {
            let (given, most) = (network.members(), SlottedConfig::MAX_LINKS);
            let message =
                format!("access by max-weight has at most {most} links, but {given} stations can receive each other");
            let hint = "every pair in reach has two links: fewer stations, or a smaller `reach.receive`";
            self.refuse(["access".into()], message, Some(hint));
        }
        if network.fading.is_some() {
            let message = "access by max-weight has no frames, and so no noise";
            self.refuse(["noise".into()], message, Some("[[wifi.loss]] says how likely a link is OFF"));
        }
        self.every_attempt();
        let conflicts = network.conflicts(rule.conflicts.of_sim());
        let network = WifiConfig { routing: None, ..network };
        check_least(rule.slot.0, LEAST_SLOT, place("wifi", self.at, ["access".into(), "slot".into()]), self.problems);
        MediumConfig::Slotted(SlottedConfig { network, conflicts, weight, slot: rule.slot.0 })
    }

    /// Refuses losses of packets and deliveries: without retries every packet is one attempt.
    fn every_attempt(&mut self) {
        let given = self.wifi.loss.iter().position(|loss| loss.of != LossOf::Attempts);
        if let Some(index) = given {
            let message = "only 802.11 sends a packet again: here every packet is one attempt";
            self.refuse(["loss".into(), Segment::Index(index), "of".into()], message, Some("of = \"attempts\""));
        }
    }

    fn at_least_zero<const N: usize>(&mut self, path: [Segment; N], value: f64) {
        if value < 0.0 {
            self.refuse(path, format!("{value} is out of range; allowed: at least 0"), None);
        }
    }
}
