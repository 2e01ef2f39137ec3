//! What the stations of a network know of routes, and what waits for them.

use super::{Dsdv, DsdvConfig, Told};
use crate::medium::wifi::config::WifiConfig;
use crate::packet::{NodeId, Packet};
use std::collections::{BTreeMap, VecDeque};
use windward_units::Time;

/// The routing of a network.
#[derive(Debug)]
pub struct DsdvRouting {
    pub dsdv: Dsdv,
    /// Stations by their node.
    stations: BTreeMap<NodeId, u32>,
    /// Ways by their ends.
    ways: BTreeMap<(u32, u32), u32>,
    /// Updates that wait for the air, or are on it, by their handle.
    pub updates: Vec<Vec<Told>>,
    pub free: Vec<u32>,
    /// Packets that wait for a route, of each station.
    pub waiting: Vec<VecDeque<Packet>>,
    /// The earliest event of each station in the calendar; [`Time::NEVER`] if there is none.
    pub wakes_at: Vec<Time>,
    /// Updates sent, and their bytes.
    pub sent: (u64, u64),
}

impl DsdvRouting {
    pub fn new(protocol: DsdvConfig, config: &WifiConfig) -> Self {
        Self {
            dsdv: Dsdv::new(protocol, config.stations.len()),
            stations: (0..).zip(&config.stations).map(|(index, station)| (station.node, index)).collect(),
            ways: (0..).zip(&config.ways).map(|(index, way)| ((way.from, way.to), index)).collect(),
            updates: Vec::new(),
            free: Vec::new(),
            waiting: vec![VecDeque::new(); config.stations.len()],
            wakes_at: vec![Time::NEVER; config.stations.len()],
            sent: (0, 0),
        }
    }

    /// The way to the next hop of a packet at a station.
    pub fn way(&self, at: u32, to: NodeId) -> Option<u32> {
        let to = *self.stations.get(&to)?;
        let next = self.dsdv.next_hop(at, to)?;
        self.ways.get(&(at, next)).copied()
    }

    pub fn keep(&mut self, told: Vec<Told>) -> u32 {
        match self.free.pop() {
            Some(handle) => {
                self.updates[handle as usize] = told;
                handle
            }
            None => {
                self.updates.push(told);
                self.updates.len() as u32 - 1
            }
        }
    }

    pub fn release(&mut self, handle: u32) -> Vec<Told> {
        self.free.push(handle);
        std::mem::take(&mut self.updates[handle as usize])
    }

    /// Packets that wait for a route.
    pub fn held(&self) -> u64 {
        self.waiting.iter().map(|waiting| waiting.len() as u64).sum()
    }
}
