//! PPDUs composed while another is under way, as ath9k composes them.

use super::harness::{Bench, secs, star};
use crate::wifi::edca::{EdcaConfig, EdcaWay, Hardware};
use crate::wifi::ppdu::{Format, Guard, Limits, Mode, Width};
use std::collections::{BTreeSet, VecDeque};
use windward_units::{Duration, splitmix64};

fn config(mode: Mode, hardware: Hardware) -> EdcaConfig {
    let mut config = star(1, mode);
    config.stations.iter_mut().for_each(|station| station.hardware = hardware);
    config
}

/// Sizes of PPDUs, and how often each occurred.
fn sizes(bench: &Bench) -> Vec<(u32, u64)> {
    bench.edca.ways[0].sizes.used().collect()
}

/// A packet goes out at once, for 228 µs; ten follow after 50 µs and ten more after 100 µs. The first of the ten is a
/// PPDU of its own, composed as it arrives because the hardware has room for it; the other nineteen make a third. A
/// driver that composes at the last moment sends all twenty together.
#[test]
fn the_second_ppdu_holds_what_was_there() {
    let ht7 = Mode::new(Format::Ht, Width::Mhz20, 1, Guard::Ns800, 7).unwrap();
    for (hardware, expected) in
        [(Hardware::TwoAggregates, vec![(1, 2), (19, 1)]), (Hardware::Driver, vec![(1, 1), (20, 1)])]
    {
        let mut bench = Bench::new(&config(ht7, hardware), 1);
        for (after, count) in [(0.0, 1), (50e-6, 10), (100e-6, 10)] {
            bench.run(secs(1e-3 + after), 0, &[]);
            for _ in 0..count {
                bench.offer(0, 0, 1500);
            }
        }
        bench.run(secs(0.1), 0, &[]);
        assert_eq!((sizes(&bench), bench.arrived(0)), (expected, 21), "{hardware:?}");
    }
}

/// Mean number of MPDUs in a PPDU of at most `frames`, worked out without time: the hardware sends the first of two,
/// each MPDU is lost on its own, and the driver composes a third of those that failed before and of new ones in the
/// window of 64. A PPDU without any answer is repeated.
fn recursion(loss: f64, frames: usize) -> f64 {
    let mut state = 7;
    let mut is_lost = || {
        state = splitmix64(state);
        (state >> 11) as f64 / (1_u64 << 53) as f64 <= loss
    };
    let (mut held, mut failed, mut open) = (VecDeque::<Vec<u32>>::new(), BTreeSet::new(), BTreeSet::new());
    let (mut next, mut ppdus, mut mpdus) = (0, 0, 0);
    while ppdus < 40_000 {
        while held.len() < 2 {
            let mut ppdu: Vec<u32> = failed.iter().copied().take(frames).collect();
            failed.retain(|number| !ppdu.contains(number));
            while ppdu.len() < frames && next < open.first().unwrap_or(&next) + 64 {
                ppdu.push(next);
                open.insert(next);
                next += 1;
            }
            if ppdu.is_empty() {
                break;
            }
            held.push_back(ppdu);
        }
        let Some(first) = held.front() else { break };
        let lost: Vec<u32> = first.iter().copied().filter(|_| is_lost()).collect();
        (ppdus, mpdus) = (ppdus + 1, mpdus + first.len());
        if lost.len() == first.len() {
            continue;
        }
        let first = held.pop_front().unwrap_or_default();
        open.retain(|number| !first.contains(number) || lost.contains(number));
        failed.extend(lost);
    }
    mpdus as f64 / ppdus as f64
}

/// Losses block the window for two PPDUs instead of one: of at most 32 MPDUs and a window of 64, with 10 % of losses,
/// PPDUs composed at the last moment hold 29.5 MPDUs, those composed ahead 17.7.
#[test]
fn losses_block_the_window_for_longer() {
    let mode = Mode::new(Format::Ht, Width::Mhz20, 2, Guard::Ns400, 7).unwrap();
    for loss in [0.02, 0.1, 0.3] {
        let of = |hardware| {
            let mut config = config(mode, hardware);
            config.ampdu = Some(Limits { frames: 32, ..Limits::most(Format::Ht) });
            config.ways = vec![EdcaWay { loss, ..config.ways[0].clone() }];
            let mut bench = Bench::new(&config, 3);
            bench.run(secs(20.0), 300, &[(0, 0, 1500)]);
            let counts = &bench.edca.ways[0].counts;
            (counts.mpdus as f64 / counts.ppdus as f64, bench.rate(0, 1472))
        };
        let ((ahead, slower), (last, faster)) = (of(Hardware::TwoAggregates), of(Hardware::Driver));
        let expected = recursion(loss, 32);
        assert!((ahead / expected - 1.0).abs() < 0.02, "{loss}: {ahead} for {expected}");
        assert!(ahead < last && slower < faster, "{loss}: {ahead} {last}, {slower} {faster}");
    }
}

/// Without losses two PPDUs in the hardware change nothing for one saturated station: 32 MPDUs in each.
#[test]
fn without_losses_the_hardware_is_always_full() {
    let mode = Mode::new(Format::Ht, Width::Mhz20, 2, Guard::Ns400, 7).unwrap();
    let of = |hardware| {
        let mut config = config(mode, hardware);
        config.ampdu = Some(Limits { frames: 32, duration: Duration::from_micros(4096), ..Limits::most(Format::Ht) });
        let mut bench = Bench::new(&config, 3);
        bench.run(secs(5.0), 300, &[(0, 0, 1500)]);
        bench.rate(0, 1472)
    };
    let (ahead, last) = (of(Hardware::TwoAggregates), of(Hardware::Driver));
    assert!((ahead / last - 1.0).abs() < 0.002, "{ahead} {last}");
}
