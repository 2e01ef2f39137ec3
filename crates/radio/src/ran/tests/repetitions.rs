//! HARQ, the outer loop and RLC: round trips, repetitions, shares of errors, and order.

use super::*;

/// HARQ round trips in DDDSU: the repetition starts 3.0, 5.0, 4.5 and 4.0 ms after the start of a block in slot 0 to 3,
/// by the slots of feedback and decision. In LTE it is 8 ms in both directions.
#[test]
fn harq_round_trips() {
    let delay = |config: &RanConfig, local: u32, start: f64| {
        let mut config = config.clone();
        // The first transmission always fails, the second has enough energy.
        config.adaptation.target = None;
        let mut run = Run::new(&config);
        run.offer(at_ms(start), local, packet(0, 100));
        run.until(at_ms(start + 300.0));
        assert_eq!(run.world.arrived.len(), 1);
        run.world.arrived[0].0.since(at_ms(start)).as_nanos() as f64 / 1e6
    };
    // CQI 1 stands for −8.63 dB and MCS 0 needs −6.64: a first block at −7.9 dB fails, two of them have −4.9 dB.
    for (k1, gnb, expected) in [
        (4, 2, [3.0, 5.0, 4.5, 4.0]),
        (4, 1, [2.5, 4.5, 4.0, 3.5]),
        (3, 1, [2.5, 2.0, 4.0, 3.5]),
        (2, 1, [2.5, 2.0, 1.5, 3.5]),
    ] {
        let mut config = cell("n78-40mhz", &[-7.9]);
        config.harq = Harq { min_k1: k1, gnb_slots: gnb, ..config.harq };
        for (slot, expected) in expected.into_iter().enumerate() {
            // The repetition of a block in S takes a full slot.
            let waited = delay(&config, DOWN, 100.0 + 0.5 * slot as f64);
            assert!((waited - expected - 0.5).abs() < 1e-6, "slot {slot}: {waited}");
        }
    }
    let lte = cell("lte-20mhz", &[-7.3]);
    assert!((delay(&lte, DOWN, 100.0) - 9.0).abs() < 1e-6);
}

/// Processes: 8 of LTE suffice for a round trip of 8 slots, and carry 8/9 with one of 9.
#[test]
fn harq_stalls() {
    let (from, to) = (at_ms(500.0), at_ms(5000.0));
    let rate = |gnb_slots| {
        let mut config = cell("lte-20mhz", &[40.0]);
        config.harq.gnb_slots = gnb_slots;
        let mut run = Run::new(&config);
        run.saturate(&[DOWN], to, 1500);
        run.rate(DOWN, 1500, from, to)
    };
    let share = rate(5) / rate(4);
    assert!((share - 8.0 / 9.0).abs() < 1e-3, "{share}");
}

/// The outer loop: the share of failed first transmissions is d/(u + d) − (O_N − O_0)/(N(u + d)), exactly. The channel
/// is constant between two MCS, so the offset moves within a step of them.
#[test]
fn the_outer_loop_is_an_identity() {
    let mut config = cell("nr-fdd-20mhz", &[14.0]);
    config.adaptation.target = Some(0.1);
    let mut run = Run::new(&config);
    run.saturate(&[DOWN], at_ms(20_000.0), 1500);
    let leg = &run.medium.legs[0];
    let known = |process: &harq::Process| !matches!(process.stage, harq::Stage::Sent { .. }) || process.attempts > 1;
    assert!(leg.processes.iter().filter(|process| !known(process)).count() < 16);
    // Without the blocks whose feedback is not known.
    let pending = leg.processes.iter().filter(|process| !known(process));
    let (open, open_failed) = pending.fold((0, 0), |(all, failed), process| {
        (all + 1, failed + u64::from(matches!(process.stage, harq::Stage::Sent { is_good: false, .. })))
    });
    let blocks = leg.air.by_mcs.iter().map(|counts| counts[0]).sum::<u64>() - open;
    let failures = leg.air.by_mcs.iter().map(|counts| counts[1]).sum::<u64>() - open_failed;
    let (u, d) = (0.1, 0.1 / 9.0);
    let share = failures as f64 / blocks as f64;
    let identity = d / (u + d) - leg.offset / (blocks as f64 * (u + d));
    assert!((share - identity).abs() < 1e-12, "{share} {identity}");
    assert!((share - 0.1).abs() < 0.01);
}

