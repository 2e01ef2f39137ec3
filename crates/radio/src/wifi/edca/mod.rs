//! Networks of 802.11n, ac and ax: EDCA with four categories, A-MPDUs, BlockAcks, one transceiver per station.
//!
//! The rules are those of IEEE 802.11-2020, §10.23.2 (EDCA), §10.25 (BlockAck) and §9.7 (A-MPDU). Address resolution,
//! association, beacons, fragmentation and multi-user transmissions are not modelled; BlockAck sessions exist from the
//! beginning.

mod aggregate;
mod ahead;
mod air;
mod capacity;
mod config;
mod contend;
mod counts;
mod errors;
mod exchange;
mod hardware;
mod mac;
mod mpdu;
mod packets;
mod queues;
mod report;
mod sending;
mod session;
mod station;
mod times;
mod transmit;
mod way;

#[cfg(test)]
mod tests;

pub use crate::wifi::category::{CATEGORIES, Category, Contention};
pub use capacity::Turn;
pub use config::{
    AfterLoss, BlockAckConfig, EdcaConfig, EdcaStation, EdcaWay, FullPpdu, Hardware, Noise, RateChoice, Rung, ladder,
};
pub use errors::required_ratio;
pub use mac::Edca;
pub use report::{AmpduSizeStats, EdcaLinkStats, EdcaStationStats, WifiQueueStats, WifiRateStats};
