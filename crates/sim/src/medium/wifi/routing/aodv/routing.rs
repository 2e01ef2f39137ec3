//! What the stations of a network know of routes, and what waits for its time or for the air.

use super::message::Message;
use super::{Aodv, AodvConfig};
use crate::medium::wifi::config::WifiConfig;
use crate::medium::wifi::routing::directory::Directory;
use crate::medium::wifi::routing::handles::Handles;
use windward_units::Time;

/// The routing of a network.
#[derive(Debug)]
pub struct AodvRouting {
    pub(super) protocol: Aodv,
    pub(super) directory: Directory,
    pub(super) messages: Handles<Message>,
    /// Messages of each station that wait for their time.
    pub(super) later: Vec<Vec<(Time, Message)>>,
    /// The earliest event of each station in the calendar; [`Time::NEVER`] if there is none.
    pub(super) wakes_at: Vec<Time>,
}

impl AodvRouting {
    pub fn new(protocol: AodvConfig, config: &WifiConfig) -> Self {
        let stations = config.stations.len();
        Self {
            protocol: Aodv::new(protocol, stations),
            directory: Directory::new(config),
            messages: Handles::default(),
            later: vec![Vec::new(); stations],
            wakes_at: vec![Time::NEVER; stations],
        }
    }

    /// Packets that wait for a route.
    pub fn held(&self) -> u64 {
        self.protocol.held()
    }

    /// When a station has something to do next.
    pub(super) fn due(&self, at: u32) -> Time {
        let later = self.later[at as usize].iter().map(|(time, _)| *time);
        later.chain([self.protocol.due(at)]).min().unwrap_or(Time::NEVER)
    }
}
