//! Scheduling rules on two stations, by hand.

use super::*;
use windward_units::{Duration, Time};

/// A near station with a short queue and a far one with a long queue.
fn stations() -> [Candidate; 2] {
    let near = Candidate {
        backlog_packets: 10,
        backlog_bits: 16_000.0,
        head_wait: Duration::from_millis(20),
        snr: 100.0,
        rate: 4e6,
        average_rate: 2e6,
        average_offer: 3e6,
        urgency: 10.0,
    };
    let far = Candidate {
        backlog_packets: 40,
        backlog_bits: 64_000.0,
        head_wait: Duration::from_millis(100),
        snr: 10.0,
        rate: 1.5e6,
        average_rate: 0.5e6,
        average_offer: 1e6,
        urgency: 10.0,
    };
    [near, far]
}

fn choice(config: &SchedulerConfig, stations: &[Candidate]) -> Option<usize> {
    Scheduler::new(*config, |_| unreachable!("these rules are ours")).choose(&Slot {
        number: 1,
        now: Time::ZERO,
        stations,
    })
}

fn all() -> Vec<SchedulerConfig> {
    let mut all = vec![
        SchedulerConfig::QueueingDelay,
        SchedulerConfig::QueueLength,
        SchedulerConfig::ProportionalFair,
        SchedulerConfig::MLwdf,
        SchedulerConfig::ExpRule,
    ];
    for is_oblivious in [false, true] {
        all.push(SchedulerConfig::MaxSnr { is_oblivious });
        all.push(SchedulerConfig::RoundRobin { is_oblivious });
    }
    all
}

/// Queueing delay: 16/2000·4 = 0.032 against 64/500·1.5 = 0.192. Queue length: 16·4 = 64 against 64·1.5 = 96. PF: 2
/// against 3. M-LWDF: 10·0.02·4/3 = 0.27 against 10·0.1·1.5 = 1.5.
#[test]
fn the_far_station_with_the_long_queue() {
    let far = Some(1);
    for config in [
        SchedulerConfig::QueueingDelay,
        SchedulerConfig::QueueLength,
        SchedulerConfig::ProportionalFair,
        SchedulerConfig::MLwdf,
        SchedulerConfig::ExpRule,
        SchedulerConfig::RoundRobin { is_oblivious: true },
    ] {
        assert_eq!(choice(&config, &stations()), far, "{config:?}");
    }
    assert_eq!(choice(&SchedulerConfig::MaxSnr { is_oblivious: false }, &stations()), Some(0));
}

/// Each factor of a weight changes the choice by itself. A fade to 0.2 Mbit/s: delay 64/500·0.2 = 0.026 against 0.032,
/// length 12.8 against 64, PF 0.4 against 2, M-LWDF 10·0.1·0.2/1 = 0.2 against 0.267. An average of 4 Mbit/s:
/// 64/4000·1.5 = 0.024, PF 0.375. A tenth of the backlog: 0.019, 9.6. A delay of 10 ms, an average offer of 10 Mbit/s,
/// an urgency of 1: M-LWDF 0.15 each.
#[test]
fn every_factor_counts() {
    use SchedulerConfig::{MLwdf, ProportionalFair, QueueLength, QueueingDelay};
    type Change = fn(&mut Candidate);

    let changes: [(Change, &[SchedulerConfig]); 6] = [
        (|far| far.rate = 0.2e6, &[QueueingDelay, QueueLength, ProportionalFair, MLwdf]),
        (|far| far.average_rate = 4e6, &[QueueingDelay, ProportionalFair]),
        (|far| far.backlog_bits /= 10.0, &[QueueingDelay, QueueLength]),
        (|far| far.head_wait = Duration::from_millis(10), &[MLwdf]),
        (|far| far.average_offer = 10e6, &[MLwdf]),
        (|far| far.urgency = 1.0, &[MLwdf]),
    ];
    for (at, (change, rules)) in changes.iter().enumerate() {
        let mut stations = stations();
        change(&mut stations[1]);
        for rule in [QueueingDelay, QueueLength, ProportionalFair, MLwdf] {
            let chosen = usize::from(!rules.contains(&rule));
            assert_eq!(choice(&rule, &stations), Some(chosen), "{rule:?}, change {at}");
        }
    }
}

/// With half the backlog the far station has 64·1.5/2 = 48 < 64 by length, still 0.096 > 0.032 by delay: the rule that
/// divides by the average rate serves the starved one first.
#[test]
fn delay_and_length_differ() {
    let mut stations = stations();
    stations[1].backlog_bits /= 2.0;
    assert_eq!(choice(&SchedulerConfig::QueueLength, &stations), Some(0));
    assert_eq!(choice(&SchedulerConfig::QueueingDelay, &stations), Some(1));
}

/// a W = 0.2 and 1.0: mean 0.6, scale 1 + √0.6 = 1.7746. ln(10·4/3) − 0.4/1.7746 = 2.3649; ln(10·1.5) + 0.4/1.7746 =
/// 2.9335. With the near channel at 9 Mbit/s its weight is ln(10·9/3) − 0.2254 = 3.1758 and it wins; after a wait of
/// 300 ms the far one has a W = 3, mean 1.6, scale 2.2649: ln 15 + 1.4/2.2649 = 3.3262 against ln 30 − 0.6181 = 2.7831.
#[test]
fn the_exponential_rule_by_hand() {
    let mut stations = stations();
    stations[0].rate = 9e6;
    assert_eq!(choice(&SchedulerConfig::ExpRule, &stations), Some(0));
    stations[1].head_wait = Duration::from_millis(300);
    assert_eq!(choice(&SchedulerConfig::ExpRule, &stations), Some(1));
}

#[test]
fn nobody_is_served_where_nothing_waits_or_nothing_gets_through() {
    for config in all() {
        let is_oblivious = format!("{config:?}").contains("oblivious");
        let mut empty = stations();
        empty.iter_mut().for_each(|s| (s.backlog_packets, s.backlog_bits, s.head_wait) = (0, 0.0, Duration::ZERO));
        assert_eq!(choice(&config, &empty).is_some(), is_oblivious, "{config:?}");
        let mut deaf = stations();
        deaf.iter_mut().for_each(|s| s.rate = 0.0);
        assert_eq!(choice(&config, &deaf).is_some(), is_oblivious, "{config:?}");
    }
}

#[test]
fn round_robin_takes_turns_and_skips_the_empty() {
    let mut three = [stations()[0]; 3];
    let mut rule =
        Scheduler::new(SchedulerConfig::RoundRobin { is_oblivious: false }, |_| unreachable!("this rule is ours"));
    let mut turn = |stations: &[Candidate]| rule.choose(&Slot { number: 0, now: Time::ZERO, stations });
    assert_eq!([turn(&three), turn(&three), turn(&three), turn(&three)], [Some(0), Some(1), Some(2), Some(0)]);
    three[1].backlog_packets = 0;
    assert_eq!([turn(&three), turn(&three)], [Some(2), Some(0)]);
}

/// An unserved station has an average of zero.
#[test]
fn who_was_never_served_goes_first() {
    let mut stations = stations();
    stations[0].average_rate = 0.0;
    assert_eq!(choice(&SchedulerConfig::QueueingDelay, &stations), Some(0));
    assert_eq!(choice(&SchedulerConfig::ProportionalFair, &stations), Some(0));
}
