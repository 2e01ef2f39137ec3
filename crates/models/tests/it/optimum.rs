//! The best rates of scenarios against closed forms.

use windward_fluid::Method;
use windward_models::{Models, Objective, Optimum};
use windward_scenario::Scenario;

fn optimum(text: &str, objective: Objective) -> Optimum {
    let scenario = Scenario::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    scenario.optimum(objective).unwrap_or_else(|error| panic!("{error}"))
}

fn near(value: f64, wanted: f64, relative: f64) {
    assert!((value - wanted).abs() <= relative * wanted.abs(), "{value} is not {wanted}");
}

/// Two links in a row, a flow over both and one over each.
const PARKING_LOT: &str = r#"
name = "parking-lot"
duration = "10 s"
node = [{ name = "a" }, { name = "b" }, { name = "c" }]
link = [
  { from = "a", to = "b", rate = "9 Mbit/s", delay = "5 ms" },
  { from = "b", to = "c", rate = "9 Mbit/s", delay = "5 ms", loss = "10 %" },
]
flow = [
  { name = "long", from = "a", to = "c", law = "reno" },
  { name = "first", from = "a", to = "b", law = "reno" },
  { name = "second", from = "b", to = "c", law = "reno" },
]
"#;

/// Proportional fairness gives the long flow 1/3 (Kelly, Maulloo, Tan 1998); max–min gives each flow 1/2.
#[test]
fn a_parking_lot_is_shared_as_theory_says() {
    let fair = optimum(PARKING_LOT, Objective::Proportional);
    for (flow, wanted) in fair.flows.iter().zip([3e6, 6e6, 6e6]) {
        near(flow.rate_bps, wanted, 1e-7);
    }
    assert!(fair.solution.certificate.worst() < 1e-8);
    // 1500 bytes on the wire carry 1448; a tenth is lost on the second link.
    let payload = 1448.0 / 1500.0;
    near(fair.flows[0].goodput_bps, 3e6 * payload * 0.9, 1e-7);
    near(fair.flows[1].goodput_bps, 6e6 * payload, 1e-7);
    near(fair.links[0].load_bps, 9e6, 1e-7);
    for flow in optimum(PARKING_LOT, Objective::MaxMin).flows {
        near(flow.rate_bps, 4.5e6, 1e-7);
    }
    // α = 0 maximises the sum: the long flow, which costs two, gets nothing.
    assert!(optimum(PARKING_LOT, Objective::Alpha(0.0)).flows[0].rate_bps < 1e-3 * 9e6);
}

/// With weights in packets, the price of the bottleneck is its queueing delay, Σp/c: 30 packets of 1500 B at 12 Mbit/s
/// wait 30 ms. Rates are proportional to the weights.
#[test]
fn prices_of_backlog_laws_are_delays() {
    let text = r#"
name = "two"
duration = "10 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "13 Mbit/s", delay = "5 ms" }]
flow = [
  { name = "one", from = "a", to = "b", law = { name = "fast", alpha = 10 } },
  { name = "two", from = "a", to = "b", law = { name = "quic-tcp", backlog = 20 } },
]
background = [{ name = "cross", from = "a", to = "b", pattern = { kind = "cbr", rate = "1 Mbit/s" } }]
"#;
    let best = optimum(text, Objective::Law);
    near(best.flows[0].rate_bps, 4e6, 1e-7);
    near(best.flows[1].rate_bps, 8e6, 1e-7);
    let bottleneck = best.links.iter().find(|link| link.load_bps > 0.0).expect("one is used");
    near(bottleneck.capacity_bps, 12e6, 1e-12);
    near(bottleneck.price, 0.030, 1e-7);
    // With losses neither maximises a known utility; the optimum keeps those of the papers.
    let lossy = optimum(&text.replace("\"5 ms\"", "\"5 ms\", loss = 0.01"), Objective::Law);
    near(lossy.flows[0].rate_bps, 4e6, 1e-7);
    let full = text.replace("1 Mbit/s", "13 Mbit/s");
    let scenario = Scenario::from_toml(&full, "test.toml").expect("it is a right scenario");
    let refused = scenario.optimum(Objective::Law).expect_err("nothing is left");
    assert!(refused.to_string().contains("background"), "{refused}");
}

