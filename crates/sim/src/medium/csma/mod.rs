//! Ideal CSMA: links that sense each other at once, wait for exponential times and never collide (wang2013 §II-A; Jiang and
//! Walrand).
//!
//! A link that has packets and no active neighbour in the conflict graph waits for an exponential time of mean 1/a_l and is then
//! active for one packet, 1/b_l. With ρ_l = ln(a_l/b_l) the set of active links is i with probability proportional to
//! exp(Σ ρ_l r_l^i) (wang2013 (1)).

mod config;
mod links;
#[cfg(test)]
mod tests;

pub use config::{Aggression, CsmaConfig, Holding};
pub use links::Csma;
