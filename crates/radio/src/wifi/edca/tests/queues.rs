//! Linux's queues above EDCA: airtime of stations at different rates, waits, and rates found by Minstrel-HT.

use super::harness::{Bench, secs, star};
use crate::wifi::edca::{Contention, EdcaConfig, EdcaWay, Hardware, RateChoice, ladder};
use crate::wifi::minstrel::Capabilities;
use crate::wifi::ppdu::{Format, Guard, Limits, Mode, Width};
use crate::wifi::txq::{Aql, Discipline, FlowsConfig, TxqConfig};
use windward_units::Duration;

fn ht(streams: u8, mcs: u8) -> Mode {
    Mode::new(Format::Ht, Width::Mhz20, streams, Guard::Ns400, mcs).unwrap()
}

/// An access point that sends to two stations at 144.4 Mbit/s and to one at 7.2 Mbit/s, in PPDUs of at most 4 ms and 32
/// MPDUs.
fn anomaly(txqs: TxqConfig, hardware: Hardware) -> EdcaConfig {
    let mut config = star(3, ht(2, 7));
    config.ampdu = Some(Limits { frames: 32, duration: Duration::from_millis(4), ..Limits::most(Format::Ht) });
    let to = |to, rate| EdcaWay { from: 0, to, loss: 0.0, rate: RateChoice::Fixed(rate) };
    config.ways = vec![to(1, ht(2, 7)), to(2, ht(2, 7)), to(3, ht(1, 0))];
    config.stations[0].txqs = Some(txqs);
    config.stations[0].hardware = hardware;
    config
}

/// Airtime shares and rates in Mbit/s of the three stations, all saturated.
fn shares(txqs: TxqConfig, hardware: Hardware) -> ([f64; 3], [f64; 3]) {
    let mut bench = Bench::new(&anomaly(txqs, hardware), 5);
    bench.run(secs(20.0), 400, &[(0, 0, 1500), (1, 1, 1500), (2, 2, 1500)]);
    let times = [0, 1, 2].map(|way| bench.edca.ways[way].counts.data_time.as_secs());
    let total: f64 = times.iter().sum();
    (times.map(|time| time / total), [0, 1, 2].map(|way| bench.rate(way, 1500)))
}

fn jain(shares: [f64; 3]) -> f64 {
    shares.iter().sum::<f64>().powi(2) / (3.0 * shares.iter().map(|share| share * share).sum::<f64>())
}

/// With airtime fairness each station has a third of the airtime and a third of its rate alone, 43.6, 43.6 and 2.2
/// Mbit/s. Turns of aggregates give the slow one 38 %, 40.3, 40.3 and 2.5.
#[test]
fn airtime_fairness_shares_the_air() {
    let per_station = Discipline::PerStation(FlowsConfig::mac80211(false));
    let config = TxqConfig { discipline: per_station, aql: None, ..TxqConfig::default() };
    for (aql, hardware) in [
        (None, Hardware::Driver),
        (None, Hardware::TwoAggregates),
        (Some(Aql::default()), Hardware::Driver),
        (Some(Aql::default()), Hardware::Firmware),
    ] {
        let (times, rates) = shares(TxqConfig { aql, ..config }, hardware);
        assert!(jain(times) > 0.99, "{aql:?}: {times:?}");
        for (found, expected) in rates.into_iter().zip([43.6, 43.6, 2.2]) {
            assert!((found / expected - 1.0).abs() < 0.03, "{aql:?}: {rates:?}");
        }
    }
    let (times, rates) = shares(TxqConfig { airtime_fairness: false, ..config }, Hardware::Driver);
    assert!((times[2] - 0.38).abs() < 0.015, "{times:?}");
    for (found, expected) in rates.into_iter().zip([40.3, 40.3, 2.5]) {
        assert!((found / expected - 1.0).abs() < 0.03, "{rates:?}");
    }
}

/// Minstrel-HT finds the fastest rate of a good signal within a second, and loses little by its probes.
#[test]
fn minstrel_finds_the_fastest_rate() {
    let fast = Mode::new(Format::Vht, Width::Mhz80, 2, Guard::Ns400, 9).unwrap();
    let mut config = star(1, fast);
    config.ways[0].rate = RateChoice::Minstrel(Capabilities::new(Format::Vht, Width::Mhz80, 2));
    config.ladder = ladder([fast]);
    let mut bench = Bench::new(&config, 5);
    bench.run(secs(1.0), 300, &[(0, 0, 1500)]);
    let early = bench.arrived(0);
    bench.run(secs(5.0), 300, &[(0, 0, 1500)]);
    let late = (bench.arrived(0) - early) as f64 * 1472.0 * 8.0 / 4e6;
    assert!(late > 0.85 * 673.8, "{late}");
}

