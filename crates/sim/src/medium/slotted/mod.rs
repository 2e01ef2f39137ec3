//! A slotted network under centralised MaxWeight scheduling (Tassiulas and Ephremides 1992; seferoglu2014 §III).
//!
//! Time is cut into slots; in each a link is ON with a probability of its own, independent of all others, and carries one packet
//! then, or OFF. Each slot the links that are active are the independent set of ON links, in the graph of conflicts, with the largest
//!
//!   Σ_l D_l*, D_l* = max_s (max{K_i, U_i^s} − U_j^s)        (seferoglu2014 (2)–(4), R_l = 1)
//!
//! and each sends the first packet of the commodity with that difference ([`crate::backlog`]). Who chooses sees all queues. What
//! comes in a slot may leave in the next. Ties are drawn.

mod choice;
mod config;
mod slots;
#[cfg(test)]
mod tests;

pub use config::SlottedConfig;
pub use slots::Slotted;
