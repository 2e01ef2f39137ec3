//! Slots under centralised MaxWeight: whole networks in packets beside the region that the optimum uses.

use windward_models::{Models, Objective};
use windward_scenario::Scenario;
use windward_sim::backpressure::Links;
use windward_sim::{Control, Makers, Output, run};

/// The diamond, where links that share a station conflict, with 1000 slots a second; `loss` is the probability that
/// A->B is OFF.
fn diamond(k: &str, loss: f64, traffic: &str) -> Scenario {
    let text = format!(
        r#"
name = "diamond"
duration = "60 s"
warmup = "20 s"
node = [{{ name = "A" }}, {{ name = "B" }}, {{ name = "C" }}, {{ name = "D" }}]

[[wifi]]
name = "air"
access = {{ kind = "max-weight", slot = "1 ms", conflicts = "primary" }}
routing = {{ kind = "backpressure", k = {k} }}
buffer = "1000000 packets"
station = [
  {{ node = "A", at = ["55 m", "250 m"] }},
  {{ node = "B", at = ["250 m", "395 m"] }},
  {{ node = "C", at = ["250 m", "105 m"] }},
  {{ node = "D", at = ["445 m", "250 m"] }},
]
loss = [{{ from = "A", to = "B", probability = {loss} }}]

{traffic}
"#
    );
    Scenario::from_toml(&text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

const FLOWS: &str = r#"
[[flow]]
from = "A"
to = "B"
law = "reno"
[[flow]]
from = "A"
to = "D"
law = "reno"
"#;

/// Datagrams of 1500 bytes, `rate` bits a second for each destination.
fn datagrams(rate: f64) -> String {
    let source = |to| {
        format!(
            "[[background]]\nfrom = \"A\"\nto = \"{to}\"\npattern = {{ kind = \"poisson\", rate = \"{rate} bit/s\" }}\n"
        )
    };
    source("B") + &source("D")
}

fn simulate(scenario: &Scenario) -> Output {
    run(&scenario.compile(1).network, &Makers::default(), 1, &Control::new(), None).unwrap()
}

/// The optimum's boundary is the engine's: below it backlogs are stable, above it they grow by the excess.
#[test]
fn packets_are_stable_up_to_the_optimum() {
    let best = diamond("0", 0.0, FLOWS).optimum_with_free_routing(Objective::MaxMin, Links::LoopFree).unwrap();
    let boundary = best.optimum.flows[0].rate_bps;
    // A sends in every slot, half of the packets for each.
    assert!((boundary / 6e6 - 1.0).abs() < 1e-6, "{boundary}");
    for k in ["0", "\"10 packets\""] {
        for (part, is_inside) in [(0.95, true), (1.05, false)] {
            let output = simulate(&diamond(k, 0.0, &datagrams((part * boundary).round())));
            let left: u64 = output.backlogs.iter().map(|queue| queue.last_backlog).sum();
            // 5 % of 1000 packets a second for a minute, and five standard deviations of as many arrivals.
            let surplus = 0.05 * 1000.0 * 60.0;
            let deviation = 5.0 * (1000.0_f64 * 60.0).sqrt();
            let wanted = if is_inside { 0.0 } else { surplus };
            assert!((left as f64 - wanted).abs() < deviation, "{part}, K = {k}: {left} packets left for {wanted}");
        }
    }
}

/// TCP works across slots, its ACKs by backlog too.
#[test]
fn tcp_crosses_slots() {
    let output = simulate(&diamond("\"shared\"", 0.0, FLOWS));
    assert!(output.flows.iter().all(|flow| flow.goodput_bps > 5e5), "{:?}", output.flows);
}

/// Channels that are not always ON have a region if one link at a time is active; other networks are refused.
#[test]
fn regions_of_channels() {
    let refused = diamond("0", 0.5, FLOWS).optimum_with_free_routing(Objective::MaxMin, Links::LoopFree).unwrap_err();
    assert!(refused.to_string().contains("only where every two of them conflict"), "{refused}");
    let star = r#"
name = "star"
duration = "10 s"
node = [{ name = "A" }, { name = "B" }, { name = "C" }]
[[wifi]]
name = "air"
access = { kind = "max-weight", slot = "1 ms", conflicts = "primary" }
routing = { kind = "backpressure", k = 0 }
buffer = "100 packets"
station = [
  { node = "B", at = ["0 m", "0 m"] },
  { node = "A", at = ["200 m", "0 m"] },
  { node = "C", at = ["400 m", "0 m"] },
]
loss = [{ from = "A", to = "B", probability = 0.5 }, { from = "A", to = "C", probability = 0.5 }]
[[flow]]
from = "A"
to = "B"
law = "reno"
[[flow]]
from = "A"
to = "C"
law = "reno"
"#;
    let star = Scenario::from_toml(star, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    let best = star.optimum_with_free_routing(Objective::Proportional, Links::Downstream).unwrap();
    // Somebody is ON in three of four slots (Tassiulas and Ephremides 1993).
    for flow in &best.optimum.flows {
        assert!((flow.rate_bps / (0.375 * 12e6) - 1.0).abs() < 1e-8, "{flow:?}");
    }
}

/// A source by (5) whose rate the network bounds to r packets a slot keeps M/r of them at its station: x = M/U = r. A
/// sends a packet in each of its slots of 1 ms, so U is M with slots of the same length.
#[test]
fn sources_by_backlog_keep_their_queue() {
    for m in [20.0, 50.0] {
        let pattern = format!("{{ kind = \"backlog\", m = {m}, slot = \"1 ms\", limit = \"100 Mbit/s\" }}");
        let source = format!("[[background]]\nfrom = \"A\"\nto = \"B\"\npattern = {pattern}\n");
        let output = simulate(&diamond("0", 0.0, &source));
        let (queue, of) = output
            .backlogs
            .iter()
            .map(|queue| (queue.mean_backlog, queue.node))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap();
        // Whole packets leave in whole slots: the queue swings by one around it.
        assert!((queue - m).abs() < 1.5 && of == 0, "M = {m}: {queue} packets wait");
        assert!((output.sources[0].received_bps / 12e6 - 1.0).abs() < 0.01, "{:?}", output.sources);
    }
}
