//! Times the solvers: proportional fairness and alpha = 2 on random networks of four links a flow, and F along a
//! trajectory. Prints a table: best of several runs, and the residual that each answer's certificate carries.
//!
//! `cargo bench -p windward-num` runs all but the largest; `cargo bench -p windward-num -- --large` runs that too (some
//! seconds and 200 MB).

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
#[expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]
use std::time::Instant;
use windward_num::{FluidMap, Network, Options, Problem, Utility, solve};

type Rng = Xoshiro256PlusPlus;

fn main() {
    println!("| problem | flows x links | best ms | steps | residual |");
    println!("|---|---|---|---|---|");
    for (flows, links, runs) in [(100, 50, 50), (1_000, 300, 20), (10_000, 2_000, 5), (100_000, 10_000, 2)] {
        for alpha in [1.0, 2.0, 3.5] {
            optimum(flows, links, alpha, runs);
        }
    }
    if std::env::args().any(|a| a == "--large") {
        optimum(1_000_000, 100_000, 1.0, 1);
    }
    println!();
    println!("| F along a trajectory | steps/s | Newton per step | cold starts | residual |");
    println!("|---|---|---|---|---|");
    trajectory(4, 10, 2_000_000);
    trajectory(100, 50, 100_000);
    trajectory(10, 40, 200_000);
}

/// Each flow crosses four different links; capacities and weights vary by a factor of ten and four.
fn network(rng: &mut Rng, flows: usize, links: usize) -> Network {
    let mean = 4.0 * flows as f64 / links as f64;
    let capacity: Vec<f64> = (0..links).map(|_| mean * rng.random_range(0.2..2.0)).collect();
    let routes = (0..flows)
        .map(|_| {
            let mut route: Vec<u32> = Vec::with_capacity(4);
            while route.len() < 4 {
                let l = rng.random_range(0..links as u32);
                if !route.contains(&l) {
                    route.push(l);
                }
            }
            route
        })
        .collect();
    Network::wired(&capacity, routes)
}

#[expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]
fn optimum(flows: usize, links: usize, alpha: f64, runs: usize) {
    let mut rng = Rng::seed_from_u64(1);
    let network = network(&mut rng, flows, links);
    let utility = |rng: &mut Rng| Utility::AlphaFair { weight: rng.random_range(0.5..2.0), alpha };
    let problem = Problem { network, utilities: (0..flows).map(|_| utility(&mut rng)).collect() };
    let options = Options { tolerance: 1e-9, ..Options::default() };
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..runs {
        let start = Instant::now();
        let solution = solve(&problem, &options).expect("random networks have an optimum");
        best = best.min(start.elapsed().as_secs_f64());
        last = Some((solution.iterations, solution.certificate.worst()));
    }
    let (steps, residual) = last.expect("at least one run");
    println!("| alpha {alpha} | {flows} x {links} | {:.3} | {steps} | {residual:.1e} |", best * 1e3);
}

/// Windows follow QUIC-TCP's fluid law of huang2020 (18) with rho = 1/2, kappa = 0.05, from a start far below
/// equilibrium.
#[expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]
fn trajectory(flows: usize, links: usize, steps: usize) {
    let mut rng = Rng::seed_from_u64(2);
    let network = network(&mut rng, flows, links);
    let base_rtt: Vec<f64> = (0..flows).map(|_| rng.random_range(0.02..0.2)).collect();
    let mut map = FluidMap::new(network, &base_rtt).expect("every flow has a link");
    let target: Vec<f64> = (0..flows).map(|_| rng.random_range(5.0..20.0)).collect();
    let mut windows = vec![1.0; flows];
    let (mut newton, mut cold) = (0, 0);
    let mut residual = 0.0_f64;
    let start = Instant::now();
    let mut judging = 0.0;
    for step in 0..steps {
        let point = map.solve(&windows).expect("F has a value for positive windows");
        newton += point.newton_steps;
        cold += usize::from(point.interior_steps > 0);
        for s in 0..flows {
            let ratio = base_rtt[s] / (base_rtt[s] + map.path_delays()[s]);
            windows[s] -= 0.05 * ratio * (windows[s] - map.rates()[s] * base_rtt[s] - target[s]);
        }
        // Start again, so that the trajectory does not end in a fixed point.
        if step % 400 == 399 {
            let pause = Instant::now();
            residual = residual.max(map.certificate().worst());
            windows.iter_mut().for_each(|w| *w = (*w * rng.random_range(0.3..1.5)).max(1.0));
            judging += pause.elapsed().as_secs_f64();
        }
    }
    let seconds = start.elapsed().as_secs_f64() - judging;
    let per_step = newton as f64 / steps as f64;
    println!("| {flows} x {links} | {:.0} | {per_step:.2} | {cold} | {residual:.1e} |", steps as f64 / seconds);
}
