//! Capacity regions of scenario files: every kind against a closed form, by the optimum and by the windows' equations.

use windward_fluid::Method;
use windward_models::{Models, Objective, Optimum};
use windward_scenario::Scenario;

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

/// `links` links between pairs of nodes, one flow each, in the region given.
fn cell(links: usize, region: &str) -> Scenario {
    read(&format!(
        r#"
name = "cell"
duration = "60 s"
node = [{{ name = "a", count = {links} }}, {{ name = "b", count = {links} }}]
link = [{{ name = "air", from = "a", to = "b", delay = "20 ms", reverse = {{ rate = "1 Gbit/s" }} }}]
flow = [{{ name = "f", from = "a", to = "b", law = {{ name = "quic-tcp", backlog = 30 }} }}]
[[region]]
name = "region"
links = ["air"]
{region}
"#
    ))
}

fn best(scenario: &Scenario, objective: Objective) -> Optimum {
    scenario.optimum(objective).unwrap_or_else(|error| panic!("{error}"))
}

/// Proportionally fair rates in Mbit/s, and the same from the equations of QUIC-TCP, whose equilibrium maximises Σ p ln
/// x.
#[track_caller]
fn shares(scenario: &Scenario, wanted: &[f64]) {
    let optimum = best(scenario, Objective::Proportional);
    assert!(optimum.solution.certificate.worst() < 1e-7, "{:?}", optimum.solution.certificate);
    for (flow, wanted) in optimum.flows.iter().zip(wanted) {
        assert!((flow.rate_bps / 1e6 / wanted - 1.0).abs() < 1e-6, "{}: {} is not {wanted}", flow.name, flow.rate_bps);
    }
    let run = scenario.fluid(Method::Ode { tolerance: 1e-8 }).unwrap_or_else(|error| panic!("{error}"));
    // Y(w) never grows (huang2020 App. B), whatever the region; 1e-9 of its start is rounding.
    let y = run.lyapunov.as_ref().expect("all flows are QUIC-TCP of one rho");
    assert!(y.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9 * y[0]), "{y:?}");
    assert!(y[y.len() - 1] < 1e-6 * y[0]);
    let last = run.trajectory.rates.last().expect("there are samples");
    let rates: Vec<f64> = run.class.iter().map(|&class| last[class as usize]).collect();
    assert_eq!(rates.len(), wanted.len());
    for (rate, wanted) in rates.iter().zip(wanted) {
        // 60 s are hundreds of round trips: the equations have settled to 1e-4.
        assert!((rate * run.packet_bits / 1e6 / wanted - 1.0).abs() < 1e-4, "{rate} packets/s are not {wanted} Mbit/s");
    }
}

/// Each link has its own capacity.
#[test]
fn a_box() {
    shares(&cell(2, "kind = \"box\"\ncapacity = [\"3 Mbit/s\", \"5 Mbit/s\"]"), &[3.0, 5.0]);
}

/// Σ (r/c)^e = 1 with Σ ln r largest: r = c n^(−1/e).
#[test]
fn a_norm() {
    let capacity = "kind = \"norm\"\ncapacity = [\"6 Mbit/s\", \"12 Mbit/s\", \"24 Mbit/s\"]\n";
    shares(&cell(3, &format!("{capacity}exponent = 1")), &[2.0, 4.0, 8.0]);
    let root = f64::sqrt(3.0);
    shares(&cell(3, &format!("{capacity}exponent = 2")), &[6.0 / root, 12.0 / root, 24.0 / root]);
}

/// y₁² + y₂² + 2m y₁y₂ = 1 at y₁ = y₂ = 1/√(2(1 + m)).
#[test]
fn an_ellipsoid() {
    let region =
        "kind = \"ellipsoid\"\ncapacity = [\"10 Mbit/s\", \"20 Mbit/s\"]\nmatrix = [[1, 0.28], [0.28, 1]]".to_owned();
    // √2.56 = 1.6.
    shares(&cell(2, &region), &[6.25, 12.5]);
}

/// The corner of huang2020, Claim 1: r₁ + 2r₂ ≤ 4 and 3r₁ + r₂ ≤ 6 meet at (8/5, 6/5); the gradient (5/8, 5/6) lies
/// between the normals.
#[test]
fn half_spaces() {
    let region = r#"kind = "half-spaces"
limit = [{ weights = [1, 2], most = "4 Mbit/s" }, { weights = [3, 1], most = "6 Mbit/s" }]"#;
    shares(&cell(2, region), &[1.6, 1.2]);
}

