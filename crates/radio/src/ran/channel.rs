//! Signal-to-noise ratio of a station at an instant.
//!
//! A slot asks only for the stations that it serves, and a report only for its own, so the channel is a function of
//! time: `jakes` is a sum of sinusoids (the model of `cell::channel`), `trace` a lookup. `independent` draws anew at
//! each call.
//!
//! A channel with a delay spread has a gain for each group of resource blocks: that of independent Rayleigh taps whose
//! powers fall exponentially with the delay, so the gains of groups Δf apart have the correlation 1/(1 + j2πΔfτ). Taps
//! of equal power have no common period, in contrast to taps at equal distances.

use crate::cell::channel::Fading;
use libm::{cos, log10, sin};
use std::f64::consts::TAU;
use std::sync::Arc;
use windward_elements::engine::Stream;
use windward_units::Time;

/// Least power gain, in place of a logarithm of zero.
const LEAST_GAIN: f64 = 1e-12;

/// Most groups of resource blocks of a carrier.
pub(super) const GROUPS: usize = 25;
/// Taps of a channel with a delay spread, and sinusoids of each.
const TAPS: usize = 16;
const WAVES: usize = 8;

/// Delay spread of a channel, and the groups of resource blocks that see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selectivity<'a> {
    /// Root mean square delay spread, in seconds.
    pub spread: f64,
    /// Centre frequency of each group, in hertz.
    pub centres: &'a [f64],
}

/// Delays of the taps in units of the delay spread: the means of the parts of equal power of the profile e^(−x).
fn delays() -> [f64; TAPS] {
    // ∫x·e^(−x) from 0 to the quantile of a share u, less its constant.
    let below = |part: usize| match TAPS - part {
        0 => 0.0,
        left => {
            let above = left as f64 / TAPS as f64;
            above * (libm::log(above) - 1.0)
        }
    };
    std::array::from_fn(|tap| TAPS as f64 * (below(tap + 1) - below(tap)))
}

/// Groups of resource blocks, a bit each.
pub(super) fn each_group(groups: u32) -> impl Iterator<Item = usize> {
    (0..GROUPS).filter(move |group| groups >> group & 1 == 1)
}

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
    /// Waves of each tap as in `Jakes`; turn of each group by each tap; power gains of the groups at the time of the
    /// last look.
    Taps {
        waves: Vec<[f64; 2]>,
        turns: Vec<[f64; 2]>,
        seen: Option<Time>,
        gains: Vec<f64>,
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
    /// Only Rayleigh fading by sinusoids can be selective.
    pub fn new(fading: &Fading, mean: f64, mut stream: Stream, selectivity: Option<Selectivity<'_>>) -> Option<Self> {
        let model = match (fading, selectivity) {
            (Fading::Jakes { doppler, .. }, Some(Selectivity { spread, centres })) => {
                let mut waves = Vec::with_capacity(TAPS * WAVES);
                for _ in 0..TAPS {
                    let offset = TAU * stream.uniform();
                    waves.extend((0..WAVES).map(|n| {
                        let phase = TAU * stream.uniform();
                        [phase, TAU * doppler * cos((TAU * n as f64 + offset) / WAVES as f64)]
                    }));
                }
                let turn = |(centre, delay): (f64, f64)| {
                    let angle = TAU * centre * delay * spread;
                    [cos(angle), sin(angle)]
                };
                let turns = centres.iter().flat_map(|&centre| delays().map(|delay| turn((centre, delay)))).collect();
                let gains = vec![0.0; centres.len().min(GROUPS)];
                return Some(Self { mean, model: Model::Taps { waves, turns, seen: None, gains } });
            }
            (fading, _) => fading,
        };
        let model = match model {
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
                self.mean + samples[(now.as_nanos() / *interval % samples.len() as u64) as usize]
            }
            Model::Taps { gains, .. } => {
                let all = u32::MAX >> (u32::BITS - gains.len() as u32);
                self.on(now, all)
            }
        }
    }

    /// Power gains of the groups at `now`; `None` for a flat channel.
    pub fn gains(&mut self, now: Time) -> Option<&[f64]> {
        let Model::Taps { waves, turns, seen, gains } = &mut self.model else { return None };
        if *seen != Some(now) {
            *seen = Some(now);
            let time = now.as_secs();
            let mut taps = [[0.0; 2]; TAPS];
            for (tap, waves) in taps.iter_mut().zip(waves.chunks_exact(WAVES)) {
                for &[phase, frequency] in waves {
                    let angle = phase + frequency * time;
                    tap[0] += cos(angle);
                    tap[1] += sin(angle);
                }
            }
            for (gain, turns) in gains.iter_mut().zip(turns.chunks_exact(TAPS)) {
                let (mut real, mut imaginary) = (0.0, 0.0);
                for ([a, b], [c, d]) in taps.iter().zip(turns) {
                    real += a * c + b * d;
                    imaginary += b * c - a * d;
                }
                *gain = (real * real + imaginary * imaginary) / (TAPS * WAVES) as f64;
            }
        }
        Some(gains)
    }

    /// Ratio at `now` in decibels for a block on these groups: that of a flat channel with the same mean capacity.
    #[inline]
    pub fn on(&mut self, now: Time, groups: u32) -> f64 {
        let mean = linear(self.mean);
        match self.gains(now) {
            None => self.at(now),
            Some(gains) => effective(each_group(groups).map(|group| capacity(mean * gains[group]))),
        }
    }
}

