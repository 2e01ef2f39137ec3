//! Forwarding by backlog under ideal CSMA: whole networks in packets beside the region that the optimum uses.

use windward_models::{Models, Objective};
use windward_scenario::Scenario;
use windward_sim::backpressure::Links;
use windward_sim::{Control, Makers, Output, run};

/// The diamond under ideal CSMA, where links that share a station conflict; `loss` is that of the link from A to B.
fn diamond(routing: &str, loss: f64, traffic: &str) -> Result<Scenario, String> {
    let text = format!(
        r#"
name = "diamond"
stack = "rfc"
duration = "60 s"
warmup = "20 s"
node = [{{ name = "A" }}, {{ name = "B" }}, {{ name = "C" }}, {{ name = "D" }}]

[[wifi]]
name = "air"
entropy = 0
access = {{ kind = "ideal", scale = 0.5, cap = 8, conflicts = "primary" }}
routing = {routing}
buffer = "1000000 packets"
station = [
  {{ node = "A", at = ["55 m", "250 m"] }},
  {{ node = "B", at = ["250 m", "395 m"] }},
  {{ node = "C", at = ["250 m", "105 m"] }},
  {{ node = "D", at = ["445 m", "250 m"] }},
]
loss = [{{ from = "A", to = "B", probability = {loss}, of = "attempts" }}]

{traffic}
"#
    );
    Scenario::from_toml(&text, "test.toml").map_err(|error| error.to_string())
}

fn by_backlog(k: &str, loss: f64, traffic: &str) -> Scenario {
    diamond(&format!("{{ kind = \"backpressure\", k = {k} }}"), loss, traffic).unwrap_or_else(|error| panic!("{error}"))
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
    run(&scenario.compile(1).network, &Makers::default(), 1, &Control::new(), None).expect("nobody interrupts it")
}

fn left(output: &Output) -> f64 {
    output.backlogs.iter().map(|queue| queue.last_backlog as f64).sum()
}

/// The optimum's boundary is the engine's, less CSMA's waiting times: a link of ρ = 8 waits for e^-8 of its time. Well
/// below the boundary backlogs are stable; above it they grow by the excess.
#[test]
fn packets_are_stable_up_to_the_optimum() {
    let best = by_backlog("0", 0.0, FLOWS).optimum_with_free_routing(Objective::MaxMin, Links::LoopFree).unwrap();
    let boundary = best.optimum.flows[0].rate_bps;
    for k in ["0", "\"10 packets\""] {
        let output = simulate(&by_backlog(k, 0.0, &datagrams((0.9 * boundary).round())));
        let rate: f64 = output.sources.iter().map(|source| source.received_bps).sum();
        assert!((rate / (1.8 * boundary) - 1.0).abs() < 0.03, "{rate} for {boundary}");
        assert!(left(&output) < 400.0, "K = {k}: {} packets left", left(&output));
        let output = simulate(&by_backlog(k, 0.0, &datagrams((1.2 * boundary).round())));
        // A fifth of what comes is too much; five standard deviations of as many arrivals, and a tenth for CSMA.
        let packets = 2.4 * boundary * 60.0 / 12_000.0;
        let surplus = packets / 6.0;
        let slack = 5.0 * packets.sqrt() + 0.1 * packets;
        assert!((left(&output) - surplus).abs() < slack, "K = {k}: {} left for {surplus}", left(&output));
    }
}

/// A loss is one more attempt: no packet is lost, and the lossy path carries less.
#[test]
fn what_is_lost_is_sent_again() {
    for loss in [0.0, 0.5] {
        let output = simulate(&by_backlog("\"10 packets\"", loss, &datagrams(400_000.0)));
        assert_eq!(output.balance.lost.iter().sum::<u64>(), 0);
        let balance = output.balance;
        assert_eq!(balance.sent, balance.delivered + balance.under_way);
        let rate: f64 = output.sources.iter().map(|source| source.received_bps).sum();
        assert!((rate / 8e5 - 1.0).abs() < 0.05, "{rate}");
    }
}

/// TCP works across it, its ACKs by backlog too, with both paths of the diamond in use.
#[test]
fn tcp_crosses_it() {
    let output = simulate(&by_backlog("\"50 packets\"", 0.0, FLOWS));
    assert!(output.flows.iter().all(|flow| flow.goodput_bps > 2e5), "{:?}", output.flows);
    let data = output.shares.iter().filter(|share| share.class == 0);
    assert!(data.filter(|share| share.packets > 100).count() >= 4, "{:?}", output.shares);
}

#[test]
fn what_needs_frames_is_refused() {
    let aodv = diamond("\"aodv\"", 0.0, FLOWS).expect_err("there are no frames");
    assert!(aodv.contains("ideal access has no frames") && aodv.contains("backpressure"), "{aodv}");
}
