//! Closed forms of link adaptation, HARQ and RLC that the other tests lack.

use super::super::Grids;
use super::super::phy::McsTable;
use super::*;
use std::sync::Arc;

/// A CQI of age τ under Jakes fading, continuous rates and a steep curve: with ρ = J₀(2πf_dτ), c = (1 − 2p)² and B = 1
/// + c − 2cρ² the offset of the outer loop rests at 10·lg{[B − √(B² − (1 − c)²)]/(1 − c)}.
fn rest(doppler: f64, age_ms: f64, target: f64) -> f64 {
    let rho = libm::j0(std::f64::consts::TAU * doppler * age_ms * 1e-3);
    let c = (1.0 - 2.0 * target) * (1.0 - 2.0 * target);
    let b = 1.0 + c - 2.0 * c * rho * rho;
    10.0 * libm::log10((b - (b * b - (1.0 - c) * (1.0 - c)).sqrt()) / (1.0 - c))
}

/// At 3 km/h and 2.1 GHz (5.83 Hz) with an age of 8 ms −2.35 dB, at 30 km/h −9.3; at 3.5 GHz (9.72 Hz) with 5 ms −2.45,
/// and with 40 ms −9.54: a CQI 40 ms old is worth as much as none at walking speed.
///
/// The loop counts from the ratio of the CQI, which lies up to a step of 1.9 dB below the report's, to that of the MCS,
/// up to 1 dB below: the rest for grids is the one for continuous rates plus half of both, 1.45 dB, within the
/// curvature of the law.
#[test]
fn an_old_report_costs_its_age() {
    for (preset, doppler, age, expected) in [
        ("lte-20mhz", 5.83, 8.0, -2.35),
        ("lte-20mhz", 58.3, 8.0, -9.3),
        ("n78-20mhz", 9.72, 5.0, -2.45),
        ("n78-20mhz", 9.72, 40.0, -9.54),
    ] {
        let continuous = rest(doppler, age, 0.1);
        assert!((continuous - expected).abs() < 0.05, "{doppler} Hz, {age} ms: {continuous}");
        let mut config = cell(preset, &[11.0]);
        config.grids = Arc::new(Grids::new(&config.carrier, McsTable::Qam64, 1, 0.0));
        config.stations[0].fading = Fading::Jakes { doppler, sinusoids: 64 };
        config.adaptation.cqi_period = config.carrier.slot;
        config.adaptation.cqi_delay = at_ms(age).since(Time::ZERO);
        config.adaptation.limit = 40.0;
        config.adaptation.step = 0.05;
        config.rlc.mode = RlcMode::Unacknowledged;
        // Repetitions would take the place of first transmissions in fades.
        config.harq.retransmissions = 0;
        let mut run = Run::new(&config);
        let (mut sum, mut count, mut number) = (0.0, 0.0, 0);
        for step in 0..12_000 {
            let now = at_ms(5.0 * f64::from(step));
            run.until(now);
            while run.medium.see(now, DOWN).backlog < 500 {
                run.medium.offer(now, DOWN, packet(number, 1500), &mut run.world);
                number += 1;
            }
            run.world.arrived.clear();
            if step >= 2_000 {
                sum += run.medium.legs[0].offset;
                count += 1.0;
            }
        }
        let mean = sum / count - 1.45;
        assert!((mean - expected).abs() < 0.6, "{preset}, {doppler} Hz, {age} ms: {mean} dB, not {expected}");
    }
}

