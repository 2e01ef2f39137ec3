//! Stations of ideal access that forward by backlog, where all queues are known to all.

use crate::backlog::{Backlog, BacklogConfig, Graph, Pick};
use crate::engine::{Purpose, Stream};
use crate::medium::wifi::{StationConfig, Way, WifiConfig};
use crate::packet::{NodeId, Packet};
use crate::queue::Buffer;
use std::collections::BTreeMap;
use windward_units::Time;

/// The queues of all stations.
#[derive(Debug)]
pub struct Forward {
    /// The queues.
    pub backlog: Backlog,
    /// Stations by their nodes.
    stations: BTreeMap<NodeId, u32>,
    /// Of each station the links that leave or reach it.
    around: Vec<Vec<u32>>,
    /// Equals are drawn from here.
    pub ties: Stream,
    /// When it began to count.
    pub since: Time,
}

impl Forward {
    /// Empty queues of the stations of `network` in the run of `seed`.
    pub fn new(config: BacklogConfig, network: &WifiConfig, seed: u64) -> Self {
        let ends = network.ways.iter().map(|way| (way.from, way.to)).collect();
        let buffer = |station: &StationConfig| match station.buffer {
            Buffer::Packets(packets) => u32::try_from(packets).unwrap_or(u32::MAX),
            _ => u32::MAX,
        };
        let graph = Graph::new(network.stations.len() as u32, ends);
        let touches = |station: u32| {
            let is_at = |way: &Way| way.from == station || way.to == station;
            (0..).zip(&network.ways).filter(|(_, way)| is_at(way)).map(|(link, _)| link).collect()
        };
        let key = network.stations.iter().fold(0, |key, station| station.key ^ u64::rotate_left(key, 1));
        Self {
            backlog: Backlog::new(config, graph, network.stations.iter().map(buffer)),
            stations: (0..).zip(&network.stations).map(|(at, station)| (station.node, at)).collect(),
            around: (0..network.stations.len() as u32).map(touches).collect(),
            ties: Stream::new(seed, key, Purpose::Forwarding),
            since: Time::ZERO,
        }
    }

    /// What a link would serve.
    pub fn pick(&mut self, link: u32) -> Option<Pick> {
        let Self { backlog, ties, .. } = self;
        let (_, far) = backlog.graph().ends(link);
        backlog.pick(link, |commodity| backlog.backlog(far, commodity), ties)
    }

    /// A packet comes to a station; the one that is dropped, or the packet itself where nobody is its destination.
    pub fn push(&mut self, now: Time, station: u32, packet: Packet) -> Result<Option<Packet>, Packet> {
        let Some(&to) = self.stations.get(&packet.to) else { return Err(packet) };
        let commodity = self.backlog.commodity(station, to, &packet);
        Ok(self.backlog.push(now, station, commodity, packet))
    }

    /// The links whose weight depends on a station's queues.
    pub fn around(&self, station: u32) -> Vec<u32> {
        self.around[station as usize].clone()
    }

    /// The station that a link leaves.
    pub fn sender(&self, link: u32) -> u32 {
        self.backlog.graph().ends(link).0
    }
}
