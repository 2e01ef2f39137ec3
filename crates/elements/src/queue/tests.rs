//! Queue disciplines validated by hand.

use super::line::Ruled;
use super::pie::Pie;
use super::red::Red;
use super::*;
use crate::ecn::{Codepoint, Ecn};
use crate::engine::{Purpose, Stream};
use crate::packet::Kind;
use windward_units::{BitRate, Bytes};

const SIZE: u32 = 1500;

fn millis(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn packet(number: u32) -> Packet {
    Packet { number, ..Packet::new(Kind::Data, Time::ZERO, 0, 0, SIZE) }
}

fn of_flow(flow: u32, number: u32, size: u32) -> Packet {
    Packet { number, ..Packet::new(Kind::Data, Time::ZERO, flow, 0, size) }
}

fn markable(number: u32) -> Packet {
    Packet { ecn: Ecn::new(Codepoint::Capable), ..packet(number) }
}

fn make(config: QueueConfig, buffer: Buffer) -> AnyQueue {
    AnyQueue::new(config, buffer, 12e6, 1, 1)
}

fn codel(marks: bool) -> AnyQueue {
    make(QueueConfig::CoDel(CoDelConfig { marks, ..CoDelConfig::default() }), Buffer::Unlimited)
}

/// Packets sent and dropped when all arrive at time zero and one is taken every `step` milliseconds from `begin` on.
fn drain(queue: &mut AnyQueue, begin: u64, step: u64, count: u64) -> (Vec<u32>, Vec<(u64, u32)>) {
    let (mut sent, mut dropped) = (Vec::new(), Vec::new());
    for at in (0..count).map(|n| begin + n * step) {
        let taken = queue.take(millis(at), |waiting| dropped.push((at, waiting.packet.number)));
        sent.extend(taken.map(|waiting| waiting.packet.number));
    }
    (sent, dropped)
}

/// RFC 8289 §5 by hand. All packets arrive at 0; one is taken every 10 ms from 10 ms on. The delay exceeds 5 ms at
/// once, so `first_above` is 110 ms: at 110 the first drop; the next at 110 + 100/√1 = 210; then 210 + 100/√2 = 280.71,
/// made at 290; 280.71 + 100/√3 = 338.4, made at 340; 338.4 + 50 = 388.4, made at 390; + 100/√5 = 433.2, made at 440.
#[test]
fn codel_drops_by_the_square_root() {
    let mut queue = codel(false);
    (0..60).for_each(|n| assert!(queue.offer(Time::ZERO, packet(n), Duration::ZERO, |_| ())));
    let (sent, dropped) = drain(&mut queue, 10, 10, 44);
    let times: Vec<u64> = dropped.iter().map(|(time, _)| *time).collect();
    assert_eq!(times, [110, 210, 290, 340, 390, 440]);
    // At 110 ms the eleventh packet is dropped, and the twelfth is sent in its place.
    assert_eq!(dropped[0].1, 10);
    assert_eq!(sent.len(), 44);
    assert_eq!(queue.packets(), 60 - 44 - 6);
}

/// With marks the same packets are marked and sent.
#[test]
fn codel_marks_what_it_would_drop() {
    let mut queue = codel(true);
    (0..60).for_each(|n| assert!(queue.offer(Time::ZERO, markable(n), Duration::ZERO, |_| ())));
    let mut marked = Vec::new();
    for at in (1..45).map(|n| n * 10) {
        let taken = queue.take(millis(at), |_| panic!("nothing is dropped")).expect("packets wait");
        if taken.packet.ecn.is_marked() {
            marked.push(at);
        }
    }
    assert_eq!(marked, [110, 210, 290, 340, 390, 440]);
    assert_eq!((queue.marked(), queue.packets()), (6, 16));
}

/// RFC 8289 §5.5: a drop state that follows the last within 16 intervals resumes its rate. The first state drops at
/// 110, 210, 290, 340: the count is 4 when the queue empties. It was 1 at the start, so the next state resumes at 4 − 1
/// = 3: after its first drop, at 1110, the next follows after 100/√3 = 57.7 ms, made at 1170.
#[test]
fn codel_remembers_its_rate() {
    let mut queue = codel(false);
    (0..40).for_each(|n| assert!(queue.offer(Time::ZERO, packet(n), Duration::ZERO, |_| ())));
    let (_, dropped) = drain(&mut queue, 10, 10, 36);
    assert_eq!(dropped.iter().map(|(time, _)| *time).collect::<Vec<_>>(), [110, 210, 290, 340]);
    assert_eq!((queue.packets(), queue.take(millis(400), |_| ()).is_none()), (0, true));
    (0..40).for_each(|n| assert!(queue.offer(millis(1000), packet(n), Duration::ZERO, |_| ())));
    let (_, dropped) = drain(&mut queue, 1010, 10, 20);
    assert_eq!(dropped.iter().map(|(time, _)| *time).collect::<Vec<_>>(), [1110, 1170]);
}

/// No standing queue: at most a packet's bytes behind the head, or a delay below the target.
#[test]
fn codel_spares_a_short_queue() {
    let mut queue = codel(false);
    for n in 0..50 {
        let now = millis(u64::from(n) * 10);
        assert!(queue.offer(now, packet(n), Duration::ZERO, |_| ()));
        assert!(queue.offer(now, packet(n), Duration::ZERO, |_| ()));
        // The first waits for 4 ms, the second for 8 with nothing behind it.
        assert!(queue.take(millis(u64::from(n) * 10 + 4), |_| panic!("dropped")).is_some());
        assert!(queue.take(millis(u64::from(n) * 10 + 8), |_| panic!("dropped")).is_some());
    }
}

fn fq(quantum: u32, buffer: Buffer) -> AnyQueue {
    make(QueueConfig::FqCoDel(FqCoDelConfig { quantum, ..FqCoDelConfig::default() }), buffer)
}

fn take_flows(queue: &mut AnyQueue, count: usize) -> Vec<(u32, u32)> {
    let taken = (0..count).map(|_| queue.take(millis(1), |_| ()).expect("packets wait").packet);
    taken.map(|packet| (packet.flow, packet.number)).collect()
}

/// RFC 8290 §4.2 by hand, with a quantum of 1500 bytes: two flows of full-size packets alternate. A third with a small
/// packet is new and goes first; once its queue has been found empty among the old ones, it is new again.
#[test]
fn flows_take_turns_and_new_ones_go_first() {
    let mut queue = fq(1500, Buffer::Unlimited);
    for number in 0..4 {
        for flow in [1, 2] {
            assert!(queue.offer(Time::ZERO, of_flow(flow, number, 1500), Duration::ZERO, |_| ()));
        }
    }
    assert_eq!(take_flows(&mut queue, 3), [(1, 0), (2, 0), (1, 1)]);
    assert!(queue.offer(Time::ZERO, of_flow(3, 0, 100), Duration::ZERO, |_| ()));
    assert_eq!(take_flows(&mut queue, 3), [(3, 0), (2, 1), (1, 2)]);
    assert!(queue.offer(Time::ZERO, of_flow(3, 1, 100), Duration::ZERO, |_| ()));
    assert_eq!(take_flows(&mut queue, 4), [(3, 1), (2, 2), (1, 3), (2, 3)]);
    assert_eq!((queue.packets(), queue.bytes()), (0, 0));
}

/// Bytes, not packets, are shared: three 500-byte packets for each 1500-byte packet.
#[test]
fn turns_are_counted_in_bytes() {
    let mut queue = fq(1500, Buffer::Unlimited);
    (0..9).for_each(|n| assert!(queue.offer(Time::ZERO, of_flow(1, n, 500), Duration::ZERO, |_| ())));
    (0..3).for_each(|n| assert!(queue.offer(Time::ZERO, of_flow(2, n, 1500), Duration::ZERO, |_| ())));
    let flows: Vec<u32> = take_flows(&mut queue, 12).iter().map(|(flow, _)| *flow).collect();
    assert_eq!(flows, [1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2]);
}

/// RFC 8290 §4.1: a full buffer drops half of the bytes of the longest queue, from its head.
#[test]
fn the_fattest_flow_makes_room() {
    let mut queue = fq(1514, Buffer::Packets(10));
    (0..8).for_each(|n| assert!(queue.offer(Time::ZERO, of_flow(1, n, 1500), Duration::ZERO, |_| ())));
    (0..2).for_each(|n| assert!(queue.offer(Time::ZERO, of_flow(2, n, 100), Duration::ZERO, |_| ())));
    let mut dropped = Vec::new();
    assert!(queue.offer(Time::ZERO, of_flow(3, 0, 100), Duration::ZERO, |waiting| dropped.push(waiting.packet.number)));
    assert_eq!(dropped, [0, 1, 2, 3]);
    assert_eq!((queue.packets(), queue.bytes()), (7, 4 * 1500 + 3 * 100));
}

/// Slots of the arena are reused without loss: each packet leaves or is dropped once, each flow in order.
#[test]
fn every_packet_leaves_once() {
    let mut queue = fq(1514, Buffer::Packets(40));
    let (mut out, mut stream) = (Vec::new(), crate::engine::Stream::new(3, 3, crate::engine::Purpose::Pattern));
    let mut offered = 0;
    for step in 0..4000_u64 {
        let now = Time::from_nanos(step * 100_000);
        if stream.chance(0.52) {
            let flow = (stream.uniform() * 7.0) as u32;
            let packet = of_flow(flow, offered, 40 + (stream.uniform() * 1460.0) as u32);
            offered += 1;
            assert!(queue.offer(now, packet, Duration::ZERO, |waiting| out.push((false, waiting.packet))));
        } else if let Some(waiting) = queue.take(now, |waiting| out.push((false, waiting.packet))) {
            out.push((true, waiting.packet));
        }
        assert!(queue.packets() <= 40);
    }
    while let Some(waiting) = queue.take(millis(500), |waiting| out.push((false, waiting.packet))) {
        out.push((true, waiting.packet));
    }
    let mut numbers: Vec<u32> = out.iter().map(|(_, packet)| packet.number).collect();
    for flow in 0..7 {
        let sent: Vec<u32> =
            out.iter().filter(|(is_sent, packet)| *is_sent && packet.flow == flow).map(|(_, p)| p.number).collect();
        assert!(sent.is_sorted(), "{sent:?}");
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..offered).collect::<Vec<_>>());
}

