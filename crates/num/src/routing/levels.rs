//! Max–min with free routing: raises all flows at x_s = w_s t as far as routing and schedule allow, freezes those whose
//! cheapest path has a price, and continues with the others. Interior points end among strictly complementary ones, so
//! that a flow that could still rise has price 0.

use super::answer::Routing;
use super::model::{Goal, Model};
use super::paths::Demand;
use super::problem::RoutingProblem;
use crate::answer::Level;
use crate::certificate::Certificate;
use crate::error::Error;
use crate::region::Region;
use crate::solution::{Method, Solution};
use crate::utility::Utility;

pub(super) fn solve(problem: &RoutingProblem, demands: Vec<Demand>) -> Result<Routing, Error> {
    let weights = weights(problem)?;
    let mut model = Model::new(problem, demands);
    let mut rates: Vec<Option<f64>> = vec![None; weights.len()];
    let mut levels: Vec<Level> = Vec::new();
    let mut iterations = 0;
    loop {
        let goal = Goal::Level { weights: &weights, rates: &rates };
        // Once for the scale of the rates, once for the digits.
        let rough = model.solve(&goal, TOLERANCE)?;
        model.rescale(&rough.answer.rates);
        let raw = model.solve(&goal, TOLERANCE)?;
        iterations += rough.iterations + raw.iterations;
        let cheapest = model.cheapest(&raw.answer.prices);
        let share = |s: usize| weights[s] * cheapest[s];
        let active: Vec<usize> = (0..weights.len()).filter(|&s| rates[s].is_none()).collect();
        let total: f64 = active.iter().map(|&s| share(s)).sum();
        // A flow is frozen where its cheapest path has a price: others can still gain.
        let stopped: Vec<usize> = active.iter().copied().filter(|&s| share(s) > NO_PRICE * total).collect();
        if stopped.is_empty() {
            return Err(Error::NotConverged { method: "clarabel", iterations, residual: total, tolerance: TOLERANCE });
        }
        stopped.iter().for_each(|&s| rates[s] = Some(weights[s] * raw.level));
        let flows = stopped.iter().map(|&s| s as u32).collect();
        levels.push(Level { level: raw.level, flows, prices: raw.answer.prices.clone() });
        if rates.iter().any(Option::is_none) {
            continue;
        }
        let (answer, paths) = model.by_paths(raw.answer, &raw.flows);
        let sums = model.sums(&answer, &paths);
        let prices = |prices: &[f64]| model.cheapest(prices);
        let judged = problem.with_routes(&paths);
        let solution = Solution {
            certificate: Certificate::of_level_sums(&judged, &weights, &answer, &levels, (&sums.loads, prices)),
            path_prices: sums.path_prices,
            rates: answer.rates,
            prices: answer.prices,
            link_rates: answer.link_rates,
            mixtures: answer.mixtures,
            objective: None,
            levels,
            method: Method::Conic,
            iterations,
        };
        return Ok(Routing { paths, solution });
    }
}

fn weights(problem: &RoutingProblem) -> Result<Vec<f64>, Error> {
    let refused = |what: &str| Error::Unsupported { method: "max-min with free routing", what: what.to_owned() };
    let is_entropic = |region: &Region| matches!(region, Region::Csma { entropy, .. } if *entropy > 0.0);
    if problem.network.couplings.iter().any(|coupling| is_entropic(&coupling.region)) {
        return Err(refused("an entropy term: no price of fairness outweighs it; set entropy to 0"));
    }
    let weight = |utility: &Utility| match utility {
        Utility::MaxMin { weight } => Ok(*weight),
        _ => Err(refused("a mixture of max_min and other utilities: max-min compares flows, it has no value to add")),
    };
    problem.utilities.iter().map(weight).collect()
}

/// Tolerance of the linear programs.
const TOLERANCE: f64 = 1e-12;
/// Fractions of the level's price below this count as zero.
const NO_PRICE: f64 = 1e-6;
