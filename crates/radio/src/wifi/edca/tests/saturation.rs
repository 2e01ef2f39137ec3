//! Throughput and size of aggregates of one station: every rate of the standard, partial load, losses.

use super::harness::{Bench, secs, star};
use crate::interface::Medium;
use crate::wifi::edca::{EdcaConfig, EdcaWay, FullPpdu, RateChoice};
use crate::wifi::minstrel::Capabilities;
use crate::wifi::ppdu::saturation::{Saturated, table};
use crate::wifi::ppdu::{Format, Guard, Limits, Mode, Width};
use windward_units::{Bytes, Time};

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

/// A-MSDUs of 802.11n at MCS 7, by hand: 7935 bytes hold five packets, 4·1524 + 1522 bytes, an MPDU of 7648 bytes and a
/// PPDU of 980 µs with an ACK of 28 µs, 51.90 Mbit/s. Within A-MPDUs of 32 768 bytes 3839 bytes hold two: ten MPDUs of
/// 3076 bytes in subframes of 3080, and behind them one of 1538 bytes with a single packet, 32 342 bytes and 4020 µs
/// with a BlockAck of 32 µs, 59.18 Mbit/s. ns-3's own tests expect 51 to 52 and 58 to 59, with beacons (-0.3 %).
#[test]
fn packets_share_an_mpdu() {
    let alone = EdcaConfig { ampdu: None, amsdu: Bytes::new(7935), ..star(1, ht7()) };
    let limits = Limits { bytes: 32_768, ..Limits::most(Format::Ht) };
    let both = EdcaConfig { ampdu: Some(limits), amsdu: Bytes::new(3839), ..star(1, ht7()) };
    let by_hand = |packets: f64, micros: f64| packets * 1472.0 * 8.0 / (43.0 + 67.5 + 16.0 + micros);
    for (config, full, packets, expected) in [
        (alone, FullPpdu { mpdus: 1, packets: 5, rest: 0 }, 5.0, by_hand(5.0, 980.0 + 28.0)),
        (both, FullPpdu { mpdus: 10, packets: 2, rest: 1 }, 21.0, by_hand(21.0, 4020.0 + 32.0)),
    ] {
        assert_eq!(config.full(0, 1500), full);
        let closed = packets * 1472.0 * 8.0 / config.exchange(0, 1500).as_secs() / 1e6;
        assert!((closed / expected - 1.0).abs() < 1e-4, "{closed} for {expected}");
        let (held, found) = saturated(&config, 4.0);
        assert!((held - (full.mpdus + full.rest) as f64).abs() < 0.1, "{held} MPDUs");
        assert!((found / expected - 1.0).abs() < 0.003, "{found} for {expected}");
    }
}

/// Retransmissions at the slowest rate end within 5.484 ms: 4.4 kB at 6.5 Mbit/s, whatever the limit. At 80 MHz 29.3
/// Mbit/s carry more.
#[test]
fn an_amsdu_fits_into_a_ppdu_at_the_slowest_rate() {
    let long = EdcaConfig { amsdu: Bytes::new(11_424), ..star(1, vht9()) };
    let of = |rate| EdcaConfig { ways: vec![EdcaWay { rate, ..long.ways[0].clone() }], ..long.clone() };
    let minstrel = of(RateChoice::Minstrel(Capabilities::new(Format::Vht, Width::Mhz80, 2)));
    // (5484 - 40)/4 symbols of 26 bits, without 22 of service and tail, are 4420 bytes; 34 are those of the MPDU.
    assert_eq!(minstrel.longest_amsdu(0), 4386);
    let slowest = Mode::new(Format::Vht, Width::Mhz80, 1, Guard::Ns800, 0).unwrap();
    assert_eq!(of(RateChoice::Fixed(slowest)).longest_amsdu(0), 11_424);
}