/// A voice datagram every 20 ms beside a saturated best-effort queue: it waits for the PPDU in the air, and rarely for
/// one more that wins the backoff.
#[test]
fn voice_passes_bulk() {
    let mut config = star(2, ht(2, 7));
    config.sources = vec![crate::wifi::edca::Category::Voice, crate::wifi::edca::Category::BestEffort];
    config.stations[0].contention = Contention::ACCESS_POINT;
    config.stations[0].txqs = Some(TxqConfig::default());
    config.ways = [1, 2].map(|to| EdcaWay { to, ..config.ways[0].clone() }).to_vec();
    let mut bench = Bench::new(&config, 5);
    let mut waits = Vec::new();
    for number in 0..200 {
        bench.run(secs(0.02 * f64::from(number)), 300, &[(1, 1, 1500)]);
        let sent = bench.now;
        let voice = bench.offer(0, 0, 200);
        bench.run(secs(0.02 * f64::from(number) + 0.019), 300, &[(1, 1, 1500)]);
        let arrived = bench.world.arrived.iter().rev().find(|(.., number)| *number == voice).map(|(at, ..)| *at);
        waits.push(arrived.expect("it arrives within 19 ms").since(sent).as_millis());
    }
    let worst = waits.iter().copied().fold(0.0, f64::max);
    assert!(worst < 12.0, "{worst} ms");
}

/// An access point without losses has two packets for A, one for B and two for A, all there before it may send. In the
/// order of arrival it sends (2), (1), (2): A's aggregate ends where B's packet follows. Taking each receiver's packets
/// from the whole queue it sends (4) and (1).
#[test]
fn a_strict_fifo_ends_an_aggregate_at_another_receiver() {
    for hardware in [Hardware::Driver, Hardware::TwoAggregates] {
        for (is_strict, sizes) in [(true, [&[(2, 2)][..], &[(1, 1)]]), (false, [&[(4, 1)], &[(1, 1)]])] {
            let mut config = star(2, ht(1, 7));
            config.ways = [1, 2].map(|to| EdcaWay { from: 0, to, ..config.ways[0].clone() }).to_vec();
            (config.stations[0].is_strict, config.stations[0].hardware) = (is_strict, hardware);
            let mut bench = Bench::new(&config, 1);
            // A first packet to A keeps the air busy, and hardware that composes ahead has its second PPDU, too.
            let before = if hardware == Hardware::Driver { 1 } else { 2 };
            (0..before).for_each(|_| _ = bench.offer(0, 0, 1500));
            bench.run(secs(150e-6), 0, &[]);
            [0, 0, 1, 0, 0].into_iter().for_each(|way| _ = bench.offer(way, way, 1500));
            bench.run(secs(0.1), 0, &[]);
            let found = bench.world.arrived.iter().map(|&(.., number)| number);
            assert_eq!(found.is_sorted(), is_strict, "{hardware:?}");
            for (way, expected) in sizes.into_iter().enumerate() {
                let mut counts: Vec<(u32, u64)> = bench.edca.ways[way].sizes.used().collect();
                if way == 0 {
                    // The first PPDUs, of one MPDU each.
                    counts.retain(|&(mpdus, _)| mpdus > 1);
                }
                assert_eq!(counts, expected, "{hardware:?}, strict {is_strict}");
            }
        }
    }
}

/// Two receivers in turn, packet by packet, without losses: in the order of arrival every PPDU has one MPDU, and both
/// get half of what one such exchange carries. With queues of their own both aggregates are full, which is five times
/// as much.
#[test]
fn alternating_receivers_do_without_aggregates_in_a_strict_fifo() {
    let rates = [true, false].map(|is_strict| {
        let mut config = star(2, ht(1, 7));
        config.ways = [1, 2].map(|to| EdcaWay { from: 0, to, ..config.ways[0].clone() }).to_vec();
        config.stations[0].is_strict = is_strict;
        let mut bench = Bench::new(&config, 1);
        for _ in 0..2000 {
            [0, 1].into_iter().for_each(|way| _ = bench.offer(way, way, 1500));
        }
        bench.run(secs(0.5), 0, &[]);
        let ways = &bench.edca.ways;
        let size = ways[0].counts.mpdus as f64 / ways[0].counts.ppdus as f64;
        (size, bench.rate(0, 1500), bench.rate(1, 1500))
    });
    let [(alone, a, b), (together, ..)] = rates;
    assert!(alone < 1.01 && together > 30.0, "{rates:?}");
    // AIFS (43 µs), 7.5 slots of 9 µs, 212 µs of a bare MPDU of 1538 bytes at 72.2 Mbit/s (48 symbols of 3.6 µs), SIFS,
    // and an ACK of 28 µs at 24 Mbit/s: 366.5 µs for a packet to either.
    let expected = 1500.0 * 8.0 / 366.5 / 2.0;
    assert!((a / expected - 1.0).abs() < 0.02 && (b / expected - 1.0).abs() < 0.02, "{a} {b} for {expected}");
}
