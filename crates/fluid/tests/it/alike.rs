//! Flows that nothing tells apart, followed once for all, go where each of them goes by itself.

use windward_fluid::{Classes, FluidFlow, Method, Model, integrate};
use windward_laws::LawSpec;
use windward_num::Network;

/// Three CUBICs and two Renos over access links of their own and a bottleneck whose buffer overflows; a fast and a slow
/// access.
fn routes() -> Vec<Vec<u32>> {
    (0..5).map(|flow| vec![flow, 5]).collect()
}

fn network() -> Network {
    Network::wired(&[900.0, 900.0, 900.0, 150.0, 150.0, 1000.0], routes())
}

const LAWS: [&str; 5] = ["cubic", "cubic", "cubic", "reno", "reno"];
const BASE_RTT: f64 = 0.08;
const BUFFERS: [f64; 6] = [50.0, 50.0, 50.0, 20.0, 20.0, 60.0];

fn flow(name: &str) -> FluidFlow {
    let spec = LawSpec::from_json(name, serde_json::json!({})).expect("it is known");
    FluidFlow::new(&spec, BASE_RTT, 1e-4).expect("it has a fluid form")
}

#[test]
fn alike_flows_go_together() {
    let method = Method::Ode { tolerance: 1e-8 };
    let mut each = Model::new(network(), LAWS.map(flow).into(), BUFFERS.to_vec()).expect("right");
    let each = integrate(&mut each, &[10.0; 5], 30.0, 1.0, method).expect("it runs");
    let classes = Classes::of(&routes(), &LAWS, &BUFFERS.map(|buffer| buffer as u64));
    assert_eq!(classes.flow, [0, 0, 0, 1, 1]);
    let flows = classes.of_flows(&LAWS).map(|name| flow(name)).collect();
    let buffers = classes.of_links(&BUFFERS).copied().collect();
    let mut merged = Model::new(classes.network(&network()), flows, buffers).expect("right").with_classes(&classes);
    let merged = integrate(&mut merged, &[10.0; 2], 30.0, 1.0, method).expect("it runs");
    for (all, of_class) in
        [(&each.windows, &merged.windows), (&each.rates, &merged.rates), (&each.delays, &merged.delays)]
    {
        for (row, expected) in of_class.iter().zip(all) {
            let is_same = |(flow, value): (usize, &f64)| {
                let of_class = row[classes.flow[flow] as usize];
                (of_class - value).abs() <= 1e-5 * value.abs().max(1e-3)
            };
            assert!(expected.iter().enumerate().all(is_same), "{row:?} {expected:?}");
        }
    }
    // The bottleneck and the slow links are full at the end.
    let last = &merged.rates[30];
    assert!((3.0 * last[0] + 2.0 * last[1] - 1000.0).abs() < 1e-6, "{last:?}");
}
