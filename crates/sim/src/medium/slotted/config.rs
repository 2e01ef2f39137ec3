//! What a slotted network is given.

use crate::backlog::BacklogConfig;
use crate::medium::wifi::WifiConfig;
use crate::packet::NodeId;
use crate::queue::{Buffer, QueueConfig};
use windward_units::Duration;

/// Links of a wireless network in slots.
#[derive(Clone, Debug)]
pub struct SlottedConfig {
    /// The links are its ways, at most [`Self::MAX_LINKS`]; a way's loss is the probability that it is OFF in a slot.
    pub network: WifiConfig,
    /// For every link those that conflict with it, in both directions.
    pub conflicts: Vec<Vec<u32>>,
    /// How packets are forwarded.
    pub backlog: BacklogConfig,
    /// Length of a slot; positive.
    pub slot: Duration,
}

impl SlottedConfig {
    /// Most links: the heaviest set is searched for exactly.
    pub const MAX_LINKS: usize = 64;

    /// None: what there is to say, its links say.
    pub fn observed_nodes(&self) -> Vec<NodeId> {
        Vec::new()
    }

    /// How many links there are.
    pub fn members(&self) -> usize {
        self.network.members()
    }

    /// Bits a second of packets of 1500 bytes on a link that is active in every slot in which it is ON.
    pub fn mean_rate(&self, local: u32) -> f64 {
        self.probability_on(local) * 1500.0 * 8.0 / self.slot.as_secs()
    }

    /// The same were it always ON.
    pub fn nominal_rate(&self, _: u32) -> u64 {
        (1500.0 * 8.0 / self.slot.as_secs()) as u64
    }

    /// None: packets arrive with the end of their slot.
    pub fn delay(&self, _: u32) -> Duration {
        Duration::ZERO
    }

    /// The sender's buffer, which its links share.
    pub fn buffer(&self, local: u32) -> Buffer {
        self.network.buffer(local)
    }

    /// Drop-tail.
    pub fn discipline(&self, _: u32) -> QueueConfig {
        QueueConfig::DropTail
    }

    /// None: a link that is OFF is not used.
    pub fn mean_loss(&self, _: u32) -> f64 {
        0.0
    }

    /// How likely a link is ON in a slot.
    pub fn probability_on(&self, local: u32) -> f64 {
        1.0 - self.network.ways[local as usize].loss
    }
}
