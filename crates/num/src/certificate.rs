//! Certificate of optimality: the optimality conditions of huang2020 (2)–(7) and wang2013 (3)–(7), computed from rates,
//! prices and the problem alone, independent of the solution method.

use crate::answer::{Answer, Level, Mixture};
use crate::network::{Coupling, Link, Network, Problem};
use crate::region::Region;
use serde::{Deserialize, Serialize};

/// Residuals, all relative and ≥ 0; all 0 at an exact optimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Largest excess of a link's load over its rate, or of rates over their region; relative to the link's capacity,
    /// or to the largest rate in its region.
    pub primal: f64,
    /// Largest |U′(x_s) − Σ λ_l| relative to the terms of U′; for a flow at rate 0 only too low a price counts.
    pub dual: f64,
    /// Σ λ_l |r_l − load_l| relative to Σ x_s U′(x_s), or one link's part relative to the least x U′ of its own flows
    /// if that is larger. Rounding differences between r_l and a sum of rates do not count: a link whose load is right
    /// to the last digits is full.
    pub slackness: f64,
    /// (h(λ) − λᵀr) of the coupled links, relative to the same: distance from MaxWeight's choice of r.
    pub scheduling: f64,
    /// (dual − primal objective), relative to the same.
    pub gap: f64,
    /// With free routing: Σ of each path's rate times its extra price over the cheapest path, relative to the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<f64>,
}

/// Sums over flows at an answer's rates and prices.
pub(crate) struct Sums {
    /// Price of each flow's route, or of the cheapest of its paths.
    pub path_prices: Vec<f64>,
    /// Load of each link.
    pub loads: Vec<f64>,
    /// With free routing: Σ of each path's rate times its extra price over the cheapest path.
    pub detour: Option<f64>,
}

impl Sums {
    fn of(network: &Network, answer: &Answer) -> Self {
        let path_prices = network.path_prices(&answer.prices);
        Self { path_prices, loads: network.loads(&answer.rates), detour: None }
    }
}

impl Certificate {
    /// The largest residual.
    pub fn worst(&self) -> f64 {
        let all = [self.primal, self.dual, self.slackness, self.scheduling, self.gap, self.routing.unwrap_or(0.0)];
        match all.iter().any(|v| v.is_nan()) {
            true => f64::INFINITY,
            false => all.into_iter().fold(0.0, f64::max),
        }
    }

    pub(crate) fn of(problem: &Problem, answer: &Answer) -> Self {
        Self::of_sums(problem, answer, &Sums::of(&problem.network, answer))
    }

    /// Certificate with given `sums`; the problem's routes are all links that a flow uses.
    pub(crate) fn of_sums(problem: &Problem, answer: &Answer, sums: &Sums) -> Self {
        let network = &problem.network;
        let loads = &sums.loads;
        let mut out = Self::default();
        let mut turnover = 0.0;
        let mut lagrangian_gap = 0.0;
        for ((utility, &x), &y) in problem.utilities.iter().zip(&answer.rates).zip(&sums.path_prices) {
            let size = utility.turnover(x);
            turnover += size;
            let error = utility.derivative(x) - y;
            let relative = error * x / size;
            // At the boundary x = 0 of a linear utility a price above U′ is right.
            let at_zero = utility.is_linear() && error < 0.0;
            if at_zero {
                lagrangian_gap -= error * x;
            } else {
                out.dual = out.dual.max(relative.abs());
                let best = utility.inverse_derivative(y);
                // A path without a price has no best rate; `dual` shows it.
                if !utility.is_linear() && best.is_finite() {
                    lagrangian_gap += (utility.value(best) - y * best) - (utility.value(x) - y * x);
                }
            }
        }
        let scale = scales(problem, answer);
        let turnovers = link_turnovers(problem, answer, &scale);
        let mut slackness = 0.0;
        for (l, link) in network.links.iter().enumerate() {
            let rate = match *link {
                Link::Wired(c) => c,
                Link::Wireless => answer.link_rates[l],
            };
            out.primal = out.primal.max((loads[l] - rate) / scale[l]);
            let spare = (rate - loads[l]).abs();
            // A full link has no spare rate but rounding, however high its price.
            let lost = if spare > ROUNDING * rate.max(loads[l]) { answer.prices[l].abs() * spare } else { 0.0 };
            slackness += lost;
            out.slackness = out.slackness.max(lost / turnovers[l]);
            lagrangian_gap += answer.prices[l] * (rate - loads[l]);
            // Weak duality needs λ ≥ 0: a negative price proves nothing.
            if answer.prices[l] < 0.0 {
                out.dual = f64::INFINITY;
            }
        }
        let mut scheduling = 0.0;
        for (coupling, mixture) in network.couplings.iter().zip(&answer.mixtures) {
            let prices: Vec<f64> = coupling.links.iter().map(|&l| answer.prices[l as usize]).collect();
            let rates: Vec<f64> = coupling.links.iter().map(|&l| answer.link_rates[l as usize]).collect();
            out.primal = out.primal.max(excess(coupling, mixture, &rates));
            scheduling +=
                support(coupling, mixture, &prices) - entropy(coupling, mixture) - crate::dense::dot(&prices, &rates);
        }
        let relative = |v: f64| if v == 0.0 { 0.0 } else { v.abs() / turnover };
        out.slackness = out.slackness.max(relative(slackness));
        out.scheduling = relative(scheduling);
        out.gap = relative(lagrangian_gap + scheduling + sums.detour.unwrap_or(0.0));
        out.routing = sums.detour.map(relative);
        out
    }
}