/// HARQ with order in DDDSU at light load: a block in each D and S, so that repetitions displace nothing. A block in
/// slot i waits for itself and for each block before it that fails and whose repetition starts later. By the round
/// trips of 3.0, 5.0, 4.5 and 4.0 ms all repetitions are in the second slot of a pattern. With p = 10 % the means are
/// 1.15, 1.27, 1.41 and 1.46 ms by slot, 1.32 ms on average, and the shares without a wait 0.9⁸, 0.9⁵, 0.9⁶ and 0.9⁷.
#[test]
fn harq_with_order_in_tdd() {
    const TRIPS: [f64; 4] = [3.0, 5.0, 4.5, 4.0];
    // Starts of repetitions after the start of a block in slot i, of all blocks that it may wait for, with their slots.
    let waits = |slot: usize| {
        let start = 0.5 * slot as f64;
        let of = |pattern: i32| (0..4).map(move |other: usize| (-2.5 * f64::from(pattern) + 0.5 * other as f64, other));
        let mut waits: Vec<(f64, usize)> = (0..4)
            .flat_map(of)
            .filter(|(begin, _)| *begin <= start)
            .map(|(begin, other)| (begin + TRIPS[other] - start, other))
            .filter(|(wait, _)| *wait > 0.0)
            .collect();
        waits.sort_by(|a, b| b.0.total_cmp(&a.0));
        waits
    };
    // The longest wait of all that fail: expectation and probability of none.
    let expected = |slot: usize, errors: [f64; 4]| {
        let (mut mean, mut left) = (0.0, 1.0);
        for (wait, other) in waits(slot) {
            mean += left * errors[other] * wait;
            left *= 1.0 - errors[other];
        }
        (mean, left)
    };
    for (slot, (mean, none)) in [(1.15, 8), (1.27, 5), (1.41, 6), (1.46, 7)].into_iter().enumerate() {
        let by_rule = expected(slot, [0.1; 4]);
        assert!((by_rule.0 - mean).abs() < 6e-3 && (by_rule.1 - 0.9_f64.powi(none)).abs() < 1e-12, "{by_rule:?}");
    }

    let mut config = cell("n78-40mhz", &[0.0]);
    config.adaptation.target = None;
    config.adaptation.cqi_delay = Duration::from_secs(1e6);
    config.adaptation.first_cqi = 7;
    config.rlc.mode = RlcMode::Unacknowledged;
    let grids = Arc::clone(&config.grids);
    let report = grids.downlink.of_cqi(7);
    // A packet has one group of 8 resource blocks in both kinds of slots; its blocks differ in size, and so in errors.
    let errors = |snr: f64| {
        [&grids.downlink, &grids.special].map(|grid| {
            let entry = grid.entry(0, grid.choose(report.snr), 8);
            grids.curves.probability(entry.errors, snr)
        })
    };
    let (mut low, mut high) = (report.snr - 3.0, report.snr + 3.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if errors(middle)[0] > 0.1 { low = middle } else { high = middle }
    }
    let linear = libm::exp10(low / 10.0);
    config.stations[0].mean_snr = [linear, linear];
    let [full, special] = errors(low);
    let mut run = Run::new(&config);
    let patterns = 40_000_u32;
    for number in 0..4 * patterns {
        let start = 2.5 * f64::from(number / 4) + 0.5 * f64::from(number % 4);
        // Just before its slot: one that comes with the slot would have the next.
        run.offer(at_ms((start - 1e-3).max(0.0)), DOWN, packet(number, 60));
    }
    run.until(at_ms(2.5 * f64::from(patterns) + 100.0));
    assert_eq!(run.world.arrived.len(), 4 * patterns as usize);
    // The S slot has 10 of 14 symbols; a repetition ends with a D slot.
    let lengths = [0.5, 0.5, 0.5, 0.5 * 10.0 / 14.0];
    let mut sums = [(0.0, 0.0); 4];
    for &(time, _, number) in &run.world.arrived {
        let slot = number as usize % 4;
        let start = 2.5 * f64::from(number / 4) + 0.5 * slot as f64;
        let delay = time.as_nanos() as f64 / 1e6 - start;
        let is_at_once = delay < lengths[slot] + 1e-3;
        sums[slot].0 += if is_at_once { 0.0 } else { delay - 0.5 };
        sums[slot].1 += f64::from(u8::from(is_at_once));
    }
    let count = f64::from(patterns);
    for (slot, (sum, at_once)) in sums.into_iter().enumerate() {
        let (mean, none) = expected(slot, [full, full, full, special]);
        // Waits of at most 5 ms are correlated over three patterns.
        assert!(
            (sum / count - mean).abs() < 5.0 * 1.7 * (3.0 / count).sqrt(),
            "slot {slot}: {}, not {mean}",
            sum / count
        );
        assert!((at_once / count - none).abs() < 5.0 * 0.5 * (3.0 / count).sqrt(), "slot {slot}: {none}");
    }
    // The accounting by causes has the same waits, counted from the end of the block.
    let delays = run.medium.legs[0].delays.row(0);
    let after = 0.5 - lengths[3];
    let all: f64 = sums.iter().map(|sum| sum.0).sum::<f64>() + after * (count - sums[3].1);
    assert!((delays.harq_s * 1e3 - all / (4.0 * count)).abs() < 1e-3, "{} {}", delays.harq_s, all / (4.0 * count));
    assert_eq!((delays.rlc_s, delays.grants_s, delays.drx_s, delays.handover_s), (0.0, 0.0, 0.0, 0.0));
}

