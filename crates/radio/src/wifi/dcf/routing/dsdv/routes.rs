//! Routing state of a DSDV network, and packets that wait for routes.

use super::{Dsdv, Told};
use crate::wifi::config::WifiConfig;
use crate::wifi::dcf::routing::directory::Directory;
use crate::wifi::dcf::routing::handles::Handles;
use crate::wifi::protocol::DsdvConfig;
use std::collections::VecDeque;
use windward_elements::packet::{NodeId, Packet};
use windward_units::Time;

/// DSDV at run time.
#[derive(Debug)]
pub struct DsdvRouting {
    pub dsdv: Dsdv,
    directory: Directory,
    pub updates: Handles<Vec<Told>>,
    /// Packets of each station that wait for a route.
    pub waiting: Vec<VecDeque<Packet>>,
    /// Earliest event of each station in the calendar; [`Time::NEVER`] without one.
    pub wakes_at: Vec<Time>,
}

impl DsdvRouting {
    pub fn new(protocol: DsdvConfig, config: &WifiConfig) -> Self {
        Self {
            dsdv: Dsdv::new(protocol, config.stations.len()),
            directory: Directory::new(config),
            updates: Handles::default(),
            waiting: vec![VecDeque::new(); config.stations.len()],
            wakes_at: vec![Time::NEVER; config.stations.len()],
        }
    }

    /// Link to the next hop of a packet at a station.
    pub fn way(&self, at: u32, to: NodeId) -> Option<u32> {
        let to = self.directory.station(to)?;
        let next = self.dsdv.next_hop(at, to)?;
        self.directory.way(at, next)
    }

    /// Number of packets that wait for a route.
    pub fn held(&self) -> u64 {
        self.waiting.iter().map(|waiting| waiting.len() as u64).sum()
    }
}
