//! Rayleigh fading by a sum of sinusoids: h = N^{−1/2} Σ e^{j(2πfT k cos α_n + φ_n)}.
//!
//! The angles of arrival are α_n = (2πn + θ)/N; φ_n and θ are uniform in [0, 2π) for each run (after Zheng and Xiao,
//! IEEE Communications Letters 6(6), 2002).
//! Over runs the correlation is exactly J0(2πfτ); that of |h|² is J0² − 1/N instead of J0², because there are only N
//! sinusoids. Within a run the angles are fixed: the mean of |h|² is 1 and the correlation is that of its N angles,
//! which departs from J0 where 2πfτ approaches N.

use libm::{cos, sin, sqrt};
use std::f64::consts::TAU;
use windward_elements::engine::Stream;

/// Slots between renormalisations of the phasors, against rounding errors. In between the error is below 1e-12.
const RENORMALISE: u32 = 4096;

#[derive(Debug)]
pub(super) struct Jakes {
    /// Phasors and their rotation per slot, as (re, im, re, im).
    waves: Vec<[f64; 4]>,
    /// N^{−1/2}.
    amplitude: f64,
    slots: u32,
}

impl Jakes {
    /// `doppler_per_slot` is fT.
    pub(super) fn new(doppler_per_slot: f64, sinusoids: usize, mut stream: Stream) -> Self {
        let offset = TAU * stream.uniform();
        let wave = |n: usize| {
            let phase = TAU * stream.uniform();
            let turn = TAU * doppler_per_slot * cos((TAU * n as f64 + offset) / sinusoids as f64);
            [cos(phase), sin(phase), cos(turn), sin(turn)]
        };
        Self { waves: (0..sinusoids).map(wave).collect(), amplitude: 1.0 / sqrt(sinusoids as f64), slots: 0 }
    }

    /// h of the next slot.
    pub(super) fn next_gain(&mut self) -> [f64; 2] {
        let (mut real, mut imaginary) = (0.0, 0.0);
        for [re, im, turn_re, turn_im] in &mut self.waves {
            real += *re;
            imaginary += *im;
            (*re, *im) = (*re * *turn_re - *im * *turn_im, *re * *turn_im + *im * *turn_re);
        }
        self.slots += 1;
        if self.slots == RENORMALISE {
            self.slots = 0;
            for [re, im, ..] in &mut self.waves {
                let norm = sqrt(*re * *re + *im * *im);
                (*re, *im) = (*re / norm, *im / norm);
            }
        }
        [self.amplitude * real, self.amplitude * imaginary]
    }
}
