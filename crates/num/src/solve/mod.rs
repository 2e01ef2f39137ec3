//! Solvers: the interior method for daily work, water filling for max–min, a conic solver as reference, the papers'
//! sub-gradient iteration as their benchmark.

pub(crate) mod interior;
mod max_min;
pub(crate) mod reference;
pub mod subgradient;

pub use reference::solve as solve_reference;

use crate::program::{Kind, Program};
use crate::region::{Region, Vertices, independent_sets};
use crate::{Certificate, Coupling, Error, Network, Problem, Utility};
use serde::{Deserialize, Serialize};

/// How far a solver goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Largest relative residual at which to stop. Default 1e-10.
    pub tolerance: f64,
    /// Most Newton steps. Default 200.
    pub max_iterations: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 200 }
    }
}

/// The best rates, with the prices that prove it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// x_s of every flow.
    pub rates: Vec<f64>,
    /// λ_l of every link: utility per rate; with weights in packets, queueing delays in seconds.
    pub prices: Vec<f64>,
    /// Σ_{l∈L(s)} λ_l of every flow.
    pub path_prices: Vec<f64>,
    /// c_l, or the rate r_l that the region gives the link. A link of a piecewise linear region gets its load.
    pub link_rates: Vec<f64>,
    /// How each coupling reaches its rates.
    pub mixtures: Vec<Mixture>,
    /// Σ U_s(x_s), and the entropies of CSMA regions; `None` for max–min, which has no value.
    pub objective: Option<f64>,
    /// For max–min: the levels at which flows stop, rising. Empty otherwise.
    pub levels: Vec<Level>,
    /// Which method found it.
    pub method: Method,
    /// Its iterations.
    pub iterations: usize,
    /// What was checked, and how well it holds.
    pub certificate: Certificate,
}

/// Which method found a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Primal–dual interior point on the dual.
    Interior,
    /// Progressive filling.
    WaterFilling,
    /// Clarabel.
    Reference,
    /// The sub-gradient iteration.
    Subgradient,
}

/// How a coupling's rates are reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Mixture {
    /// The region is given by a function of the rates.
    Direct,
    /// Piecewise linear: the price of each half-space; a link's price is their sum weighted by the normals.
    Faces {
        /// One per half-space, ≥ 0.
        prices: Vec<f64>,
    },
    /// Fading: φ_{h,l}, the share of draw h given to link l.
    Shares {
        /// One row per draw, each summing to at most 1.
        shares: Vec<Vec<f64>>,
    },
    /// CSMA: u_i in the order of [`independent_sets`].
    Sets {
        /// Sums to 1.
        probabilities: Vec<f64>,
    },
}

/// A level of max–min fairness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// x_s/p_s of the flows that stop here.
    pub level: f64,
    /// Flows that stop here.
    pub flows: Vec<u32>,
    /// Prices that prove that the level cannot be higher: zero but on the bottlenecks.
    pub prices: Vec<f64>,
}

/// Solves `problem` with the method that suits it: interior point, or water filling for max–min.
///
/// # Errors
/// As [`Problem::check`], and [`Error::NotConverged`].
pub fn solve(problem: &Problem, options: &Options) -> Result<Solution, Error> {
    problem.check()?;
    if problem.utilities.iter().any(|u| matches!(u, Utility::MaxMin { .. })) {
        return max_min::solve(problem, options);
    }
    let program = Program::new(&problem.network, problem.utilities.clone());
    let mut outcome = interior::solve(&program, options.tolerance, options.tolerance, options.max_iterations)?;
    if program.row.is_empty() {
        // Nobody uses a link: none has a price.
        outcome.prices.fill(0.0);
    }
    let answer = Answer::new(&problem.network, &program, &outcome);
    Ok(answer.certified(problem, Method::Interior, outcome.iterations))
}

/// The numbers of a solution before they are judged.
pub(crate) struct Answer {
    pub rates: Vec<f64>,
    pub prices: Vec<f64>,
    pub link_rates: Vec<f64>,
    pub mixtures: Vec<Mixture>,
}

impl Answer {
    /// Puts a program's outcome into the problem's terms.
    pub(crate) fn new(network: &Network, program: &Program, outcome: &interior::Outcome) -> Self {
        let loads = network.loads(&outcome.rates);
        let link_rate = |(l, place): (usize, &crate::program::Place)| match place {
            crate::program::Place::Row(row) => outcome.capacity[*row as usize],
            crate::program::Place::Faces(_) => loads[l],
        };
        let mut mixtures = vec![Mixture::Direct; network.couplings.len()];
        for ((mixture, coupling), rows) in mixtures.iter_mut().zip(&network.couplings).zip(&program.coupling_rows) {
            if coupling.region.half_spaces().is_some() {
                *mixture = Mixture::Faces { prices: outcome.prices[rows.clone()].to_vec() };
            }
            let block = program.blocks.iter().position(|b| b.rows == *rows);
            if let Some((Kind::Vertices(v), u)) = block.map(|b| (&program.blocks[b].kind, &outcome.mixtures[b])) {
                *mixture = vertex_mixture(coupling, v, u);
            }
        }
        Self {
            prices: program.link_prices(&outcome.prices),
            link_rates: program.places.iter().enumerate().map(link_rate).collect(),
            rates: outcome.rates.clone(),
            mixtures,
        }
    }

    /// Judges the answer.
    pub(crate) fn certified(self, problem: &Problem, method: Method, iterations: usize) -> Solution {
        let certificate = Certificate::of(problem, &self);
        let objective = Some(crate::certificate::objective(problem, &self));
        Solution {
            path_prices: problem.network.path_prices(&self.prices),
            rates: self.rates,
            prices: self.prices,
            link_rates: self.link_rates,
            mixtures: self.mixtures,
            objective,
            levels: Vec::new(),
            method,
            iterations,
            certificate,
        }
    }
}

/// Vertex weights in the terms of the region: shares of each draw, or probabilities of all independent sets.
fn vertex_mixture(coupling: &Coupling, v: &Vertices, u: &[f64]) -> Mixture {
    match &coupling.region {
        Region::Csma { rates, conflicts, .. } => {
            let sets = independent_sets(rates.len(), conflicts).expect("a checked conflict graph can be enumerated");
            let total: f64 = u.iter().sum();
            let mut probabilities = vec![0.0; sets.len()];
            for (mask, u) in v.masks.iter().zip(u) {
                let i = sets.iter().position(|set| set == mask).expect("maximal sets are among all sets");
                probabilities[i] = u / total;
            }
            Mixture::Sets { probabilities }
        }
        _ => {
            let share_row = |&h: &u32| {
                let mut row = vec![0.0; coupling.links.len()];
                if h != u32::MAX {
                    let total: f64 = u[v.group(h as usize)].iter().sum();
                    for i in v.group(h as usize) {
                        v.vertex(i).for_each(|(l, _)| row[l] = u[i] / total);
                    }
                }
                row
            };
            Mixture::Shares { shares: v.draw_group.iter().map(share_row).collect() }
        }
    }
}
