//! Ideal CSMA: links that sense each other at once, wait for exponential times and never collide (wang2013 §II-A; Jiang and
//! Walrand).
//!
//! A link that has packets and no active neighbour in the conflict graph waits for an exponential time of mean 1/a_l and is then
//! active for one packet, 1/b_l. With ρ_l = ln(a_l/b_l) the set of active links is i with probability proportional to
//! exp(Σ ρ_l r_l^i) (wang2013 (1)).
//!
//! Stations may forward by backlog: a link then has a packet where D_l > 0 ([`crate::backlog`]), serves the commodity that has it, and its D_l (1 − p_l), p_l its
//! loss, stands in ρ_l for the packets of its queue (Ni, Tan and Srikant 2012: queue-based CSMA). A packet that is lost is the first of its queue again.

mod config;
mod links;
#[cfg(test)]
mod tests;

pub use config::{Aggression, CsmaConfig, Holding};
pub use links::Csma;
