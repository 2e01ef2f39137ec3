//! Wireless networks, expanded into stations and the links between those that can receive each other.

mod access;
mod check;
mod mac;
mod motion;
mod noise;
mod reach;
mod routing;
mod stations;
mod ways;

use super::changes::Jumps;
use super::common::Names;
use super::links::Links;
use super::nodes::Nodes;
use super::wifi_plan::WifiPlan;
use crate::format::wifi::Wifi;
use crate::names::LinkName;
use crate::problems::Problems;
use crate::python::PythonClass;
use check::Check;
use reach::Radio;
use std::collections::BTreeMap;
use windward_sim::wifi::{Position, Reach, StationConfig, WifiConfig};
use windward_sim::{Forwarding, NodeConfig, NodeId};
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
        let mut check = Check { wifi, at, nodes, span, jumps, problems, classes };
        let Some(config) = check.config(&mut placed) else { continue };
        let Some(ways) = check.ways(&config, links) else { continue };
        let config = WifiConfig { ways, ..config };
        let ends: Vec<(NodeId, NodeId)> = config.ways.iter().map(|way| config.ends(way)).collect();
        for &(from, to) in &ends {
            links.between.insert((from, to), links.names.len() as u32);
            let [from, to] = [from, to].map(|node| nodes.names[node as usize].clone());
            links.names.push(LinkName { name: format!("{from}->{to}"), from, to });
        }
        let entropy = check.entropy();
        let finds_routes = config.routing.is_some();
        let index = links.topology.media.len() as u32;
        if finds_routes {
            let node = |(station, config): (u32, &StationConfig)| NodeConfig {
                node: config.node,
                forwarding: Forwarding::Medium { medium: index, station },
            };
            links.topology.nodes.extend((0..).zip(&config.stations).map(node));
        }
        let medium = check.medium(config);
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
        let motion = self.motion(&stations, radio);
        let Radio { propagation, receive, sense } = radio?;
        let routing = self.routing(&stations);
        let config = WifiConfig {
            phy,
            mac,
            access: self.access(),
            stations,
            ways: Vec::new(),
            reach: Reach::of_positions(&positions, &propagation, receive, sense),
            motion: motion?,
            fading: self.fading(),
            routing,
        };
        self.modulations(&config);
        (self.problems.len() == before).then_some(config)
    }
}
