//! FAST and QUIC-TCP on one bottleneck: p packets of each flow wait in its queue, whatever the round trips.

use crate::common::{flow, law, link, network, page_says, plain_tcp, simulate};
use serde_json::{Value, json};
use windward_sim::{Buffer, Network, Output, TcpOptions};
use windward_units::{Duration, Time};

/// 10 Mbit/s and packets of 1000 bytes: 1250 packets a second.
const CAPACITY: f64 = 1250.0;
const BACKLOG: f64 = 20.0;

/// Flows with these round trips (ms) over one bottleneck; each knows its base RTT where `is_known`.
fn bottleneck(name: &str, parameters: &Value, rtts: &[u64], is_known: bool) -> Network {
    let fast = 1_000_000_000;
    let mut links = vec![
        link(0, 10_000_000, Duration::ZERO, Buffer::Packets(2000)),
        link(1, fast, Duration::ZERO, Buffer::Unlimited),
    ];
    let mut flows = Vec::new();
    for (key, &rtt) in (0..).zip(rtts) {
        let access = links.len() as u32;
        links.push(link(10 + key, fast, Duration::from_millis(rtt), Buffer::Unlimited));
        // Propagation, and the transmissions of a packet (0.8 ms, 8 µs) and of its ACK (0.32 µs twice).
        let base = Duration::from_millis(rtt) + Duration::from_micros(808) + Duration::from_nanos(640);
        let tcp = TcpOptions { known_base_rtt: is_known.then_some(base), ..plain_tcp() };
        flows.push(flow(key, law(name, parameters.clone()), vec![access, 0], vec![1], tcp));
    }
    network(links, flows, 200, 300)
}

/// Laws and step sizes for which the claim is checked: kappa scales as W^(2 rho − 1), see the page of QUIC-TCP.
fn laws() -> Vec<(&'static str, Value)> {
    let quic = |rho: f64, kappa: f64| ("quic-tcp", json!({ "rho": rho, "kappa": kappa, "backlog": BACKLOG }));
    vec![
        ("fast", json!({ "gamma": 0.5, "alpha": BACKLOG })),
        quic(0.25, 0.05),
        quic(0.5, 0.5),
        quic(0.75, 5.0),
        quic(1.0, 50.0),
    ]
}

/// A law in a table.
fn title(name: &str, parameters: &Value) -> String {
    parameters.get("rho").map_or_else(|| name.to_owned(), |rho| format!("{name}, ρ = {rho}"))
}

/// Packets of `flow` in the queue: its share of the arrivals, times the wait (Little's law).
fn waiting(output: &Output, flow: usize) -> f64 {
    output.flows[flow].goodput_pps * output.links[0].mean_queue_delay_s
}

#[test]
fn a_flow_that_knows_its_base_rtt_keeps_p_packets_waiting() {
    let head = ["| law | packets waiting | rates, of a third |", "|---|---|---|"];
    let mut table: Vec<String> = head.map(str::to_owned).to_vec();
    for (name, parameters) in laws() {
        let (mut backlogs, mut shares) = (Vec::new(), Vec::new());
        let output = simulate(&bottleneck(name, &parameters, &[20, 60, 140], true), 1);
        for flow in 0..3 {
            let backlog = waiting(&output, flow);
            assert!((backlog - BACKLOG).abs() < 1.0, "{name} {parameters}: flow {flow} keeps {backlog}");
            // Equal rates: all see the same queueing delay q, and x q = p.
            let share = output.flows[flow].goodput_pps / (CAPACITY / 3.0);
            backlogs.push(format!("{backlog:.2}"));
            shares.push(format!("{share:.4}"));
            assert!((share - 1.0).abs() < 0.02, "{name} {parameters}: flow {flow} has {share} of its share");
        }
        let total: f64 = output.flows.iter().map(|f| f.goodput_pps).sum();
        assert!(total > 0.999 * CAPACITY, "{name} {parameters}: {total}");
        table.push(format!("| {} | {} | {} |", title(name, &parameters), backlogs.join(", "), shares.join(", ")));
    }
    page_says("backlog", &table);
}

#[test]
fn one_flow_measures_its_base_rtt() {
    for (name, parameters) in laws() {
        let output = simulate(&bottleneck(name, &parameters, &[60], false), 1);
        let backlog = waiting(&output, 0);
        assert!((backlog - BACKLOG).abs() < 1.0, "{name} {parameters}: it keeps {backlog}");
    }
}

/// A second flow that starts when the first has filled the queue with p packets takes those for propagation: at rest
/// x₁ q = p and x₂ (q − p/c) = p with x₁ + x₂ = c. With a = x₁/c: 1/(1 − a) = 1/a − 1, so a = (3 − √5)/2 = 0.382.
#[test]
fn a_late_flow_takes_more_than_its_share() {
    let head = ["| law | share of the first flow |", "|---|---|"];
    let mut table: Vec<String> = head.map(str::to_owned).to_vec();
    for (name, parameters) in laws() {
        let mut late = bottleneck(name, &parameters, &[60, 60], false);
        late.flows[1].start = Time::ZERO + Duration::from_millis(60_000);
        let output = simulate(&late, 1);
        let share = output.flows[0].goodput_pps / CAPACITY;
        let exact = (3.0 - 5.0_f64.sqrt()) / 2.0;
        assert!((share - exact).abs() < 0.02, "{name} {parameters}: the first keeps {share}, the formula says {exact}");
        table.push(format!("| {} | {:.2} % |", title(name, &parameters), 100.0 * share));
    }
    page_says("late flow", &table);
}
