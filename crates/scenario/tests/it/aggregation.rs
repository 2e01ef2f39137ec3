//! Networks of 802.11n, ac and ax: rates by distance, links of an access point, categories, the optimum.

use windward_scenario::{Objective, Scenario};
use windward_sim::MediumConfig;
use windward_sim::wifi::edca::{Category, Contention, EdcaConfig};

fn text(keys: &str, stations: &str) -> String {
    format!(
        r#"
name = "flat"
duration = "1 s"
node = [{{ name = "AP" }}, {{ name = "near" }}, {{ name = "far" }}]
flow = [
  {{ from = "AP", to = "near", law = "cubic", dscp = "EF" }},
  {{ from = "AP", to = "far", law = "cubic" }},
]
[[wifi]]
name = "home"
standard = "802.11ac"
access_point = "AP"
{keys}
station = [{{ node = "AP", at = ["0 m", "0 m"] }}, {stations}]
"#
    )
}

const FLAT: &str = r#"{ node = "near", at = ["5 m", "0 m"] }, { node = "far", at = ["40 m", "0 m"] }"#;

fn network(text: &str) -> EdcaConfig {
    let scenario = Scenario::from_toml(text, "flat.toml").unwrap_or_else(|error| panic!("{error}"));
    match scenario.compile(1).network.topology.media.remove(0) {
        MediumConfig::Edca(config) => config,
        other => panic!("a network of 802.11ac, not {other:?}"),
    }
}

/// 20 dBm at 5.25 GHz: free space to 5 m loses 60.8 dB, and 31.6 dB more to 40 m; the noise in 80 MHz is −88.0 dBm. Two
/// streams of 256-QAM 5/6 need 29.1 dB, two of 16-QAM 1/2 13.5 dB.
#[test]
fn distance_decides_the_rate() {
    let config = network(&text("", FLAT));
    let ends: Vec<(u32, u32)> = config.ways.iter().map(|way| (way.from, way.to)).collect();
    assert_eq!(ends, [(0, 1), (0, 2), (1, 0), (2, 0)], "all links begin or end at the access point");
    let decibels = |local| 10.0 * libm::log10(config.ratio(local));
    assert!((decibels(0) - 47.1).abs() < 0.1, "{}", decibels(0));
    assert!((decibels(1) - 15.5).abs() < 0.1, "{}", decibels(1));
    let rate = |local| (config.rate(local).streams(), config.rate(local).mcs());
    assert_eq!([rate(0), rate(1)], [(2, 9), (2, 3)]);
    assert_eq!(config.stations[0].contention, Contention::ACCESS_POINT);
    assert_eq!(config.stations[2].contention, Contention::STATION);
    assert_eq!(config.flows[0], [Category::Voice, Category::BestEffort]);
    assert_eq!(config.flows[1], [Category::BestEffort; 2]);
}

/// A rate of what is sent to a station goes before that of its sender.
#[test]
fn rates_can_be_given_for_each_link() {
    let stations = r#"{ node = "near", at = ["5 m", "0 m"] },
        { node = "far", at = ["40 m", "0 m"], receive_rate = { mcs = 0, streams = 1, width = "20 MHz" } }"#;
    let config = network(&text("rate_control = { kind = \"fixed\", mcs = 5 }", stations));
    let rate = |local| (config.rate(local).streams(), config.rate(local).width().mhz(), config.rate(local).mcs());
    assert_eq!([rate(0), rate(1), rate(3)], [(2, 80, 5), (1, 20, 0), (2, 80, 5)]);
}

/// Proportional fairness on one channel is equal airtime: each of n links has 1/n of its rate alone, with its losses.
#[test]
fn proportional_fairness_is_equal_airtime() {
    let scenario = Scenario::from_toml(&text("", FLAT), "flat.toml").unwrap();
    let config = network(&text("", FLAT));
    let fair = scenario.optimum(Objective::Proportional).unwrap();
    for (flow, local) in fair.flows.iter().zip([0, 1]) {
        let frames = config.largest(config.rate(local), 1500);
        let alone = frames as f64 * 1500.0 * 8.0 / config.exchange(local, frames, 1500).as_secs();
        let half = alone * config.received(local, 1500) / 2.0;
        assert!((flow.rate_bps / half - 1.0).abs() < 1e-9, "{} is not {half}", flow.rate_bps);
    }
    assert!(fair.solution.certificate.worst() < 1e-8);
}
