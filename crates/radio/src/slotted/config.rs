//! Configuration of a slotted network.

use crate::wifi::WifiConfig;
use windward_elements::backpressure::WeightConfig;
use windward_elements::packet::NodeId;
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::Duration;

/// Links of a slotted wireless network.
#[derive(Clone, Debug)]
pub struct SlottedConfig {
    /// Network whose ways are the links, at most [`Self::MAX_LINKS`]; the loss of a way is its probability of being OFF
    /// in a slot.
    pub network: WifiConfig,
    /// Conflicting links of every link; conflicts are symmetric.
    pub conflicts: Vec<Vec<u32>>,
    /// Forwarding rule.
    pub weight: WeightConfig,
    /// Length of a slot; positive.
    pub slot: Duration,
}

impl SlottedConfig {
    /// Largest number of links, limited by the exact search for the heaviest set.
    pub const MAX_LINKS: usize = 64;

    /// None: all figures belong to links.
    pub fn observed_nodes(&self) -> Vec<NodeId> {
        Vec::new()
    }

    /// Number of links.
    pub fn members(&self) -> usize {
        self.network.members()
    }

    /// Rate of a link that is active in every ON slot, in bits a second of 1500-byte packets.
    pub fn mean_rate(&self, local: u32) -> f64 {
        self.probability_on(local) * 1500.0 * 8.0 / self.slot.as_secs()
    }

    /// Rate of a link that is always ON and active.
    pub fn nominal_rate(&self, _: u32) -> u64 {
        (1500.0 * 8.0 / self.slot.as_secs()) as u64
    }

    /// Zero: packets arrive at the end of their slot.
    pub fn delay(&self, _: u32) -> Duration {
        Duration::ZERO
    }

    /// The sender's buffer, which its links share.
    pub fn buffer(&self, local: u32) -> Buffer {
        self.network.buffer(local)
    }

    /// True: stations draw their backoffs or transmissions.
    pub(crate) const fn is_random(&self) -> bool {
        true
    }

    /// Drop-tail.
    pub fn discipline(&self, _: u32) -> QueueConfig {
        QueueConfig::DropTail
    }

    /// 0: a link that is OFF is not used.
    pub fn mean_loss(&self, _: u32) -> f64 {
        0.0
    }

    /// Probability that a link is ON in a slot.
    pub fn probability_on(&self, local: u32) -> f64 {
        1.0 - self.network.ways[local as usize].loss
    }
}
