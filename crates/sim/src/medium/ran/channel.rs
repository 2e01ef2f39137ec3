//! Signal-to-noise ratio of a station at an instant.
//!
//! A slot asks only for the stations that it serves, and a report only for its own, so the channel is a function of
//! time: `jakes` is a sum of sinusoids (the model of `cell::channel`), `trace` a lookup. `independent` draws anew at
//! each call.

use crate::engine::Stream;
use crate::medium::cell::channel::Fading;
use libm::{cos, log10, sin};
use std::f64::consts::TAU;
use std::sync::Arc;
use windward_units::Time;

/// Least power gain, in place of a logarithm of zero.
const LEAST_GAIN: f64 = 1e-12;

#[derive(Debug)]
enum Model {
    Constant,
    Independent(Stream),
    /// Phase and angular frequency of each sinusoid.
    Jakes {
        waves: Vec<[f64; 2]>,
    },
    Trace {
        samples: Arc<[f64]>,
        interval: u64,
    },
}

/// Channel of a station and direction.
#[derive(Debug)]
pub(super) struct Channel {
    /// Mean, in decibels.
    pub mean: f64,
    model: Model,
}

impl Channel {
    /// Channel of mean `mean` decibels; `None` for a model that has no value at an instant.
    pub fn new(fading: &Fading, mean: f64, mut stream: Stream) -> Option<Self> {
        let model = match fading {
            Fading::Constant => Model::Constant,
            Fading::Independent => Model::Independent(stream),
            Fading::Jakes { doppler, sinusoids } => {
                let offset = TAU * stream.uniform();
                let wave = |n: usize| {
                    let phase = TAU * stream.uniform();
                    [phase, TAU * doppler * cos((TAU * n as f64 + offset) / *sinusoids as f64)]
                };
                Model::Jakes { waves: (0..*sinusoids).map(wave).collect() }
            }
            Fading::Trace { samples, interval } => {
                Model::Trace { samples: Arc::clone(samples), interval: interval.as_nanos().max(1) }
            }
            Fading::Autoregressive { .. } | Fading::Markov { .. } => return None,
        };
        Some(Self { mean, model })
    }

    /// Ratio at `now` in decibels.
    #[inline]
    pub fn at(&mut self, now: Time) -> f64 {
        match &mut self.model {
            Model::Constant => self.mean,
            Model::Independent(stream) => self.mean + decibels(stream.exponential()),
            Model::Jakes { waves } => {
                let time = now.as_secs();
                let (mut real, mut imaginary) = (0.0, 0.0);
                for &[phase, frequency] in &*waves {
                    let angle = phase + frequency * time;
                    real += cos(angle);
                    imaginary += sin(angle);
                }
                self.mean + decibels((real * real + imaginary * imaginary) / waves.len() as f64)
            }
            Model::Trace { samples, interval } => {
                self.mean + samples[(now.as_nanos() / *interval) as usize % samples.len()]
            }
        }
    }
}

/// A power gain in decibels.
fn decibels(gain: f64) -> f64 {
    10.0 * log10(gain.max(LEAST_GAIN))
}

/// 10^(x/10).
pub(super) fn linear(decibels: f64) -> f64 {
    libm::exp10(decibels / 10.0)
}