fn red(config: RedConfig) -> Ruled<Red> {
    Ruled::new(Red::new(config, 12e6, 1, 1), Buffer::Unlimited)
}

/// The mean is q̄ + w(q − q̄) at every packet, and (1 − w)^m of itself after an idle time of m packets of a millisecond
/// each.
#[test]
fn red_follows_the_mean_queue() {
    let mut queue = red(RedConfig { weight: 0.25, min: 100.0, max: 200.0, ..RedConfig::default() });
    let mut means = Vec::new();
    for n in 0..4 {
        assert!(queue.offer(Time::ZERO, packet(n), Duration::ZERO, |_| ()));
        means.push(queue.mean());
    }
    // The packets find 0, 1, 2 and 3 in the queue.
    assert_eq!(means, [0.0, 0.25, 0.6875, 1.265_625]);
    (0..4).for_each(|_| assert!(queue.take(millis(5), |_| ()).is_some()));
    // The last is sent by 6 ms; the 2 ms of idle time age the mean by two packets.
    assert!(queue.pass(millis(8), packet(9)).is_some());
    let mean = 1.265_625 * 0.75 * 0.75;
    assert!((queue.mean() - mean).abs() < 1e-12, "{}", queue.mean());
    // That one would have been sent by 9 ms. At four times the rate twelve more would have been sent by 12 ms.
    queue.change_rate(48e6);
    assert!(queue.pass(millis(12), packet(10)).is_some());
    assert!((queue.mean() - mean * libm::pow(0.75, 12.0)).abs() < 1e-12, "{}", queue.mean());
}