impl Certificate {
    /// Certificate of max–min: rates inside the region, and each level as high as weak duality permits: with the flows
    /// of earlier levels at their rates, t Σ λ·weights ≤ Σ λ c + h(λ) − Σ λ·used for any λ ≥ 0. A flow may be frozen
    /// only where it pays.
    pub(crate) fn of_levels(problem: &Problem, weights: &[f64], answer: &Answer, levels: &[Level]) -> Self {
        let loads = problem.network.loads(&answer.rates);
        let path_prices = |prices: &[f64]| problem.network.path_prices(prices);
        Self::of_level_sums(problem, weights, answer, levels, (&loads, path_prices))
    }

    /// Certificate of max–min from the links' loads and a function from link prices to flow prices.
    pub(crate) fn of_level_sums(
        problem: &Problem,
        weights: &[f64],
        answer: &Answer,
        levels: &[Level],
        (loads, path_prices): (&[f64], impl Fn(&[f64]) -> Vec<f64>),
    ) -> Self {
        let network = &problem.network;
        let mut out = Self::default();
        let mut rates = vec![0.0; weights.len()];
        let mut stops = vec![usize::MAX; weights.len()];
        for (k, level) in levels.iter().enumerate() {
            for &s in &level.flows {
                stops[s as usize] = k;
                rates[s as usize] = level.level * weights[s as usize];
            }
        }
        for ((load, rate), scale) in loads.iter().zip(&answer.link_rates).zip(scales(problem, answer)) {
            out.primal = out.primal.max((load - rate) / scale);
        }
        for (coupling, mixture) in network.couplings.iter().zip(&answer.mixtures) {
            let reached: Vec<f64> = coupling.links.iter().map(|&l| answer.link_rates[l as usize]).collect();
            out.primal = out.primal.max(excess(coupling, mixture, &reached));
        }
        for (k, level) in levels.iter().enumerate() {
            let mut room = 0.0;
            for (link, price) in network.links.iter().zip(&level.prices) {
                if let Link::Wired(c) = link {
                    room += price * c;
                }
            }
            for coupling in &network.couplings {
                let prices: Vec<f64> = coupling.links.iter().map(|&l| level.prices[l as usize]).collect();
                room += coupling.region.support(&prices);
            }
            let mut demand = 0.0;
            for (s, price) in path_prices(&level.prices).into_iter().enumerate() {
                match stops[s] < k {
                    true => room -= price * rates[s],
                    false => demand += price * weights[s],
                }
                if stops[s] == k && price <= 0.0 {
                    out.dual = f64::INFINITY;
                }
            }
            out.gap = out.gap.max((room / demand / level.level - 1.0).abs());
        }
        out
    }
}

/// Σ U_s(x_s) and the entropies.
pub(crate) fn objective(problem: &Problem, answer: &Answer) -> f64 {
    let utilities: f64 = problem.utilities.iter().zip(&answer.rates).map(|(u, &x)| u.value(x)).sum();
    let couplings = problem.network.couplings.iter().zip(&answer.mixtures);
    utilities + couplings.map(|(coupling, mixture)| entropy(coupling, mixture)).sum::<f64>()
}

/// Reference values for excess loads.
fn scales(problem: &Problem, answer: &Answer) -> Vec<f64> {
    let links = problem.network.links.iter();
    let mut scales: Vec<f64> =
        links.map(|l| if let Link::Wired(c) = l { c.max(f64::MIN_POSITIVE) } else { 1.0 }).collect();
    for coupling in &problem.network.couplings {
        let rates = coupling.links.iter().map(|&l| answer.link_rates[l as usize]);
        let largest = rates.fold(f64::MIN_POSITIVE, f64::max);
        coupling.links.iter().for_each(|&l| scales[l as usize] = largest);
    }
    scales
}

