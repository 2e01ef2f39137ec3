//! Validity limits of channel models.

use std::fmt;

/// Largest number of sinusoids of [`super::Fading::Jakes`].
pub const MAX_SINUSOIDS: usize = 1024;
/// Highest order of [`super::Fading::Autoregressive`].
pub const MAX_ORDER: usize = 256;
/// Largest fT of [`super::Fading::Markov`]. The rates N_n hold per slot while the gain changes linearly within a slot;
/// at fT = 0.05 it deviates from the line by (2πfT)²/8 = 1.2 % of its change. Pairs of crossings between two slots are
/// missed: for levels below the mean a fraction of (πfT/ρ)²/8, ρ² = γ_n/γ̄, which is 5 % at ρ = ¼. [`MAX_LEAVING`]
/// refuses lower levels.
pub const MAX_DOPPLER_PER_SLOT: f64 = 0.05;
/// Largest probability of leaving a state in a slot. In a slot |h| makes a normal step of standard deviation πfT. A
/// state of width Δ in |h| is left with probability √(2π)fT/Δ, so at the limit of 0.4 it is d = √(2/π)/0.4 = 2
/// deviations wide. Of the steps into it a fraction of (φ(d) − d·Q(d))/φ(0) = 2.2 % skips it; in the chain none does.
/// The outage state, of width ρ, is left with probability √(2π)fT/ρ: then (πfT/ρ)²/8 is at most 3 %.
pub const MAX_LEAVING: f64 = 0.4;

/// Reason why a fading model does not fit a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum FadingError {
    /// The channel changes too far in a slot for a Markov chain with steps between neighbours.
    TooFast {
        /// fT of the cell.
        doppler_per_slot: f64,
    },
    /// A mode is so narrow that the channel often skips it.
    Narrow {
        /// Index of the state, 0 for outage.
        state: usize,
        /// Probability of leaving it.
        leaving: f64,
    },
    /// The chain needs modes, and the table has none.
    NoModes,
    /// Invalid number of sinusoids.
    Sinusoids(usize),
    /// Invalid order.
    Order(usize),
    /// A trace without samples.
    Empty,
}

impl fmt::Display for FadingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFast { doppler_per_slot } => write!(
                f,
                "the Doppler frequency times the slot is {doppler_per_slot:.3}: a Markov chain that steps between neighbouring \
                 modes holds up to {MAX_DOPPLER_PER_SLOT}\nhint: such slots are nearly independent; choose \"independent\", or \
                 \"jakes\""
            ),
            Self::Narrow { state, leaving } => write!(
                f,
                "the Markov chain would leave mode {state} with probability {leaving:.3} a slot: it steps between \
                 neighbouring modes, which holds up to {MAX_LEAVING}\nhint: choose \"jakes\" or \"autoregressive\", or a shorter slot"
            ),
            Self::NoModes => f.write_str("a Markov chain runs over modes, and Shannon's formula has none"),
            Self::Sinusoids(count) => write!(f, "{count} sinusoids; allowed: 8 to {MAX_SINUSOIDS}"),
            Self::Order(order) => write!(f, "order {order}; allowed: 1 to {MAX_ORDER}"),
            Self::Empty => f.write_str("the trace has no samples"),
        }
    }
}

impl std::error::Error for FadingError {}