/// Floyd and Jacobson, Fig. 2: an arrival at a busy transmitter with an empty queue samples a queue of zero; only the
/// transmitter's idle time ages the mean. A packet takes a millisecond, a small one less.
#[test]
fn red_counts_arrivals_behind_a_busy_transmitter() {
    let mut queue = red(RedConfig { weight: 0.25, min: 100.0, max: 200.0, ..RedConfig::default() });
    (0..5).for_each(|n| assert!(queue.offer(Time::ZERO, packet(n), Duration::ZERO, |_| ())));
    (0..5).for_each(|n| assert!(queue.take(millis(n), |_| ()).is_some()));
    // The fifth is sent by 5 ms. Before that one arrival finds none waiting, the next finds the first.
    let mean = queue.mean();
    assert!(queue.offer(Time::from_nanos(4_500_000), packet(5), Duration::ZERO, |_| ()));
    assert!(queue.offer(Time::from_nanos(4_600_000), packet(6), Duration::ZERO, |_| ()));
    let busy = 0.75 * (0.75 * mean) + 0.25;
    assert!((queue.mean() - busy).abs() < 1e-12, "{}", queue.mean());
    assert!(queue.take(millis(5), |_| ()).is_some() && queue.take(millis(6), |_| ()).is_some());
    // The last is sent by 7 ms, and one of 375 bytes that arrives at 8 ms by 8.25 ms: the idle times are 1 and 0.75
    // packets.
    assert!(queue.pass(millis(8), Packet { size: 375, ..packet(7) }).is_some());
    assert!(queue.pass(millis(9), packet(8)).is_some());
    assert!((queue.mean() - busy * libm::pow(0.75, 1.75)).abs() < 1e-12, "{}", queue.mean());
}

