//! LTE and 5G NR as TCP sees them: both directions of one cell, with link adaptation, HARQ, RLC, and grants.
//!
//! One medium carries both directions, because feedback, grants, status reports and TDD tie them together. The profile
//! is frozen: one carrier of a preset, frequency range 1, one bearer a station.

mod cell;
mod channel;
mod config;
mod downlink;
mod drx;
mod harq;
mod intervals;
mod leg;
pub mod phy;
mod report;
mod request;
mod share;
#[cfg(test)]
mod tests;
mod uplink;

pub use cell::Ran;
pub use config::{Adaptation, Drx, Grids, Harq, Pdcp, RanConfig, Rlc, RlcMode, StationConfig, Uplink};
pub use report::{RanLinkStats, RanMcsStats};
