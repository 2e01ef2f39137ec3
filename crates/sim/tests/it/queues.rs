//! Queue management and ECN in whole networks: targets of the controllers and guarantees of the disciplines.

use crate::common::{flow, law, link, network, simulate, with_queues};
use windward_sim::{
    Buffer, CakeConfig, CoDelConfig, Codepoint, DualPi2Config, EcnMode, FqCoDelConfig, L4SpanConfig, Network, Output,
    Pattern, PieConfig, PolicerConfig, QueueConfig, RedConfig, SourceConfig, TcpOptions,
};
use windward_units::{BitRate, Bytes, Duration, Time};

/// Disciplines that find nothing to drop.
pub fn contented() -> Vec<QueueConfig> {
    let long = Duration::from_millis(1_000_000);
    let codel = CoDelConfig { target: long, interval: long, marks: true };
    vec![
        QueueConfig::Red(RedConfig { min: 1e6, max: 2e6, ..RedConfig::default() }),
        QueueConfig::CoDel(codel),
        QueueConfig::FqCoDel(FqCoDelConfig { codel, ..FqCoDelConfig::default() }),
        QueueConfig::Cake(CakeConfig { target: long, interval: long, ..CakeConfig::default() }),
        QueueConfig::Pie(PieConfig { target: long, ..PieConfig::default() }),
        QueueConfig::DualPi2(DualPi2Config { target: long, beta: 0.0, ..DualPi2Config::default() }),
        QueueConfig::L4Span(L4SpanConfig::default()),
        QueueConfig::Policer(PolicerConfig::default()),
    ]
}

/// Flows of these laws over 20 Mbit/s and a round trip of 50 ms.
fn dumbbell(laws: &[&str], queue: QueueConfig, ecn: EcnMode) -> Network {
    let links = vec![
        link(0, 20_000_000, Duration::from_millis(25), Buffer::Packets(1000)),
        link(1, 1_000_000_000, Duration::from_millis(25), Buffer::Packets(1000)),
    ];
    let tcp = TcpOptions { ecn, ..TcpOptions::default() };
    let flows = (0..).zip(laws).map(|(key, name)| {
        let mut flow = flow(key, law(name, serde_json::json!({})), vec![0], vec![1], tcp.clone());
        flow.start = Time::ZERO + Duration::from_millis(70 * key);
        flow
    });
    with_queues(network(links, flows.collect(), 20, 120), queue)
}

fn wait(output: &Output) -> f64 {
    output.links[0].mean_queue_delay_s
}

/// CoDel holds the least delay of an interval near 5 ms; Reno's sawtooth lies above that, by less than the 15 ms that
/// half of its window is long. Drop-tail has the whole buffer: 600 ms at most.
#[test]
fn codel_keeps_the_delay_low() {
    let laws = ["reno"; 4];
    let codel = simulate(&dumbbell(&laws, QueueConfig::CoDel(CoDelConfig::default()), EcnMode::Off), 1);
    let tail = simulate(&dumbbell(&laws, QueueConfig::DropTail, EcnMode::Off), 1);
    assert!((0.003..0.015).contains(&wait(&codel)) && wait(&tail) > 0.2, "{} {}", wait(&codel), wait(&tail));
    assert!(codel.links[0].utilization > 0.9 && codel.links[0].dropped > 0, "{:?}", codel.links[0]);
    assert!(codel.links[0].max_backlog < tail.links[0].max_backlog);
}

/// A controller with an integrating part rests only at its target: 15 ms. What is seen is the mean over sawtooths and
/// not the sampled delay that is steered; a fifth for that.
#[test]
fn pie_rests_at_its_target() {
    for target in [15, 30] {
        let config = PieConfig { target: Duration::from_millis(target), ..PieConfig::default() };
        let output = simulate(&dumbbell(&["reno"; 10], QueueConfig::Pie(config), EcnMode::Off), 1);
        let target = target as f64 / 1e3;
        assert!((wait(&output) / target - 1.0).abs() < 0.2, "{} for {target}", wait(&output));
        assert!(output.links[0].utilization > 0.97);
    }
}

/// RED's drops follow from the mean queue by its line, which is straight here, so that their mean is the line at the
/// mean queue. At b on the line the distance of two drops is uniform from 1 to 1/b packets (1993 §7), which makes a
/// share of 2b/(1 + b). Three standard errors of some 4000 drops of that spread, 1/√3 of the distance, are 3 %. An
/// arrival does not count itself in the queue: that is a part of a packet, and the queue is long.
#[test]
fn red_drops_as_its_line_says() {
    let config = RedConfig { min: 10.0, max: 130.0, probability: 0.02, ..RedConfig::default() };
    let ratios = [1, 2, 3, 4].map(|seed| {
        let output = simulate(&dumbbell(&["reno"; 10], QueueConfig::Red(config), EcnMode::Off), seed);
        let link = &output.links[0];
        let dropped = link.dropped as f64 / (link.dropped + link.packets) as f64;
        let line = config.probability * (link.mean_backlog - config.min) / (config.max - config.min);
        dropped / (2.0 * line / (1.0 + line))
    });
    let ratio = ratios.iter().sum::<f64>() / 4.0;
    assert!((ratio - 1.0).abs() < 0.03, "{ratios:?}");
}

