//! What ideal CSMA is given.

use crate::backlog::BacklogConfig;
use crate::medium::wifi::WifiConfig;
use crate::packet::NodeId;
use crate::queue::{Buffer, QueueConfig};
use windward_units::Duration;

/// Links of a wireless network under ideal CSMA.
#[derive(Clone, Debug)]
pub struct CsmaConfig {
    /// The links are its ways; a packet takes the medium for as long as an exchange that succeeds at once.
    pub network: WifiConfig,
    /// For every link those that conflict with it, in both directions.
    pub conflicts: Vec<Vec<u32>>,
    /// How eagerly a link tries.
    pub aggression: Aggression,
    /// How long a packet takes.
    pub holding: Holding,
    /// How stations forward by backlog; `None`: packets have their routes.
    pub backlog: Option<BacklogConfig>,
}

/// What the transmission aggressiveness ρ_l of a link is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aggression {
    /// The same at any time.
    Fixed(f64),
    /// β·b_l·q̂_l, the queueing delay in packets of the link alone (wang2013 (13)), at most `cap`.
    QueueingDelay {
        /// β.
        scale: f64,
        /// The most it may be: the sets of active links change every e^ρ packets.
        cap: f64,
    },
}

/// How long a packet takes. The stationary law does not depend on it but for its mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holding {
    /// As long as its exchange.
    #[default]
    Exact,
    /// Exponential with that mean.
    Exponential,
}

impl CsmaConfig {
    /// None: what there is to say, its links say.
    pub fn observed_nodes(&self) -> Vec<NodeId> {
        Vec::new()
    }

    /// How many links there are.
    pub fn members(&self) -> usize {
        self.network.members()
    }

    /// Bits a second of packets of 1500 bytes on a link that has the medium to itself, without a backoff.
    pub fn mean_rate(&self, local: u32) -> f64 {
        self.network.mean_rate(local)
    }

    /// The rate of the data frames.
    pub fn nominal_rate(&self, local: u32) -> u64 {
        self.network.nominal_rate(local)
    }

    /// None: packets arrive with the end of their exchange.
    pub fn delay(&self, _: u32) -> Duration {
        Duration::ZERO
    }

    /// The sender's buffer, which every link has for itself.
    pub fn buffer(&self, local: u32) -> Buffer {
        self.network.buffer(local)
    }

    /// Drop-tail.
    pub fn discipline(&self, _: u32) -> QueueConfig {
        QueueConfig::DropTail
    }

    /// The probability that a packet is lost.
    pub fn mean_loss(&self, local: u32) -> f64 {
        self.network.ways[local as usize].loss
    }
}
