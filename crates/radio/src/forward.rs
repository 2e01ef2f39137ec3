//! Backpressure forwarding under ideal access, where all stations know all queues.

use crate::wifi::{StationConfig, Way, WifiConfig};
use std::collections::BTreeMap;
use windward_elements::backpressure::{Graph, Pick, Queues, WeightConfig};
use windward_elements::engine::{Purpose, Stream};
use windward_elements::packet::{NodeId, Packet};
use windward_elements::queue::Buffer;
use windward_units::Time;

/// Queues of all stations.
#[derive(Debug)]
pub struct Forward {
    /// Queues by station and commodity.
    pub queues: Queues,
    /// Stations by node.
    stations: BTreeMap<NodeId, u32>,
    /// Links that begin or end at each station.
    around: Vec<Vec<u32>>,
    /// Random stream that breaks ties.
    pub ties: Stream,
    /// Start of counting.
    pub since: Time,
}

impl Forward {
    /// Empty queues for the stations of `network` in the run of `seed`.
    pub fn new(config: WeightConfig, network: &WifiConfig, seed: u64) -> Self {
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
            queues: Queues::new(config, graph, network.stations.iter().map(buffer)),
            stations: (0..).zip(&network.stations).map(|(at, station)| (station.node, at)).collect(),
            around: (0..network.stations.len() as u32).map(touches).collect(),
            ties: Stream::new(seed, key, Purpose::Forwarding),
            since: Time::ZERO,
        }
    }

    /// Commodity that a link would serve.
    pub fn pick(&mut self, link: u32) -> Option<Pick> {
        let Self { queues, ties, .. } = self;
        let (_, far) = queues.graph().ends(link);
        queues.pick(link, |commodity| queues.backlog(far, commodity), ties)
    }

    /// Queues a packet at a station. Returns the dropped packet if any, or the packet itself as an error if its
    /// destination is not a station.
    pub fn push(&mut self, now: Time, station: u32, packet: Packet) -> Result<Option<Packet>, Packet> {
        let Some(&to) = self.stations.get(&packet.to) else { return Err(packet) };
        let commodity = self.queues.commodity(station, to, &packet);
        Ok(self.queues.push(now, station, commodity, packet))
    }

    /// Links whose weight depends on the queues of a station.
    pub fn around(&self, station: u32) -> Vec<u32> {
        self.around[station as usize].clone()
    }

    /// Station at which a link begins.
    pub fn sender(&self, link: u32) -> u32 {
        self.queues.graph().ends(link).0
    }
}