/// At a load of 0.8 with Poisson arrivals and equal packets (M/D/1) arrivals find 1.6 packets on average (PASTA). Of
/// them 0.2 find the transmitter idle, for 1.25 packets each: the mean is 1.6/(0.8 + 0.2·1.25) = 1.524.
#[test]
fn red_means_what_arrivals_find_and_idle_time() {
    let mut queue = red(RedConfig { weight: 0.002, min: 1e6, max: 2e6, ..RedConfig::default() });
    let mut stream = Stream::new(1, 1, Purpose::Pattern);
    let (mut now, mut free_at, mut sum) = (0.0, 0.0, 0.0);
    let count = 400_000;
    let at = |ms: f64| Time::from_nanos((ms * 1e6) as u64);
    for n in 0..count {
        now += stream.exponential() / 0.8;
        while queue.packets() > 0 && free_at <= now {
            queue.take(at(free_at), |_| ());
            free_at += 1.0;
        }
        if free_at <= now {
            assert!(queue.pass(at(now), packet(n)).is_some());
            free_at = now + 1.0;
        } else {
            assert!(queue.offer(at(now), packet(n), Duration::ZERO, |_| ()));
        }
        sum += queue.mean();
    }
    let mean = sum / f64::from(count);
    assert!((mean / 1.524 - 1.0).abs() < 0.03, "{mean}");
}

/// RFC 8257 §4.1: a step marks every packet that finds `min` = `max` packets or more, and none that finds fewer.
#[test]
fn red_may_be_a_step() {
    let mut queue = red(RedConfig {
        weight: 1.0,
        min: 10.0,
        max: 10.0,
        is_gentle: false,
        marks: true,
        drops_hard: false,
        ..RedConfig::default()
    });
    (0..20).for_each(|n| assert!(queue.offer(Time::ZERO, markable(n), Duration::ZERO, |_| ())));
    let marked: Vec<bool> =
        (0..20).filter_map(|_| queue.take(Time::ZERO, |_| ())).map(|waiting| waiting.packet.ecn.is_marked()).collect();
    assert_eq!(marked, [[false; 10], [true; 10]].concat());
    assert_eq!(queue.marked(), 10);
}

/// Held at a mean of 10 between 5 and 15 with a maximum probability of 0.1, the drop probability is 0.05: the distance
/// of two drops is uniform from 1 to 20 packets, 10.5 in the mean (1993 §7 and (8)). The mean over 2000 drops has a
/// standard error of √(399/12)/√2000 = 0.13; three are allowed.
#[test]
fn red_spreads_drops_evenly() {
    let config = RedConfig { weight: 1.0, ..RedConfig::default() };
    let mut queue = red(config);
    (0..10).for_each(|n| queue.join(Time::ZERO, packet(n)));
    let mut gaps = Vec::new();
    let mut last = 0;
    for n in 1..=21_000_u32 {
        if queue.offer(Time::ZERO, packet(n), Duration::ZERO, |_| ()) {
            // The packet is removed again: the queue keeps its length.
            queue.leave_last();
        } else {
            gaps.push(n - last);
            last = n;
        }
    }
    let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
    assert!((mean - 10.5).abs() < 0.39, "{mean}");
    assert_eq!((gaps.iter().min(), gaps.iter().max()), (Some(&1), Some(&20)));
}

/// Gentle RED drops all packets from twice `max` on, hard RED from `max` on; below `min` none. Marks end where every
/// packet is dropped.
#[test]
fn red_has_two_thresholds() {
    let accepted = |length: u32, is_gentle: bool| {
        let mut queue = red(RedConfig { weight: 1.0, is_gentle, ..RedConfig::default() });
        (0..length).for_each(|n| queue.join(Time::ZERO, packet(n)));
        let taken = (0..400).filter(|&n| {
            let is_taken = queue.offer(Time::ZERO, packet(n), Duration::ZERO, |_| ());
            if is_taken {
                queue.leave_last();
            }
            is_taken
        });
        taken.count()
    };
    assert_eq!([accepted(4, true), accepted(30, true), accepted(15, false)], [400, 0, 0]);
    assert!((100..400).contains(&accepted(15, true)));
}