fn line(flows: &str) -> Result<Vec<f64>, String> {
    let text = format!(
        "name = \"n\"\nduration = \"10 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         link = [{{ from = \"a\", to = \"b\", rate = \"10 Mbit/s\", delay = \"10 ms\" }}]\n{flows}"
    );
    let scenario = Scenario::from_toml(&text, "line.toml").unwrap_or_else(|error| panic!("{error}"));
    let optimum = scenario.optimum(Objective::Proportional).map_err(|error| error.to_string())?;
    Ok(optimum.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect())
}

const FLOW: &str = "[[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\n";

/// Applications of 1 and 2 Mbit/s of payload leave the rest of 10 Mbit/s to the flow that always sends, all of it with
/// 1448 of 1500 bytes. Writes of 100 bytes take 152 on the wire. A writer of 8 Mbit/s has its half.
#[test]
fn applications_with_a_pace_are_caps() {
    let share = 1448.0 / 1500.0;
    let flows = |own: &[&str]| own.iter().map(|own| format!("{FLOW}{own}\n")).collect::<String>();
    let cases: [(&[&str], &[f64]); 3] = [
        (
            &[
                "name = \"w\"\nwrite = { rate = \"1 Mbit/s\" }",
                "name = \"r\"\nread = { rate = \"2 Mbit/s\" }\nreceive_buffer = \"100 kB\"",
                "name = \"g\"",
            ],
            &[1.0, 2.0, 10.0 * share - 3.0],
        ),
        (
            &["name = \"w\"\nwrite = { rate = \"1 Mbit/s\", chunk = \"100 B\" }", "name = \"g\""],
            &[1.0, (10.0 - 1.52) * share],
        ),
        (&["name = \"w\"\nwrite = { rate = \"8 Mbit/s\" }", "name = \"g\""], &[5.0 * share, 5.0 * share]),
    ];
    for (own, expected) in cases {
        let found = line(&flows(own)).expect("an optimum");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-6, "{own:?}: {found} and {expected}");
        }
    }
    let refused = line(&flows(&["receive_buffer = \"100 kB\"\nread = { pauses = [[\"1 s\", \"2 s\"]] }"]))
        .expect_err("rates are constant");
    assert!(refused.contains("pauses of `read`"), "{refused}");
}

/// A call with speech and video takes 48 kbit/s, the least of the video, 150 kbit/s, and the reports of the other
/// direction from a link: 48 B and 2 B for each of two packets every 100 ms.
#[test]
fn a_call_takes_its_rates_from_a_link() {
    let call = "app = [{ kind = \"call\", name = \"call\", from = \"a\", to = \"b\", video = \"nada\" }]\n";
    let found = line(&format!("{call}{FLOW}")).expect("an optimum");
    let free = 10.0 - 0.048 - 0.15 - 52.0 * 80.0 / 1e6;
    near(found[0], free * 1448.0 / 1500.0, 1e-3);
}

/// A saturated source has no rate that a link could give away.
#[test]
fn a_saturated_source_is_refused() {
    let text = "name = \"n\"\nduration = \"10 s\"\nnode = [{ name = \"a\" }, { name = \"b\" }]\n\
                link = [{ from = \"a\", to = \"b\", rate = \"10 Mbit/s\", delay = \"10 ms\" }]\n\
                flow = [{ from = \"a\", to = \"b\", law = \"fast\" }]\n\
                background = [{ from = \"a\", to = \"b\", pattern = { kind = \"saturated\", backlog = 20 } }]\n";
    let scenario = Scenario::from_toml(text, "test.toml").expect("the simulator takes it");
    let refused = scenario.optimum(Objective::Law).expect_err("it has no rate").to_string();
    assert!(refused.contains("saturated background source"), "{refused}");
    let refused = scenario.fluid(Method::Ode { tolerance: 1e-6 }).expect_err("it has no rate").to_string();
    assert!(refused.contains("saturated background source"), "{refused}");
}