/// ln(1 + γ).
pub(super) fn capacity(ratio: f64) -> f64 {
    libm::log1p(ratio)
}

/// Ratio in decibels of a flat channel whose capacity is the mean of these.
pub(super) fn effective(capacities: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = capacities.fold((0.0, 0.0), |(sum, count), capacity| (sum + capacity, count + 1.0));
    if count == 0.0 { decibels(0.0) } else { decibels(libm::expm1(sum / count)) }
}

/// A power gain in decibels.
pub(super) fn decibels(gain: f64) -> f64 {
    10.0 * log10(gain.max(LEAST_GAIN))
}

/// 10^(x/10).
pub(super) fn linear(decibels: f64) -> f64 {
    libm::exp10(decibels / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_elements::engine::Purpose;

    /// Groups of 4 resource blocks of LTE are 0.72 MHz apart. Their amplitudes at Δf have the correlation 1/(1 +
    /// j2πΔfτ), so their powers 1/(1 + (2πΔfτ)²): with 100 ns 0.83 for neighbours, with
    /// 300 ns 0.35. Sixteen taps of equal power leave Σp² = 1/16 of correlation where the law has none. Each power is
    /// exponential with mean one.
    #[test]
    fn groups_are_correlated_by_the_delay_spread() {
        let centres: Vec<f64> = (0..25).map(|group| 0.72e6 * (f64::from(group) + 0.5)).collect();
        for spread in [100e-9, 300e-9] {
            let fading = Fading::Jakes { doppler: 100.0, sinusoids: 16 };
            let (mut sums, mut below, mut count) = ([[0.0; 2]; 25], 0.0, 0.0);
            for seed in 0..40 {
                let stream = Stream::new(seed, 3, Purpose::Fading);
                let selectivity = Selectivity { spread, centres: &centres };
                let mut channel = Channel::new(&fading, 0.0, stream, Some(selectivity)).expect("it has instants");
                for step in 0..500 {
                    let gains = channel.gains(Time::from_nanos(step * 20_000_000)).expect("it is selective");
                    for (sum, gain) in sums.iter_mut().zip(gains) {
                        sum[0] += gain;
                        sum[1] += gain * gains[0];
                    }
                    below += f64::from(u8::from(gains[7] < 0.5));
                    count += 1.0;
                }
            }
            assert!((below / count - (1.0 - libm::exp(-0.5))).abs() < 0.02, "{}", below / count);
            for (apart, [mean, product]) in sums.iter().enumerate() {
                assert!((mean / count - 1.0).abs() < 0.05, "{apart}: {}", mean / count);
                // The variance of an exponential power is one.
                let correlation = product / count - mean * sums[0][0] / count / count;
                let right = 1.0 / (1.0 + (TAU * 0.72e6 * apart as f64 * spread).powi(2));
                assert!((correlation - right).abs() < 0.12, "{spread} {apart}: {correlation} for {right}");
                if apart == 1 {
                    assert!((correlation - right).abs() < 0.06, "{spread}: {correlation} for {right}");
                }
            }
        }
    }

    /// Two groups of ratios 1 and 7: capacities of 1 and 3 bits, 2 on average, that of the ratio 3.
    #[test]
    fn equal_capacity_by_hand() {
        let of = effective([1.0, 7.0].into_iter().map(capacity));
        assert!((of - 10.0 * log10(3.0)).abs() < 1e-12, "{of}");
    }
}
