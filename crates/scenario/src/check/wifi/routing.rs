//! Routing protocols of stations.

use super::super::common::{check_least, place};
use super::check::Check;
use crate::format::Positive;
use crate::format::wifi::{Backpressure, DistanceVectors, Mode, OnDemand, Routing};
use crate::python::{PythonClass, is_class};
use windward_sim::Buffer;
use windward_sim::backpressure::WeightConfig;
use windward_sim::wifi::{AodvConfig, BackpressureConfig, DsdvConfig, RoutingConfig, StationConfig};
use windward_units::Duration;

impl Check<'_> {
    /// The protocol and its parameters; `None` for fixed routes.
    pub fn routing(&mut self, stations: &[StationConfig]) -> Option<RoutingConfig> {
        match &self.wifi.routing.0 {
            Routing::Shortest(_) => None,
            Routing::DistanceVectors(rule) => {
                self.least("period", rule.period.0, LEAST_UPDATE);
                Some(RoutingConfig::Dsdv(dsdv(rule)))
            }
            Routing::Backpressure(rule) => {
                self.backlogs(rule, stations);
                self.least("report", rule.report.0, LEAST_REPORT);
                self.least("memory", rule.memory.0, LEAST_REPORT);
                let own = rule.class.as_ref().and_then(|class| self.own_rule(class, rule));
                Some(RoutingConfig::Backpressure(BackpressureConfig { rule: own, ..backpressure(rule) }))
            }
            Routing::OnDemand(rule) => {
                let of = |span: Option<Positive<Duration>>| span.map_or(Duration::MAX, |span| span.0);
                self.least("active_route", of(rule.active_route), LEAST_UPDATE);
                self.least("hello", of(rule.hello), LEAST_UPDATE);
                Some(RoutingConfig::Aodv(aodv(rule, self.wifi.mode)))
            }
        }
    }

    /// Reports a timer of less than `least`.
    fn least(&mut self, key: &'static str, span: Duration, least: Duration) {
        check_least(span, least, place("wifi", self.at, ["routing".into(), key.into()]), self.problems);
    }

    /// Index of a rule in Python.
    fn own_rule(&mut self, class: &str, rule: &Backpressure) -> Option<u32> {
        if !is_class(class) {
            let message = format!("`{class}` is not FILE:CLASS or MODULE:CLASS; example: \"my_rule.py:MyRule\"");
            self.refuse(["routing".into(), "class".into()], message, None);
            return None;
        }
        self.classes.push(PythonClass { class: class.to_owned(), params: rule.arguments.clone() });
        Some(self.classes.len() as u32 - 1)
    }

    /// Checks the buffers and parameters that forwarding by backlog needs.
    fn backlogs(&mut self, rule: &Backpressure, stations: &[StationConfig]) {
        if !stations.iter().all(|station| matches!(station.buffer, Buffer::Packets(1..))) {
            let message = "backpressure counts packets: every station needs a buffer of at least one";
            self.refuse(["buffer".into()], message, Some("buffer = \"100 packets\""));
        }
        if rule.report_entry.0.count() > LARGEST_ENTRY {
            let message = format!("{} is too large; allowed: up to {LARGEST_ENTRY} B", rule.report_entry.0);
            self.refuse(["routing".into(), "report_entry".into()], message, None);
        }
    }
}

/// Least period of a routing protocol's messages, and least lifetime of its routes: a message on the air takes up to
/// some milliseconds, and more of them wait in memory.
const LEAST_UPDATE: Duration = Duration::from_millis(10);
/// Least period of reports of backlogs: a few frames.
const LEAST_REPORT: Duration = Duration::from_millis(1);

/// Maximum number of bytes of a backlog in a header.
const LARGEST_ENTRY: u64 = 64;

/// A rule without one in Python.
pub(super) fn backpressure(rule: &Backpressure) -> BackpressureConfig {
    BackpressureConfig {
        weight: WeightConfig { threshold: rule.k.0, links: rule.links.of_sim() },
        report: rule.report.0,
        entry: rule.report_entry.0.count() as u32,
        memory: rule.memory.0,
        failures: rule.failures.of_sim(),
        acks: rule.acks.of_sim(),
        rule: None,
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

fn aodv(rule: &OnDemand, of_network: Mode) -> AodvConfig {
    let constants = match rule.mode.unwrap_or(of_network) {
        Mode::Standard => AodvConfig::STANDARD,
        Mode::Ns2 => AodvConfig::NS2,
    };
    let active_route = rule.active_route.map_or(constants.active_route, |span| span.0);
    AodvConfig {
        active_route,
        // RFC 3561 §10: MY_ROUTE_TIMEOUT is twice ACTIVE_ROUTE_TIMEOUT.
        my_route: rule.active_route.map_or(constants.my_route, |_| active_route * 2),
        ttl_start: rule.ttl_start.map_or(constants.ttl_start, |hops| hops.0 as u8),
        net_diameter: rule.net_diameter.map_or(constants.net_diameter, |hops| hops.0 as u8),
        hello: rule.hello.map(|every| every.0),
        asks_mac: rule.link_layer,
        repairs: rule.local_repair,
        answers_for_others: rule.intermediate_replies,
        jitter: rule.jitter.0,
        ..constants
    }
}
