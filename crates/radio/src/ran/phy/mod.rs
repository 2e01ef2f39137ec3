//! Physical layer of LTE and NR as the MAC layer sees it: carriers, transport block sizes, link adaptation and block
//! errors. No bit is coded.

pub mod bler;
pub mod carrier;
pub mod grid;
pub mod lte;
pub mod mcs;
pub mod tbs;
#[cfg(test)]
mod tests;

pub use bler::Curves;
pub use carrier::{Carrier, Pattern, PatternError, SlotKind, Special};
pub use grid::{Grid, LAYER_LOSS, LAYERS, Report};
pub use mcs::{McsTable, Modulation, Technology};
