//! Adaptive modulation and coding (AMC): bits per symbol by signal-to-noise ratio.
//!
//! A [`Table`] is either a list of modes, each used from its threshold on, or Shannon's formula with a gap. Under
//! Rayleigh fading of mean γ̄ the SNR γ is exponential: mode n is used with probability e^{−γ_n/γ̄} − e^{−γ_{n+1}/γ̄}.
//!
//! If a mode's error rate is known as min(1, a e^{−gγ}) for packets of N bits (Liu, Zhou, Giannakis 2004), its
//! threshold follows from the target error rate P₀, γ = ln(a/P₀)/g. The error rate of other packet sizes assumes
//! independent bit errors: 1 − (1 − P)^{bits/N}.

mod data;

pub use data::FileError;

use libm::{exp, log, log2, pow};
use std::fmt;

/// A mode of modulation and coding.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Bits per symbol; positive.
    pub efficiency: f64,
    /// Lowest signal-to-noise ratio at which it is used, linear.
    pub threshold: f64,
    /// Error rate; `None`: no errors from the threshold on.
    pub errors: Option<Errors>,
}

/// Packet error rate of a mode: min(1, a e^{−gγ}) for packets of `packet_bits`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// a.
    pub a: f64,
    /// g.
    pub g: f64,
    /// Packet size for which a and g were fitted.
    pub packet_bits: f64,
}

impl Errors {
    /// Linear signal-to-noise ratio at which the packet error rate is `target`, at the packet size of the fit.
    pub fn threshold(&self, target: f64) -> f64 {
        log(self.a / target) / self.g
    }
}

/// Bits per symbol by signal-to-noise ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct Table(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Modes with increasing thresholds and non-decreasing efficiencies.
    Modes(Vec<Mode>),
    Shannon {
        gap: f64,
        most: f64,
    },
}

/// Error of a list of modes.
#[derive(Clone, Debug, PartialEq)]
pub struct TableError {
    /// Index of the mode.
    pub mode: usize,
    /// Description of the error.
    pub problem: &'static str,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mode {}: {}", self.mode + 1, self.problem)
    }
}

impl std::error::Error for TableError {}

impl Table {
    /// Creates a table of modes, slowest first.
    ///
    /// # Errors
    /// No mode; a threshold, an efficiency or a number of the error rate that is not positive; a threshold not above
    /// the one before, or an efficiency below it.
    pub fn of_modes(modes: Vec<Mode>) -> Result<Self, TableError> {
        let error = |mode, problem| Err(TableError { mode, problem });
        if modes.is_empty() {
            return error(0, "a table has at least one mode");
        }
        for (at, mode) in modes.iter().enumerate() {
            if !(mode.efficiency > 0.0 && mode.efficiency.is_finite()) {
                return error(at, "its efficiency is not a number above 0");
            }
            if !(mode.threshold > 0.0 && mode.threshold.is_finite()) {
                return error(at, "its threshold is not a number above 0");
            }
            let is_positive = |number: f64| number > 0.0 && number.is_finite();
            if mode.errors.is_some_and(|e| ![e.a, e.g, e.packet_bits].into_iter().all(is_positive)) {
                return error(at, "`a`, `g` and the packet size of its error rate are numbers above 0");
            }
            if at > 0 && mode.threshold <= modes[at - 1].threshold {
                return error(at, "its threshold is not above that of the mode before");
            }
            if at > 0 && mode.efficiency < modes[at - 1].efficiency {
                return error(at, "it is slower than the mode before, which needs less");
            }
        }
        Ok(Self(Kind::Modes(modes)))
    }

    /// Shannon's formula: log2(1 + γ/gap) bits per symbol, at most `most`. The gap is linear, at least 1 for a feasible
    /// code.
    pub fn shannon(gap: f64, most: f64) -> Self {
        Self(Kind::Shannon { gap, most })
    }

    /// Modes, slowest first; empty for Shannon's formula.
    pub fn modes(&self) -> &[Mode] {
        match &self.0 {
            Kind::Modes(modes) => modes,
            Kind::Shannon { .. } => &[],
        }
    }

    /// Index of the mode in use; `None` below the first threshold, and for Shannon's formula.
    #[inline]
    pub fn mode(&self, snr: f64) -> Option<usize> {
        self.modes().iter().rposition(|mode| snr >= mode.threshold)
    }

    /// Bits per symbol at a signal-to-noise ratio; 0 below the first threshold.
    #[inline]
    pub fn efficiency(&self, snr: f64) -> f64 {
        match &self.0 {
            Kind::Modes(modes) => modes.iter().rfind(|mode| snr >= mode.threshold).map_or(0.0, |mode| mode.efficiency),
            Kind::Shannon { gap, most } => log2(1.0 + snr / gap).min(*most),
        }
    }

    /// Packet error probability for `bits`, in the mode that the signal-to-noise ratio selects.
    pub fn error_probability(&self, snr: f64, bits: f64) -> f64 {
        let Some(mode) = self.mode(snr) else { return 0.0 };
        let Some(Errors { a, g, packet_bits }) = self.modes()[mode].errors else { return 0.0 };
        let rate = (a * exp(-g * snr)).min(1.0);
        1.0 - pow(1.0 - rate, bits / packet_bits)
    }

    /// Probability of each mode under Rayleigh fading of this mean; the rest is outage.
    pub fn probabilities(&self, mean_snr: f64) -> Vec<f64> {
        let above = |at: usize| self.modes().get(at).map_or(0.0, |mode| exp(-mode.threshold / mean_snr));
        (0..self.modes().len()).map(|at| above(at) - above(at + 1)).collect()
    }

    /// Mean bits per symbol under Rayleigh fading of this mean: Σ η_n P_n, or for Shannon's formula ∫ log2(1 + γ/gap)
    /// e^{−γ/γ̄}/γ̄ dγ.
    pub fn mean_efficiency(&self, mean_snr: f64) -> f64 {
        match &self.0 {
            Kind::Modes(modes) => modes.iter().zip(self.probabilities(mean_snr)).map(|(m, p)| m.efficiency * p).sum(),
            Kind::Shannon { .. } => {
                // With γ = γ̄ e^y the integrand vanishes at both ends, where the trapezoidal rule converges
                // exponentially.
                const STEPS: usize = 2000;
                let (low, high) = (-40.0, log(40.0));
                let width = (high - low) / STEPS as f64;
                let value = |at: usize| {
                    let depth = exp(low + at as f64 * width);
                    self.efficiency(mean_snr * depth) * exp(-depth) * depth
                };
                (0..=STEPS).map(value).sum::<f64>() * width
            }
        }
    }
}

/// Linear ratio of `decibels`.
fn ratio(decibels: f64) -> f64 {
    pow(10.0, decibels / 10.0)
}

#[cfg(test)]
mod tests;
