//! Random histories of Linux's own code: `evidence/benches/sim/cake/driver.c` draws the same ones.

use super::super::dice::Dice;
use super::super::tin::{Set, Tin};
use super::super::{Cake, CakeConfig, Cells, Framing, Isolation, Tins, true_size};
use super::history::{Draws, Seen, compare, lines_of};
use crate::ecn::{Codepoint, Ecn};
use crate::packet::{Kind, Packet};
use crate::queue::key::Label;
use crate::queue::{Buffer, Queue};
use windward_units::{BitRate, Bytes, Duration, Time, splitmix64};

/// 60 histories of up to 200 steps from the kernel's file: seed, and 12 bits of the hash of all state after each step.
const VECTORS: &str = include_str!("linux.txt");

/// Signs of a dropped and a taken packet, and of the end of a list.
const DROPPED: u32 = 0x7f00_0001;
const TAKEN: u32 = 0x7f00_0002;
const END: u32 = 0x7f00_0003;

/// Modes in the order of Linux's numbers.
const ISOLATIONS: [Isolation; 8] = [
    Isolation::None,
    Isolation::Sources,
    Isolation::Sinks,
    Isolation::Hosts,
    Isolation::Flows,
    Isolation::DualSources,
    Isolation::DualSinks,
    Isolation::Triple,
];
const POINTS: [u8; 8] = [0, 8, 46, 34, 16, 10, 4, 48];

impl Seen {
    fn see_list<'a>(&mut self, tin: &Tin, list: impl IntoIterator<Item = &'a u32>) {
        for &at in list {
            let flow = &tin.flows[at as usize];
            let set = match flow.set {
                Set::None => 0,
                Set::Sparse => 1,
                Set::SparseWait => 2,
                Set::Bulk => 3,
                Set::Decaying => 4,
            };
            let cobalt = &flow.cobalt;
            for value in [at, flow.deficit as u32, set, cobalt.count, cobalt.drop_next as u32, cobalt.probability] {
                self.see(value);
            }
        }
        self.see(END);
    }

    fn see_all(&mut self, cake: &Cake) {
        for value in [cake.packets as u64, cake.bytes, cake.memory_used, cake.next, cake.failsafe] {
            self.see(value as u32);
        }
        for tin in &cake.tins {
            for value in [u64::from(tin.sparse), u64::from(tin.bulk), tin.backlog, tin.deficit as u64, tin.next] {
                self.see(value as u32);
            }
            self.see_list(tin, &tin.new);
            self.see_list(tin, &tin.old);
            self.see_list(tin, &tin.decaying);
        }
    }
}

/// The queue of a history; labels are by number of the sender, the receiver and the code point.
fn start(seed: u64, draws: &mut Draws) -> Cake {
    let rate = if draws.below(4) > 0 { Some(12_500_u64 << draws.below(9)) } else { None };
    let isolation = ISOLATIONS[draws.below(8) as usize];
    let tins = [Tins::One, Tins::Three, Tins::Four][draws.below(3) as usize];
    let micros = 10_000 + draws.below(190_000);
    let overhead = draws.below(60) as i32 - 14;
    let least = draws.below(100) as u32;
    let cells = [Cells::None, Cells::Atm, Cells::Ptm][draws.below(3) as usize];
    let memory = 20_000 + draws.below(400_000);
    let config = CakeConfig {
        bandwidth: rate.map(|rate| BitRate::bits_per_sec(8 * rate)),
        isolation,
        tins,
        framing: Framing { overhead, least, cells },
        target: Duration::from_micros(micros / 20),
        interval: Duration::from_micros(micros),
        memory: Some(Bytes::new(memory)),
        marks: true,
        is_ingress: draws.below(2) == 1,
    };
    let mut cake = Cake::new(config, Buffer::Unlimited, 1, seed);
    cake.dice = Dice::Sequence(splitmix64(seed ^ 1));
    let label = |at: u32| Label { from: at / 64, to: at / 8 % 8, dscp: POINTS[at as usize % 8] };
    cake.labels = (0..512).map(label).collect();
    cake
}

/// Lets `look` look at each step of the history of a seed.
fn run(seed: u64, steps: usize, look: &mut dyn FnMut(usize, &Seen)) {
    let draws = &mut Draws(seed);
    let mut cake = Box::new(start(seed, draws));
    let most_flows = 1 << draws.below(12);
    let (flows, hosts, most) = (1 + draws.below(most_flows), 1 + draws.below(6), 1 + draws.below(12));
    let byte_nanos = cake.config.bandwidth.map_or(100, |rate| 8_000_000_000 / rate.as_bits_per_sec());
    let (mut nanos, mut number) = (1_000_000_000, 0);
    let mut seen = Seen::new();
    for step in 0..steps {
        seen.values.clear();
        nanos += if draws.below(16) > 0 { draws.below(1500 * byte_nanos) } else { draws.below(200_000 * byte_nanos) };
        let now = Time::from_nanos(nanos);
        if draws.below(2) == 1 {
            for _ in 0..1 + draws.below(most) {
                let flow = draws.below(flows) as u32;
                let (source, sink) = (draws.below(hosts) as u32, draws.below(hosts) as u32);
                let hop = source * 64 + sink * 8 + draws.below(8) as u32;
                let packet = Packet::new(Kind::Data, now, flow, hop, 40 + draws.below(1461) as u32);
                let ecn = if draws.below(2) == 1 { Codepoint::Capable } else { Codepoint::NotCapable };
                let packet = Packet { number, ecn: Ecn::new(ecn), ..packet };
                number += 1;
                cake.offer(now, packet, Duration::ZERO, |gone| {
                    seen.see(DROPPED);
                    seen.see(gone.packet.number);
                });
            }
        } else {
            for _ in 0..1 + draws.below(most) {
                let taken = cake.take(now, |gone| {
                    seen.see(DROPPED);
                    seen.see(gone.packet.number);
                });
                let Some(taken) = taken else { break };
                for value in [TAKEN, taken.packet.number, u32::from(taken.packet.ecn.is_marked())] {
                    seen.see(value);
                }
            }
        }
        seen.see_all(&cake);
        look(step, &seen);
    }
    assert!(cake.memory_used >= true_size(40) * cake.packets as u64);
}

#[test]
fn histories_are_those_of_linux() {
    assert_eq!(compare(VECTORS, run), 60);
}

/// Runs on the file of `make validate WHAT=cake`.
#[test]
#[ignore = "needs histories of the kernel's code in the file that WINDWARD_CAKE_HISTORIES names"]
fn many_histories_are_those_of_linux() {
    println!("compared {} histories", compare(&lines_of("WINDWARD_CAKE_HISTORIES"), run));
}
