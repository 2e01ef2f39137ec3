//! Fading channels: the signal-to-noise ratio (SNR) of a station from slot to slot.
//!
//! Flat Rayleigh fading: the complex gain h is Gaussian with E|h|² = 1, so the envelope |h| has the density 2r e^{−r²}
//! and the SNR γ = γ̄|h|² is exponential. At Doppler frequency f the correlation is E[h(t)h*(t+τ)] = J0(2πfτ) (Clarke
//! 1968, Jakes 1974). The models differ in how they generate it; the channel is constant within a slot.

mod autoregressive;
mod error;
mod jakes;
mod markov;
mod trace;

use super::amc::Table;
use autoregressive::Autoregressive;
use jakes::Jakes;
use markov::Markov;
use std::sync::Arc;
use windward_elements::engine::Stream;
use windward_units::Duration;

pub use error::{FadingError, MAX_DOPPLER_PER_SLOT, MAX_LEAVING, MAX_ORDER, MAX_SINUSOIDS};
pub use trace::{SnrTrace, SnrTraceError, SnrTraceProblem};

/// Fading model around the mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Fading {
    /// Rayleigh with a new draw in every slot: the limit of correlated fading for long slots, 2πfT ≫ 1.
    Independent,
    /// Rayleigh by a sum of sinusoids of random angles and phases.
    Jakes {
        /// Doppler frequency in hertz; positive.
        doppler: f64,
        /// Number of sinusoids, 8 to [`MAX_SINUSOIDS`].
        sinusoids: usize,
    },
    /// Rayleigh by an autoregressive process.
    Autoregressive {
        /// Doppler frequency in hertz; positive.
        doppler: f64,
        /// Order, 1 to [`MAX_ORDER`].
        order: usize,
    },
    /// A Markov chain over the modes with steps between neighbours.
    Markov {
        /// Doppler frequency in hertz; positive, and low for the slot.
        doppler: f64,
    },
    /// Always the mean.
    Constant,
    /// Measured samples, repeated from the start at their end.
    Trace {
        /// Decibels above the mean; not empty.
        samples: Arc<[f64]>,
        /// Sampling interval; positive.
        interval: Duration,
    },
}

impl Fading {
    /// Checks that the model is valid for a station of this mean in a cell of this slot and table.
    ///
    /// # Errors
    /// See [`FadingError`].
    pub fn check(&self, mean_snr: f64, slot: Duration, table: &Table) -> Result<(), FadingError> {
        match *self {
            Self::Independent | Self::Constant => Ok(()),
            Self::Jakes { sinusoids: 8..=MAX_SINUSOIDS, .. } => Ok(()),
            Self::Jakes { sinusoids, .. } => Err(FadingError::Sinusoids(sinusoids)),
            Self::Autoregressive { order: 1..=MAX_ORDER, .. } => Ok(()),
            Self::Autoregressive { order, .. } => Err(FadingError::Order(order)),
            Self::Markov { doppler } => markov::check(doppler, mean_snr, slot, table),
            Self::Trace { ref samples, .. } if samples.is_empty() => Err(FadingError::Empty),
            Self::Trace { .. } => Ok(()),
        }
    }
}

/// The channel of a station.
#[derive(Debug)]
pub struct Channel {
    mean_snr: f64,
    model: Model,
}

#[derive(Debug)]
enum Model {
    Independent(Stream),
    Jakes(Jakes),
    Autoregressive(Autoregressive),
    Markov(Markov),
    Constant,
    Trace { ratios: Vec<f64>, interval: u64, slot: u64, elapsed: u64 },
}

impl Channel {
    /// Creates a channel of this linear mean with slots of length `slot`. The model must have passed [`Fading::check`].
    pub fn new(fading: &Fading, mean_snr: f64, slot: Duration, table: &Table, stream: Stream) -> Self {
        let model = match *fading {
            Fading::Independent => Model::Independent(stream),
            Fading::Jakes { doppler, sinusoids } => {
                Model::Jakes(Jakes::new(doppler * slot.as_secs(), sinusoids, stream))
            }
            Fading::Autoregressive { doppler, order } => {
                Model::Autoregressive(Autoregressive::new(doppler * slot.as_secs(), order, stream))
            }
            Fading::Markov { doppler } => Model::Markov(Markov::new(doppler, mean_snr, slot, table, stream)),
            Fading::Constant => Model::Constant,
            Fading::Trace { ref samples, interval } => Model::Trace {
                ratios: samples.iter().map(|decibels| libm::pow(10.0, decibels / 10.0)).collect(),
                interval: interval.as_nanos(),
                slot: slot.as_nanos(),
                elapsed: 0,
            },
        };
        Self { mean_snr, model }
    }

    /// Changes the mean from the next slot on; the fading around it continues. The new mean must have passed
    /// [`Fading::check`].
    pub fn change_mean(&mut self, mean_snr: f64, slot: Duration, table: &Table) {
        self.mean_snr = mean_snr;
        if let Model::Markov(chain) = &mut self.model {
            chain.change_mean(mean_snr, slot, table);
        }
    }

    /// Signal-to-noise ratio of the next slot, linear.
    #[inline]
    pub fn next_slot(&mut self) -> f64 {
        match &mut self.model {
            Model::Independent(stream) => self.mean_snr * stream.exponential(),
            Model::Jakes(sum) => self.mean_snr * power(sum.next_gain()),
            Model::Autoregressive(process) => self.mean_snr * power(process.next_gain()),
            Model::Markov(chain) => chain.next_snr(),
            Model::Constant => self.mean_snr,
            Model::Trace { ratios, interval, slot, elapsed } => {
                let at = (*elapsed / *interval) as usize % ratios.len();
                *elapsed += *slot;
                self.mean_snr * ratios[at]
            }
        }
    }
}

/// |h|².
fn power([re, im]: [f64; 2]) -> f64 {
    re * re + im * im
}

#[cfg(test)]
mod tests;
