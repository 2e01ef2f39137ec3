//! Bianchi's model with A-MPDUs: throughput of n saturated stations that all hear each other.

use super::harness::{Bench, secs, star};
use crate::wifi::edca::EdcaConfig;
use crate::wifi::ppdu::{Format, Guard, Limits, Mode, Width, aggregate_bytes, ppdu_duration};

fn ht7() -> Mode {
    Mode::new(Format::Ht, Width::Mhz20, 1, Guard::Ns800, 7).unwrap()
}

/// Throughput in Mbit/s of n stations that send `frames` MPDUs at a time in PSDUs of `bytes`, answered in `answer`
/// microseconds: Bianchi's fixed point with six doublings. After a collision everybody waits for `after` microseconds
/// before AIFS.
fn model(n: f64, frames: u64, bytes: u64, answer: f64, after: f64) -> f64 {
    let (w, stages) = (16.0, 6);
    let tau = |p: f64| {
        let growth = (0..stages).map(|stage| libm::pow(2.0 * p, f64::from(stage))).sum::<f64>();
        2.0 / (1.0 + w + p * w * growth)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let p = f64::midpoint(low, high);
        if 1.0 - libm::pow(1.0 - tau(p), n - 1.0) > p { low = p } else { high = p }
    }
    let tau = tau(low);
    let data = ppdu_duration(ht7(), bytes, &star(1, ht7()).timing).as_secs() * 1e6;
    let success = data + 16.0 + answer + 43.0;
    let collision = data + 43.0 + after;
    let any = 1.0 - libm::pow(1.0 - tau, n);
    let one = n * tau * libm::pow(1.0 - tau, n - 1.0);
    let bits = frames as f64 * 1472.0 * 8.0;
    one * bits / ((1.0 - any) * 9.0 + one * success + (any - one) * collision)
}

/// Values computed elsewhere with the same formula, with EIFS after collisions and BlockAcks for single MPDUs too.
#[test]
fn the_closed_form_is_the_known_one() {
    let known = [
        (1, [30.45, 31.29, 29.58, 27.52, 25.35, 22.25]),
        (2, [40.70, 40.64, 37.71, 34.86, 31.98, 27.97]),
        (8, [54.81, 52.74, 47.86, 43.90, 40.09, 34.92]),
        (28, [59.75, 56.77, 51.13, 46.79, 42.66, 37.11]),
    ];
    for (frames, row) in known {
        for (n, known) in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0].into_iter().zip(row) {
            let found = model(n, frames, aggregate_bytes(frames, 1538), 32.0, 48.0);
            assert!((found / known - 1.0).abs() < 1e-3, "{frames} n={n}: {found} for {known}");
        }
    }
}

fn simulated(n: u32, frames: u64, span: f64) -> f64 {
    let config = star(n, ht7());
    let ampdu = config.ampdu.map(|limits| Limits { frames, ..limits });
    // As in the model, a window does not return to the least one after seven failures.
    let config = EdcaConfig { ampdu, retries: u32::MAX, ..config };
    let mut bench = Bench::new(&config, 7);
    let ways: Vec<(u32, u32, u32)> = (0..n).map(|way| (way, 0, 1500)).collect();
    bench.run(secs(span), 2 * frames as i64, &ways);
    (0..n).map(|way| bench.rate(way, 1472)).sum()
}

/// Within 2 % of the model without EIFS: of two frames of one power that begin together neither preamble is found. The
/// fewest exchanges, 4400 in 40 s for n = 50 and K = 28, vary by less than 1/√4400 = 1.5 %.
#[test]
fn the_mac_is_near_the_model() {
    for frames in [1, 8, 28] {
        let (bytes, answer) = if frames == 1 { (1538, 28.0) } else { (aggregate_bytes(frames, 1538), 32.0) };
        for n in [1, 2, 5, 10, 20, 50] {
            let span = if frames == 28 { 40.0 } else { 10.0 };
            let (found, exact) = (simulated(n, frames, span), model(f64::from(n), frames, bytes, answer, 0.0));
            println!("K={frames} n={n}: {found:.2} for {exact:.2} ({:+.2} %)", (found / exact - 1.0) * 100.0);
            assert!((found / exact - 1.0).abs() < 0.02, "K={frames} n={n}: {found} for {exact}");
        }
    }
}
