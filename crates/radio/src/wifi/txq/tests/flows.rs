//! Flow queues: order of service, limits, collisions, CoDel.

use super::{at, best_effort, capable, fill, packet, queues, take, with_stations};
use crate::wifi::txq::{Category, Discipline, FlowsConfig, Txq, TxqConfig, truesize};
use windward_elements::packet::Packet;
use windward_elements::queue::Version;

#[test]
fn flows_take_turns_of_300_bytes() {
    let mut queues = queues(1, |_| ());
    fill(&mut queues, at(0), 0, [1, 1, 1, 2, 2, 2].map(|flow| packet(flow, if flow == 1 { 1500 } else { 200 })));
    // Flow 1: 300 − 1500, five turns until it is above zero. Flow 2: 300, 100, −100, then 200.
    let order: Vec<u32> = std::iter::from_fn(|| take(&mut queues, at(0), 0)).map(|taken| taken.packet.flow).collect();
    assert_eq!(order, [1, 2, 2, 2, 1, 1]);
}

#[test]
fn a_new_flow_goes_first_once() {
    let mut queues = queues(1, |_| ());
    fill(&mut queues, at(0), 0, [400, 50, 50, 50].map(|size| packet(1, size)));
    let mut next = |arrival: Option<Packet>| {
        fill(&mut queues, at(0), 0, arrival);
        take(&mut queues, at(0), 0).map(|taken| taken.packet.flow)
    };
    // 300 − 400: flow 1 becomes old, with 200. Flow 2 is new, and has 100 left.
    assert_eq!(next(None), Some(1));
    assert_eq!(next(Some(packet(2, 200))), Some(2));
    // Flow 2 is found empty and passes once through the old flows. Until then its arrivals are not new.
    assert_eq!(next(None), Some(1));
    assert_eq!(next(Some(packet(2, 200))), Some(1));
    assert_eq!(next(None), Some(1));
    assert_eq!(next(None), Some(2));
}

#[test]
fn the_fattest_flow_makes_room() {
    let mut queues = queues(2, |flows| flows.packets = 10);
    fill(&mut queues, at(0), 0, (0..8).map(|_| packet(1, 100)));
    fill(&mut queues, at(0), 1, (0..2).map(|_| packet(2, 1500)));
    let mut lost = |flow| {
        let mut lost = Vec::new();
        let drop =
            &mut |txq: Txq, waiting: windward_elements::queue::Waiting| lost.push((txq.station, waiting.packet.flow));
        queues.enqueue(at(0), best_effort(0), packet(flow, 100), drop);
        lost
    };
    // By bytes, not by packets, and of any station: half of two packets, then the last one.
    assert_eq!(lost(1), [(1, 2)]);
    assert_eq!(lost(1), [(1, 2)]);
    // Eleven packets of 100 bytes: half of them.
    assert_eq!(lost(1), [(0, 1); 5]);
    assert_eq!(lost(1), []);
}

#[test]
fn at_most_32_packets_are_dropped_at_once() {
    let mut queues = queues(1, |flows| flows.packets = 99);
    fill(&mut queues, at(0), 0, (0..99).map(|number| Packet { number, ..packet(1, 1500) }));
    let mut lost = Vec::new();
    queues.enqueue(at(0), best_effort(0), packet(1, 1500), &mut |_, waiting| lost.push(waiting.packet.number));
    // From the head.
    assert_eq!(lost, (0..32).collect::<Vec<_>>());
    assert_eq!(queues.all_packets(), 68);
}

#[test]
fn memory_is_limited_in_truesize() {
    assert_eq!([truesize(1500), truesize(52)], [2304, 768]);
    let mut queues = queues(1, |_| ());
    // ⌊16 MiB/2304⌋, well below 8192 packets.
    fill(&mut queues, at(0), 0, (0..7281).map(|flow| packet(flow, 1500)));
    assert_eq!(queues.memory(), 7281 * 2304);
    let mut lost = 0;
    queues.enqueue(at(0), best_effort(0), packet(1, 1500), &mut |_, _| lost += 1);
    assert!(lost > 0);
    assert!(queues.memory() <= 16 << 20);
}

#[test]
fn stations_do_not_share_a_queue() {
    // All flows have one hash.
    let mut queues = queues(2, |flows| flows.queues = 1);
    fill(&mut queues, at(0), 0, (0..3).map(|_| packet(1, 1500)));
    fill(&mut queues, at(0), 1, (0..2).map(|_| packet(2, 1500)));
    assert_eq!((queues.packets(best_effort(0)), queues.packets(best_effort(1))), (3, 2));
    assert_eq!(queues.collisions(), 2);
    // Each takes its own.
    for (station, flow, count) in [(1, 2, 2), (0, 1, 3)] {
        for _ in 0..count {
            assert_eq!(take(&mut queues, at(0), station).map(|taken| taken.packet.flow), Some(flow));
        }
        assert!(take(&mut queues, at(0), station).is_none());
    }
    // The queue is free again.
    fill(&mut queues, at(0), 1, [packet(2, 1500)]);
    assert_eq!(queues.collisions(), 2);
    assert_eq!(queues.memory(), 2304);
}