/// States (4, 1) and (1, 4), equally likely: each is served in its good state, and gets half of 4.
#[test]
fn a_fading_channel() {
    let region = r#"kind = "fading"
[[region.state]]
rates = ["4 Mbit/s", "1 Mbit/s"]
probability = "50 %"
[[region.state]]
rates = ["1 Mbit/s", "4 Mbit/s"]
probability = 0.5"#;
    shares(&cell(2, region), &[2.0, 2.0]);
}

/// One link in conflict with two: it gets a third of the time.
#[test]
fn a_conflict_graph() {
    let region =
        "kind = \"csma\"\ncapacity = \"24 Mbit/s\"\nconflicts = [[\"air-1\", \"air-2\"], [\"air-2\", \"air-3\"]]";
    shares(&cell(3, region), &[16.0, 8.0, 16.0]);
    // A group in conflict with itself is time sharing.
    shares(&cell(4, "kind = \"csma\"\ncapacity = \"24 Mbit/s\"\nconflicts = [[\"air\", \"air\"]]"), &[6.0; 4]);
}

/// wang2013 (2) for n links in mutual conflict: Σ p ln(b u) + T H(u), with u₀ idle. By symmetry n p ln u − T(n u ln u +
/// (1 − nu) ln(1 − nu)), stationary where p/u = T ln(u/(1 − nu)). With p = 1, T = 1, n = 2: bisected.
#[test]
fn entropy_leaves_the_channel_idle() {
    let slope = |u: f64| 1.0 / u - libm::log(u / (1.0 - 2.0 * u));
    let (mut low, mut high) = (0.01, 0.4999);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let region = "kind = \"csma\"\ncapacity = \"10 Mbit/s\"\nconflicts = [[\"air\", \"air\"]]\nentropy = 1";
    for flow in best(&cell(2, region), Objective::Proportional).flows {
        assert!((flow.rate_bps / 1e7 / low - 1.0).abs() < 1e-6, "{} is not {low}", flow.rate_bps);
    }
}

/// FROM->TO names a group of links without a name; the links back are a group too.
#[test]
fn groups_of_links_go_by_their_ends() {
    let scenario = read(
        r#"
name = "both-ways"
duration = "1 s"
node = [{ name = "hub" }, { name = "leaf", count = 2 }]
link = [{ from = "leaf", to = "hub", delay = "1 ms" }]
flow = [
  { name = "up", from = "leaf", to = "hub", law = "fast" },
  { name = "down", from = "hub", to = "leaf", law = "fast" },
]
region = [{ name = "air", kind = "norm", exponent = 1, links = ["leaf->hub", "hub->leaf-2", "hub->leaf-1"],
  capacity = ["8 Mbit/s", "8 Mbit/s", "8 Mbit/s", "4 Mbit/s"] }]
"#,
    );
    let rates: Vec<f64> =
        best(&scenario, Objective::Proportional).flows.iter().map(|flow| (flow.rate_bps / 1e3).round()).collect();
    // In the order of the flows: up-1, up-2, down-1 (whose capacity stands last), down-2.
    assert_eq!(rates, [2000.0, 2000.0, 1000.0, 2000.0]);
}

/// The scenarios in the repository reach the values in their comments.
#[test]
fn ready_scenarios() {
    let file = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
        read(&std::fs::read_to_string(path).expect("the scenario is there"))
    };
    shares(&file("flow-in-the-middle.toml"), &[16.0, 8.0, 16.0]);
    let cell = best(&file("smooth-cell.toml"), Objective::Proportional);
    let rates: Vec<f64> = cell.flows.iter().map(|flow| (flow.rate_bps / 1e4).round() / 100.0).collect();
    assert_eq!(rates, [14.83, 9.29, 15.88]);
    // On the edge of the region, and the wire is full.
    assert!(((rates[0] / 40.0).powi(2) + (rates[1] / 10.0).powi(2) - 1.0).abs() < 1e-3);
    assert!((rates.iter().sum::<f64>() - 40.0).abs() < 0.011);
}

#[test]
fn a_region_has_no_packets() {
    let refused = cell(1, "kind = \"box\"\ncapacity = \"1 Mbit/s\"").check_packets().expect_err("there is a region");
    assert_eq!(refused.region, "region");
    assert!(refused.to_string().contains("hint: use `optimum` or `fluid`"), "{refused}");
}
