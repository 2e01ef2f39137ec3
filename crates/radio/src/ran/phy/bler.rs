//! Block error rates by signal-to-noise ratio.
//!
//! A scheme of η bits a symbol has 10 % errors of long code blocks at θ₁₀ = 10·lg(2^η − 1) + g, Shannon's limit and a
//! gap g: for NR the mean over the LDPC curves of Sionna 1.2.1, for LTE over the turbo code curves in ns-3 3.44 (none
//! has 256-QAM in LTE: its gap continues the others). A code block of K bits fails with probability Φ((θ₅₀ + s − γ)/σ),
//! σ = 0.14 dB·(8448/K)^0.38, a fit to the curves of 5G-LENA. Short blocks need s more. A transport block of C code
//! blocks fails with probability 1 − (1 − p)^C.

use super::mcs::{Modulation, Technology};

/// θ₁₀ − θ₅₀ of a long code block, in decibels.
const TO_TENTH: f64 = 0.18;
/// σ of a code block of [`LONG`] bits, in decibels.
const SPREAD: f64 = 0.14;
/// Bits of a long code block.
const LONG: f64 = 8448.0;

/// Deviations beyond which an error is certain or impossible.
const REACH: f64 = 6.0;
/// Steps of the table of Φ a deviation.
const STEPS: f64 = 32.0;
/// Halvings of an interval of some decibels: below its rounding.
const BISECTIONS: usize = 52;
const POINTS: usize = 2 * (REACH * STEPS) as usize + 1;

/// Block error curves.
#[derive(Clone, Debug)]
pub struct Curves {
    gaps: [f64; 4],
    /// Φ from −6 to 6, for linear interpolation: the error is at most φ'·h²/8 = 3·10⁻⁵.
    normal: Box<[f64; POINTS]>,
}

/// Errors of a transport block: everything except the signal-to-noise ratio.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Ratio at which half of the code blocks fail, in decibels.
    pub middle: f32,
    /// 1/σ, in 1/dB.
    pub steepness: f32,
    /// Number of code blocks.
    pub blocks: u32,
}

impl Curves {
    /// Curves of `technology`, moved right by `receiver_loss` decibels.
    pub fn new(technology: Technology, receiver_loss: f64) -> Self {
        let gaps = match technology {
            Technology::Nr => [0.9, 1.3, 2.0, 2.4],
            Technology::Lte => [1.65, 2.0, 2.65, 3.1],
        };
        let mut normal = Box::new([0.0; POINTS]);
        for (at, value) in normal.iter_mut().enumerate() {
            let x = at as f64 / STEPS - REACH;
            *value = 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
        }
        Self { gaps: gaps.map(|gap| gap + receiver_loss), normal }
    }

    /// θ₁₀ of a scheme of `efficiency` bits a symbol, in decibels.
    pub fn threshold(&self, modulation: Modulation, efficiency: f64) -> f64 {
        10.0 * libm::log10(libm::exp2(efficiency) - 1.0) + self.gaps[modulation as usize]
    }

    /// Errors of a block of `bits` in `blocks` code blocks by a scheme whose θ₁₀ is `threshold`.
    pub fn errors(&self, threshold: f64, modulation: Modulation, bits: u32, blocks: u32) -> Errors {
        let code_bits = f64::from(bits + 24) / f64::from(blocks);
        let middle = threshold - TO_TENTH + shortness(modulation, code_bits);
        let sigma = SPREAD * libm::pow(LONG / code_bits, 0.38);
        Errors { middle: middle as f32, steepness: (1.0 / sigma) as f32, blocks }
    }

    /// Probability that a transport block fails at a ratio of `snr` decibels.
    #[inline]
    pub fn probability(&self, errors: Errors, snr: f64) -> f64 {
        let x = (f64::from(errors.middle) - snr) * f64::from(errors.steepness);
        if x <= -REACH {
            return 0.0;
        }
        if x >= REACH {
            return 1.0;
        }
        let place = (x + REACH) * STEPS;
        let at = (place as usize).min(POINTS - 2);
        let share = place - at as f64;
        let of_code = self.normal[at] * (1.0 - share) + self.normal[at + 1] * share;
        match errors.blocks {
            1 => of_code,
            blocks => 1.0 - libm::pow(1.0 - of_code, f64::from(blocks)),
        }
    }
}

impl Curves {
    /// Ratio in decibels at which a transport block fails with probability `share`.
    pub fn ratio_at(&self, errors: Errors, share: f64) -> f64 {
        let width = REACH / f64::from(errors.steepness);
        let (mut low, mut high) = (f64::from(errors.middle) - width, f64::from(errors.middle) + width);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            match self.probability(errors, middle) > share {
                true => low = middle,
                false => high = middle,
            }
        }
        high
    }
}

/// Decibels that a code block of so many bits needs beyond a long one.
fn shortness(modulation: Modulation, bits: f64) -> f64 {
    let by_modulation = match bits {
        ..150.0 => [0.1, 0.6, 1.15, 1.8],
        ..300.0 => [0.0, 0.25, 0.65, 1.1],
        ..600.0 => [0.0, 0.05, 0.45, 0.9],
        ..1200.0 => [0.0, 0.0, 0.2, 0.6],
        ..2500.0 => [0.0, 0.0, 0.0, 0.2],
        _ => [0.0; 4],
    };
    by_modulation[modulation as usize]
}
