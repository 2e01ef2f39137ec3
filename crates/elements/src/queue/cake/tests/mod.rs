//! CAKE validated by hand and against Linux's own code.

mod history;
mod linux;

use super::*;
use crate::ecn::{Codepoint, Ecn};
use crate::packet::Kind;
use crate::queue::key::Label;
use windward_units::BitRate;

const SIZE: u32 = 1500;

fn cake(config: CakeConfig) -> Box<Cake> {
    Box::new(Cake::new(config, Buffer::Unlimited, 1, 1))
}

fn packet(flow: u32, hop: u32, number: u32) -> Packet {
    Packet { number, ..Packet::new(Kind::Data, Time::ZERO, flow, hop, SIZE) }
}

fn shaped(megabits: u64) -> CakeConfig {
    let bandwidth = Some(BitRate::bits_per_sec(megabits * 1_000_000));
    CakeConfig { bandwidth, tins: Tins::One, memory: Some(Bytes::new(1 << 30)), ..CakeConfig::default() }
}

/// Times in microseconds at which the shaper lets packets pass that all wait from zero on, with their flows.
fn departures(cake: &mut Box<Cake>, count: usize) -> Vec<(u64, u32)> {
    let mut now = Time::ZERO;
    (0..count)
        .map(|_| {
            now = cake.ready_at().expect("it has a shaper").max(now);
            let taken = cake.take(now, |_| ()).expect("packets wait");
            (now.as_nanos() / 1000, taken.packet.flow)
        })
        .collect()
}

/// 1500 bytes and 44 of overhead: none 1544; ATM 33 cells of 53 (1749, of which 1584 are payload); PTM 25 blocks of 64
/// bytes, one byte each (1569). A packet of 40 bytes with an `mpu` of 100: 100, 3 cells (159), 102.
#[test]
fn framing_by_hand() {
    let bytes = |size, cells| Framing { overhead: 44, least: 100, cells }.line_bytes(size);
    let all = |size| [Cells::None, Cells::Atm, Cells::Ptm].map(|cells| bytes(size, cells));
    assert_eq!((all(1500), all(40)), ([1544, 1749, 1569], [100, 159, 102]));
    let exact = Framing { overhead: -4, least: 0, cells: Cells::Atm };
    assert_eq!([exact.line_bytes(100), exact.line_bytes(101)], [2 * 53, 3 * 53]);
}

/// 1500 bytes with 10 of overhead are 32 cells, 1696 bytes: at 10 Mbit/s 1356.8 µs apart, within the nanosecond of
/// each packet by which Linux rounds.
#[test]
fn the_shaper_counts_cells() {
    let framing = Framing { overhead: 10, least: 0, cells: Cells::Atm };
    let mut cake = cake(CakeConfig { framing, interval: Duration::from_millis(4000), ..shaped(10) });
    (0..1001).for_each(|n| assert!(cake.offer(Time::ZERO, packet(1, 0, n), Duration::ZERO, |_| ())));
    let times = departures(&mut cake, 300);
    assert_eq!((times[0].0, times[1].0), (0, 1356));
    assert!(times[299].0.abs_diff(299 * 13_568 / 10) <= 1, "{:?}", times[299]);
}

/// Host 1 has one flow, host 2 four: with host isolation each host has half of the packets, with flow isolation each
/// flow a fifth. With `triple-isolate` the flows of one pair of sides count as those of the busier host: all five talk
/// to host 9, so that each flow has a fifth; with a host each at the other side, hosts have halves.
#[test]
fn hosts_share_equally() {
    let share = |isolation, sends: bool, apart: bool| {
        let mut cake = cake(CakeConfig { isolation, interval: Duration::from_millis(4000), ..shaped(10) });
        let label = |flow: u32| {
            let (near, far) = (1 + u32::from(flow > 0), if apart { 10 + flow } else { 9 });
            let (from, to) = if sends { (near, far) } else { (far, near) };
            Label { from, to, dscp: 0 }
        };
        cake.label(&(0..5).map(label).collect());
        for n in 0..600 {
            for flow in 0..5 {
                cake.offer(Time::ZERO, packet(flow, flow, n), Duration::ZERO, |_| ());
            }
        }
        let flows = departures(&mut cake, 1000);
        flows.iter().filter(|(_, flow)| *flow == 0).count() as f64 / 1000.0
    };
    let near = |share: f64, right: f64| assert!((share - right).abs() < 0.01, "{share} for {right}");
    near(share(Isolation::DualSources, true, false), 0.5);
    near(share(Isolation::DualSources, false, false), 0.2);
    near(share(Isolation::DualSinks, false, false), 0.5);
    near(share(Isolation::DualSinks, true, false), 0.2);
    near(share(Isolation::Triple, true, false), 0.2);
    near(share(Isolation::Triple, true, true), 0.5);
    near(share(Isolation::Triple, false, true), 0.5);
    near(share(Isolation::Flows, true, true), 0.2);
    near(share(Isolation::Sources, true, false), 0.5);
    near(share(Isolation::Hosts, false, false), 0.5);
}

