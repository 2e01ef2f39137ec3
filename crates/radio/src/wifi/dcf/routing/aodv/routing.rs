//! Routing state of an AODV network, and delayed messages.

use super::Aodv;
use super::message::Message;
use crate::wifi::config::WifiConfig;
use crate::wifi::dcf::routing::directory::Directory;
use crate::wifi::dcf::routing::handles::Handles;
use crate::wifi::protocol::AodvConfig;
use windward_units::Time;

/// AODV at run time.
#[derive(Debug)]
pub struct AodvRouting {
    pub(super) protocol: Aodv,
    pub(super) directory: Directory,
    pub(super) messages: Handles<Message>,
    /// Delayed messages of each station.
    pub(super) later: Vec<Vec<(Time, Message)>>,
    /// Earliest event of each station in the calendar; [`Time::NEVER`] without one.
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

    /// Number of packets that wait for a route.
    pub fn held(&self) -> u64 {
        self.protocol.held()
    }

    /// Releases a unicast message that the MAC has finished.
    pub fn release(&mut self, handle: u32) {
        self.messages.release(handle);
    }

    /// Time of a station's next timer.
    pub(super) fn due(&self, at: u32) -> Time {
        let later = self.later[at as usize].iter().map(|(time, _)| *time);
        later.chain([self.protocol.due(at)]).min().unwrap_or(Time::NEVER)
    }
}
