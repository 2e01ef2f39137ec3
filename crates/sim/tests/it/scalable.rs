//! Laws that answer marks by their number, over the queues that they were made for.

use crate::common::{flow, law, link, network, simulate, with_queues};
use serde_json::{Value, json};
use std::iter;
use windward_sim::{
    Buffer, DualPi2Config, EcnMode, FlowStats, L4SpanConfig, LossDetection, Network, QueueConfig, RedConfig, TcpOptions,
};
use windward_units::{Duration, Time};

/// Flows of these laws over one link of `rate` and round trips of `rtt` ms, 60 s of which 40 count; a packet is 1500
/// bytes.
fn dumbbell(laws: &[(&str, Value, TcpOptions)], rate: u64, rtt: u64, queue: QueueConfig) -> Network {
    let delay = Duration::from_millis(rtt).scale(0.5);
    let links = vec![link(0, rate, delay, Buffer::Packets(4000)), link(1, 1_000_000_000, delay, Buffer::Packets(4000))];
    let flows = (0..).zip(laws).map(|(key, (name, parameters, tcp))| {
        let mut flow = flow(key, law(name, parameters.clone()), vec![0], vec![1], tcp.clone());
        flow.start = Time::ZERO + Duration::from_millis(70 * key);
        flow
    });
    with_queues(network(links, flows.collect(), 20, 60), queue)
}

fn marking(ecn: EcnMode) -> TcpOptions {
    TcpOptions { ecn, ..TcpOptions::default() }
}

/// RFC 8257 §4.1: marks of all packets that find `k` waiting or more.
fn step(k: f64) -> QueueConfig {
    let config = RedConfig { min: k, max: k, weight: 1.0, is_gentle: false, ..RedConfig::default() };
    QueueConfig::Red(RedConfig { marks: true, drops_hard: false, ..config })
}

/// Alizadeh and others 2010, §3.3, one flow that fills a link of C packets a second: the window reaches W* = C·rtt + K,
/// all packets of one round trip are marked, so that α²·(1 − α/4) = (2W* + 1)/(W* + 1)², and the queue swings by (W* +
/// 1)·α/2, up to K + 1. The share of marks is α, within a tenth: windows of α and the sawtooth are not in step. Every
/// packet is acknowledged, as in the paper.
#[test]
fn dctcp_swings_as_its_paper_says() {
    let cases = [(50_000_000, 40.0), (100_000_000, 65.0)];
    let stacks = [LossDetection::default(), LossDetection::Rack];
    for ((rate, k), loss_detection) in cases.into_iter().flat_map(|case| stacks.map(|stack| (case, stack))) {
        let tcp = TcpOptions { delayed_ack: None, loss_detection, ..marking(EcnMode::Accurate) };
        let mut network = dumbbell(&[("dctcp", json!({}), tcp)], rate, 20, step(k));
        network.timing.sample_interval = Duration::from_millis(1);
        let output = simulate(&network, 1);
        let series = &output.link_series.unpack();
        let backlogs = (0..series.time_s.len()).filter(|&at| series.time_s[at] > 20.0 && series.link[at] == 0);
        let (least, most) = backlogs
            .map(|at| series.backlog[at])
            .fold((f64::MAX, 0.0_f64), |(least, most), now| (least.min(now), most.max(now)));
        let top = rate as f64 / 12_000.0 * 0.02 + k;
        let right = (2.0 * top + 1.0) / ((top + 1.0) * (top + 1.0));
        let alpha = (0..20).fold(right.sqrt(), |alpha, _| (right / (1.0 - alpha / 4.0)).sqrt());
        let share = output.flows[0].marked as f64 / output.flows[0].segments_sent as f64;
        assert!((share / alpha - 1.0).abs() < 0.1, "{share} for {alpha}");
        let swing = (top + 1.0) * alpha / 2.0;
        assert!((most - least - swing).abs() < 1.0 && (most - k - 1.0).abs() < 1.0, "{least} to {most} for {swing}");
        assert!(output.links[0].utilization > 0.9999 && output.flows[0].retransmits == 0);
    }
}

/// Five flows of Prague and five others over one dual queue: these wait for the target of 15 ms, those for less than a
/// millisecond; what is marked of the ones is k times the root of what is marked of the others; and they share the link
/// as if all round trips were the 25 ms that they are for the others and that Prague takes its 10 ms for.
#[test]
fn prague_shares_a_dual_queue_with_the_others() {
    for (other, ecn) in [("reno", EcnMode::Classic), ("cubic", EcnMode::Classic), ("cubic", EcnMode::Off)] {
        let prague = ("prague", json!({ "rtt_target": 0.025 }), marking(EcnMode::Scalable));
        let others = (other, json!({}), marking(ecn));
        let laws: Vec<_> = iter::repeat_n(prague, 5).chain(iter::repeat_n(others, 5)).collect();
        let output = simulate(&dumbbell(&laws, 120_000_000, 10, QueueConfig::DualPi2(DualPi2Config::default())), 1);
        let (prague, others) = output.flows.split_at(5);
        let sum = |flows: &[FlowStats], of: fn(&FlowStats) -> f64| flows.iter().map(of).sum::<f64>();
        let ratio = sum(prague, |flow| flow.goodput_bps) / sum(others, |flow| flow.goodput_bps);
        assert!((0.85..1.15).contains(&ratio), "{other}: {ratio}");
        let share = |flows| {
            sum(flows, |flow| (flow.marked + flow.segments_lost) as f64) / sum(flows, |flow| flow.segments_sent as f64)
        };
        let coupling = share(prague) / share(others).sqrt();
        assert!((coupling / 2.0 - 1.0).abs() < 0.03, "{other}: {coupling}");
        assert!(prague.iter().all(|flow| flow.mean_rtt_s < 0.011 && flow.retransmits == 0));
        assert!(others.iter().all(|flow| (flow.mean_rtt_s - 0.025).abs() < 0.001), "{:?}", others[0]);
        assert!(output.links[0].utilization > 0.99);
    }
}

/// Marks of predicted sojourns rest on their ramp, which begins at 0.9·T at a constant rate. One flow of DCTCP gains
/// one packet a round trip, and loses W·α/2 in each with a mark. Marks that are in every round trip have the share α =
/// 2/W; marks of whole round trips, those of a step, √(2/W). A ramp of 0.2·T is steep: the share lies between, and the
/// wait at the foot of the ramp, T·(0.9 + 0.2·α) within a twentieth.
#[test]
fn l4span_rests_on_its_ramp() {
    for (rate, threshold) in [(50_000_000, 10), (50_000_000, 20), (100_000_000, 10)] {
        let config = L4SpanConfig { threshold: Duration::from_millis(threshold), ..L4SpanConfig::default() };
        let tcp = TcpOptions { delayed_ack: None, ..marking(EcnMode::Scalable) };
        let output = simulate(&dumbbell(&[("dctcp", json!({}), tcp)], rate, 20, QueueConfig::L4Span(config)), 1);
        let (flow, link) = (&output.flows[0], &output.links[0]);
        let window = flow.goodput_bps / 12_000.0 * flow.mean_rtt_s;
        let share = flow.marked as f64 / flow.segments_sent as f64;
        let wait = link.mean_queue_delay_s / (threshold as f64 * 1e-3);
        assert!((2.0 / window..(2.0 / window).sqrt()).contains(&share), "{share} of {window}");
        assert!((wait - 0.9 - 0.2 * share).abs() < 0.05, "{wait}");
        assert!(link.utilization > 0.9999 && flow.retransmits == 0);
    }
}
