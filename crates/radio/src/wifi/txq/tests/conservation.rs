//! Conservation under random operations, and no allocation after the warm-up.

use super::{at, packet, with_stations};
use crate::wifi::ppdu::{Format, Guard, Mode, Width};
use crate::wifi::txq::{Aql, Category, Discipline, FlowsConfig, Txq, TxqConfig, Txqs};
use std::collections::BTreeSet;
use windward_elements::packet::Packet;
use windward_units::splitmix64;

struct Draws(u64);

impl Draws {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = splitmix64(self.0);
        (self.0 >> 32) % count
    }
}

fn mode(draws: &mut Draws) -> Mode {
    let streams = 1 + draws.below(4) as u8;
    Mode::new(Format::He, Width::Mhz80, streams, Guard::Ns800, draws.below(12) as u8).unwrap()
}

/// Random operations: every packet is dropped once or completed once, and nothing stays pending.
fn run(config: &TxqConfig, seed: u64) {
    let mut draws = Draws(seed);
    let mut queues = with_stations(config, 5);
    let group = queues.add_group();
    let mut waiting: BTreeSet<u32> = BTreeSet::new();
    let mut below: Vec<(Txq, u32)> = Vec::new();
    let mut number = 0;
    let mut millis = 0;
    for _ in 0..20_000 {
        millis += draws.below(3);
        let now = at(millis * 1000);
        let mut lost = Vec::new();
        let dropped = &mut |_: Txq, gone: windward_elements::queue::Waiting| lost.push(gone.packet.number);
        match draws.below(8) {
            0 => queues.set_rate(draws.below(5) as u32, mode(&mut draws)),
            1..4 => {
                let txq = Txq { station: draws.below(u64::from(group) + 1) as u32, tid: draws.below(8) as u8 };
                let size = 40 + draws.below(1461) as u32;
                waiting.insert(number);
                queues.enqueue(now, txq, Packet { number, ..packet(draws.below(40) as u32, size) }, dropped);
                number += 1;
            }
            4..6 => {
                let category = Category::ALL[draws.below(4) as usize];
                queues.begin(category);
                while let Some(txq) = queues.next(category) {
                    for _ in 0..draws.below(8) {
                        let Some(taken) = queues.dequeue(now, txq, dropped) else { break };
                        assert!(waiting.remove(&taken.packet.number), "{} leaves twice", taken.packet.number);
                        below.push((txq, taken.estimate));
                    }
                    queues.airtime(now, txq.station, category, draws.below(5000) as u32);
                    queues.give_back(now, txq, draws.below(10) == 0);
                }
            }
            _ => {
                for _ in 0..draws.below(10).min(below.len() as u64) {
                    let (txq, estimate) = below.swap_remove(draws.below(below.len() as u64) as usize);
                    queues.completed(now, txq, estimate, dropped);
                }
            }
        }
        for number in lost {
            assert!(waiting.remove(&number), "{number} is dropped twice");
        }
        assert_eq!(queues.all_packets(), waiting.len() as u64);
        assert_eq!(queues.outstanding(), below.len() as u64);
    }
    // All that is left goes out.
    while queues.all_packets() > 0 || !below.is_empty() {
        millis += 1;
        let now = at(millis * 1000);
        let mut lost = 0;
        let before = queues.all_packets();
        let dropped = &mut |_: Txq, _: windward_elements::queue::Waiting| lost += 1;
        for (txq, estimate) in std::mem::take(&mut below) {
            queues.completed(now, txq, estimate, dropped);
        }
        let mut taken = 0;
        for category in Category::ALL {
            queues.begin(category);
            while let Some(txq) = queues.next(category) {
                while let Some(packet) = queues.dequeue(now, txq, dropped) {
                    below.push((txq, packet.estimate));
                    taken += 1;
                }
                queues.give_back(now, txq, false);
            }
        }
        assert_eq!(before, queues.all_packets() + taken + lost);
        assert!(millis < 1_000_000, "it ends");
    }
    for station in 0..5 {
        for category in Category::ALL {
            assert_eq!(queues.pending(station, category), 0);
        }
    }
    assert_eq!(queues.memory(), 0);
}

#[test]
fn every_packet_is_dropped_or_completed_once() {
    let small = FlowsConfig { packets: 100, queues: 16, ..FlowsConfig::mac80211(true) };
    let narrow = FlowsConfig { memory: 60_000, queues: 8, ..FlowsConfig::mac80211(true) };
    let fq = FlowsConfig { packets: 60, queues: 16, ..FlowsConfig::fq_codel() };
    let disciplines = [
        Discipline::PerStation(small),
        Discipline::PerStation(narrow),
        Discipline::Shared { above: FlowsConfig::fifo(50), below: 20 },
        Discipline::Shared { above: fq, below: 20 },
    ];
    for (seed, discipline) in (1..).zip(disciplines) {
        for aql in [None, Some(Aql::default())] {
            for airtime_fairness in [true, false] {
                run(&TxqConfig { discipline, airtime_fairness, aql, ..TxqConfig::default() }, seed);
            }
        }
    }
}

#[test]
fn nothing_is_allocated_after_the_warm_up() {
    let small = FlowsConfig { packets: 200, queues: 4, ..FlowsConfig::mac80211(true) };
    let config = TxqConfig { discipline: Discipline::PerStation(small), ..TxqConfig::default() };
    let mut queues = with_stations(&config, 4);
    let mut draws = Draws(1);
    let mut round = |queues: &mut Txqs, round: u64| {
        let now = at(round * 1000);
        for _ in 0..40 {
            let txq = Txq { station: draws.below(4) as u32, tid: draws.below(8) as u8 };
            queues.enqueue(now, txq, packet(draws.below(9) as u32, 1500), &mut |_, _| ());
        }
        for category in Category::ALL {
            queues.begin(category);
            while let Some(txq) = queues.next(category) {
                while let Some(taken) = queues.dequeue(now, txq, &mut |_, _| ()) {
                    queues.completed(now, txq, taken.estimate, &mut |_, _| ());
                    if draws.below(4) == 0 {
                        break;
                    }
                }
                queues.give_back(now, txq, false);
            }
        }
    };
    (0..20).for_each(|at| round(&mut queues, at));
    let before = queues.capacities();
    (20..2000).for_each(|at| round(&mut queues, at));
    assert_eq!(queues.capacities(), before);
}