/// RFC 8033 §4.2 by hand, with the delay at 25 ms from the start: p = 0.125·0.010 + 1.25·0.025 = 0.0325, divided by
/// 2048 at p < 1e-6: 1.587e-5; then 0.00125/128 each time while below 1e-4, and so on.
#[test]
fn pie_follows_the_rfc() {
    let mut queue = Ruled::new(Pie::new(PieConfig::default(), 1, 1), Buffer::Unlimited);
    let mut expected = 0.0;
    let mut last = 0.0;
    for step in 11..=210_u64 {
        // Two packets are queued; at each update the last packet sent had waited for 25 ms.
        let now = millis(15 * step - 1);
        (0..3).for_each(|n| queue.join(Time::from_nanos(now.as_nanos() - 25_000_000), packet(n)));
        assert!(queue.take(now, |_| ()).is_some());
        let change: f64 = 0.125 * 0.010 + 1.25 * (0.025 - last);
        let damping = match expected {
            p if p < 1e-6 => 2048.0,
            p if p < 1e-5 => 512.0,
            p if p < 1e-4 => 128.0,
            p if p < 1e-3 => 32.0,
            p if p < 1e-2 => 8.0,
            p if p < 1e-1 => 2.0,
            _ => 1.0,
        };
        expected += change / damping;
        last = 0.025;
        queue.catch_up_to(millis(15 * step));
        assert!((queue.probability() - expected).abs() < 1e-12, "{step}: {}", queue.probability());
        while queue.packets() > 0 {
            queue.leave_first();
        }
    }
    // 1e-2 to 1e-1 in steps of 0.000625: it is above 1e-2 well within three seconds.
    assert!(expected > 0.05, "{expected}");
}

/// Bursts pass for 150 ms, then packets are dropped with the probability; with ECN they are marked up to 10 %.
#[test]
fn pie_drops_or_marks_by_its_probability() {
    let outcome = |probability: f64, marks: bool| {
        let mut queue = Ruled::new(Pie::new(PieConfig { marks, ..PieConfig::default() }, 1, 1), Buffer::Unlimited);
        (0..9).for_each(|n| queue.join(Time::ZERO, packet(n)));
        queue.hold(probability, Duration::from_millis(20));
        let taken = (0..20_000).filter(|&n| {
            let is_taken = queue.offer(millis(1), markable(n), Duration::ZERO, |_| ());
            if is_taken {
                queue.leave_last();
            }
            is_taken
        });
        (1.0 - taken.count() as f64 / 20_000.0, queue.marked() as f64 / 20_000.0)
    };
    // Between two drops lie ⌈0.85/p⌉ − 1 packets that cannot be dropped, and 1/p more on average (§5.4).
    let share = |p: f64| 1.0 / ((0.85 / p).ceil() - 1.0 + 1.0 / p);
    let (dropped, marked) = outcome(0.05, false);
    assert!((dropped - share(0.05)).abs() < 0.003 && marked == 0.0, "{dropped}");
    let (dropped, marked) = outcome(0.05, true);
    assert!(dropped == 0.0 && (marked - share(0.05)).abs() < 0.003, "{marked}");
    let (dropped, marked) = outcome(0.2, true);
    assert!((dropped - share(0.2)).abs() < 0.006 && marked == 0.0, "{dropped}");
    assert_eq!(outcome(0.0, false), (0.0, 0.0));
}

/// Every discipline behind a full link: each packet is counted once.
#[test]
fn all_disciplines_conserve_packets() {
    let configs = [
        QueueConfig::DropTail,
        QueueConfig::Red(RedConfig::default()),
        QueueConfig::CoDel(CoDelConfig::default()),
        QueueConfig::FqCoDel(FqCoDelConfig::default()),
        QueueConfig::Cake(CakeConfig::default()),
        QueueConfig::Pie(PieConfig::default()),
        QueueConfig::DualPi2(DualPi2Config::default()),
        QueueConfig::L4Span(L4SpanConfig::default()),
        QueueConfig::Policer(PolicerConfig::default()),
    ];
    for config in configs {
        let mut queue = make(config, Buffer::Packets(100));
        let (mut sent, mut lost, mut offered) = (0, 0, 0_u64);
        for step in 0..20_000_u64 {
            let now = Time::from_nanos(step * 900_000);
            offered += 1;
            let is_taken = queue.offer(now, of_flow(step as u32 % 5, step as u32, 1500), Duration::ZERO, |_| lost += 1);
            lost += u64::from(!is_taken);
            if step % 10 != 0 {
                sent += u64::from(queue.take(now, |_| lost += 1).is_some());
            }
        }
        assert_eq!(offered, sent + lost + queue.packets() as u64, "{config:?}");
        assert_eq!(queue.bytes(), queue.packets() as u64 * 1500, "{config:?}");
        assert!(lost > 1000, "{config:?}: {lost}");
    }
}

