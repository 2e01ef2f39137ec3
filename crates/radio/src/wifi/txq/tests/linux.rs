//! Random histories of Linux's own code: `evidence/benches/wifi/txq/driver.c` draws the same ones.

#[path = "../../../../../elements/src/queue/cake/tests/history.rs"]
mod history;

use super::best_effort;
use crate::wifi::ppdu::{Format, Guard, Mode, Width};
use crate::wifi::txq::{Aql, Category, Discipline, FlowsConfig, Txq, TxqConfig, Txqs};
use history::{Draws, Seen, compare, lines_of};
use std::cell::RefCell;
use windward_elements::ecn::{Codepoint, Ecn};
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::{CoDelConfig, Version, Waiting};
use windward_units::{Duration, Time};

/// Categories in the order of Linux's numbers, the most urgent first.
const BY_URGENCY: [Category; 4] = [Category::Voice, Category::Video, Category::BestEffort, Category::Background];

/// 100 histories of 200 steps from the kernel's files: seed, 12 bits of the hash of all state after each step, hash.
const VECTORS: &str = include_str!("linux.txt");

/// Signs of a dropped and a taken packet, and of the end of a list.
const DROPPED: u32 = 1001;
const TAKEN: u32 = 1002;
const END: u32 = 1003;

fn modes() -> [Mode; 6] {
    [
        (Format::Ht, Width::Mhz20, 1, Guard::Ns800, 0),
        (Format::Ht, Width::Mhz20, 1, Guard::Ns800, 7),
        (Format::Vht, Width::Mhz80, 1, Guard::Ns400, 9),
        (Format::Vht, Width::Mhz80, 2, Guard::Ns400, 9),
        (Format::He, Width::Mhz80, 2, Guard::Ns800, 11),
        (Format::He, Width::Mhz160, 2, Guard::Ns800, 11),
    ]
    .map(|(format, width, streams, guard, mcs)| Mode::new(format, width, streams, guard, mcs).unwrap())
}

/// The queues of a history, and the numbers of stations, TIDs and flows.
fn start(seed: u64, draws: &mut Draws) -> (Txqs, [u64; 3]) {
    let stations = 1 + draws.below(4);
    let airtime_fairness = draws.below(4) != 0;
    let aql = (draws.below(4) != 0).then(Aql::default);
    let queues = 1 << draws.below(5);
    let packets = 20 + draws.below(400) as u32;
    let memory = 20_000 + draws.below(800_000);
    let target = Duration::from_millis(1 + draws.below(20));
    let interval = Duration::from_millis(2 + draws.below(60));
    let codel = Some((CoDelConfig { target, interval, marks: true }, Version::Mac80211));
    let flows = FlowsConfig { queues, packets, memory, codel, ..FlowsConfig::mac80211(true) };
    let config = TxqConfig { discipline: Discipline::PerStation(flows), airtime_fairness, aql, ..TxqConfig::default() };
    let mut txqs = Txqs::new(&config, 1, seed);
    for _ in 0..stations {
        txqs.add_station([128, 256, 512][draws.below(3) as usize]);
    }
    let tids = if draws.below(2) == 1 { 8 } else { 1 };
    let flows = if draws.below(2) == 1 { 12 } else { 2 };
    (txqs, [stations, tids, flows])
}

/// Lets `look` look at each step of the history of a seed.
fn run(seed: u64, steps: usize, look: &mut dyn FnMut(usize, &Seen)) {
    let mut draws = Draws(seed);
    let draws = &mut draws;
    let (mut queues, [stations, tids, flows]) = start(seed, draws);
    let modes = modes();
    let mut nanos = 1_000_000_000;
    let mut below: Vec<(Txq, u32)> = Vec::new();
    let mut number = 0;
    let seen = RefCell::new(Seen::new());
    for step in 0..steps {
        seen.borrow_mut().values.clear();
        nanos += if draws.below(4) == 0 { draws.below(20_000_000) } else { draws.below(2_000_000) };
        let now = Time::from_nanos(nanos);
        let dropped = &mut |_: Txq, waiting: Waiting| {
            seen.borrow_mut().see(DROPPED);
            seen.borrow_mut().see(waiting.packet.number);
        };
        match draws.below(8) {
            0 => {
                let station = draws.below(stations) as u32;
                queues.set_rate(station, modes[draws.below(6) as usize]);
            }
            1..4 => {
                for _ in 0..1 + draws.below(6) {
                    let txq = Txq { station: draws.below(stations) as u32, tid: draws.below(tids) as u8 };
                    let flow = draws.below(flows) as u32;
                    let size = [52, 300, 1500][draws.below(3) as usize];
                    let ecn = if draws.below(2) == 1 { Codepoint::Capable } else { Codepoint::NotCapable };
                    let packet = Packet::new(Kind::Data, now, flow, 0, size);
                    queues.enqueue(now, txq, Packet { number, ecn: Ecn::new(ecn), ..packet }, dropped);
                    number += 1;
                }
            }
            4..6 => {
                let category = if tids > 1 { BY_URGENCY[draws.below(4) as usize] } else { Category::BestEffort };
                queues.begin(category);
                while let Some(txq) = queues.next(category) {
                    for _ in 0..draws.below(12) {
                        let Some(taken) = queues.dequeue(now, txq, dropped) else { break };
                        let mut seen = seen.borrow_mut();
                        let is_marked = taken.packet.ecn.codepoint() == Codepoint::Marked;
                        for value in [TAKEN, taken.packet.number, taken.estimate, u32::from(is_marked)] {
                            seen.see(value);
                        }
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
        let mut seen = seen.borrow_mut();
        for station in 0..stations as u32 {
            for category in BY_URGENCY {
                seen.see(queues.deficit(station, category) as u32);
                seen.see(queues.pending(station, category));
            }
            for tid in 0..8 {
                let txq = Txq { tid, ..best_effort(station) };
                seen.see(queues.packets(txq));
                seen.see(queues.bytes(txq) as u32);
            }
        }
        seen.see(queues.all_packets() as u32);
        seen.see(queues.memory() as u32);
        seen.see(queues.collisions() as u32);
        for category in BY_URGENCY {
            for txq in queues.listed(category) {
                seen.see(txq);
            }
            seen.see(END);
        }
        look(step, &seen);
    }
}

#[test]
fn histories_are_those_of_linux() {
    assert_eq!(compare(VECTORS, run), 100);
}

/// Runs on the file of `make validate WHAT=wifi-queues`.
#[test]
#[ignore = "needs histories of the kernel's code in the file that WINDWARD_TXQ_HISTORIES names"]
fn many_histories_are_those_of_linux() {
    println!("compared {} histories", compare(&lines_of("WINDWARD_TXQ_HISTORIES"), run));
}