/// Saturated LTE at p = 10 % errors, of which none fails twice. A repetition takes a slot, so 1/1.1 of the slots have a
/// first transmission, and 1/11 of all fail, independently in each of the 8 interleaved processes. A block that fails
/// waits 8 slots more, one after a failure k slots before it 8 − k: P(extra ≤ d) = 0.9·(10/11)^(7 − d), mean
/// 8 − 0.9·11·(1 − (10/11)⁸) = 2.7186 ms. (Where repetitions displace nothing it is 8 − 9·(1 − 0.9⁸) = 2.874.)
#[test]
fn harq_and_order_delay_by_a_known_law() {
    let mut config = cell("lte-20mhz", &[0.0]);
    // One packet fills a block: the delay from first byte to delivery is one slot, and the extra wait.
    config.adaptation.target = None;
    config.adaptation.cqi_delay = Duration::from_secs(1000.0);
    config.adaptation.first_cqi = 7;
    let grid = &config.grids.downlink;
    let report = grid.of_cqi(7);
    let entry = grid.entry(0, grid.choose(report.snr), 100);
    // The ratio at which such a block fails in one of ten times.
    let (mut low, mut high) = (report.snr - 3.0, report.snr + 3.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if config.grids.curves.probability(entry.errors, middle) > 0.1 { low = middle } else { high = middle }
    }
    let linear = libm::exp10(low / 10.0);
    config.stations[0].mean_snr = [linear, linear];
    config.rlc.mode = RlcMode::Unacknowledged;
    let size = entry.bits / 8 - 4;
    let mut run = Run::new(&config);
    run.saturate(&[DOWN], at_ms(60_000.0), size);
    let leg = &run.medium.legs[0];
    let count = leg.air.delays.count() as f64;
    assert!((count * 1.1 / 60_000.0 - 1.0).abs() < 0.01, "{count}");
    let failures = leg.air.by_mcs.iter().map(|counts| counts[1]).sum::<u64>();
    let blocks = leg.air.by_mcs.iter().map(|counts| counts[0]).sum::<u64>();
    // The second attempt always succeeds: 1 + p transmissions a block, but for the one under way at the end.
    assert!(leg.air.transmissions.abs_diff(blocks + failures) <= 1);
    let failed = failures as f64 / count;
    assert!((failed - 0.1).abs() < 5.0 * (0.09 / count).sqrt(), "{failed}");
    let mean = leg.air.delay as f64 / count / 1e6 - 1.0;
    // Delays of neighbours are correlated over 8 slots: the standard error of the mean is at most √8·3.2/√count.
    assert!((mean - 2.7186).abs() < 5.0 * 3.2 * (8.0 / count).sqrt(), "{mean}");
    let none =
        leg.air.delays.buckets().filter(|bucket| bucket.least < 1_050_000).map(|bucket| bucket.count).sum::<u64>();
    let share = none as f64 / count;
    assert!((share - 0.9 * (10f64 / 11.0).powi(7)).abs() < 5.0 * (0.25 * 8.0 / count).sqrt(), "{share}");
}

/// HARQ gives up: acknowledged mode loses nothing, unacknowledged mode the packets of the block; all keep their order.
#[test]
fn what_harq_loses_rlc_repeats() {
    for (mode, technology) in [
        (RlcMode::Acknowledged, "lte-20mhz"),
        (RlcMode::Acknowledged, "n78-40mhz"),
        (RlcMode::Unacknowledged, "lte-20mhz"),
        (RlcMode::Unacknowledged, "n78-40mhz"),
    ] {
        let mut config = cell(technology, &[14.0]);
        config.harq.retransmissions = 0;
        config.rlc.mode = mode;
        let mut run = Run::new(&config);
        let count = 20_000;
        for number in 0..count {
            run.offer(at_ms(f64::from(number) * 0.5), DOWN, packet(number, 1200));
        }
        run.until(at_ms(20_000.0));
        let numbers: Vec<u32> = run.world.arrived.iter().map(|seen| seen.2).collect();
        assert!(numbers.is_sorted(), "packets keep their order");
        let lost = run.world.lost.len();
        let held = run.medium.held() as usize;
        assert_eq!(numbers.len() + lost + held, count as usize, "{technology} {mode:?}");
        let air = &run.medium.legs[0].air;
        assert!(air.harq_lost > 100, "{}", air.harq_lost);
        match mode {
            RlcMode::Acknowledged => {
                assert_eq!((lost, held), (0, 0), "{technology}");
                // Blocks fail in a row until the first feedback lowers the MCS: together they are one part.
                assert!(air.repeats > 100 && air.repeats < air.harq_lost, "{} of {}", air.repeats, air.harq_lost);
            }
            RlcMode::Unacknowledged => {
                assert_eq!(air.repeats, 0);
                assert!(lost as f64 > 0.9 * air.harq_lost as f64, "{lost} of {}", air.harq_lost);
                // Also of the last block the loss is known.
                assert_eq!(held, 0, "{technology}");
            }
        }
    }
}

