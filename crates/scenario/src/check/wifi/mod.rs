//! Wireless networks, expanded into stations and the links between those that can receive each other.

mod access;
mod aggregation;
mod air;
mod check;
mod contention;
mod edca;
mod mac;
mod motion;
mod noise;
mod profile;
mod reach;
mod routing;
mod stations;
mod walls;
mod ways;

use super::change::Jumps;
use super::common::Names;
use super::link::Links;
use super::nodes::Nodes;
use super::wifi_plan::WifiPlan;
use crate::format::wifi::Wifi;
use crate::names::LinkName;
use crate::problems::Problems;
use crate::python::PythonClass;
use check::Check;
use reach::Radio;
pub(crate) use reach::resolve;
use std::collections::BTreeMap;
use windward_sim::wifi::{Position, Reach, WifiConfig};
use windward_sim::{Forwarding, MediumConfig, NodeConfig, NodeId};
use windward_units::Duration;

/// Adds all wireless networks, whose links are added too. They last for the span, and their stations jump as given.
/// Reports problems. Rules in Python are added to `classes`.
pub(crate) fn expand(
    networks: &[Wifi],
    nodes: &Nodes,
    (span, jumps): (Duration, &Jumps),
    links: &mut Links,
    classes: &mut Vec<PythonClass>,
    problems: &mut Problems,
) {
    let mut names = Names::new("wifi");
    let mut placed = BTreeMap::new();
    for (at, wifi) in networks.iter().enumerate() {
        names.take(&wifi.name.0, at, problems);
        let tables = check::tables(wifi, nodes);
        let mut check = Check { wifi, at, nodes, tables, span, jumps, problems, classes };
        check.keys();
        let (medium, ends, stations) = if let Some(format) = wifi.standard.format() {
            let Some(config) = check.edca(format, &mut placed, links) else { continue };
            let ends: Vec<(NodeId, NodeId)> = config.ways.iter().map(|way| config.ends(way)).collect();
            (MediumConfig::Edca(config), ends, None)
        } else {
            let Some(config) = check.config(&mut placed) else { continue };
            let Some(ways) = check.ways(&config, links) else { continue };
            let config = WifiConfig { ways, ..config };
            let ends: Vec<(NodeId, NodeId)> = config.ways.iter().map(|way| config.ends(way)).collect();
            let stations = config.routing.is_some().then(|| config.observed_nodes());
            (check.medium(config), ends, stations)
        };
        for &(from, to) in &ends {
            links.between.insert((from, to), links.names.len() as u32);
            let [from, to] = [from, to].map(|node| nodes.names[node as usize].clone());
            links.names.push(LinkName { name: format!("{from}->{to}"), from, to });
        }
        let entropy = check.entropy();
        let finds_routes = stations.is_some();
        let medium_index = links.topology.media.len() as u32;
        let node = |(station, node): (u32, NodeId)| {
            let forwarding = Forwarding::Medium { medium: medium_index, station };
            NodeConfig { node, forwarding }
        };
        links.topology.nodes.extend((0..).zip(stations.into_iter().flatten()).map(node));
        let first = links.topology.add_medium(medium, ends);
        let links_of = first..links.topology.ports.len() as u32;
        links.wireless.push(WifiPlan { links: links_of, finds_routes, entropy });
    }
}

impl Check<'_> {
    /// The network without its links.
    fn config(&mut self, placed: &mut BTreeMap<NodeId, usize>) -> Option<WifiConfig> {
        let before = self.problems.len();
        let (phy, mac) = self.mac();
        let stations = self.stations(placed)?;
        let positions: Vec<Position> = stations.iter().map(|station| station.place).collect();
        let radio = self.radio();
        let gains = self.gains(&stations, None, None);
        let motion = self.motion(&stations, radio, &gains);
        let Radio { propagation, receive, sense } = radio?;
        let routing = self.routing(&stations);
        let config = WifiConfig {
            phy,
            mac,
            access: self.access(),
            stations,
            ways: Vec::new(),
            reach: Reach::of_positions(&positions, &propagation, receive, sense).with_gains(&gains),
            motion: motion?,
            fading: self.fading(),
            routing,
        };
        self.modulations(&config);
        (self.problems.len() == before).then_some(config)
    }
}