/// Fair queueing gives a delay-based law its share beside a loss-based one, which takes all behind a drop-tail queue;
/// and a thin stream waits for little more than the packet in transmission and one of each flow: 2 × 0.6 ms.
#[test]
fn flow_queueing_is_fair() {
    let laws = ["cubic", "vegas"];
    let shares = |queue| {
        let mut network = dumbbell(&laws, queue, EcnMode::Off);
        let pattern = Pattern::Cbr { rate: BitRate::bits_per_sec(100_000) };
        network.sources.push(SourceConfig::new(9, (90, 91), vec![0], pattern, Bytes::new(200)));
        let output = simulate(&network, 1);
        (output.flows[1].goodput_bps / output.flows[0].goodput_bps, output.sources[0].mean_delay_s - 0.025)
    };
    let (tail, slow) = shares(QueueConfig::DropTail);
    let (fair, quick) = shares(QueueConfig::FqCoDel(FqCoDelConfig::default()));
    assert!(tail < 0.1 && slow > 0.1, "{tail} {slow}");
    assert!(fair > 0.95 && quick < 0.0013, "{fair} {quick}");
}

/// Streams that answer nothing over DualPI2, 10 Mbit/s: of the 7 that are Not-ECT only 10 − 3.6 find room beside 3.6 of
/// ECT(1), so p_C = 1 − 6.4/7 is dropped, and 2·√p_C of the others is marked (RFC 9332 §2.1), within a hundredth; the
/// wait is the target.
#[test]
fn marks_are_coupled_to_drops() {
    let links = vec![link(0, 10_000_000, Duration::from_millis(5), Buffer::Packets(1000))];
    let mut network = network(links, Vec::new(), 10, 70);
    let pattern = |rate| Pattern::Cbr { rate: BitRate::bits_per_sec(rate) };
    let stream = |key, rate, ecn| SourceConfig {
        start: Time::ZERO + Duration::from_millis(key),
        ecn,
        ..SourceConfig::new(key, (90, 91), vec![0], pattern(rate), Bytes::new(1500))
    };
    network.sources = vec![stream(1, 7_000_000, Codepoint::NotCapable), stream(2, 3_600_000, Codepoint::Scalable)];
    let output = simulate(&with_queues(network, QueueConfig::DualPi2(DualPi2Config::default())), 1);
    let [classic, scalable] = &output.sources[..] else { panic!("two streams") };
    let dropped = 1.0 - classic.received as f64 / classic.sent as f64;
    let marked = scalable.marked as f64 / scalable.received as f64;
    let expected: f64 = 1.0 - 6.4 / 7.0;
    assert_eq!(classic.marked, 0);
    // But for those that the link had at the end of the warm-up.
    assert!(output.links[0].marked.abs_diff(scalable.marked) <= 10, "{scalable:?}");
    assert!(scalable.sent.abs_diff(scalable.received) <= 10, "{scalable:?}");
    assert!((dropped / expected - 1.0).abs() < 0.01, "{dropped} for {expected}");
    assert!((marked / (2.0 * expected.sqrt()) - 1.0).abs() < 0.01, "{marked}");
    assert!((classic.mean_delay_s - 0.0062 - 0.015).abs() < 0.001, "{classic:?}");
    // A scalable packet waits for the one in transmission at most, and the classic one whose turn it is.
    assert!(scalable.mean_delay_s - 0.0062 < 0.0024, "{scalable:?}");
}

/// With marks nothing is lost, and the flow has no less; both ways to tell of marks tell the same.
#[test]
fn marks_replace_losses() {
    let of = |marks, ecn| {
        let queue = QueueConfig::CoDel(CoDelConfig { marks, ..CoDelConfig::default() });
        simulate(&dumbbell(&["reno"], queue, ecn), 1)
    };
    let lossy = of(false, EcnMode::Classic);
    assert!(lossy.flows[0].segments_lost > 0 && lossy.flows[0].marked == 0);
    let marked = [EcnMode::Classic, EcnMode::Accurate, EcnMode::Scalable].map(|ecn| of(true, ecn));
    for output in &marked {
        let (flow, link) = (&output.flows[0], &output.links[0]);
        assert_eq!((flow.segments_lost, flow.retransmits, link.dropped), (0, 0, 0), "{flow:?}");
        // What was marked within the last round trip has not arrived.
        assert!(link.marked > 0 && flow.marked.abs_diff(link.marked) <= 1, "{flow:?}");
        assert!(flow.goodput_bps > 0.97 * lossy.flows[0].goodput_bps, "{flow:?}");
    }
    let [classic, accurate, _] = marked.map(|output| output.flows[0].goodput_bps);
    assert!((classic / accurate - 1.0).abs() < 0.02, "{classic} {accurate}");
}

/// A queue drops what cannot be marked, and marks what can: side by side under one controller.
#[test]
fn only_who_understands_is_marked() {
    let queue = QueueConfig::CoDel(CoDelConfig { marks: true, ..CoDelConfig::default() });
    let mut network = dumbbell(&["reno", "reno"], queue, EcnMode::Classic);
    network.flows[1].tcp.ecn = EcnMode::Off;
    let output = simulate(&network, 1);
    let [marked, dropped] = [0, 1].map(|flow| (output.flows[flow].marked, output.flows[flow].segments_lost));
    assert!(marked.0 > 10 && marked.1 == 0 && dropped.0 == 0 && dropped.1 > 10, "{marked:?} {dropped:?}");
}
