//! Directory of stations and links.

use crate::wifi::config::WifiConfig;
use std::collections::BTreeMap;
use windward_elements::packet::NodeId;

/// Stations by node, and links by their ends.
#[derive(Debug)]
pub struct Directory {
    stations: BTreeMap<NodeId, u32>,
    ways: BTreeMap<(u32, u32), u32>,
}

impl Directory {
    pub fn new(config: &WifiConfig) -> Self {
        Self {
            stations: (0..).zip(&config.stations).map(|(index, station)| (station.node, index)).collect(),
            ways: (0..).zip(&config.ways).map(|(index, way)| ((way.from, way.to), index)).collect(),
        }
    }

    /// Station of a node.
    pub fn station(&self, node: NodeId) -> Option<u32> {
        self.stations.get(&node).copied()
    }

    /// Link from one station to another, if they can be in reach of each other.
    pub fn way(&self, from: u32, to: u32) -> Option<u32> {
        self.ways.get(&(from, to)).copied()
    }
}
