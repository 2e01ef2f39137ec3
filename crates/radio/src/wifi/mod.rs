//! 802.11 networks: stations with one transceiver each, on one channel, over any number of hops.
//!
//! The MAC is the standard's distributed coordination function (IEEE 802.11-2016, §10.3): physical and virtual carrier
//! sense, slotted backoff, RTS and CTS, ACK, retries, duplicate detection. Address resolution, association,
//! fragmentation and rate adaptation are not modelled.

mod access;
mod category;
mod config;
mod dcf;
pub mod edca;
pub mod minstrel;
pub mod ppdu;
mod protocol;
mod radio;
mod tables;
pub mod txq;

pub(super) use access::Served;
pub use access::{Access, Aggressiveness, Rounding};
pub use config::{Conflict, LossOf, Mac, StationConfig, Way, WifiConfig};
pub use dcf::Wifi;
pub use protocol::{Acks, AodvConfig, BackpressureConfig, DsdvConfig, Failures, RoutingConfig};
pub use radio::{Coding, Fading, Modulation, Motion, Neighbour, PathLoss, Phy, Position, Propagation, Reach, place_at};
pub use tables::{WifiLinkStats, WifiStationStats};