/// 12 Mbit/s and a bucket of 3000 bytes, a packet of 1500 bytes is a millisecond of tokens.
#[test]
fn policers_drop_what_exceeds_the_bucket() {
    let rate = Some(BitRate::bits_per_sec(12_000_000));
    let mut queue = make(QueueConfig::Policer(PolicerConfig { rate, burst: Bytes::new(3000) }), Buffer::Packets(2));
    // Two of five at once; at 0.999 ms still too few tokens, at 1 ms enough for one.
    let passed =
        [0, 0, 0, 0, 0, 999, 1000, 1000].map(|us| queue.pass(Time::from_nanos(us * 1000), packet(0)).is_some());
    assert_eq!(passed, [true, true, false, false, false, false, true, false]);
    // After 10 ms the bucket is full again, with two packets. A full buffer takes no tokens.
    let offered = [0, 1, 2].map(|n| queue.offer(millis(11), packet(n), Duration::ZERO, |_| ()));
    assert_eq!((offered, queue.packets()), ([true, true, false], 2));
    assert_eq!(queue.take(millis(11), |_| ()).map(|waiting| waiting.packet.number), Some(0));
    assert!(!queue.offer(millis(11), packet(3), Duration::ZERO, |_| ()));
    assert!(queue.offer(millis(12), packet(4), Duration::ZERO, |_| ()));
}

fn dual(config: DualPi2Config) -> dualpi2::DualPi2 {
    dualpi2::DualPi2::new(config, Buffer::Unlimited)
}

fn scalable(number: u32) -> Packet {
    Packet { ecn: Ecn::new(Codepoint::Scalable), ..packet(number) }
}

/// Numbers of the packets sent unmarked, sent marked, and dropped, while `count` packets are taken at `now`.
fn fates(queue: &mut dualpi2::DualPi2, now: Time, count: usize) -> [Vec<u32>; 3] {
    let [mut sent, mut marked, mut dropped] = [const { Vec::new() }; 3];
    for _ in 0..count {
        let Some(waiting) = queue.take(now, |gone| dropped.push(gone.packet.number)) else { break };
        let seen = if waiting.packet.ecn.is_marked() { &mut marked } else { &mut sent };
        seen.push(waiting.packet.number);
    }
    [sent, marked, dropped]
}

/// RFC 9332's `dualpi2_update` by hand, α = 0.16, β = 3.2, with a packet that waits from 0 on: at 16 ms 0.16·0.001 +
/// 3.2·0.016 = 0.05136; at 32 ms 0.16·0.017 + 0.0512 more, 0.10528; at 48 ms 0.16·0.033 + 0.0512 more, 0.16176. It
/// leaves: at 64 ms 0.16·(−0.015) + 3.2·(−0.048) = −0.156 gives 0.00576, and at 80 ms −0.0024 gives 0.00336. The other
/// queue has the same values.
#[test]
fn dualpi2_follows_the_rfc() {
    for packet in [packet(0), scalable(0)] {
        let mut queue = dual(DualPi2Config::default());
        assert!(queue.offer(Time::ZERO, packet, Duration::ZERO, |_| ()));
        let at = |ms, queue: &mut dualpi2::DualPi2| {
            queue.catch_up_to(millis(ms));
            (queue.base() * 1e5).round() as u32
        };
        assert_eq!([15, 16, 32, 48].map(|ms| at(ms, &mut queue)), [0, 5136, 10_528, 16_176]);
        assert!(queue.take(millis(49), |_| ()).is_some());
        assert_eq!([64, 80, 112].map(|ms| at(ms, &mut queue)), [576, 336, 0]);
    }
}