/// Least x U′ of the flows of each link, at the rate or at the rate that fits if that is larger: with alpha < 1 a flow
/// may end near rate 0.
fn link_turnovers(problem: &Problem, answer: &Answer, scale: &[f64]) -> Vec<f64> {
    let mut turnovers = vec![f64::INFINITY; scale.len()];
    for ((route, utility), &x) in problem.network.routes.iter().zip(&problem.utilities).zip(&answer.rates) {
        let fits = route.iter().map(|&l| scale[l as usize]).fold(f64::INFINITY, f64::min);
        let value = utility.turnover(fits).max(utility.turnover(x));
        route.iter().for_each(|&l| turnovers[l as usize] = turnovers[l as usize].min(value));
    }
    turnovers
}

/// T Σ −u_i ln u_i.
fn entropy(coupling: &Coupling, mixture: &Mixture) -> f64 {
    match (&coupling.region, mixture) {
        (Region::Csma { entropy, .. }, Mixture::Sets { probabilities }) if *entropy > 0.0 => {
            probabilities.iter().filter(|u| **u > 0.0).map(|u| -entropy * u * libm::log(*u)).sum()
        }
        _ => 0.0,
    }
}

/// An upper bound of h(λ), sharp at the optimum: its closed form, or for half-spaces Σ b_k μ_k with λ = Σ n_k μ_k.
fn support(coupling: &Coupling, mixture: &Mixture, prices: &[f64]) -> f64 {
    match (coupling.region.half_spaces(), mixture) {
        (Some((normals, offsets)), Mixture::Faces { prices: faces }) => {
            let reached = |l: usize| normals.iter().zip(faces).map(|(n, mu)| n[l] * mu).sum::<f64>();
            let is_bound = (0..prices.len()).all(|l| reached(l) >= prices[l] * (1.0 - 1e-12));
            match is_bound && faces.iter().all(|mu| *mu >= 0.0) {
                true => crate::dense::dot(&offsets, faces),
                false => f64::INFINITY,
            }
        }
        _ => coupling.region.support(prices),
    }
}

/// Distance of rates outside their region, relative to it.
fn excess(coupling: &Coupling, mixture: &Mixture, rates: &[f64]) -> f64 {
    let over = |reached: &[f64]| {
        let size = reached.iter().copied().fold(0.0, f64::max);
        rates.iter().zip(reached).map(|(r, reached)| (r - reached) / size).fold(0.0, f64::max)
    };
    match (&coupling.region, mixture) {
        (Region::Box { capacity }, _) => over(capacity),
        (Region::Csma { rates: b, conflicts, .. }, Mixture::Sets { probabilities }) => {
            let sets = crate::region::independent_sets(b.len(), conflicts).unwrap_or_default();
            let mut reached = vec![0.0; b.len()];
            for (set, u) in sets.iter().zip(probabilities) {
                (0..b.len()).filter(|l| set >> l & 1 == 1).for_each(|l| reached[l] += u * b[l]);
            }
            over(&reached).max(probabilities.iter().sum::<f64>() - 1.0)
        }
        (Region::Fading { rates: draws, probabilities }, Mixture::Shares { shares }) => {
            let weight = |h: usize| probabilities.as_ref().map_or(1.0, |p| p[h]);
            let total: f64 = (0..draws.len()).map(weight).sum();
            let mut reached = vec![0.0; rates.len()];
            let mut overbooked = 0.0_f64;
            for (h, (draw, share)) in draws.iter().zip(shares).enumerate() {
                overbooked = overbooked.max(share.iter().sum::<f64>() - 1.0);
                for l in 0..rates.len() {
                    reached[l] += weight(h) / total * share[l] * draw[l];
                }
            }
            over(&reached).max(overbooked)
        }
        (region, _) => match (region.curved(), region.half_spaces()) {
            (Some(curved), _) => (curved.gauge(rates) - 1.0).max(0.0),
            (_, Some((normals, offsets))) => {
                let faces = normals.iter().zip(&offsets);
                faces.map(|(n, b)| crate::dense::dot(n, rates) / b - 1.0).fold(0.0, f64::max)
            }
            _ => f64::INFINITY,
        },
    }
}

/// Relative error of a sum of rates: a few units in the last place.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
