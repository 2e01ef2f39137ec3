//! A slotted network under centralised MaxWeight scheduling (Tassiulas and Ephremides 1992; seferoglu2014 §III).
//!
//! In each slot a link is ON with its own probability, independent of all others, and then carries one packet;
//! otherwise it is OFF. The active links of a slot are the independent set of ON links in the conflict graph with the
//! largest
//!
//!   Σ_l D_l*, D_l* = max_s (max{K_i, U_i^s} − U_j^s)        (seferoglu2014 (2)–(4), R_l = 1)
//!
//! Each sends the first packet of the commodity with that difference ([`windward_elements::backpressure`]). The
//! scheduler knows all queues. A packet that arrives in a slot can leave in the next one. Ties are broken at random.

mod choice;
mod config;
mod slots;
#[cfg(test)]
mod tests;

pub use config::SlottedConfig;
pub use slots::{Slotted, SlottedLinkStats};
