//! Bianchi's model (IEEE JSAC 18(3), 2000): saturation throughput of n stations that all hear each other.

use super::harness::{Bench, star};
use crate::wifi::{Mac, Phy};
use windward_units::{BitRate, Bytes, Time};

const PAYLOAD: u32 = 1023;
const MBIT: BitRate = BitRate::bits_per_sec(1_000_000);

/// Attempt and collision probability of a station: the fixed point of p = 1 − (1 − τ)^(n−1) and Bianchi's (7).
fn fixed_point(n: f64, w: f64, m: f64) -> (f64, f64) {
    let tau = |p: f64| {
        let growth = (0..m as u32).map(|stage| libm::pow(2.0 * p, f64::from(stage))).sum::<f64>();
        2.0 / (1.0 + w + p * w * growth)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let p = (low + high) / 2.0;
        if 1.0 - libm::pow(1.0 - tau(p), n - 1.0) > p { low = p } else { high = p }
    }
    (tau(low), low)
}

/// Normalised throughput by Bianchi's (13), with the times of an exchange in microseconds.
fn saturation(n: f64, w: f64, m: f64, has_rts: bool) -> f64 {
    let (tau, _) = fixed_point(n, w, m);
    let (header, payload, sifs, difs, flight) = (400.0, 8184.0, 28.0, 128.0, 1.0);
    let (ack, rts, cts) = (240.0, 288.0, 240.0);
    let whole = header + payload + sifs + flight + ack + difs + flight;
    let (success, collision) = match has_rts {
        true => (rts + sifs + flight + cts + sifs + flight + whole, rts + difs + flight),
        false => (whole, header + payload + difs + flight),
    };
    let any = 1.0 - libm::pow(1.0 - tau, n);
    let one = n * tau * libm::pow(1.0 - tau, n - 1.0) / any;
    one * any * payload / ((1.0 - any) * 50.0 + any * one * success + any * (1.0 - one) * collision)
}

/// Published numbers of the model.
#[test]
fn the_closed_form_is_the_published_one() {
    let published = [
        (5.0, 32.0, 3.0, 0.8097, 0.8342),
        (10.0, 32.0, 3.0, 0.7532, 0.8371),
        (50.0, 32.0, 3.0, 0.5529, 0.8270),
        (50.0, 32.0, 5.0, 0.6109, 0.8317),
        (50.0, 128.0, 3.0, 0.7252, 0.8363),
    ];
    for (n, w, m, basic, rts) in published {
        assert!((saturation(n, w, m, false) - basic).abs() < 6e-5, "{n} {w} {m}");
        assert!((saturation(n, w, m, true) - rts).abs() < 6e-5, "{n} {w} {m}");
    }
}

/// Simulated normalised throughput, and collision probability of an attempt.
fn simulated(n: u32, w: u32, m: u32, has_rts: bool, mac: Mac, secs: u64) -> (f64, f64) {
    let phy = Phy { cw_min: w - 1, cw_max: (w << m) - 1, ..Phy::BIANCHI };
    let mac = Mac { rts_threshold: has_rts.then_some(Bytes::new(0)), ..mac };
    let mut bench = Bench::new(&star(n, phy, mac, MBIT), 7);
    let ways: Vec<(u32, u32)> = (0..n).map(|way| (way, PAYLOAD)).collect();
    bench.run(Time::from_nanos(secs * 1_000_000_000), &ways);
    let rate: f64 = (0..n).map(|way| bench.rate(way, PAYLOAD)).sum();
    let sum = |of: fn(&super::super::station::WayCounts) -> u64| {
        bench.wifi.ways.iter().map(|way| of(&way.counts)).sum::<u64>()
    };
    (rate / 1e6, sum(|counts| counts.failures) as f64 / sum(|counts| counts.attempts) as f64)
}

/// With Bianchi's assumptions within 2 %, basic and RTS, three pairs (W, m), n = 1 to 50. A run of 200 s has at least
/// 15 000 exchanges: their number varies by less than 1/√15000 = 0.8 %.
#[test]
fn with_its_assumptions_the_mac_is_the_model() {
    for (w, m) in [(32, 3), (32, 5), (128, 3)] {
        for n in [1, 2, 5, 10, 20, 50] {
            for has_rts in [false, true] {
                let (found, collisions) = simulated(n, w, m, has_rts, Mac::bianchi(), 200);
                let exact = saturation(f64::from(n), f64::from(w), f64::from(m), has_rts);
                let (_, p) = fixed_point(f64::from(n), f64::from(w), f64::from(m));
                println!("{w}/{m} n={n} rts={has_rts}: {found:.4} for {exact:.4}, p {collisions:.4} for {p:.4}");
                assert!((found / exact - 1.0).abs() < 0.02, "{w}/{m} n={n} rts={has_rts}: {found} for {exact}");
                assert!((collisions - p).abs() < 0.02, "{w}/{m} n={n} rts={has_rts}: {collisions} for {p}");
            }
        }
    }
}

/// The standard's MAC within 5 %. It differs in three points: a frozen backoff does not count the busy slot, so only
/// the last sender can use the first slot after it; after a collision the sender waits longer than DIFS; there are at
/// most seven attempts.
#[test]
fn the_standard_is_near_the_model() {
    for n in [5, 20, 50] {
        let standard = Mac { overhead: Bytes::new(34), ..Mac::standard(MBIT) };
        let (found, _) = simulated(n, 32, 5, true, standard, 200);
        let exact = saturation(f64::from(n), 32.0, 5.0, true);
        println!("n={n}: {found:.4} for {exact:.4}");
        assert!((found / exact - 1.0).abs() < 0.05, "n={n}: {found} for {exact}");
    }
}
