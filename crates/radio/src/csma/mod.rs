//! Ideal CSMA: links sense each other instantly, wait for exponential times and never collide (wang2013 §II-A; Jiang
//! and Walrand).
//!
//! A link with packets and no active neighbour in the conflict graph waits for an exponential time of mean 1/a_l. It is
//! then active for one packet, 1/b_l. With ρ_l = ln(a_l/b_l) the probability that i is the set of active links is
//! proportional to exp(Σ ρ_l r_l^i) (wang2013 (1)).
//!
//! Stations may forward by backpressure. A link then competes if D_l > 0 ([`windward_elements::backpressure`]) and
//! serves the commodity with that difference. In ρ_l its queue is replaced by D_l (1 − p_l) with loss p_l (Ni, Tan and
//! Srikant 2012: queue-based CSMA). A lost packet returns to the head of its queue.

mod config;
mod links;
#[cfg(test)]
mod tests;

pub use config::{Aggression, CsmaConfig, Holding};
pub use links::{Csma, CsmaLinkStats};
