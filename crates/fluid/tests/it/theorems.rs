//! Theorems of the papers about QUIC-TCP, on random networks.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use windward_fluid::{FluidFlow, Method, Model, integrate, lyapunov};
use windward_laws::LawSpec;
use windward_num::{Network, Options, Problem, Utility, solve};

struct Case {
    network: Network,
    base_rtts: Vec<f64>,
    backlogs: Vec<f64>,
    starts: Vec<f64>,
}

/// Three to six flows on two to four links, each flow on one or two of them.
fn random(seed: u64) -> Case {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut uniform = |low: f64, high: f64| low + (high - low) * (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let links = uniform(2.0, 5.0) as usize;
    let flows = uniform(3.0, 7.0) as usize;
    let capacities: Vec<f64> = (0..links).map(|_| uniform(200.0, 2000.0)).collect();
    let routes = (0..flows).map(|_| {
        let first = uniform(0.0, links as f64) as u32;
        let second = uniform(0.0, links as f64) as u32;
        if first == second { vec![first] } else { vec![first, second] }
    });
    let routes = routes.collect();
    let mut draw = |low, high| (0..flows).map(|_| uniform(low, high)).collect::<Vec<f64>>();
    Case {
        network: Network::wired(&capacities, routes),
        base_rtts: draw(0.02, 0.2),
        backlogs: draw(5.0, 40.0),
        starts: draw(1.0, 300.0),
    }
}

impl Case {
    fn model(&self, rho: f64, kappa: f64) -> Model {
        let flow = |(&base_rtt, &backlog): (&f64, &f64)| {
            let parameters = serde_json::json!({ "rho": rho, "kappa": kappa, "backlog": backlog });
            let spec = LawSpec::from_json("quic-tcp", parameters).expect("these are right");
            FluidFlow::new(&spec, base_rtt, 0.0).expect("it has a fluid form")
        };
        let flows = self.base_rtts.iter().zip(&self.backlogs).map(flow).collect();
        let buffers = vec![f64::INFINITY; self.network.links.len()];
        Model::new(self.network.clone(), flows, buffers).expect("the network is right")
    }
}

/// huang2020 Theorems 1 and 2: from any start, for ρ in (0, 1], the rates end at the maximum of Σ p ln x, found by a
/// different method. κ = W^(2ρ−1)/2 for windows of about 100 keeps the speeds alike; 400 s leave the slowest mode,
/// about κ·(d/d̄)·W^(1−2ρ)/rtt = 0.5·0.3/0.3 s⁻¹ or more, far behind: what is left is the tolerance of the steps.
#[test]
fn all_rho_reach_the_optimum_from_random_starts() {
    for seed in 0..12 {
        let case = random(seed);
        let weights = case.backlogs.iter().map(|&weight| Utility::ProportionalFair { weight }).collect();
        let problem = Problem { network: case.network.clone(), utilities: weights };
        let best = solve(&problem, &Options::default()).expect("it has an optimum").rates;
        for rho in [0.25, 0.5, 0.75, 1.0] {
            let kappa = 0.5 * libm::pow(100.0, 2.0 * rho - 1.0);
            let mut model = case.model(rho, kappa);
            let run = integrate(&mut model, &case.starts, 400.0, 10.0, Method::Ode { tolerance: 1e-8 });
            let run = run.expect("it can be integrated");
            for (x, best) in run.rates.last().expect("there are samples").iter().zip(&best) {
                assert!((x - best).abs() < 1e-4 * best, "seed {seed}, rho {rho}: {x} for {best}");
            }
        }
    }
}

/// huang2020 (27): Y falls along every trajectory of the differential equation in steps of equal length; per round trip
/// each flow has its own clock, so this is held where all round trips are alike.
#[test]
fn the_lyapunov_function_falls() {
    for seed in 0..12 {
        let mut case = random(seed);
        case.network = Network::wired(&[1000.0], vec![vec![0]; case.backlogs.len()]);
        case.base_rtts.fill(0.1);
        for rho in [0.25, 0.5, 1.0] {
            let mut model = case.model(rho, 0.5 * libm::pow(100.0, 2.0 * rho - 1.0));
            let run = integrate(&mut model, &case.starts, 20.0, 0.1, Method::Ode { tolerance: 1e-9 }).expect("it can");
            let values: Vec<f64> = run
                .windows
                .iter()
                .zip(&run.rates)
                .map(|(w, x)| lyapunov(w, x, &case.base_rtts, &case.backlogs, rho))
                .collect();
            let floor = 1e-9 * values[0];
            assert!(values.windows(2).all(|y| y[1] <= y[0] + floor), "seed {seed}, rho {rho}: {values:?}");
        }
    }
}

/// huang2020 §V-B: at one κ the smaller ρ is faster (the speed is κ (d/d̄) w^(1−2ρ), and w > 1).
#[test]
fn smaller_rho_is_faster_at_one_kappa() {
    let case = random(3);
    let mut last = 0.0;
    for rho in [0.25, 0.5, 0.75] {
        let mut model = case.model(rho, 0.05);
        let run = integrate(&mut model, &case.starts, 3000.0, 1.0, Method::Ode { tolerance: 1e-7 }).expect("it can");
        let settled = run.settled(0.01).expect("it settles");
        assert!(settled > last, "rho {rho} settles after {settled} s, the smaller one after {last} s");
        last = settled;
    }
}

/// One flow pinned by its link, FAST: per step v ← (1 − κ) v exactly (huang2020 §2, discrete FAST); v = w − c d − p.
#[test]
fn discrete_fast_closes_a_fixed_share_of_the_gap() {
    let spec = LawSpec::from_json("fast", serde_json::json!({ "gamma": 0.25, "alpha": 50.0 })).expect("right");
    let flows = vec![FluidFlow::new(&spec, 0.1, 0.0).expect("it has a fluid form")];
    let mut model = Model::new(Network::wired(&[1000.0], vec![vec![0]]), flows, vec![f64::INFINITY]).expect("right");
    let run = integrate(&mut model, &[400.0], 0.2, 0.02, Method::Discrete { period: 0.02 }).expect("it can");
    for (step, windows) in run.windows.iter().enumerate() {
        let exact = 150.0 + 250.0 * libm::pow(0.75, step as f64);
        assert!((windows[0] - exact).abs() < 1e-6 * exact, "step {step}: {} for {exact}", windows[0]);
    }
}

/// Reno alone in front of a buffer of B packets saws between pipe and pipe + B in packets; its fluid rests where
/// p = 2/(2 + W²) (crates/laws, reno.rs) and W fills pipe and buffer but for what p needs.
#[test]
fn reno_fills_the_buffer() {
    let spec = LawSpec::from_json("reno", serde_json::json!({})).expect("right");
    let flows = vec![FluidFlow::new(&spec, 0.1, 0.0).expect("it has a fluid form")];
    let mut model = Model::new(Network::wired(&[1000.0], vec![vec![0]]), flows, vec![50.0]).expect("right");
    let run = integrate(&mut model, &[10.0], 100.0, 1.0, Method::Ode { tolerance: 1e-7 }).expect("it can");
    let w = run.windows.last().expect("there are samples")[0];
    // (W − 150)/W = p = 2/(2 + W²).
    assert!(((w - 150.0) / w - 2.0 / (2.0 + w * w)).abs() < 1e-6, "{w}");
}

/// Hosts with room for 60 packets: w rests there, and x = w/d = 600 packets per second of 1000, whatever the law.
#[test]
fn windows_stop_at_the_room_of_the_hosts() {
    for law in ["reno", "cubic", "vegas", "scalable"] {
        let spec = LawSpec::from_json(law, serde_json::json!({})).expect("right");
        let mut flow = FluidFlow::new(&spec, 0.1, 0.0).expect("it has a fluid form");
        flow.most = 60.0;
        let mut model = Model::new(Network::wired(&[1000.0], vec![vec![0]]), vec![flow], vec![50.0]).expect("right");
        let run = integrate(&mut model, &[10.0], 100.0, 1.0, Method::Ode { tolerance: 1e-7 }).expect("it can");
        let (w, x) = (run.windows.last().expect("samples")[0], run.rates.last().expect("samples")[0]);
        assert!((w - 60.0).abs() < 1e-9 && (x - 600.0).abs() < 1e-6, "{law}: {w} packets, {x} a second");
        assert!(run.settled(0.01).is_some(), "{law}");
    }
}