/// p' = 0.17: scalable packets are marked with k·p' = 0.34. Three times that is 1.02, so 0.02, 0.04 and 0.06 remain at
/// the third, sixth and ninth: 34 of 100 are marked. Classic packets have p'² = 0.0289: 35 times that is 1.0115, and
/// with the remaining 0.0115 another 35 give 1.023. The 35th and the 70th of 100 are dropped or marked.
#[test]
fn dualpi2_squares_for_one_queue_and_doubles_for_the_other() {
    let waiting = |packet: fn(u32) -> Packet, count: u32| {
        let mut queue = dual(DualPi2Config::default());
        queue.hold(0.17);
        (0..count).for_each(|n| assert!(queue.offer(Time::ZERO, packet(n), Duration::ZERO, |_| ())));
        fates(&mut queue, Time::ZERO, count as usize)
    };
    let [_, marked, dropped] = waiting(scalable, 100);
    assert_eq!((&marked[..3], dropped.len()), (&[2, 5, 8][..], 0));
    assert!(marked.len().abs_diff(34) <= 1, "{}", marked.len());
    let [_, marked, dropped] = waiting(packet, 100);
    assert_eq!((marked.len(), &dropped[..]), (0, &[34, 69][..]));
    let [_, marked, dropped] = waiting(markable, 100);
    assert_eq!((&marked[..], dropped.len()), (&[34, 69][..], 0));
}

/// Without demand of the classic queue: no mark below 0.8 ms, half of the packets at 1 ms, from 1.2 ms on all but the
/// last, which has no packet behind it.
#[test]
fn dualpi2_marks_above_a_ramp() {
    let marked_after = |micros: u64| {
        let mut queue = dual(DualPi2Config::default());
        queue.hold(0.0);
        (0..101).for_each(|n| assert!(queue.offer(Time::ZERO, scalable(n), Duration::ZERO, |_| ())));
        let [_, marked, dropped] = fates(&mut queue, Time::from_nanos(micros * 1000), 101);
        assert_eq!(dropped.len(), 0);
        marked.len()
    };
    // The probabilities add up to 100 exactly, so the last crosses no whole number.
    assert_eq!([700, 800, 1000, 1200, 2000].map(marked_after), [0, 0, 49, 99, 99]);
}

/// Weights of 0.1 and 0.9 for 1500-byte packets: the credit begins at −0.8·1514 = −1211; each scalable packet adds 150,
/// each classic one takes 1350. After nine scalable packets it is 139 and a classic one goes, which leaves −1211 again:
/// nine to one. With a shift of 10 ms a classic packet goes if it arrived more than 10 ms before the first scalable
/// one.
#[test]
fn dualpi2_shares_the_line() {
    let order = |sharing, later| {
        let mut queue = dual(DualPi2Config { sharing, ..DualPi2Config::default() });
        queue.hold(0.0);
        (0..30).for_each(|n| assert!(queue.offer(Time::ZERO, packet(n), Duration::ZERO, |_| ())));
        (30..60).for_each(|n| assert!(queue.offer(millis(later), scalable(n), Duration::ZERO, |_| ())));
        let mut order = Vec::new();
        for _ in 0..40 {
            order.extend(queue.take(millis(later), |_| ()).map(|waiting| waiting.packet.number < 30));
        }
        order
    };
    let classic: Vec<usize> =
        (0..).zip(order(Sharing::Weighted(0.1), 0)).filter(|(_, is)| *is).map(|(at, _)| at).collect();
    assert_eq!(classic[..4], [9, 19, 29, 33]);
    let shift = Sharing::Shifted(Duration::from_millis(10));
    assert_eq!([10, 11].map(|later| order(shift, later)[0]), [false, true]);
}

/// From p' = 1/k on scalable packets are dropped with p'² too, and classic ones whether ECN-capable or not: at p' = 0.6
/// 36 of 100.
#[test]
fn dualpi2_drops_in_overload() {
    for (make, few) in [(scalable as fn(u32) -> Packet, 0), (markable, 64)] {
        let mut queue = dual(DualPi2Config::default());
        queue.hold(0.6);
        (0..100).for_each(|n| assert!(queue.offer(Time::ZERO, make(n), Duration::ZERO, |_| ())));
        let [sent, _, dropped] = fates(&mut queue, Time::ZERO, 100);
        assert!(dropped.len().abs_diff(36) <= 1 && sent.len().abs_diff(few) <= 1, "{} {}", sent.len(), dropped.len());
    }
}

/// Packets marked by another queue may have been scalable: they join the scalable queue and go first.
#[test]
fn dualpi2_takes_marked_packets_for_scalable_ones() {
    let mut queue = dual(DualPi2Config::default());
    queue.hold(0.0);
    let marked = Packet { ecn: Ecn::new(Codepoint::Marked), ..packet(2) };
    let offers = [packet(0), markable(1), marked, scalable(3)];
    offers.iter().for_each(|packet| assert!(queue.offer(Time::ZERO, *packet, Duration::ZERO, |_| ())));
    let order: Vec<u32> =
        (0..4).filter_map(|_| queue.take(Time::ZERO, |_| ())).map(|next| next.packet.number).collect();
    assert_eq!(order, [2, 3, 0, 1]);
}

