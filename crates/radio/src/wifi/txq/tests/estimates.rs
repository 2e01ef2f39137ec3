//! Airtime estimates and AQL.

use super::{at, best_effort, fill, packet, take, with_stations};
use crate::wifi::ppdu::{Format, Guard, Mode, Width};
use crate::wifi::txq::{Aql, Category, Estimator, FlowsConfig, Txq, TxqConfig, Txqs};

fn mode(format: Format, width: Width, streams: u8, guard: Guard, mcs: u8) -> Mode {
    Mode::new(format, width, streams, guard, mcs).unwrap()
}

fn slowest() -> Mode {
    mode(Format::Ht, Width::Mhz20, 1, Guard::Ns800, 0)
}

/// Estimate of 1500 bytes by mode, and the packets that leave a TXQ before 5 and 12 ms are pending.
fn table() -> [(Mode, u32, u32, u32); 6] {
    [
        (slowest(), 1912, 3, 7),
        (mode(Format::Ht, Width::Mhz20, 1, Guard::Ns800, 7), 188, 27, 64),
        (mode(Format::Vht, Width::Mhz80, 1, Guard::Ns400, 9), 28, 179, 429),
        (mode(Format::Vht, Width::Mhz80, 2, Guard::Ns400, 9), 12, 417, 1000),
        (mode(Format::He, Width::Mhz80, 2, Guard::Ns800, 11), 8, 625, 1500),
        (mode(Format::He, Width::Mhz160, 2, Guard::Ns800, 11), 4, 1250, 3000),
    ]
}

#[test]
fn estimates_are_linux() {
    for (mode, estimate, ..) in table() {
        assert_eq!(Estimator::new(mode).estimate(1500, false), estimate, "{mode:?}");
    }
}

#[test]
fn voice_and_unknown_rates_are_not_aggregated() {
    // 1024 bytes: ⌈8 388 608/1560⌉ = 5378 symbols/1024 by 3.6 µs, 19 360; 1538 bytes 28 µs, and 40 of preamble.
    let fast = Estimator::new(mode(Format::Vht, Width::Mhz80, 1, Guard::Ns400, 9));
    assert_eq!(fast.estimate(1500, true), 68);
    // 36 + ⌊1538 · 8/6⌋ = 2086.
    assert_eq!(Estimator::UNKNOWN.estimate(1500, false), 2084);
    // At most 4095, in steps of four.
    assert_eq!(Estimator::new(slowest()).estimate(9000, false), 4092);
    // 102 bytes: 1 µs and 1 of 44 >> 5, but at least 4.
    let faster = Estimator::new(mode(Format::Vht, Width::Mhz80, 2, Guard::Ns400, 9));
    assert_eq!(faster.estimate(64, false), 4);
}

#[test]
fn limits_bound_what_leaves_a_queue() {
    for (mode, estimate, low, high) in table() {
        let tight = Aql { high: Aql::default().low, ..Aql::default() };
        for (aql, expected) in [(tight, low), (Aql::default(), high)] {
            let mut queues = with_stations(&TxqConfig { aql: Some(aql), ..TxqConfig::default() }, 1);
            queues.set_rate(0, mode);
            fill(&mut queues, at(0), 0, (0..3001).map(|_| packet(0, 1500)));
            let taken = std::iter::from_fn(|| take(&mut queues, at(0), 0)).count() as u32;
            assert_eq!(taken, expected, "{mode:?}");
            assert_eq!(queues.pending(0, Category::BestEffort), expected * estimate);
            // One completion makes room for one.
            queues.completed(at(0), best_effort(0), estimate, &mut |_, _| ());
            assert!(take(&mut queues, at(0), 0).is_some());
            assert!(take(&mut queues, at(0), 0).is_none());
        }
    }
}

#[test]
fn a_busy_radio_leaves_each_station_the_low_limit() {
    let mut queues = with_stations(&TxqConfig::default(), 4);
    for station in 0..4 {
        queues.set_rate(station, slowest());
        fill(&mut queues, at(0), station, (0..20).map(|_| packet(station, 1500)));
    }
    let mut taken = |station| std::iter::from_fn(|| take(&mut queues, at(0), station)).count();
    // 7 · 1912 are 13 384 µs; two of them 26 768, above 24 000. Then up to 5000: 3 · 1912.
    assert_eq!([taken(0), taken(1), taken(2), taken(3)], [7, 6, 3, 3]);
}

#[test]
fn a_category_waits_when_too_much_is_below() {
    let mut queues = with_stations(&TxqConfig::default(), 2);
    queues.set_rate(0, slowest());
    fill(&mut queues, at(0), 0, (0..20).map(|_| packet(0, 1500)));
    let next = |queues: &mut Txqs| {
        queues.begin(Category::BestEffort);
        queues.next(Category::BestEffort)
    };
    assert_eq!(next(&mut queues), Some(best_effort(0)));
    for _ in 0..7 {
        assert!(take(&mut queues, at(0), 0).is_some());
    }
    queues.give_back(at(0), best_effort(0), false);
    // 13 384 µs below one listed TXQ: the limit is 12 000.
    assert_eq!(next(&mut queues), None);
    // Two listed: 12 000 + 5000/2.
    fill(&mut queues, at(0), 1, [packet(1, 1500)]);
    assert_eq!(next(&mut queues), Some(best_effort(1)));
    queues.give_back(at(0), best_effort(1), false);
    // Other categories are not concerned.
    let voice = Txq { station: 0, tid: 6 };
    queues.enqueue(at(0), voice, packet(2, 200), &mut |_, _| panic!("room for one"));
    queues.begin(Category::Voice);
    assert_eq!(queues.next(Category::Voice), Some(voice));
}

#[test]
fn groups_are_not_limited() {
    let mut queues = with_stations(&TxqConfig::default(), 0);
    let group = queues.add_group();
    fill(&mut queues, at(0), group, (0..100).map(|_| packet(0, 1500)));
    assert!((0..100).all(|_| take(&mut queues, at(0), group).is_some_and(|taken| taken.estimate == 0)));
    assert_eq!(queues.deficit(group, Category::BestEffort), 0);
    assert_eq!(FlowsConfig::mac80211(false).memory, 4 << 20);
}
