//! Fading models validated against the closed forms of Rayleigh fading.

use super::*;
use libm::{exp, j0, sqrt};
use std::f64::consts::TAU;
use windward_elements::engine::Purpose;

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

/// Kolmogorov–Smirnov distance of the samples from the Rayleigh distribution 1 − e^{−r²}.
fn distance(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len() as f64;
    let gap = |(at, r): (usize, &f64)| {
        let expected = 1.0 - exp(-r * r);
        (expected - at as f64 / n).abs().max((at as f64 + 1.0) / n - expected)
    };
    samples.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// 4000 runs, one sample each, so that samples are independent: at level 1e-3 the distance is below 1.95/√n = 0.031.
#[test]
fn envelopes_are_rayleigh() {
    for fading in [vec![Fading::Independent], models(20.0).to_vec()].concat() {
        let samples = (0..4000).map(|seed| envelopes(&fading, seed, 8)[7]).collect();
        let distance = distance(samples);
        assert!(distance < 1.95 / 4000f64.sqrt(), "{fading:?}: {distance}");
    }
}

/// Checks that values of independent runs have the mean `expected` within five standard errors, estimated from their
/// spread.
fn check_mean(what: &str, values: &[f64], expected: f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    let allowed = 5.0 * sqrt(variance / n);
    assert!((mean - expected).abs() < allowed, "{what}: {mean}, expected {expected} ± {allowed}");
}

/// Complex gains of `count` slots.
fn gains(fading: &Fading, seed: u64, count: usize) -> Vec<[f64; 2]> {
    let mut channel = channel(fading, seed);
    let mut next = || match &mut channel.model {
        Model::Jakes(sum) => sum.next_gain(),
        Model::Autoregressive(process) => process.next_gain(),
        other => panic!("{other:?} has no gain"),
    };
    (0..count).map(|_| next()).collect()
}

/// E[h(t+τ)h*(t)] is J0(2πfτ), real; the correlation of |h|² is J0², for N sinusoids of independent phases less 1/N.
/// 400 independent runs of 500 slots, with lags up to the order and 0.6 of the first 64 values.
#[test]
fn gains_are_correlated_as_clarke_says() {
    let doppler = 20.0;
    for fading in models(doppler) {
        let missing = if matches!(fading, Fading::Jakes { .. }) { 1.0 / 64.0 } else { 0.0 };
        let runs: Vec<_> = (0..400).map(|seed| gains(&fading, seed, 500)).collect();
        for lag in [0, 1, 3, 5, 10, 20, 31, 40, 60] {
            let mean_over = |product: &dyn Fn([f64; 2], [f64; 2]) -> f64| -> Vec<f64> {
                let of_run = |run: &Vec<[f64; 2]>| {
                    let pairs = run.iter().zip(&run[lag..]);
                    pairs.map(|(early, late)| product(*early, *late)).sum::<f64>() / (run.len() - lag) as f64
                };
                runs.iter().map(of_run).collect()
            };
            let expected = j0(TAU * doppler * SLOT_S * lag as f64);
            let text = format!("{fading:?} lag {lag}");
            check_mean(&text, &mean_over(&|[a, b], [c, d]| a * c + b * d), expected);
            if lag > 0 {
                check_mean(&text, &mean_over(&|[a, b], [c, d]| a * d - b * c), 0.0);
            }
            let powers = mean_over(&|early, late| (power(early) - 1.0) * (power(late) - 1.0));
            check_mean(&text, &powers, expected * expected - missing);
        }
    }
}

/// Level crossing rate √(2π) f ρ e^{−ρ²} and mean fade duration (e^{ρ²} − 1)/(ρ f √(2π)) (Rice 1945; Jakes 1974).
/// Samples every fT = 0.01 miss pairs of crossings in between: the probability of being below ρ in a slot and above it
/// in the next, SciPy's `dblquad` of the bivariate Rayleigh density, is 1.3·10⁻³ to 2·10⁻⁴ below the rate. The duration
/// is the time below over the number of fades: time − duration · fades has the mean 0.
#[test]
fn levels_are_crossed_and_fades_last_as_rice_says() {
    let (doppler, slots) = (10.0, 10_000);
    for fading in models(doppler) {
        let runs: Vec<_> = (0..200).map(|seed| envelopes(&fading, seed, slots)).collect();
        for (level, seen) in [(0.3, 0.9987), (0.6, 0.9997), (1.0, 0.9998), (1.4, 0.9997)] {
            let rate = sqrt(TAU) * doppler * level * exp(-level * level) * seen;
            let duration = (exp(level * level) - 1.0) / (level * doppler * sqrt(TAU)) / seen;
            let crossings = |run: &Vec<f64>| run.windows(2).filter(|pair| pair[0] < level && pair[1] >= level).count();
            let seconds = (slots - 1) as f64 * SLOT_S;
            let rates: Vec<f64> = runs.iter().map(|run| crossings(run) as f64 / seconds).collect();
            check_mean(&format!("{fading:?} rate at {level}"), &rates, rate);
            let excess = |run: &Vec<f64>| {
                let below = run[1..].iter().filter(|r| **r < level).count();
                below as f64 * SLOT_S - duration * crossings(run) as f64
            };
            let excesses: Vec<f64> = runs.iter().map(excess).collect();
            check_mean(&format!("{fading:?} excess at {level}"), &excesses, 0.0);
        }
    }
}

/// The chain occupies its states with the probabilities P_n, crosses each threshold N_n times a second upwards and as
/// often downwards, and steps between neighbours only. 40 independent runs of 100 000 slots.
#[test]
fn the_markov_chain_is_in_its_states_as_often_as_the_integrals_say() {
    let (table, slot) = (Table::ctc_802_16e(), Duration::from_secs(SLOT_S));
    // 16 dB: every mode is in use more than 1 % of the time.
    let (doppler, mean, count) = (10.0, 40.0, 100_000);
    let fading = Fading::Markov { doppler };
    fading.check(mean, slot, &table).expect("it fits");
    let run = |seed| -> Vec<usize> {
        let mut channel = Channel::new(&fading, mean, slot, &table, Stream::new(seed, 1, Purpose::Fading));
        (0..count).map(|_| table.mode(channel.next_slot()).map_or(0, |mode| mode + 1)).collect()
    };
    let runs: Vec<_> = (0..40).map(run).collect();
    assert!(runs.iter().all(|run| run.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= 1)));
    let share = |of: &dyn Fn(&[usize]) -> bool| -> Vec<f64> {
        let of_run = |run: &Vec<usize>| run.windows(2).filter(|pair| of(pair)).count() as f64 / f64::from(count - 1);
        runs.iter().map(of_run).collect()
    };
    for (mode, probability) in table.probabilities(mean).into_iter().enumerate() {
        let state = mode + 1;
        check_mean(&format!("mode {mode}"), &share(&|pair| pair[0] == state), probability);
        let rho = sqrt(table.modes()[mode].threshold / mean);
        let crossings = sqrt(TAU) * doppler * rho * exp(-rho * rho) * SLOT_S;
        check_mean(&format!("up to mode {mode}"), &share(&|pair| pair == [state - 1, state]), crossings);
        check_mean(&format!("down from mode {mode}"), &share(&|pair| pair == [state, state - 1]), crossings);
    }
}

/// True fading over a state at the chain's limit, two deviations of a step wide: of the steps into it from below, 2.2 %
/// skip it. The formula assumes that |h| moves along its radius with a uniform density, which holds up to the curvature
/// of the circle, a step over its radius, 0.06/0.8: a tenth is allowed.
#[test]
fn few_steps_go_over_a_state_that_the_markov_chain_allows() {
    let (doppler, low) = (20.0, 0.8);
    let high = low + sqrt(TAU) * doppler * SLOT_S / MAX_LEAVING;
    let fading = Fading::Jakes { doppler, sinusoids: 64 };
    let (mut entries, mut over) = (0, 0);
    for seed in 0..400 {
        for pair in envelopes(&fading, seed, 10_000).windows(2).filter(|pair| pair[0] < low && pair[1] >= low) {
            entries += 1;
            over += u32::from(pair[1] >= high);
        }
    }
    let share = f64::from(over) / f64::from(entries);
    assert!((share - 0.022).abs() < 0.0022 + 5.0 * sqrt(0.022 / f64::from(entries)), "{share} of {entries}");
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