/// A poll with a gap open below it waits until the gap closes or t-Reassembly of 20 ms ends; one of a duplicate, or
/// without a gap, is answered at once (38.322 §5.3.4).
#[test]
fn a_poll_waits_for_the_gap_below() {
    use harq::Process;
    let block = |from: u64, to: u64, has_poll| {
        let mut process = Process { has_poll, ..Process::default() };
        process.add((from, to));
        process
    };
    let mut run = Run::new(&cell("n78-40mhz", &[20.0]));
    let leg = &mut run.medium.legs[0];
    leg.receive(at_ms(1.0), &block(0, 100, true));
    assert!(leg.owes_status);
    assert_eq!(leg.status(at_ms(1.0)).upto, 100);
    // The block of 100 to 200 is missing.
    leg.receive(at_ms(2.0), &block(200, 300, true));
    assert!(!leg.owes_status);
    leg.receive(at_ms(5.0), &block(100, 200, false));
    assert!(leg.owes_status);
    let status = leg.status(at_ms(5.0));
    assert_eq!((status.upto, status.count), (300, 0));
    // The gap of 300 to 400 stays.
    leg.receive(at_ms(6.0), &block(400, 500, true));
    leg.expire(at_ms(25.0));
    assert!(!leg.owes_status);
    leg.expire(at_ms(26.0));
    assert!(leg.owes_status);
    let status = leg.status(at_ms(26.0));
    assert_eq!((status.upto, status.count, status.gaps[0]), (500, 1, (300, 400)));
    // All of it is known to be missing, so no timer runs for it.
    assert_eq!(leg.reassembly.expiry, None);
    leg.receive(at_ms(27.0), &block(400, 500, true));
    assert!(leg.owes_status);
}

/// Without the outer loop no block of a constant channel fails more often than one in ten: the transport block of a CQI
/// decides, with all its code blocks (38.214 §5.2.2.1). One code block at its own limit would be 64 % of 10 of them.
#[test]
fn without_the_outer_loop_a_cqi_holds_for_the_whole_block() {
    for step in 0..12 {
        let mut config = cell("n78-100mhz", &[15.0 + 0.2 * f64::from(step)]);
        config.adaptation.target = None;
        let mut run = Run::new(&config);
        run.saturate(&[DOWN, UP], at_ms(1500.0), 1500);
        for leg in &run.medium.legs[..2] {
            let [blocks, failures] =
                [0, 1].map(|of| leg.air.by_mcs.iter().map(|counts| counts[of]).sum::<u64>() as f64);
            // Beyond 10 % by 5 standard errors at most.
            assert!(failures <= 0.1 * blocks + 5.0 * (0.09 * blocks).sqrt(), "{step}: {failures} of {blocks}");
        }
    }
}

/// The outer loop under Jakes fading with a report of age τ, ρ = J₀(2πf_dτ): P(γ₂/γ₁ < a) = ½[1 − (1 − a)/√((1 + a)² −
/// 4ρ²a)] for correlated Rayleigh channels. The ratio γ₁ of a report lies up to a step of the CQI above the ratio that
/// the CQI stands for, and the offset counts from there to up to a step of the MCS below: both as uniform.
#[test]
fn the_outer_loop_under_fading() {
    // Doppler frequency in Hz, age in ms.
    for (doppler, age) in [(5.83, 8.0), (58.3, 8.0), (2.0, 8.0)] {
        let mut config = cell("lte-20mhz", &[11.0]);
        config.stations[0].fading = Fading::Jakes { doppler, sinusoids: 64 };
        config.adaptation.cqi_period = Duration::from_millis(1);
        config.adaptation.cqi_delay = at_ms(age).since(Time::ZERO);
        config.adaptation.limit = 40.0;
        // Small steps: with the default ones the loop follows the fades, and rests lower.
        config.adaptation.step = 0.05;
        config.rlc.mode = RlcMode::Unacknowledged;
        let rho = libm::j0(std::f64::consts::TAU * doppler * age * 1e-3);
        let below = |db: f64| {
            let a = libm::exp10(db / 10.0);
            0.5 * (1.0 - (1.0 - a) / ((1.0 + a).powi(2) - 4.0 * rho * rho * a).sqrt())
        };
        let failing = |offset: f64| {
            let steps = 40;
            let of = |at: usize| (at as f64 + 0.5) / steps as f64;
            let sum = |a: usize| (0..steps).map(|b| below(offset - 1.9 * of(a) - of(b))).sum::<f64>();
            (0..steps).map(sum).sum::<f64>() / (steps * steps) as f64
        };
        let (mut low, mut high) = (-30.0, 10.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if failing(middle) < 0.1 { low = middle } else { high = middle }
        }
        let mut run = Run::new(&config);
        run.saturate(&[DOWN], at_ms(10_000.0), 1500);
        let (mut sum, mut count, mut number) = (0.0, 0.0, 1_000_000);
        for step in 0..20_000 {
            let now = at_ms(10_000.0 + 5.0 * f64::from(step));
            run.until(now);
            while run.medium.see(now, DOWN).backlog < 500 {
                run.medium.offer(now, DOWN, packet(number, 1500), &mut run.world);
                number += 1;
            }
            sum += run.medium.legs[0].offset;
            count += 1.0;
            run.world.arrived.clear();
        }
        let mean = sum / count;
        assert!((mean - low).abs() < 0.6, "{doppler} Hz, {age} ms: {mean} dB, not {low}");
    }
}