/// A packet of 1500 bytes a millisecond is 12 Mbit/s. Samples end with the first packet after 2.5 ms, so they are of 3
/// ms; the first has only two packets, and has left the window of ten after 33 ms. Then the rate is constant, and the
/// n-th packet in the queue waits for n ms: none of up to 9 are marked, half at 10, all from 11 on. The probabilities
/// of the arrivals add up: 0.5 at the tenth, 1.5 at the eleventh, so it and all behind it are marked. Classic packets
/// have (p/2)²: 0.0625 + 0.25·n exceeds one with the fourth packet after the tenth, then with each fourth.
#[test]
fn l4span_marks_by_the_wait_to_come() {
    let run = |codepoint: Codepoint, drain: u64| {
        let arrival = |number| Packet { ecn: Ecn::new(codepoint), ..packet(number) };
        let mut queue = make(QueueConfig::L4Span(L4SpanConfig::default()), Buffer::Unlimited);
        (0..5).for_each(|n| assert!(queue.offer(Time::ZERO, arrival(n), Duration::ZERO, |_| ())));
        for ms in 1..=drain {
            assert!(queue.take(millis(ms), |_| ()).is_some());
            assert!(queue.offer(millis(ms), arrival(0), Duration::ZERO, |_| ()));
        }
        assert_eq!(queue.marked(), 0);
        let mut marked = Vec::new();
        for nth in 6..=22 {
            let before = queue.marked();
            assert!(queue.offer(millis(drain), arrival(nth), Duration::ZERO, |_| ()));
            if queue.marked() > before {
                marked.push(nth);
            }
        }
        marked
    };
    assert_eq!(run(Codepoint::Scalable, 60), (11..=22).collect::<Vec<u32>>());
    assert_eq!(run(Codepoint::Capable, 60), [14, 18, 22]);
    assert_eq!(run(Codepoint::NotCapable, 60), [0; 0]);
    // No rate is known yet.
    assert_eq!(run(Codepoint::Scalable, 2), [0; 0]);
}

/// The first packet waits 10 ms for a grant, the others leave one a millisecond: 12 Mbit/s. Four packets wait 4 ms,
/// below the ramp from 8 to 12 ms.
#[test]
fn l4span_learns_no_rate_from_the_wait_for_a_grant() {
    let mut queue = make(QueueConfig::L4Span(L4SpanConfig::default()), Buffer::Unlimited);
    let arrival = |number| Packet { ecn: Ecn::new(Codepoint::Scalable), ..packet(number) };
    (0..4).for_each(|number| assert!(queue.offer(Time::ZERO, arrival(number), Duration::ZERO, |_| ())));
    for ms in 10..60 {
        assert!(queue.take(millis(ms), |_| ()).is_some());
        assert!(queue.offer(millis(ms), arrival(0), Duration::ZERO, |_| ()));
        assert_eq!(queue.marked(), 0, "{ms} ms");
    }
}

/// Samples of 6 and 18 Mbit/s by turns: mean 12, ε = 6, so the ramp is from 5 to 15 ms at T = 10 ms. At a predicted 10
/// ms half of the packets are marked, at 15 ms all.
#[test]
fn l4span_widens_its_ramp_with_the_rate() {
    let window = Duration::from_millis(60);
    let mut rule = l4span::L4Span::new(L4SpanConfig { window, ..L4SpanConfig::default() });
    let mut line = line::Line { queue: tail::Tail::new(Buffer::Unlimited), marked: 0 };
    use line::Rule;
    for n in 0..2000 {
        assert!(rule.offer(&mut line, Time::ZERO, packet(n), Duration::ZERO));
    }
    // Packets of 1500 bytes every 2 ms and every 2/3 ms, in samples of 6 ms.
    let mut now = Time::ZERO;
    for sample in 0..20 {
        let (count, step) = if sample % 2 == 0 { (3, 2_000_000) } else { (9, 666_667) };
        for _ in 0..count {
            assert!(rule.take(&mut line, now, |_| ()).is_some());
            now += Duration::from_nanos(step);
        }
    }
    assert!(rule.take(&mut line, now, |_| ()).is_some());
    for (ms, right) in [(5.0, 0.0), (10.0, 0.5), (12.5, 0.75), (15.0, 1.0)] {
        let bytes = (ms * 1500.0) as u64;
        assert!((rule.probability(bytes) - right).abs() < 0.01, "{ms}: {}", rule.probability(bytes));
    }
}
