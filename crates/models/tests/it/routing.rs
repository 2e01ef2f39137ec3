//! The best rates with free routing, of wireless networks, wires, and given routes.

use windward_models::{Models, Objective, RoutedOptimum};
use windward_scenario::Scenario;
use windward_sim::backpressure::Links;

fn free(text: &str, objective: Objective, rule: Links) -> RoutedOptimum {
    let scenario = Scenario::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    let best = scenario.optimum_with_free_routing(objective, rule).unwrap_or_else(|error| panic!("{error}"));
    assert!(best.optimum.solution.certificate.worst() < 1e-9, "{:?}", best.optimum.solution.certificate);
    best
}

fn near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() <= 1e-7 * wanted.abs(), "{value} is not {wanted}");
}

/// seferoglu2014's diamond: A–B, A–C, B–D, C–D in range, and all sense each other; A→B loses `loss`.
fn diamond(loss: f64) -> String {
    format!(
        r#"
name = "diamond"
duration = "10 s"
node = [{{ name = "A" }}, {{ name = "B" }}, {{ name = "C" }}, {{ name = "D" }}]
flow = [{{ name = "one", from = "A", to = "B", law = "reno" }}, {{ name = "two", from = "A", to = "D", law = "reno" }}]

[[wifi]]
name = "mesh"
data_rate = "2 Mbit/s"
station = [
  {{ node = "A", at = ["55 m", "250 m"] }},
  {{ node = "B", at = ["250 m", "395 m"] }},
  {{ node = "C", at = ["250 m", "105 m"] }},
  {{ node = "D", at = ["445 m", "250 m"] }},
]
loss = [{{ from = "A", to = "B", probability = {loss} }}]
"#
    )
}

/// 1500 bytes at 2 Mbit/s, control frames at 1: DIFS 50, a frame of 36 bytes more with 192 of preamble, SIFS 10, ACK
/// 304 µs, twice 1 µs of propagation.
const EXCHANGE_S: f64 = (50 + 192 + 1536 * 4 + 10 + 304 + 2) as f64 * 1e-6;

/// All links share the channel: each flow gets half of it. A flow over h hops takes h exchanges per packet. A link that
/// loses half of its frames takes two. The path by C and D takes three, and is the better one from a loss of two thirds
/// on.
#[test]
fn a_diamond_shares_its_air() {
    for (loss, first) in [(0.0, 1.0), (0.5, 2.0), (0.75, 3.0)] {
        let best = free(&diamond(loss), Objective::Proportional, Links::All);
        for (flow, exchanges) in best.optimum.flows.iter().zip([first, 2.0]) {
            let rate = 12_000.0 / (2.0 * exchanges * EXCHANGE_S);
            assert!((flow.rate_bps / rate - 1.0).abs() < 1e-8, "{loss}: {flow:?} is not {rate}");
        }
        let way = if loss > 0.7 { "A C D B" } else { "A B" };
        assert_eq!(best.paths[0].nodes.join(" "), way);
        near(best.paths[0].share, 1.0);
        // Of a lossy A→B only the half by C is left to the second flow.
        let second: Vec<String> = best.paths[1..].iter().map(|path| path.nodes.join(" ")).collect();
        assert!(second.contains(&"A C D".to_owned()) && (loss == 0.0 || second.len() == 1), "{second:?}");
        let time: f64 = best.schedule.iter().map(|active| active.share).sum();
        near(time, 1.0);
        assert!(best.schedule.iter().all(|active| active.links.len() == 1));
    }
    // Only the direct link leads B a hop closer.
    let best = free(&diamond(0.75), Objective::Proportional, Links::Downstream);
    assert_eq!(best.paths[0].nodes, ["A", "B"]);
    assert!(best.optimum.flows[0].rate_bps < 12_000.0 / (7.9 * EXCHANGE_S));
}

/// Two wires in parallel: fixed routes use one of them, free ones both, except for a flow with `via`.
#[test]
fn a_flow_with_a_route_of_its_own_keeps_it() {
    let text = |via: &str| {
        format!(
            r#"
name = "wires"
duration = "10 s"
node = [{{ name = "a" }}, {{ name = "b" }}, {{ name = "c" }}, {{ name = "d" }}]
link = [
  {{ from = "a", to = "b", rate = "4 Mbit/s", delay = "5 ms" }},
  {{ from = "b", to = "d", rate = "4 Mbit/s", delay = "5 ms", loss = "10 %" }},
  {{ from = "a", to = "c", rate = "2 Mbit/s", delay = "5 ms" }},
  {{ from = "c", to = "d", rate = "3 Mbit/s", delay = "5 ms" }},
]
flow = [{{ name = "long", from = "a", to = "d", law = "reno"{via} }}]
"#
        )
    };
    let best = free(&text(""), Objective::MaxMin, Links::All);
    near(best.optimum.flows[0].rate_bps, 6e6);
    // Two thirds lose a tenth.
    near(best.optimum.flows[0].goodput_bps, 5.6e6 * 1448.0 / 1500.0);
    assert_eq!(best.paths.len(), 2);
    near(best.paths[0].share, 2.0 / 3.0);
    near(best.flow_links.iter().map(|used| used.rate_bps).sum(), 12e6);
    let kept = free(&text(", via = [\"c\"]"), Objective::Proportional, Links::All);
    near(kept.optimum.flows[0].rate_bps, 2e6);
    assert_eq!(kept.paths[0].nodes, ["a", "c", "d"]);
}

/// More than 64 links are refused, with a hint at the rule that keeps fewer: a line of stations that do not all sense
/// each other.
#[test]
fn too_many_links_are_refused_with_a_hint() {
    let stations: String =
        (0..12).map(|n| format!("{{ node = \"n{n}\", at = [\"{} m\", \"0 m\"] }},", 100 * n)).collect();
    let nodes: String = (0..12).map(|n| format!("{{ name = \"n{n}\" }},")).collect();
    let text = format!(
        "name = \"line\"\nduration = \"10 s\"\nnode = [{nodes}]\n[[wifi]]\nname = \"air\"\nreach = {{ receive = \"450 m\" }}\n\
         station = [{stations}]\n[[flow]]\nfrom = \"n0\"\nto = \"n11\"\nlaw = \"reno\"\n"
    );
    let scenario = Scenario::from_toml(&text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    let refused = scenario.optimum_with_free_routing(Objective::Proportional, Links::All).unwrap_err().to_string();
    assert!(refused.contains("independent sets") && refused.contains("--links downstream"), "{refused}");
}
