//! LTE and 5G NR as TCP sees them: both directions of one cell, with link adaptation, HARQ, RLC, and grants.
//!
//! One medium carries both directions, because feedback, grants, status reports and TDD tie them together. The profile
//! is frozen: one carrier of a preset at each site, frequency range 1.

mod bearer;
mod cell;
mod channel;
mod config;
mod delay;
mod downlink;
mod drx;
pub mod geometry;
mod handover;
mod harq;
mod intervals;
mod leg;
mod medium;
mod mobility;
pub mod phy;
pub mod qos;
mod report;
mod request;
mod rlc;
mod rows;
mod share;
#[cfg(test)]
mod tests;
mod uplink;

pub use bearer::RanBearerStats;
pub use cell::Ran;
pub use config::{Adaptation, BearerConfig, Drx, Grids, Harq, RanConfig, StationConfig, Uplink};
pub use delay::RanDelayStats;
pub use mobility::{RanHandover, RanMobilityStats};
pub use report::{RanLinkStats, RanMcsStats};
pub use rlc::{Pdcp, Rlc, RlcMode};