/// A buffer that is full: each packet waits for the bytes before it at the rate of the cell. 1 MB at 75.376 Mbit/s, of
/// which 1500 of 1504 bytes are payload, takes 106.4 ms; then the block has its slot.
#[test]
fn a_full_buffer_takes_its_bytes_over_the_rate() {
    let mut config = cell("lte-20mhz", &[60.0]);
    config.stations[0].buffer = [Buffer::Bytes(windward_units::Bytes::new(1_000_000)); 2];
    let mut run = Run::new(&config);
    let mut offered = Vec::new();
    let mut number = 0;
    for slot in 0..3000 {
        // More than a slot takes, at even distances.
        for part in 0..10 {
            let now = at_ms(f64::from(slot) + 0.1 * f64::from(part));
            run.offer(now, DOWN, packet(number, 1500));
            offered.push(now);
            number += 1;
        }
    }
    let late = run.world.arrived.iter().filter(|seen| seen.0 > at_ms(1000.0));
    let delays: Vec<f64> = late.map(|seen| seen.0.since(offered[seen.2 as usize]).as_nanos() as f64 / 1e6).collect();
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    let expected = 8e6 / (75_376.0 * 1500.0 / 1504.0) + 1.0;
    assert!((mean / expected - 1.0).abs() < 0.01, "{mean} ms, not {expected}");
    let delays = run.medium.legs[0].delays.row(0);
    assert!((delays.queue_s * 1e3 / mean - 1.0).abs() < 0.1 && delays.harq_s < 1e-4, "{delays:?}");
}

/// The window of acknowledged mode: W packets a status round trip. 64 packets of 1500 bytes are 8.2 blocks of 94 248
/// bits: the poll is in the ninth slot. A scheduling request follows in the next of its occasions every 10 ms, the base
/// station hears it 2 slots later, and the status has a block 4 slots after that, known at its end: 7 ms after the
/// occasion. 9 + 7 ms pass an occasion, so the round trip takes 20 ms: 38.4 Mbit/s.
#[test]
fn the_window_bounds_the_rate() {
    let mut config = cell("nr-fdd-20mhz", &[40.0]);
    config.rlc.window = Some(64);
    config.rlc.poll_packets = 1_000_000;
    config.rlc.status_prohibit = Duration::ZERO;
    let mut run = Run::new(&config);
    let (from, to) = (at_ms(1000.0), at_ms(5000.0));
    run.saturate(&[DOWN], to, 1500);
    let rate = run.rate(DOWN, 1500, from, to);
    let expected = 64.0 * 1500.0 * 8.0 / 20e-3;
    assert!((rate / expected - 1.0).abs() < 0.01, "{rate}, not {expected}");
}

/// Weights under proportional fairness with constant channels: R/r̄ times w is equal for all, so airtime is in
/// proportion to w. Stations of weight 3, 2 and 1 have 1/2, 1/3 and 1/6 of their rates alone, whatever their channels.
#[test]
fn weights_divide_the_airtime() {
    let (from, to) = (at_ms(2000.0), at_ms(6000.0));
    let mut config = cell("lte-20mhz", &[6.6, 23.5, 13.9]);
    config.adaptation.target = None;
    let alone: Vec<f64> = (0..3)
        .map(|at| {
            let only = RanConfig { stations: vec![config.stations[at].clone()], ..config.clone() };
            let mut run = Run::new(&only);
            run.saturate(&[DOWN], to, 1500);
            run.rate(DOWN, 1500, from, to)
        })
        .collect();
    for (station, weight) in config.stations.iter_mut().zip([3.0, 2.0, 1.0]) {
        station.weight = weight;
    }
    let mut run = Run::new(&config);
    run.saturate(&[0, 2, 4], to, 1500);
    for (at, share) in [1.0 / 2.0, 1.0 / 3.0, 1.0 / 6.0].into_iter().enumerate() {
        let found = run.rate(2 * at as u32, 1500, from, to) / alone[at];
        assert!((found / share - 1.0).abs() < 0.015, "{at}: {found}, not {share}");
    }
}

