//! Free-routing results by paths, and their certificate.

use super::model::{Model, Raw};
use super::paths::{self, Demand, Path};
use super::problem::RoutingProblem;
use crate::answer::Answer;
use crate::certificate::{self, Certificate, Sums};
use crate::scale::Scale;
use crate::solution::{Method, Solution};
use serde::{Deserialize, Serialize};

/// The best rates and how they are routed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Routing {
    /// Paths of each flow, the largest first.
    pub paths: Vec<Vec<Path>>,
    /// Rates, prices, schedule and proof; `path_prices` are those of the cheapest paths.
    pub solution: Solution,
}

impl Routing {
    /// f_l^s: each flow's rate on each link.
    pub fn loads(&self) -> Vec<Vec<f64>> {
        self.paths.iter().map(|paths| paths::loads(paths, self.solution.prices.len())).collect()
    }
}

impl Routing {
    /// Converts an answer from units of `scale` to those of `problem`.
    pub(super) fn rescaled(self, scale: Scale, problem: &RoutingProblem) -> Self {
        let mut paths = self.paths;
        paths.iter_mut().flatten().for_each(|path| path.rate = scale.rate(path.rate));
        let Solution { rates, prices, link_rates, mixtures, path_prices, .. } = self.solution;
        let answer = scale.undo(&problem.network, Answer { rates, prices, link_rates, mixtures });
        let solution = Solution {
            objective: Some(certificate::objective(&problem.with_routes(&paths), &answer)),
            path_prices: path_prices.into_iter().map(|price| scale.price(price)).collect(),
            rates: answer.rates,
            prices: answer.prices,
            link_rates: answer.link_rates,
            mixtures: answer.mixtures,
            ..self.solution
        };
        Self { paths, solution }
    }
}

/// Certifies the result of one pass.
pub(super) fn certified(model: &Model<'_>, raw: Raw) -> Routing {
    let problem = model.problem;
    let (answer, paths) = model.by_paths(raw.answer, &raw.flows);
    let sums = model.sums(&answer, &paths);
    let judged = problem.with_routes(&paths);
    let solution = Solution {
        certificate: Certificate::of_sums(&judged, &answer, &sums),
        objective: Some(certificate::objective(&judged, &answer)),
        path_prices: sums.path_prices,
        rates: answer.rates,
        prices: answer.prices,
        link_rates: answer.link_rates,
        mixtures: answer.mixtures,
        levels: Vec::new(),
        method: Method::Conic,
        iterations: raw.iterations,
    };
    Routing { paths, solution }
}

impl Model<'_> {
    /// Decomposes the answer into paths: each flow's rate is the sum over its paths.
    pub fn by_paths(&self, answer: Answer, flows: &[Vec<f64>]) -> (Answer, Vec<Vec<Path>>) {
        let split = |(demand, flow): (&Demand, &Vec<f64>)| paths::decompose(demand, &self.problem.ends, flow);
        let paths: Vec<Vec<Path>> = self.demands.iter().zip(flows).map(split).collect();
        let rates = paths.iter().map(|paths| paths.iter().map(|path| path.rate).sum()).collect();
        (Answer { rates, ..answer }, paths)
    }

    /// Loads by the paths, the cheapest paths' prices, and the extra price of the used paths.
    pub fn sums(&self, answer: &Answer, paths: &[Vec<Path>]) -> Sums {
        let path_prices = self.cheapest(&answer.prices);
        let mut loads = vec![0.0; answer.prices.len()];
        let mut detour = 0.0;
        for (paths, cheapest) in paths.iter().zip(&path_prices) {
            for path in paths {
                let price: f64 = path.links.iter().map(|&l| answer.prices[l as usize]).sum();
                detour += path.rate * (price - cheapest);
                path.links.iter().for_each(|&l| loads[l as usize] += path.rate);
            }
        }
        Sums { path_prices, loads, detour: Some(detour) }
    }

    /// Price of each flow's cheapest allowed path.
    pub fn cheapest(&self, prices: &[f64]) -> Vec<f64> {
        self.demands.iter().map(|demand| paths::cheapest(demand, &self.problem.ends, prices)).collect()
    }
}
