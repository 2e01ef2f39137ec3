//! Errors of the base RTT, and delays that laws take for queueing: Eq. 2 of docs/concepts/starvation.md.

use serde_json::json;
use windward_fluid::{FluidFlow, Method, Model, integrate};
use windward_laws::LawSpec;
use windward_num::Network;

/// Packets per second of the link.
const CAPACITY: f64 = 1000.0;

/// Rate of the second flow over that of the first after a minute, and the queueing delay. Both have the law and 50 ms.
fn follow(law: &LawSpec, errors: [f64; 2]) -> (f64, f64) {
    let flow = |error: f64| {
        // A delay that the law takes for queueing lengthens the round trip; an error of its base does not.
        let base_rtt = 0.05 - error.min(0.0);
        let mut flow = FluidFlow::new(law, base_rtt, 0.0).expect("it has a fluid form");
        flow.base_error = error;
        flow
    };
    let network = Network::wired(&[CAPACITY], vec![vec![0]; 2]);
    let mut model = Model::new(network, errors.map(flow).into(), vec![f64::INFINITY]).expect("right");
    let run = integrate(&mut model, &[10.0; 2], 60.0, 1.0, Method::Ode { tolerance: 1e-9 }).expect("it ends");
    let (rates, delays) = (run.rates.last().expect("samples"), run.delays.last().expect("samples"));
    (rates[1] / rates[0], delays[0])
}

fn law(name: &str, parameters: serde_json::Value) -> LawSpec {
    LawSpec::from_json(name, parameters).expect("right")
}

/// r = (a + √(a² + 4))/2 with a = Δ·c/p, and q = (p/c)(1 + 1/r) − e₂, whether Δ is hidden from the first flow's base or
/// an error of the second's: e₁ − e₂ = Δ.
#[test]
fn a_delay_taken_for_queueing_costs_what_the_formula_says() {
    let laws = [law("quic-tcp", json!({ "backlog": 20 })), law("fast", json!({ "alpha": 20 }))];
    for law in &laws {
        for a in [0.5f64, 1.0, 3.0, 8.0] {
            let delay = a * 20.0 / CAPACITY;
            let expected = (a + (a * a + 4.0).sqrt()) / 2.0;
            for (errors, second) in
                [([-delay, 0.0], 0.0), ([0.0, delay], -delay), ([-delay / 2.0, delay / 2.0], -delay / 2.0)]
            {
                let (ratio, queue) = follow(law, errors);
                let waits = 20.0 / CAPACITY * (1.0 + 1.0 / expected) - second;
                assert!((ratio / expected - 1.0).abs() < 1e-4, "{law:?} a = {a}, {errors:?}: {ratio}");
                assert!((queue / waits - 1.0).abs() < 1e-4, "{law:?} a = {a}, {errors:?}: {queue}");
            }
        }
    }
}

/// A flow that begins once the first is at rest takes p/c for propagation: a = 1.
#[test]
fn a_late_flow_has_the_golden_ratio() {
    let (ratio, _) = follow(&law("quic-tcp", json!({ "backlog": 20 })), [0.0, 20.0 / CAPACITY]);
    assert!((ratio - 1.618_034).abs() < 1e-4, "{ratio}");
}

/// x = X·e^(−q/τ): e^(Δ/τ).
#[test]
fn the_exponential_map_costs_the_same_ratio() {
    let law = law("exp-delay", json!({}));
    for delay in [0.005, 0.01, 0.04] {
        let (ratio, _) = follow(&law, [-delay, 0.0]);
        assert!((ratio / libm::exp(delay / 0.0144) - 1.0).abs() < 1e-4, "{delay}: {ratio}");
    }
}

/// Laws that respond to losses alone do not ask for the base: Reno in a short buffer shares by the round trip.
#[test]
fn a_base_that_is_wrong_tells_no_law_that_it_has_no_queue() {
    // A base beyond the whole round trip: the law sees no queue, and grows until there is one.
    let (ratio, queue) = follow(&law("quic-tcp", json!({ "backlog": 20 })), [0.5, 0.5]);
    assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
    // Both keep p above a base of 550 ms: q = 0.5 + 2p/c.
    assert!((queue - 0.54).abs() < 1e-3, "{queue}");
}
