//! Sub-gradient iteration, the papers' benchmark: λ ← [λ + ε_k (A x − c or r)]⁺ with x_s = U′⁻¹(λ^s) and r from
//! MaxWeight at prices λ (huang2020 §II-A, wang2013 (8)–(9)). In queues, Q = λ/ε, it is the behaviour of the network
//! itself.

use crate::answer::{Answer, Mixture};
use crate::dense::first_max;
use crate::error::Error;
use crate::network::{Link, Problem};
use crate::region::{Region, independent_sets};
use crate::solution::{Method, Solution};
use crate::utility::Utility;
use serde::{Deserialize, Serialize};

/// The iteration's constants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// ε_0 > 0, price per rate: the first step.
    pub first: f64,
    /// ε_k = ε_0/(1 + decay·k)^½; 0 keeps the step.
    pub decay: f64,
    /// Iterations; rates, prices and link rates are averaged over the last half.
    pub iterations: usize,
    /// λ_0 > 0 of every link.
    pub price: f64,
}

/// Runs the iteration; `trace` receives the rates of every step. The certificate of the averages measures their
/// accuracy.
///
/// # Errors
/// As [`Problem::check`]; [`Error::Unsupported`] for max–min and α = 0.
pub fn solve(problem: &Problem, steps: &Steps, mut trace: impl FnMut(&[f64])) -> Result<Solution, Error> {
    problem.check()?;
    refuse(problem)?;
    let network = &problem.network;
    let mut prices = vec![steps.price; network.links.len()];
    let mut link_rates: Vec<f64> =
        network.links.iter().map(|link| if let Link::Wired(c) = link { *c } else { 0.0 }).collect();
    let mut mean = Answer {
        rates: vec![0.0; problem.utilities.len()],
        prices: vec![0.0; prices.len()],
        link_rates: vec![0.0; prices.len()],
        mixtures: vec![Mixture::Direct; network.couplings.len()],
    };
    // A flow whose path is free for a moment sends at most what its links could ever carry.
    let most = most_rates(problem);
    let averaged = steps.iterations - steps.iterations / 2;
    for k in 0..steps.iterations {
        let paths = network.path_prices(&prices);
        let rates: Vec<f64> = (problem.utilities.iter().zip(&paths).zip(&most))
            .map(|((utility, &y), most)| utility.inverse_derivative(y).min(*most))
            .collect();
        let is_averaged = k >= steps.iterations - averaged;
        let share = 1.0 / averaged as f64;
        for (coupling, mixture) in network.couplings.iter().zip(&mut mean.mixtures) {
            let inside: Vec<f64> = coupling.links.iter().map(|&l| prices[l as usize]).collect();
            for (&l, r) in coupling.links.iter().zip(coupling.region.rates(&inside)) {
                link_rates[l as usize] = r;
            }
            // Before the prices move: rates and prices of one step belong together.
            if is_averaged {
                add_service(mixture, &coupling.region, &inside, share);
            }
        }
        trace(&rates);
        if is_averaged {
            let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += share * b);
            add(&mut mean.rates, &rates);
            add(&mut mean.prices, &prices);
            add(&mut mean.link_rates, &link_rates);
        }
        let step = steps.first / (1.0 + steps.decay * k as f64).sqrt();
        for ((price, load), rate) in prices.iter_mut().zip(network.loads(&rates)).zip(&link_rates) {
            *price = (*price + step * (load - rate)).max(0.0);
        }
    }
    Ok(Solution::certified(mean, problem, Method::Subgradient, steps.iterations))
}

fn refuse(problem: &Problem) -> Result<(), Error> {
    if problem.utilities.iter().any(|u| u.is_linear() || matches!(u, Utility::MaxMin { .. })) {
        let what = "max_min or alpha = 0: the rate is no function of the price".into();
        return Err(Error::Unsupported { method: "the sub-gradient iteration", what });
    }
    Ok(())
}

/// Adds the scheduler's service at `prices` to the averaged mixture.
fn add_service(mixture: &mut Mixture, region: &Region, prices: &[f64], share: f64) {
    match region {
        Region::Fading { rates, .. } => {
            if *mixture == Mixture::Direct {
                *mixture = Mixture::Shares { shares: vec![vec![0.0; prices.len()]; rates.len()] };
            }
            if let Mixture::Shares { shares } = mixture {
                for (row, draw) in shares.iter_mut().zip(rates) {
                    row[first_max(draw.iter().zip(prices).map(|(r, q)| r * q))] += share;
                }
            }
        }
        Region::Csma { rates, conflicts, .. } => {
            let served = region.stationary(prices).unwrap_or_else(|| {
                let sets = independent_sets(rates.len(), conflicts).unwrap_or_default();
                let weight =
                    |set: &u64| (0..rates.len()).filter(|l| set >> l & 1 == 1).map(|l| rates[l] * prices[l]).sum();
                let best = first_max(sets.iter().map(weight));
                (0..sets.len()).map(|i| if i == best { 1.0 } else { 0.0 }).collect()
            });
            if *mixture == Mixture::Direct {
                *mixture = Mixture::Sets { probabilities: vec![0.0; served.len()] };
            }
            if let Mixture::Sets { probabilities } = mixture {
                probabilities.iter_mut().zip(&served).for_each(|(p, u)| *p += share * u);
            }
        }
        _ => {}
    }
}

fn most_rates(problem: &Problem) -> Vec<f64> {
    let network = &problem.network;
    let mut alone = vec![f64::INFINITY; network.links.len()];
    for (l, link) in network.links.iter().enumerate() {
        if let Link::Wired(c) = link {
            alone[l] = *c;
        }
    }
    for coupling in &network.couplings {
        let mut unit = vec![0.0; coupling.links.len()];
        for (i, &l) in coupling.links.iter().enumerate() {
            unit[i] = 1.0;
            alone[l as usize] = coupling.region.rates(&unit)[i];
            unit[i] = 0.0;
        }
    }
    let most = |(route, utility): (&Vec<u32>, &Utility)| match route.is_empty() {
        true => utility.free_rate(),
        false => route.iter().map(|&l| alone[l as usize]).fold(f64::INFINITY, f64::min),
    };
    network.routes.iter().zip(&problem.utilities).map(most).collect()
}
