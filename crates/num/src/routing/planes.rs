//! Last digits by cutting planes (Kelley 1960). A conic solver's objective is accurate to 1e-14, and rates and prices
//! therefore only to 1e-7. Linear programs, and here also problems with half-spaces, are solved to the last digits. Any
//! prices λ ≥ 0 bound the rates: Σ_s (price of the cheapest path of s)·x_s ≤ Σ λ c + h(λ). Each round solves with the
//! bounds known so far, follows the ray from 0 to the rates found by a linear program, and adds the bound by its prices
//! if the region ends before them.

use super::answer::{Routing, certified};
use super::model::{Goal, Model, Raw};
use super::paths::Demand;
use crate::answer::Mixture;
use crate::dense::dot;
use crate::network::{Coupling, Link, Network, Problem};
use crate::region::Region;
use crate::solve::options::Options;
use crate::utility::Utility;

/// Σ normal·x ≤ 1, by prices of links.
struct Plane {
    normal: Vec<f64>,
    prices: Vec<f64>,
}

/// True if planes from link prices alone bound the rates, and the objective is more than their sum.
fn can_polish(model: &Model<'_>) -> bool {
    let is_flat = |region: &Region| match region {
        Region::Box { .. } | Region::Fading { .. } => true,
        Region::Csma { entropy, .. } => *entropy == 0.0,
        // Half-spaces have prices of their own, which would have to follow.
        Region::Norm { .. } | Region::Ellipsoid { .. } | Region::HalfSpaces { .. } => false,
    };
    model.problem.network.couplings.iter().all(|coupling| is_flat(&coupling.region))
        && !model.problem.utilities.iter().any(Utility::is_linear)
}

/// Result from a solution near the best one; `None` where planes do not help.
pub(super) fn polish(model: &mut Model<'_>, near: &Routing) -> Option<Routing> {
    if !can_polish(model) {
        return None;
    }
    let links = model.problem.network.links.len();
    let leaving = |demand: &Demand| {
        let mut prices = vec![0.0; links];
        let first = |l: &&u32| model.problem.ends[**l as usize].0 == demand.source;
        demand.links.iter().filter(first).for_each(|&l| prices[l as usize] = 1.0);
        prices
    };
    // The links that leave its source bound each flow, so the first problem has an optimum.
    let mut planes: Vec<Plane> = model.demands.iter().map(|demand| model.plane(leaving(demand))).collect();
    planes.push(model.plane(near.solution.prices.clone()));
    let mut rates = near.solution.rates.clone();
    let mut iterations = near.solution.iterations;
    for round in 0..ROUNDS {
        let mut prices = None;
        if round > 0 {
            let best =
                crate::solve::solve(&within(model, &planes), &Options { tolerance: DIGITS, ..Options::default() })
                    .ok()?;
            let Some(Mixture::Faces { prices: faces }) = best.mixtures.first() else { return None };
            prices = Some(
                (0..links).map(|l| planes.iter().zip(faces).map(|(plane, mu)| mu * plane.prices[l]).sum()).collect(),
            );
            rates = best.rates;
        }
        model.rescale(&rates);
        let free = vec![None; rates.len()];
        let raw = model.solve(&Goal::Level { weights: &rates, rates: &free }, DIGITS).ok()?;
        iterations += raw.iterations;
        match prices {
            Some(prices) if raw.level >= 1.0 - INSIDE => return Some(model.finish(raw, prices, iterations)),
            _ => planes.push(model.plane(raw.answer.prices)),
        }
    }
    None
}

/// Flows bounded by the planes alone.
fn within(model: &Model<'_>, planes: &[Plane]) -> Problem {
    let flows = model.demands.len() as u32;
    let normals = planes.iter().map(|plane| plane.normal.clone()).collect();
    let region = Region::HalfSpaces { normals, offsets: vec![1.0; planes.len()] };
    let network = Network {
        links: vec![Link::Wireless; flows as usize],
        couplings: vec![Coupling { links: (0..flows).collect(), region }],
        routes: (0..flows).map(|s| vec![s]).collect(),
    };
    Problem { network, utilities: model.problem.utilities.clone() }
}

impl Model<'_> {
    /// Plane of the given prices, scaled to bound 1.
    fn plane(&self, mut prices: Vec<f64>) -> Plane {
        let network = &self.problem.network;
        let room = |(link, price): (&Link, &f64)| if let Link::Wired(c) = link { c * price } else { 0.0 };
        let mut bound: f64 = network.links.iter().zip(&prices).map(room).sum();
        for coupling in &network.couplings {
            let own: Vec<f64> = coupling.links.iter().map(|&l| prices[l as usize]).collect();
            bound += dot(&coupling.region.rates(&own), &own);
        }
        prices.iter_mut().for_each(|price| *price /= bound);
        Plane { normal: self.cheapest(&prices), prices }
    }

    /// Answer with the link prices of the planes.
    fn finish(&self, mut raw: Raw, prices: Vec<f64>, iterations: usize) -> Routing {
        raw.answer.prices = prices;
        raw.iterations = iterations;
        certified(self, raw)
    }
}

/// Limit of planes beyond the number of flows: each is a face near the best rates.
const ROUNDS: usize = 60;
/// Tolerance of the linear programs and of the problems within planes.
const DIGITS: f64 = 1e-12;
/// Tolerance of rates outside the region.
const INSIDE: f64 = 1e-10;
