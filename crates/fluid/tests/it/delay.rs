//! Feedback delay against the closed form of a linearised law.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use windward_fluid::{FluidFlow, Lag, Method, Model, integrate};
use windward_laws::LawSpec;
use windward_num::{Error, Network, Stop};

/// d = 100 ms, 1000 packets a second, p = 25 packets: q = 25 ms at rest, a round trip T = 125 ms, W = 125.
fn follow(kappa: f64, lag: Lag) -> Vec<f64> {
    let parameters = serde_json::json!({ "rho": 0.5, "kappa": kappa, "backlog": 25.0 });
    let spec = LawSpec::from_json("quic-tcp", parameters).expect("right");
    let flows = vec![FluidFlow::new(&spec, 0.1, 0.0).expect("it has a fluid form")];
    let mut model = Model::new(Network::wired(&[1000.0], vec![vec![0]]), flows, vec![f64::INFINITY]).expect("right");
    let run = integrate(&mut model, &[125.5], 20.0, 0.01, Method::Delayed { lag }).expect("it can be integrated");
    run.windows.iter().map(|windows| windows[0] - 125.0).collect()
}

/// Largest distance from rest in the last 2 of 20 s, from half a packet at the beginning; a period is at most 0.5 s.
fn left(path: &[f64]) -> f64 {
    path[1800..].iter().fold(0.0f64, |most, v| most.max(v.abs()))
}

/// W′ = −κ·(d/T′)·(W − W·d/T′ − p)/T′ with T′ = d + q seen late and q = (W − c·d)/c. At rest, with A = q/T and B = d/T,
/// the distance from it follows v′ = −(κB/T)·(A·v + B·v(t − τ)), which is stable up to κB = (T/τ)·arccos(−A/B)/√(B² −
/// A²): here A = 1/5, B = 4/5 and τ = T: κ = 2.943. Without delay every κ is.
#[test]
fn one_round_trip_of_delay_limits_the_step() {
    let limit = libm::acos(-0.25) / 0.6f64.sqrt() / 0.8;
    assert!((limit - 2.943).abs() < 1e-3, "{limit}");
    for lag in [Lag::RoundTrip, Lag::Seconds(0.125)] {
        let (below, above) = (left(&follow(0.95 * limit, lag)), left(&follow(1.05 * limit, lag)));
        assert!(below < 0.1 && above > 1.0, "{lag:?}: {below}, {above}");
    }
    // Half the delay bears twice the step.
    let half = Lag::Seconds(0.0625);
    let (below, above) = (left(&follow(1.9 * limit, half)), left(&follow(2.1 * limit, half)));
    assert!(below < 0.1 && above > 1.0, "{below}, {above}");
}

/// From another thread, here before it begins: no evaluation is made any more.
#[test]
fn a_computation_can_be_stopped() {
    let spec = LawSpec::from_json("quic-tcp", serde_json::json!({ "backlog": 25.0 })).expect("right");
    let flows = vec![FluidFlow::new(&spec, 0.1, 0.0).expect("it has a fluid form")];
    let mut model = Model::new(Network::wired(&[1000.0], vec![vec![0]]), flows, vec![f64::INFINITY]).expect("right");
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    model.stop_when(Stop::when(move || flag.load(Ordering::Relaxed)));
    let mut run = || integrate(&mut model, &[10.0], 1.0, 0.1, Method::Ode { tolerance: 1e-6 });
    assert!(run().is_ok());
    stop.store(true, Ordering::Relaxed);
    assert_eq!(run().err(), Some(Error::Interrupted));
}

/// Reno behind a buffer of 1000 packets at 100 000 a second settles in 1/500 of a round trip: explicit steps are short.
#[test]
fn a_stiff_run_ends() {
    let flows = vec![FluidFlow::new(&LawSpec::from_json("reno", serde_json::json!({})).expect("right"), 0.1, 0.0)];
    let flows = flows.into_iter().map(|flow| flow.expect("it has a fluid form")).collect();
    let model = Model::new(Network::wired(&[100_000.0], vec![vec![0]]), flows, vec![1000.0]).expect("right");
    let mut model = model.with_most_work(20_000);
    // A flow and a link each time: 10 000 evaluations.
    match integrate(&mut model, &[11_000.0], 100.0, 1.0, Method::Ode { tolerance: 1e-6 }) {
        Err(Error::Stiff { evaluations }) => assert!((10_000..10_100).contains(&evaluations), "{evaluations}"),
        other => panic!("{other:?}"),
    }
}
