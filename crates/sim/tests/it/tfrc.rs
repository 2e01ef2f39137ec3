//! TFRC against its equation, and beside TCP.

use crate::common::{flow, interval, law, link, network, plain_tcp, says, simulate};
use windward_laws::emultcp::{Kind, Params};
use windward_sim::TfrcOptions;
use windward_sim::tfrc::equation;
use windward_sim::{Buffer, FlowConfig, LawChoice, Loss, Network, Output, TransferConfig};
use windward_units::{Duration, Time};

fn tfrc(history_discounting: bool) -> LawChoice {
    LawChoice::Tfrc(TfrcOptions { history_discounting, ..TfrcOptions::default() })
}

/// The loss event rate and the rate in packets a second at which the equation and independent losses of probability p
/// agree: after the first packet of a loss event those of the next round trip begin no other, and from then on 1/p
/// packets pass on average.
fn predicted(p: f64, rtt: f64) -> (f64, f64) {
    let mut rate = 1.0 / rtt;
    for _ in 0..200 {
        let events = 1.0 / (rate * rtt + 1.0 / p);
        // Damped, for the two pull at each other.
        rate = 0.5 * (rate + equation::rate(960.0, rtt, events) / 960.0);
    }
    (1.0 / (rate * rtt + 1.0 / p), rate)
}

