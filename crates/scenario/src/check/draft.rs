//! A network without its traffic: nodes, links, media and their changes. Its media lack what depends on the traffic
//! until it is built.

use super::change;
use super::common::REPEATED;
use super::ground::Network;
use super::link::{self, Links};
use super::nodes::{self, Nodes};
use super::{cell, leo, ran, wifi};
use crate::format::wifi::Wifi;
use crate::format::{AnyCell, Change, Link, Node};
use crate::problems::Problems;
use crate::python::PythonClass;
use windward_sim::wifi::edca::Category;
use windward_sim::{MediumConfig, Points};
use windward_units::Duration;

/// Tables of a network, whose recordings have been read.
pub(super) struct Tables<'a> {
    pub node: &'a [Node],
    pub link: &'a [Link],
    pub cell: &'a [AnyCell],
    pub wifi: &'a mut [Wifi],
    pub change: &'a mut Vec<Change>,
}

/// Traffic as media know it.
pub(super) struct Traffic {
    pub points: Points,
    /// Access categories of each flow's data and ACKs.
    pub flows: Vec<[Category; 2]>,
    /// Access category of each source.
    pub sources: Vec<Category>,
}

/// A network without its traffic.
pub(super) struct Draft {
    pub nodes: Nodes,
    pub links: Links,
    pub schedulers: Vec<PythonClass>,
    pub rules: Vec<PythonClass>,
}

impl Draft {
    /// Network of a run of `span`; [`Duration::MAX`]: without an end. `None` if its nodes are wrong. Reports problems.
    pub fn new(tables: Tables<'_>, span: Duration, problems: &mut Problems) -> Option<Self> {
        let Tables { node, link, cell, wifi, change } = tables;
        // Orbits become steps first, so that all later checks see one form.
        leo::expand(change, if span == Duration::MAX { REPEATED } else { span }, problems);
        wifi.iter_mut().for_each(wifi::resolve);
        let nodes = nodes::expand(node, problems)?;
        let mut links = link::expand(link, &nodes, problems);
        let (mut schedulers, mut rules) = (Vec::new(), Vec::new());
        cell::expand(cell, &nodes, span, &mut links, &mut schedulers, problems);
        // Before Wi-Fi: a network is built with the jumps of its stations. All other changes are applied when every
        // link and station exists.
        let changes = change::plan(change, span, problems);
        let jumps = change::jumps(&changes, &nodes);
        wifi::expand(wifi, &nodes, (span, &jumps), &mut links, &mut rules, problems);
        change::apply(&changes, &nodes, &mut links, problems);
        Some(Self { nodes, links, schedulers, rules })
    }

    /// The network as flows and sources see it. In one that is not whole, routes would be missing because of other
    /// errors.
    pub fn network(&self, is_whole: bool) -> Network<'_> {
        Network { nodes: &self.nodes, links: &self.links, is_whole }
    }

    /// The network with its traffic, whose datagrams and flows choose bearers and categories. Reports bearers of
    /// `cells` without packets.
    pub fn build(self, cells: &[AnyCell], traffic: Traffic, problems: &mut Problems) -> Built {
        let Self { nodes, mut links, schedulers, rules } = self;
        let Traffic { points, flows, sources } = traffic;
        ran::sort_packets(cells, &mut links.topology.media, (&points.flows, &points.sources), problems);
        for medium in &mut links.topology.media {
            if let MediumConfig::Edca(network) = medium {
                (network.flows, network.sources) = (flows.clone(), sources.clone());
            }
        }
        links.topology.points = points;
        Built { nodes: nodes.names, links, schedulers, rules }
    }
}

/// A network with its traffic.
pub(super) struct Built {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    pub links: Links,
    pub schedulers: Vec<PythonClass>,
    pub rules: Vec<PythonClass>,
}
