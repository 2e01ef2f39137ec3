//! Backpressure over 802.11 (seferoglu2014 §4). A station that the MAC lets send transmits to
//!
//!   j* = argmax_j D_ij·R̃_ij·(1 − p̃_ij)
//!
//! the first packet of the commodity with the largest weight D_ij there ([`windward_elements::backpressure`]). The MAC
//! holds the packet until it is received or given up; then it returns to the head of its queue. Every data frame
//! carries the sender's backlogs in a header, which all receivers of the frame read. A station that has sent none for a
//! while broadcasts them.
//!
//! **Guessed** where the paper gives no value: all defaults of [`BackpressureConfig`]. ACKs take the path of fewest
//! hops, before the data. R̃ is the sender's data rate: there is no rate adaptation.
//!
//! **Where we differ.** A packet that was received but never acknowledged is not retransmitted.

mod estimate;
mod forward;
mod reports;

use crate::Hooks;
use crate::wifi::config::WifiConfig;
use crate::wifi::protocol::{Acks, BackpressureConfig};
use estimate::Estimate;
use reports::Reports;
use windward_elements::backpressure::{Graph, OwnRule, Queues};
use windward_elements::engine::{Purpose, Stream};
use windward_elements::packet::NodeId;
use windward_elements::queue::Buffer;
use windward_units::Time;

/// No station, no link.
const NONE: u32 = u32::MAX;

/// Backlogs of a network, and those that its stations know of their neighbours.
#[derive(Debug)]
pub struct Backpressure {
    config: BackpressureConfig,
    queues: Queues,
    reports: Reports,
    /// p̃ of every link.
    estimates: Vec<Estimate>,
    /// Stations by node; [`NONE`] for nodes elsewhere.
    stations: Vec<u32>,
    /// First link of every station towards each destination that ACKs have had.
    ways_back: Vec<Option<Vec<u32>>>,
    /// Expected attempts of a packet on every link.
    attempts: Vec<f64>,
    streams: Vec<Stream>,
    own: Option<OwnRule>,
}

impl Backpressure {
    pub fn new(config: BackpressureConfig, network: &WifiConfig, hooks: &Hooks, seed: u64) -> Self {
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
            queues: Queues::new(config.weight, graph, buffers),
            reports: Reports::new(count, network.ways.len()),
            estimates: vec![Estimate::default(); network.ways.len()],
            stations,
            ways_back: vec![None; count],
            attempts: network.ways.iter().map(|way| 1.0 / (1.0 - way.loss)).collect(),
            streams: network
                .stations
                .iter()
                .map(|station| Stream::new(seed, station.key, Purpose::Forwarding))
                .collect(),
            own: config.rule.map(|rule| OwnRule(hooks.rule(rule))),
            config,
        }
    }

    /// Queues by station and commodity.
    pub fn queues(&self) -> &Queues {
        &self.queues
    }

    /// Restarts the counters.
    pub fn reset_counts(&mut self, now: Time) {
        self.queues.reset(now);
    }

    /// Station of a node.
    fn station(&self, node: NodeId) -> Option<u32> {
        self.stations.get(node as usize).copied().filter(|&station| station != NONE)
    }

    /// First link of the path of ACKs from a station to another: of fewest hops, or of fewest expected attempts.
    fn way_back(&mut self, at: u32, to: u32) -> Option<u32> {
        let Self { queues, attempts, ways_back, config, .. } = self;
        let ways = ways_back[to as usize].get_or_insert_with(|| match config.acks {
            Acks::Loss => queues.graph().cheapest_links(to, attempts, NONE),
            Acks::Shortest | Acks::Fifo | Acks::Backlog => queues.graph().next_links(to, NONE),
        });
        Some(ways[at as usize]).filter(|&way| way != NONE)
    }
}
