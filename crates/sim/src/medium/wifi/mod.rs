//! 802.11 networks: stations with one transceiver each, on one channel, over any number of hops.
//!
//! The MAC is the standard's distributed coordination function (IEEE 802.11-2016, §10.3): physical and virtual carrier
//! sense, slotted backoff, RTS and CTS, ACK, retries, duplicate detection. Address resolution, association,
//! fragmentation and rate adaptation are not modelled.

mod access;
mod air;
mod category;
mod config;
mod contend;
mod discipline;
pub mod edca;
mod errors;
mod exchange;
mod mac;
mod managed;
mod messages;
pub mod minstrel;
mod motion;
mod phy;
pub mod ppdu;
mod propagation;
mod protocol;
mod report;
mod routing;
mod station;
mod steps;
mod times;
pub mod txq;
mod waiting;

#[cfg(test)]
mod tests;

pub(super) use access::Served;
pub use access::{Access, Aggressiveness, Rounding};
pub use config::{Conflict, LossOf, Mac, StationConfig, Way, WifiConfig};
pub use errors::{Fading, Modulation};
pub use motion::{Motion, place_at};
pub use phy::{Coding, Phy};
pub use propagation::{Neighbour, PathLoss, Position, Propagation, Reach};
pub use protocol::{Acks, AodvConfig, BackpressureConfig, DsdvConfig, Failures, RoutingConfig};
pub use report::{WifiLinkStats, WifiStationStats};
pub use routing::Wifi;
