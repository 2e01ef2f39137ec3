//! The last digits, by cutting planes (Kelley 1960). A conic solver knows an objective to 1e-14 and so rates and prices to 1e-7
//! only; linear programs and problems with half-spaces it and we know to the end. Any prices λ ≥ 0 bound the rates:
//! Σ_s (price of the cheapest way of s)·x_s ≤ Σ λ c + h(λ). Solve with the bounds known so far, walk from 0 towards the rates
//! found by a linear program, and where the region ends before them add the bound by its prices.

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

/// Whether rates are bounded by planes alone that the links' prices tell, and more than their sum counts.
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

/// What is found from a solution near the best one; `None` where planes do not help.
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

/// Flows that only the planes bound.
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
    /// The bound by prices, which are scaled so that it is 1.
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

    /// The answer with the prices that the planes give its links.
    fn finish(&self, mut raw: Raw, prices: Vec<f64>, iterations: usize) -> Routing {
        raw.answer.prices = prices;
        raw.iterations = iterations;
        certified(self, raw)
    }
}

/// Planes beyond the number of flows are few: each is a face near the best rates.
const ROUNDS: usize = 60;
/// Asked of the linear programs and of the problems within planes.
const DIGITS: f64 = 1e-12;
/// How far rates may lie outside the region.
const INSIDE: f64 = 1e-10;