/// A station of a higher priority has a slot of its own at once, and the other one the rest: 10 packets of 1500 bytes
/// every 10 ms, one block of 100 resource blocks and 75 376 bits (6.2 packets) and a part of the next.
#[test]
fn priority_goes_first() {
    let mut config = cell("lte-20mhz", &[60.0, 60.0]);
    config.adaptation.target = None;
    config.stations[0].priority = 2;
    let mut run = Run::new(&config);
    let mut number = 0;
    for burst in 0..400 {
        let now = at_ms(10.0 * f64::from(burst));
        run.until(now);
        for _ in 0..10 {
            run.medium.offer(now, 0, packet(number, 1500), &mut run.world);
            number += 1;
        }
        while run.medium.see(now, 2).backlog < 500 {
            run.medium.offer(now, 2, packet(1_000_000 + number, 1500), &mut run.world);
            number += 1;
        }
    }
    run.until(at_ms(4000.0));
    let delays = run.medium.legs[0].delays.row(0);
    // At most two slots after the one in which it came.
    assert!(delays.delay_p99_s < 3.1e-3, "{delays:?}");
    let (from, to) = (at_ms(1000.0), at_ms(3900.0));
    let rates = [0, 2].map(|local| run.rate(local, 1500, from, to));
    assert!((rates[0] / 12e6 - 1.0).abs() < 0.01, "{rates:?}");
    let rest = 75.376e6 * 1500.0 / 1504.0 - 12e6;
    assert!((rates[1] / rest - 1.0).abs() < 0.02, "{rates:?}, not {rest}");
}

/// Multi-user diversity over groups of resource blocks: with equal means, proportional fairness gives each group to the
/// best station, whose ratio is the largest of n exponential ones. A block has the mean capacity of its groups, as the
/// reports quantise them. The gain of four stations over one is that of the efficiencies between the MCS at the two
/// mean capacities, within half a step of the MCS, some 5 %.
#[test]
fn groups_go_to_their_best_stations() {
    let rate = |count: usize, delay_spread: f64| {
        let mut config = cell("lte-20mhz", &vec![10.0; count]);
        config.adaptation = Adaptation {
            cqi_period: Duration::from_millis(1),
            cqi_delay: Duration::ZERO,
            target: None,
            ..config.adaptation
        };
        for station in &mut config.stations {
            station.fading = Fading::Jakes { doppler: 20.0, sinusoids: 16 };
            station.delay_spread = delay_spread;
        }
        let locals: Vec<u32> = (0..count as u32).map(|station| 2 * station).collect();
        let mut run = Run::new(&config);
        run.saturate(&locals, at_ms(2500.0), 1500);
        locals.iter().map(|&local| run.rate(local, 1500, at_ms(500.0), at_ms(2500.0))).sum::<f64>()
    };
    let grid = cell("lte-20mhz", &[10.0]).grids.downlink.clone();
    let points: Vec<(f64, f64)> =
        grid.ladder().iter().map(|&mcs| (grid.mcs(mcs).threshold, grid.mcs(mcs).efficiency)).collect();
    let efficiency = |count: i32| {
        let best = |step: u32| -libm::log(1.0 - libm::pow((f64::from(step) + 0.5) / 4000.0, 1.0 / f64::from(count)));
        let of = |step| {
            let reported = grid.quantised(0, 10.0 + 10.0 * libm::log10(best(step)));
            reported.map_or(0.0, |snr| libm::exp10(snr / 10.0))
        };
        let mean = (0..4000).map(|step| libm::log1p(of(step))).sum::<f64>() / 4000.0;
        let snr = 10.0 * libm::log10(libm::expm1(mean));
        let at = points.partition_point(|point| point.0 <= snr).clamp(1, points.len() - 1);
        let (below, above) = (points[at - 1], points[at]);
        below.1 + (above.1 - below.1) * (snr - below.0) / (above.0 - below.0)
    };
    let (gain, right) = (rate(4, 1e-6) / rate(1, 1e-6), efficiency(4) / efficiency(1));
    assert!((gain / right - 1.0).abs() < 0.05, "{gain} for {right}");
}
