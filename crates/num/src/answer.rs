//! Solver results in the problem's terms: rates, prices, and the mixtures by which regions reach them.

use crate::network::{Coupling, Network};
use crate::program::{Kind, Outcome, Place, Program};
use crate::region::{Region, Vertices, independent_sets};
use serde::{Deserialize, Serialize};

/// Mixture by which a coupling reaches its rates.
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
    /// x_s/p_s of the flows that are frozen at this level.
    pub level: f64,
    /// Flows that are frozen at this level.
    pub flows: Vec<u32>,
    /// Prices that prove the level maximal: zero except on bottlenecks.
    pub prices: Vec<f64>,
}

/// Numbers of a solution, before certification.
pub(crate) struct Answer {
    pub rates: Vec<f64>,
    pub prices: Vec<f64>,
    pub link_rates: Vec<f64>,
    pub mixtures: Vec<Mixture>,
}

impl Answer {
    /// Puts a program's outcome into the problem's terms.
    pub(crate) fn new(network: &Network, program: &Program, outcome: &Outcome) -> Self {
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
            link_rates: link_rates(network, program, &outcome.rates, &outcome.capacity),
            rates: outcome.rates.clone(),
            mixtures,
        }
    }
}

/// c or r of every link; a link of a piecewise linear region gets its load.
pub(crate) fn link_rates(network: &Network, program: &Program, rates: &[f64], capacity: &[f64]) -> Vec<f64> {
    let loads = network.loads(rates);
    let link_rate = |(l, place): (usize, &Place)| match place {
        Place::Row(row) => capacity[*row as usize],
        Place::Faces(_) => loads[l],
    };
    program.places.iter().enumerate().map(link_rate).collect()
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
