//! Backpressure over 802.11 (seferoglu2014 §4): when the MAC lets a station send, it sends to
//!
//!   j* = argmax_j D_ij·R̃_ij·(1 − p̃_ij)
//!
//! the first packet of the commodity with the largest weight D_ij there ([`crate::backlog`]). Until it is received or given up it is the
//! MAC's; given up, it is the first of its queue again. Every data frame has the sender's backlogs in a header, which all who receive
//! the frame take note of; a station that has sent none for a while broadcasts them.
//!
//! **Guessed**, where the paper is silent: [`BackpressureConfig`]'s defaults, all of them. ACKs go the way of fewest hops, before the
//! data. R̃ is the sender's data rate: there is no rate adaptation.
//!
//! **Where we differ.** A packet that was received but never acknowledged is not sent again.

mod config;
mod estimate;
mod forward;
mod reports;

use crate::backlog::{Backlog, Graph, OwnRule};
use crate::engine::{Purpose, Stream};
use crate::makers::Makers;
use crate::medium::wifi::config::WifiConfig;
use crate::packet::NodeId;
use crate::queue::Buffer;
use estimate::Estimate;
use reports::Reports;
use windward_units::Time;

pub use config::{Acks, BackpressureConfig, Failures};

/// No station, no way.
const NONE: u32 = u32::MAX;

/// The backlogs of a network, and what its stations know of each other's.
#[derive(Debug)]
pub struct Backpressure {
    config: BackpressureConfig,
    backlog: Backlog,
    reports: Reports,
    /// p̃ of every way.
    estimates: Vec<Estimate>,
    /// Stations by their node; [`NONE`] for nodes elsewhere.
    stations: Vec<u32>,
    /// For every destination that ACKs had so far, the way by which each station gets there.
    shortest: Vec<Option<Vec<u32>>>,
    luck: Vec<Stream>,
    own: Option<OwnRule>,
}

impl Backpressure {
    pub fn new(config: BackpressureConfig, network: &WifiConfig, makers: &Makers, seed: u64) -> Self {
        let count = network.stations.len();
        let graph = Graph::new(count as u32, network.ways.iter().map(|way| (way.from, way.to)).collect());
        let buffers = network.stations.iter().map(|station| match station.buffer {
            Buffer::Packets(packets) => u32::try_from(packets).unwrap_or(u32::MAX),
            _ => u32::MAX,
        });
        let nodes = network.stations.iter().map(|station| station.node as usize + 1).max().unwrap_or(0);
        let mut stations = vec![NONE; nodes];
        (0..).zip(&network.stations).for_each(|(index, station)| stations[station.node as usize] = index);
        Self {
            backlog: Backlog::new(config.backlog, graph, buffers),
            reports: Reports::new(count, network.ways.len()),
            estimates: vec![Estimate::default(); network.ways.len()],
            stations,
            shortest: vec![None; count],
            luck: network.stations.iter().map(|station| Stream::new(seed, station.key, Purpose::Forwarding)).collect(),
            own: config.rule.map(|rule| OwnRule(makers.rule(rule))),
            config,
        }
    }

    /// The queues.
    pub fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    /// Counts from now on.
    pub fn reset_counts(&mut self, now: Time) {
        self.backlog.reset(now);
    }

    /// The station of a node.
    fn station(&self, node: NodeId) -> Option<u32> {
        self.stations.get(node as usize).copied().filter(|&station| station != NONE)
    }

    /// The way of fewest hops from a station to another; of equals the first.
    fn shortest(&mut self, at: u32, to: u32) -> Option<u32> {
        let graph = self.backlog.graph();
        let ways = self.shortest[to as usize].get_or_insert_with(|| graph.next_links(to, NONE));
        Some(ways[at as usize]).filter(|&way| way != NONE)
    }
}