/// Times in microseconds at which packets leave, all queued at zero; those dropped or marked.
fn codel(size: u32, version: Version, times: &[u64]) -> (Vec<Option<u32>>, Vec<u32>) {
    let mut queues = queues(1, |flows| {
        if let Some((_, own)) = &mut flows.codel {
            *own = version;
        }
    });
    fill(&mut queues, at(0), 0, (0..12).map(|number| Packet { number, ..packet(1, size) }));
    let mut dropped = Vec::new();
    let mut left = |&time: &u64| {
        let taken = queues.dequeue(at(time), best_effort(0), &mut |_, waiting| dropped.push(waiting.packet.number));
        taken.map(|taken| taken.packet.number)
    };
    let left = times.iter().map(&mut left).collect();
    (left, dropped)
}

#[test]
fn codel_has_20_and_100_milliseconds_and_spares_the_last_packet_alone() {
    // In units of 1024 ns: target 19 531, interval 97 656. Above the target from 19 531 on, which is 20 000 µs; late
    // after 117 187, which is 120 000 µs still. The first drop at 117 188, the next ⌊97 656·65 535/65 536⌋ later at 214
    // 842, which is 219 999 µs. Newton's step from 65 535 at a count of two gives 32 769: 48 829 later at 263 671,
    // which is 270 000 µs.
    let times = [19_999, 20_000, 120_000, 120_001, 219_998, 219_999, 269_999, 270_000, 400_000];
    let (left, dropped) = codel(100, Version::Mac80211, &times);
    assert_eq!(dropped, [3, 6, 9]);
    // The last one is late, but nothing is behind it.
    assert_eq!(left, [0, 1, 2, 4, 5, 7, 8, 10, 11].map(Some));
    // RFC 8289 spares up to a full-size packet: 1200 bytes are never dropped.
    let (left, dropped) = codel(100, Version::Rfc8289, &times);
    assert_eq!((left, dropped), ((0..9).map(Some).collect(), vec![]));
}

#[test]
fn codel_marks_packets_that_can_be_marked() {
    let mut queues = queues(1, |_| ());
    fill(&mut queues, at(0), 0, (0..10).map(|_| capable(1, 1500)));
    for time in [20_000, 120_001, 130_000, 220_001] {
        assert!(take(&mut queues, at(time), 0).is_some());
    }
    assert_eq!(queues.marked(), 2);
}

#[test]
fn a_shared_fifo_starves_the_other_stations() {
    let above = FlowsConfig::fifo(6);
    let discipline = Discipline::Shared { above, below: 4 };
    let mut queues =
        with_stations(&TxqConfig { discipline, aql: None, airtime_fairness: false, ..TxqConfig::default() }, 2);
    fill(&mut queues, at(0), 0, (0..6).map(|_| packet(1, 1500)));
    fill(&mut queues, at(0), 1, (0..4).map(|_| packet(2, 1500)));
    let stand = |queues: &crate::wifi::txq::Txqs| {
        [queues.packets(best_effort(0)), queues.packets(best_effort(1)), queues.packets_above(Category::BestEffort)]
    };
    assert_eq!(stand(&queues), [4, 0, 6]);
    // Full: the arrival is dropped.
    let mut lost = Vec::new();
    queues.enqueue(at(0), best_effort(1), packet(3, 1500), &mut |_, waiting| lost.push(waiting.packet.flow));
    assert_eq!(lost, [3]);
    // What is taken still counts until it is completed.
    for _ in 0..3 {
        assert!(take(&mut queues, at(0), 0).is_some());
    }
    assert_eq!(stand(&queues), [1, 0, 6]);
    for _ in 0..3 {
        queues.completed(at(0), best_effort(0), 0, &mut |_, _| ());
    }
    assert_eq!(stand(&queues), [3, 1, 3]);
    assert_eq!(queues.all_packets(), 7);
}

#[test]
fn one_fq_codel_serves_flows_of_all_stations_in_turn() {
    let discipline = Discipline::Shared { above: FlowsConfig::fq_codel(), below: 2 };
    let mut queues =
        with_stations(&TxqConfig { discipline, aql: None, airtime_fairness: false, ..TxqConfig::default() }, 2);
    fill(&mut queues, at(0), 0, (0..6).map(|_| packet(1, 1500)));
    fill(&mut queues, at(0), 1, (0..6).map(|_| packet(2, 1500)));
    // The driver's room is station 0's at first. Its flow has 14 bytes left, which are good for another packet; then
    // the flows take turns.
    for stand in [(2, 0), (1, 1), (0, 2)] {
        assert!(take(&mut queues, at(0), 0).is_some());
        queues.completed(at(0), best_effort(0), 0, &mut |_, _| ());
        assert_eq!((queues.packets(best_effort(0)), queues.packets(best_effort(1))), stand);
    }
}
