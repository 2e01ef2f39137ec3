//! Throughput and size of aggregates of one station: every rate of the standard, partial load, losses.

use super::harness::{Bench, secs, star};
use crate::medium::interface::Medium;
use crate::medium::wifi::edca::{EdcaConfig, EdcaWay};
use crate::medium::wifi::ppdu::saturation::{Saturated, table};
use crate::medium::wifi::ppdu::{Format, Guard, Mode, Width};
use windward_units::Time;

fn ht7() -> Mode {
    Mode::new(Format::Ht, Width::Mhz20, 1, Guard::Ns800, 7).unwrap()
}

fn vht9() -> Mode {
    Mode::new(Format::Vht, Width::Mhz80, 2, Guard::Ns400, 9).unwrap()
}

/// MPDUs per PPDU, and goodput in Mbit/s.
fn saturated(config: &EdcaConfig, span: f64) -> (f64, f64) {
    let mut bench = Bench::new(config, 3);
    bench.run(secs(span), 600, &[(0, 0, 1500)]);
    let counts = &bench.edca.ways[0].counts;
    (counts.mpdus as f64 / counts.ppdus as f64, bench.rate(0, 1472))
}

/// Rates of the table of closed forms within 0.3 %, every seventh. The backoffs of the shortest exchanges (0.8 ms, ±41
/// µs) vary by 0.05/√2500 = 0.1 % in 2 s.
#[test]
fn saturation_is_the_closed_form() {
    for Saturated { place, mode, limits, expected } in table().skip(6).step_by(7) {
        let (Some(mode), Some((frames, mbit))) = (mode, expected) else { continue };
        let mut config = EdcaConfig { ampdu: Some(limits), ..star(1, mode) };
        config.block_ack.window = limits.frames as u32;
        let (held, found) = saturated(&config, 2.0);
        let expected: f64 = mbit.parse().unwrap();
        assert!((held - frames as f64).abs() < 0.2, "{place}: {held} MPDUs");
        assert!((found / expected - 1.0).abs() < 0.003, "{place}: {found}");
    }
}

/// Losses and the window of 64: what a recursion over windows gives, and what ns-3 gives. X·(1 − p) would be 53.8, 41.8
/// and 607 Mbit/s.
#[test]
fn losses_shorten_aggregates() {
    for (mode, loss, expected, frames) in
        [(ht7(), 0.1, 53.70, 26.97), (ht7(), 0.3, 41.54, 23.58), (vht9(), 0.1, 524.1, 34.2)]
    {
        let config = star(1, mode);
        let config = EdcaConfig { ways: vec![EdcaWay { loss, ..config.ways[0].clone() }], ..config };
        let (held, found) = saturated(&config, 4.0);
        assert!((found / expected - 1.0).abs() < 0.01, "{loss}: {found} for {expected}");
        assert!((held / frames - 1.0).abs() < 0.02, "{loss}: {held} for {frames}");
    }
}

/// Below saturation λ(a + bK) = K: aggregates size themselves. 55 Mbit/s at MCS 7 gives 8.17 MPDUs (ns-3 8.25), 58
/// gives 15.14.
#[test]
fn partial_load_sizes_aggregates() {
    for (mbit, expected) in [(55.0, 8.17), (58.0, 15.14)] {
        let mut bench = Bench::new(&star(1, ht7()), 5);
        let gap = 1472.0 * 8.0 / (mbit * 1e6);
        for number in 0..(4.0 / gap) as u64 {
            let at = Time::from_nanos((number as f64 * gap * 1e9) as u64);
            bench.run(at, 0, &[]);
            bench.offer(0, 0, 1500);
        }
        let counts = &bench.edca.ways[0].counts;
        let held = counts.mpdus as f64 / counts.ppdus as f64;
        assert!((held / expected - 1.0).abs() < 0.03, "{mbit}: {held} for {expected}");
        let arrived = bench.arrived(0) as f64 * gap / 4.0;
        assert!(arrived > 0.995, "{arrived}");
    }
}

/// Without A-MPDUs each frame has its ACK, and seven tries.
#[test]
fn single_frames_are_given_up_after_seven_tries() {
    let config = star(1, ht7());
    let ways = vec![EdcaWay { loss: 0.5, ..config.ways[0].clone() }];
    let mut bench = Bench::new(&EdcaConfig { ampdu: None, ways, ..config }, 5);
    bench.run(secs(20.0), 2, &[(0, 0, 1500)]);
    let (arrived, lost) = (bench.arrived(0) as f64, bench.world.lost.len() as f64);
    let share = lost / (arrived + lost);
    assert!((share * 128.0 - 1.0).abs() < 0.15, "{share}");
    assert_eq!(bench.edca.counts(bench.now, 0).lost, lost as u64);
}
