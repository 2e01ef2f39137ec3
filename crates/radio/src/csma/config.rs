//! Configuration of ideal CSMA.

use crate::wifi::WifiConfig;
use windward_elements::backpressure::WeightConfig;
use windward_elements::packet::NodeId;
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::Duration;

/// Links of a wireless network under ideal CSMA.
#[derive(Clone, Debug)]
pub struct CsmaConfig {
    /// Network whose ways are the links. A packet occupies the medium for one successful exchange.
    pub network: WifiConfig,
    /// Conflicting links of every link; conflicts are symmetric.
    pub conflicts: Vec<Vec<u32>>,
    /// Transmission aggressiveness of the links.
    pub aggression: Aggression,
    /// Transmission time of a packet.
    pub holding: Holding,
    /// Forwarding by backpressure; `None`: packets have routes.
    pub weight: Option<WeightConfig>,
}

/// Transmission aggressiveness ρ_l of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aggression {
    /// Constant.
    Fixed(f64),
    /// ε·b_l·Q_l, of the queue length (wang2013 §II-C; Jiang and Walrand 2010), at most `cap`.
    QueueLength {
        /// ε, in seconds.
        scale: f64,
        /// Upper bound.
        cap: f64,
    },
    /// β·b_l·q̂_l, the queueing delay in packet times of the link alone (wang2013 (13)), at most `cap`.
    QueueingDelay {
        /// β.
        scale: f64,
        /// Upper bound: the set of active links changes every e^ρ packets.
        cap: f64,
    },
}

/// Transmission time of a packet. The stationary law depends only on its mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holding {
    /// Time of its exchange.
    #[default]
    Exact,
    /// Exponential with that mean.
    Exponential,
}

impl CsmaConfig {
    /// None: all figures belong to links.
    pub fn observed_nodes(&self) -> Vec<NodeId> {
        Vec::new()
    }

    /// Number of links.
    pub fn members(&self) -> usize {
        self.network.members()
    }

    /// Rate of a link alone without backoff, in bits a second of 1500-byte packets.
    pub fn mean_rate(&self, local: u32) -> f64 {
        self.network.mean_rate(local)
    }

    /// Rate of the data frames.
    pub fn nominal_rate(&self, local: u32) -> u64 {
        self.network.nominal_rate(local)
    }

    /// Zero: packets arrive at the end of their exchange.
    pub fn delay(&self, _: u32) -> Duration {
        Duration::ZERO
    }

    /// The sender's buffer, separate for each link.
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

    /// Probability of a packet's loss.
    pub fn mean_loss(&self, local: u32) -> f64 {
        self.network.ways[local as usize].loss
    }
}