/// A sparse flow waits for the packet in transmission alone, among 20 bulk flows.
#[test]
fn sparse_flows_go_first() {
    let mut cake = cake(shaped(10));
    for n in 0..20 {
        (1..21).for_each(|flow| assert!(cake.offer(Time::ZERO, packet(flow, 0, n), Duration::ZERO, |_| ())));
    }
    let mut now = Time::ZERO;
    for n in 0..200 {
        now = cake.ready_at().expect("it has a shaper").max(now);
        if n % 25 == 24 {
            let small = Packet { size: 200, ..packet(99, 0, n) };
            assert!(cake.offer(now, small, Duration::ZERO, |_| ()));
            assert_eq!(cake.take(now, |_| ()).expect("packets wait").packet.flow, 99);
        } else {
            assert!(cake.take(now, |_| ()).is_some());
        }
    }
}

/// COBALT's control law, `interval`/√count from one mark to the next: 100/√2 ms after the second, 100/√3 after the
/// third. In Linux the first episode of a flow begins without a delay, as 1/√count is zero before its first count.
#[test]
fn marks_come_by_the_square_root() {
    let mut cake = cake(CakeConfig { tins: Tins::One, ..CakeConfig::default() });
    for n in 0..4000 {
        let packet = Packet { ecn: Ecn::new(Codepoint::Capable), ..packet(1, 0, n) };
        assert!(cake.offer(Time::ZERO, packet, Duration::ZERO, |_| ()));
    }
    let mut marks = Vec::new();
    for ms in 10..600 {
        let now = Time::from_nanos(ms * 1_000_000);
        let taken = cake.take(now, |_| panic!("it can be marked")).expect("packets wait");
        if taken.packet.ecn.is_marked() {
            marks.push(ms);
        }
    }
    // The second packet at once, then from 10 on: + 100/√2 = 80.7, + 100/√3 = 138.4, + 50 = 188.4, + 44.7 = 233.1, +
    // 40.8 = 273.97.
    assert_eq!(marks[..6], [11, 81, 139, 189, 234, 274]);
}

/// BLUE: memory that overflows raises the drop probability by 1/256 at most once per target, and an idle queue lowers
/// it by 1/4096.
#[test]
fn blue_rises_with_overflows() {
    let mut cobalt = cobalt::Cobalt::default();
    let parameters = cobalt::Parameters { interval: 100_000_000, target: 5_000_000, packet_time: 0 };
    for ms in 1..=20 {
        cobalt.note_full(&parameters, ms * 1_000_000);
    }
    assert_eq!(cobalt.probability, 3 << 24);
    cobalt.note_empty(&parameters, 30_000_000);
    assert_eq!(cobalt.probability, (3 << 24) - (1 << 20));
}

/// Voice goes first up to a quarter of the bandwidth, bulk has a sixteenth at least.
#[test]
fn tins_have_their_shares() {
    let mut cake = cake(CakeConfig { tins: Tins::Three, interval: Duration::from_millis(4000), ..shaped(16) });
    cake.label(&[0, 8, 46].map(|dscp| Label { from: 1, to: 2, dscp }).into());
    for n in 0..2000 {
        (0..3).for_each(|hop| assert!(cake.offer(Time::ZERO, packet(hop, hop, n), Duration::ZERO, |_| ())));
    }
    let flows = departures(&mut cake, 1600);
    let count = |of: u32| flows.iter().filter(|(_, flow)| *flow == of).count();
    assert_eq!([count(0), count(1), count(2)].map(|n| n.div_ceil(20)), [55, 5, 20]);
}
