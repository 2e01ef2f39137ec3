//! Every model against the closed forms of Rayleigh fading.

use super::*;
use crate::engine::Purpose;
use libm::{exp, j0, sqrt};
use std::f64::consts::TAU;

const SLOT_S: f64 = 1e-3;

fn channel(fading: &Fading, seed: u64) -> Channel {
    let (table, slot) = (Table::ctc_802_16e(), Duration::from_secs(SLOT_S));
    fading.check(10.0, slot, &table).expect("it fits");
    Channel::new(fading, 10.0, slot, &table, Stream::new(seed, 1, Purpose::Fading))
}

/// Envelopes |h| of `count` slots.
fn envelopes(fading: &Fading, seed: u64, count: usize) -> Vec<f64> {
    let mut channel = channel(fading, seed);
    (0..count).map(|_| sqrt(channel.next_slot() / 10.0)).collect()
}

fn models(doppler: f64) -> [Fading; 2] {
    [Fading::Jakes { doppler, sinusoids: 64 }, Fading::Autoregressive { doppler, order: 64 }]
}

/// Kolmogorov and Smirnov's distance of the samples from the Rayleigh distribution 1 − e^{−r²}.
fn distance(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len() as f64;
    let gap = |(at, r): (usize, &f64)| {
        let expected = 1.0 - exp(-r * r);
        (expected - at as f64 / n).abs().max((at as f64 + 1.0) / n - expected)
    };
    samples.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// 4000 runs, one sample each, so that samples are independent: at the level 1e-3 the distance is below 1.95/√n = 0.031.
#[test]
fn envelopes_are_rayleigh() {
    for fading in [vec![Fading::Independent], models(20.0).to_vec()].concat() {
        let samples = (0..4000).map(|seed| envelopes(&fading, seed, 8)[7]).collect();
        let distance = distance(samples);
        assert!(distance < 1.95 / 4000f64.sqrt(), "{fading:?}: {distance}");
    }
}

/// The correlation of |h|² is J0². 400 runs of 500 slots: runs are independent, the estimate at a lag has the deviation
/// that its values over the runs show; five of its standard errors are allowed, and 1/N for the sinusoids.
#[test]
fn powers_are_correlated_as_clarke_says() {
    let doppler = 20.0;
    for fading in models(doppler) {
        for lag in [1, 3, 5, 10, 20, 40, 60] {
            let estimates: Vec<f64> = (0..400)
                .map(|seed| {
                    let powers: Vec<f64> = envelopes(&fading, seed, 500).iter().map(|r| r * r).collect();
                    let pairs = powers.len() - lag;
                    (0..pairs).map(|k| (powers[k] - 1.0) * (powers[k + lag] - 1.0)).sum::<f64>() / pairs as f64
                })
                .collect();
            let mean = estimates.iter().sum::<f64>() / 400.0;
            let variance = estimates.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / 399.0;
            let expected = j0(TAU * doppler * SLOT_S * lag as f64).powi(2);
            let allowed = 5.0 * sqrt(variance / 400.0) + 1.0 / 64.0;
            assert!((mean - expected).abs() < allowed, "{fading:?} lag {lag}: {mean} {expected} ± {allowed}");
        }
    }
}

/// Level crossing rate √(2π) f ρ e^{−ρ²} and mean fade duration (e^{ρ²} − 1)/(ρ f √(2π)) (Rice 1945; Jakes 1974). Sampling
/// every fT = 0.01 misses crossings that come and go within a slot; for a Gaussian process whose samples a slot apart
/// have correlation r = J0(2πfT) the rate lost is of the order (2πfT)²/24 < 1e-3. 200 s × 10 Hz make some 5000 crossings;
/// these cluster, so their deviation is taken from 20 runs, and five standard errors are allowed.
#[test]
fn levels_are_crossed_and_fades_last_as_rice_says() {
    let doppler = 10.0;
    for fading in models(doppler) {
        for level in [0.3, 0.6, 1.0, 1.4] {
            let (mut rates, mut durations) = (Vec::new(), Vec::new());
            for seed in 0..20 {
                let samples = envelopes(&fading, seed, 10_000);
                let crossings = samples.windows(2).filter(|pair| pair[0] < level && pair[1] >= level).count() as f64;
                let below = samples.iter().filter(|r| **r < level).count() as f64;
                rates.push(crossings / (10_000.0 * SLOT_S));
                durations.push(below * SLOT_S / crossings.max(1.0));
            }
            let rate = sqrt(TAU) * doppler * level * exp(-level * level);
            let duration = (exp(level * level) - 1.0) / (level * doppler * sqrt(TAU));
            for (what, values, expected) in [("rate", rates, rate), ("duration", durations, duration)] {
                let mean = values.iter().sum::<f64>() / 20.0;
                let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 19.0;
                let allowed = 5.0 * sqrt(variance / 20.0) + 0.01 * expected;
                assert!(
                    (mean - expected).abs() < allowed,
                    "{fading:?} {what} at {level}: {mean} {expected} ± {allowed}"
                );
            }
        }
    }
}

/// The chain's shares against P_n, and its crossings against N_n. At fT = 0.01 successive states are correlated over some
/// 1/(2πfT) = 16 slots; 2 000 000 slots are then worth 60 000 independent ones, and five standard errors are allowed.
#[test]
fn the_markov_chain_is_in_its_states_as_often_as_the_integrals_say() {
    let (table, slot) = (Table::ctc_802_16e(), Duration::from_secs(SLOT_S));
    let (doppler, mean, count) = (10.0, 10.0, 2_000_000);
    let mut channel = channel(&Fading::Markov { doppler }, 1);
    let states: Vec<usize> = (0..count).map(|_| table.mode(channel.next_slot()).map_or(0, |mode| mode + 1)).collect();
    let shares = table.probabilities(mean);
    for (mode, share) in shares.iter().enumerate() {
        let seen = states.iter().filter(|state| **state == mode + 1).count() as f64 / f64::from(count);
        let allowed = 5.0 * sqrt(share * (1.0 - share) / 60_000.0);
        assert!((seen - share).abs() < allowed, "mode {mode}: {seen} {share} ± {allowed}");
        let rho = sqrt(table.modes()[mode].threshold / mean);
        let expected = sqrt(TAU) * doppler * rho * exp(-rho * rho) * slot.as_secs();
        let up = states.windows(2).filter(|pair| pair[0] == mode && pair[1] == mode + 1).count() as f64;
        let rate = up / f64::from(count);
        assert!((rate - expected).abs() < 5.0 * sqrt(expected / 60_000.0).max(5e-4), "mode {mode}: {rate} {expected}");
    }
    assert!(states.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= 1));
}