/// TFRC over a link that loses each packet with probability p, 100 ms there and back.
fn alone(p: f64, choice: LawChoice, seed: u64) -> Output {
    let mut out = link(1, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    out.loss = Loss::Bernoulli(p);
    let back = link(2, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    let flow = flow(1, choice, vec![0], vec![1], plain_tcp());
    simulate(&network(vec![out, back], vec![flow], 100, 2100), seed)
}

const LOSSES: [f64; 6] = [0.001, 0.003, 0.01, 0.03, 0.06, 0.1];

#[test]
fn tfrc_meets_its_equation() {
    let mut rows = Vec::new();
    for p in LOSSES {
        let (events, rate) = predicted(p, 0.1);
        let runs: Vec<Output> = (1..=4).map(|seed| alone(p, tfrc(true), seed)).collect();
        let of = |value: &dyn Fn(&Output) -> f64| interval(&runs.iter().map(value).collect::<Vec<f64>>(), 3.0);
        let (ratio, error) = of(&|run| run.flows[0].segments_sent as f64 / 2000.0 / rate);
        let (seen, _) = of(&|run| run.flows[0].recoveries as f64 / run.flows[0].segments_sent as f64 / events);
        let reno: f64 =
            (1..=4).map(|seed| alone(p, law("reno", serde_json::json!({})), seed).flows[0].goodput_pps).sum();
        let own: f64 = runs.iter().map(|run| run.flows[0].goodput_pps).sum();
        rows.push(format!(
            "| {} % | {:.3} % | {seen:.2} | {rate:.1} | {ratio:.2} | {:.2} |",
            100.0 * p,
            100.0 * events,
            own / reno
        ));
        assert!((0.85..1.1).contains(&ratio), "{p}: {ratio} ± {error}");
        assert!((0.5..2.0).contains(&(own / reno)), "{p}: {}", own / reno);
    }
    let head = [
        "| loss | loss events, predicted | measured | packets/s, predicted | measured | of SACK Reno's goodput |",
        "|---|---|---|---|---|---|",
    ];
    says("docs/reference/models/tfrc.md", "tfrc", &head.map(str::to_owned).into_iter().chain(rows).collect::<Vec<_>>());
}

/// So many of each over one drop-tail link of a bandwidth-delay product of buffer, with round trips from 80 to 120 ms.
fn shared(each: u64, megabits: u64) -> Network {
    let buffer = Buffer::Packets(megabits * 1_000_000 / 80_000);
    let bottleneck = link(1, megabits * 1_000_000, Duration::from_millis(40), buffer);
    let mut links = vec![bottleneck];
    let mut flows = Vec::new();
    for at in 0..2 * each {
        let back = links.len() as u32;
        let delay = Duration::from_millis(40 + 40 * at / (2 * each));
        links.push(link(2 + at, 100_000_000, delay, Buffer::Unlimited));
        let choice = if at % 2 == 0 { tfrc(true) } else { law("reno", serde_json::json!({})) };
        let start = Time::ZERO + Duration::from_millis(137 * at);
        flows.push(FlowConfig { start, ..flow(1 + at, choice, vec![0], vec![back], plain_tcp()) });
    }
    network(links, flows, 60, 360)
}

#[test]
fn tfrc_and_tcp_share_a_link() {
    let mut rows = Vec::new();
    for (each, megabits) in [(2, 10), (4, 10), (8, 10), (16, 10), (16, 5)] {
        let output = simulate(&shared(each, megabits), 1);
        let of = |parity: usize| {
            let own = output.flows.iter().skip(parity).step_by(2);
            own.map(|flow| flow.goodput_bps).sum::<f64>()
        };
        let link = &output.links[0];
        let loss = link.dropped as f64 / (link.dropped + link.packets) as f64;
        let ratio = of(0) / of(1);
        rows.push(format!(
            "| {each} and {each} | {megabits} Mbit/s | {:.2} % | {:.2} | {:.1} % |",
            100.0 * loss,
            ratio,
            100.0 * link.utilization
        ));
        assert!((0.5..2.0).contains(&ratio), "{each} and {each} over {megabits} Mbit/s: {ratio}");
        assert!(link.utilization > 0.9, "{}", link.utilization);
    }
    let head = ["| TFRC and TCP | link | loss | TFRC to TCP | use of the link |", "|---|---|---|---|---|"];
    says(
        "docs/reference/models/tfrc.md",
        "tfrc friendliness",
        &head.map(str::to_owned).into_iter().chain(rows).collect::<Vec<_>>(),
    );
}

/// The link of chen2007: 1 Mbit/s, 168 ms, 4 % loss. One TFRC connection leaves most of it unused; E-MULTFRC and
/// MULTFRC do not, nor does AIO-TFRC, MULTFRC in one connection.
#[test]
fn several_connections_fill_a_lossy_link() {
    let run = |controller: Option<Params>, is_combined: bool| {
        let mut out = link(1, 1_000_000, Duration::from_millis(80), Buffer::Packets(50));
        out.loss = Loss::Bernoulli(0.04);
        let back = link(2, 100_000_000, Duration::from_millis(80), Buffer::Unlimited);
        let count = if controller.is_some() && !is_combined { 16 } else { 1 };
        let start = if controller.is_some() { Time::NEVER } else { Time::ZERO };
        let flows =
            (0..count).map(|at| FlowConfig { start, ..flow(1 + at, tfrc(true), vec![0], vec![1], plain_tcp()) });
        let mut network = network(vec![out, back], flows.collect(), 500, 2500);
        network.transfers.extend(controller.map(|controller| TransferConfig {
            probes: None,
            is_combined,
            flows: 0..count as usize,
            controller: Params { tau: 5.0, max: 16, ..controller },
            start: Time::ZERO,
            stop: None,
        }));
        let output = simulate(&network, 1);
        let total: f64 = output.flows.iter().map(|flow| flow.goodput_pps * 8000.0).sum();
        total / (1e6 * 0.96)
    };
    let additive = Params::of(Kind::Additive);
    let (one, enhanced) = (run(None, false), run(Some(Params::of(Kind::Paper)), false));
    let (apart, combined) = (run(Some(additive), false), run(Some(additive), true));
    assert!(one < 0.4, "{one}");
    assert!((0.7..0.97).contains(&enhanced), "{enhanced}");
    assert!((0.6..0.97).contains(&apart), "{apart}");
    assert!((0.6..0.97).contains(&combined), "{combined}");
}

/// AIO-TFRC: one connection with the rate of n, where nothing else limits n. Its loss events are those of each of n
/// connections, so that its rate is n times the equation's, and that of n connections side by side.
#[test]
fn one_connection_has_the_rate_of_several() {
    let mut rows = Vec::new();
    for (n, p) in [(2, 0.003), (2, 0.03), (4, 0.01), (8, 0.003), (8, 0.03)] {
        let [combined, apart] = [true, false].map(|is_combined| {
            let runs: Vec<f64> = (1..=4).map(|seed| many(n, p, is_combined, seed)).collect();
            interval(&runs, 3.0).0 / (f64::from(n) * predicted(p, 0.1).1)
        });
        rows.push(format!("| {n} | {} % | {combined:.2} | {apart:.2} |", 100.0 * p));
        assert!((0.9..1.1).contains(&combined), "{n} at {p}: {combined}");
        assert!((combined / apart - 1.0).abs() < 0.08, "{n} at {p}: {combined}, side by side {apart}");
    }
    let head = ["| n | loss | combined | side by side |", "|---|---|---|---|"];
    says(
        "docs/reference/models/tfrc.md",
        "tfrc combined",
        &head.map(str::to_owned).into_iter().chain(rows).collect::<Vec<_>>(),
    );
}

/// Packets a second of a transfer whose controller meets no queue, and therefore stays at `max` connections.
fn many(max: u32, p: f64, is_combined: bool, seed: u64) -> f64 {
    let mut out = link(1, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    out.loss = Loss::Bernoulli(p);
    let back = link(2, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    let count = if is_combined { 1 } else { u64::from(max) };
    let flows = (0..count)
        .map(|at| FlowConfig { start: Time::NEVER, ..flow(1 + at, tfrc(true), vec![0], vec![1], plain_tcp()) })
        .collect();
    let mut network = network(vec![out, back], flows, 100, 1100);
    network.transfers.push(TransferConfig {
        probes: None,
        is_combined,
        flows: 0..count as usize,
        controller: Params { tau: 1.0, max, ..Params::of(Kind::Additive) },
        start: Time::ZERO,
        stop: None,
    });
    simulate(&network, seed).flows.iter().map(|flow| flow.segments_sent as f64 / 1000.0).sum()
}