#[test]
fn the_markov_chain_is_refused_where_it_does_not_hold() {
    let (table, slot) = (Table::ctc_802_16e(), Duration::from_millis(10));
    // huang2020's own numbers: 128 Hz and 10 ms.
    let error = Fading::Markov { doppler: 128.0 }.check(10.0, slot, &table).unwrap_err();
    assert_eq!(error, FadingError::TooFast { doppler_per_slot: 1.28 });
    assert!(error.to_string().contains("1.280"), "{error}");
    let shannon = Table::shannon(1.0, f64::INFINITY);
    assert_eq!(Fading::Markov { doppler: 1.0 }.check(10.0, slot, &shannon), Err(FadingError::NoModes));
    // Modes a hundredth of a decibel apart.
    let narrow = |at: f64| super::super::amc::Mode { efficiency: at, threshold: 1.0 + at / 400.0, errors: None };
    let table = Table::of_modes((1..5).map(|at| narrow(f64::from(at))).collect()).expect("a table");
    let error = Fading::Markov { doppler: 5.0 }.check(10.0, slot, &table).unwrap_err();
    assert!(matches!(error, FadingError::Narrow { .. }), "{error}");
    assert_eq!(Fading::Jakes { doppler: 1.0, sinusoids: 3 }.check(1.0, slot, &table), Err(FadingError::Sinusoids(3)));
    assert_eq!(Fading::Autoregressive { doppler: 1.0, order: 0 }.check(1.0, slot, &table), Err(FadingError::Order(0)));
}

#[test]
fn a_trace_is_played_over_again() {
    let samples: Arc<[f64]> = vec![0.0, 10.0].into();
    let mut channel = channel(&Fading::Trace { samples, interval: Duration::from_millis(2) }, 1);
    let played: Vec<f64> = (0..6).map(|_| channel.next_slot()).collect();
    assert_eq!(played, [10.0, 10.0, 100.0, 100.0, 10.0, 10.0]);
}

/// Long after the start each sample is still exponential: the mean of the power over 2000 runs is 1 ± 5/√2000.
#[test]
fn powers_have_mean_one() {
    for fading in models(20.0) {
        let powers: Vec<f64> = (0..2000).map(|seed| envelopes(&fading, seed, 300)[299].powi(2)).collect();
        let mean = powers.iter().sum::<f64>() / 2000.0;
        assert!((mean - 1.0).abs() < 5.0 / 2000f64.sqrt(), "{fading:?}: {mean}");
    }
}
