//! Capacity regions R: sets of rates r that coupled links can have simultaneously.
//!
//! A region is given by its support function h(q) = max_{r∈R} qᵀr, whose maximiser is the service of a MaxWeight
//! scheduler with queueing delays q (huang2020 (17)). Every vector of rates below a reachable one is reachable.

mod check;
mod corner;
mod csma;
mod ray;
mod smooth;
mod vertices;

pub(crate) use csma::Entropic;
pub use csma::{MAX_INDEPENDENT_SETS, independent_sets};
pub(crate) use ray::{Exit, Walk};
pub(crate) use smooth::{Curved, Ellipsoid, Norm};
pub(crate) use vertices::Vertices;

use crate::dense::{self, first_max};
use serde::{Deserialize, Serialize};

/// A capacity region; rates in the unit of the wired capacities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Region {
    /// r_l ≤ c_l: links with time slots or bands of their own (huang2020 Fig. 1(a)).
    Box {
        /// c_l ≥ 0.
        capacity: Vec<f64>,
    },
    /// (Σ (r_l/c_l)^e)^{1/e} ≤ 1: a smooth region; e = 1 is time sharing (a half-space), e → ∞ the box.
    Norm {
        /// c_l > 0.
        capacity: Vec<f64>,
        /// 1 ≤ e < ∞.
        exponent: f64,
    },
    /// rᵀHr ≤ 1, r ≥ 0.
    Ellipsoid {
        /// H, symmetric and positive definite, row by row.
        matrix: Vec<Vec<f64>>,
    },
    /// n_kᵀr ≤ b_k for every k, r ≥ 0: piecewise linear.
    HalfSpaces {
        /// n_k ≥ 0, one row per half-space; every link has a positive entry somewhere.
        normals: Vec<Vec<f64>>,
        /// b_k ≥ 0.
        offsets: Vec<f64>,
    },
    /// E_h[R(h)] of a cell that serves one link at a time: r_l = Σ_h π_h φ_{h,l} R_l(h), Σ_l φ_{h,l} ≤ 1 (huang2020
    /// (1)).
    Fading {
        /// R_l(h) ≥ 0, one row per channel draw.
        rates: Vec<Vec<f64>>,
        /// π_h ≥ 0, scaled to sum to 1; absent: equal probabilities.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        probabilities: Option<Vec<f64>>,
    },
    /// Ideal CSMA: r_l = b_l Σ_i u_i r_l^i over the independent sets i of a conflict graph (wang2013 §II).
    Csma {
        /// b_l ≥ 0, the rate of link l without interference.
        rates: Vec<f64>,
        /// Pairs of links (positions within the coupling) that cannot be active together.
        conflicts: Vec<(u32, u32)>,
        /// T ≥ 0, weight of the term −T Σ u_i ln u_i of the objective: 1 in wang2013 (2), 1/β with transmission
        /// aggressiveness β b_l q_l, 0 without the term.
        entropy: f64,
    },
}

impl Region {
    /// h(q) = max_{r∈R} qᵀr at prices q ≥ 0, with the entropy's share for CSMA. The region must be a checked one.
    pub fn support(&self, prices: &[f64]) -> f64 {
        match self {
            Self::Box { capacity } => dense::dot(capacity, prices),
            Self::Csma { rates, conflicts, entropy } if *entropy > 0.0 => {
                Entropic::new(rates, conflicts, *entropy).evaluate(prices, &mut vec![0.0; prices.len()], None)
            }
            _ => dense::dot(&self.rates(prices), prices),
        }
    }

    /// r ∈ argmax_{r∈R} qᵀr at prices q ≥ 0: the MaxWeight oracle (huang2020 (17), wang2013 (14)). Ties go to the
    /// lowest index. At q = 0, where every r is a maximiser, norms and ellipsoids return the one of equal prices. An
    /// ellipsoid with positive off-diagonal entries may return a negative rate where the price is 0.
    pub fn rates(&self, prices: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; prices.len()];
        match self {
            Self::Box { capacity } => rates.copy_from_slice(capacity),
            Self::Norm { capacity, exponent: 1.0 } => {
                let best = first_max(capacity.iter().zip(prices).map(|(c, q)| c * q));
                rates[best] = capacity[best];
            }
            Self::HalfSpaces { normals, offsets } => rates = corner::of_half_spaces(normals, offsets, prices),
            Self::Fading { rates: draws, probabilities } => {
                let total: f64 = probabilities.as_ref().map_or(draws.len() as f64, |p| p.iter().sum());
                for (h, row) in draws.iter().enumerate() {
                    let best = first_max(row.iter().zip(prices).map(|(r, q)| r * q));
                    rates[best] += row[best] * probabilities.as_ref().map_or(1.0, |p| p[h]) / total;
                }
            }
            Self::Csma { rates: b, conflicts, entropy } => {
                let model = Entropic::new(b, conflicts, *entropy);
                match *entropy > 0.0 {
                    true => _ = model.evaluate(prices, &mut rates, None),
                    false => model.best_set(prices, &mut rates),
                }
            }
            Self::Norm { .. } | Self::Ellipsoid { .. } => {
                let curved = self.curved().expect("norms and ellipsoids are curved");
                let free = prices.iter().all(|&q| q == 0.0);
                let equal = vec![1.0; prices.len()];
                curved.evaluate(if free { &equal } else { prices }, &mut rates, None);
            }
        }
        rates
    }

    /// ∂r_l/∂q_n at q > 0, row by row, where r is a differentiable function of q: norms (e > 1), ellipsoids, CSMA with
    /// entropy. Positive semi-definite; for norms and ellipsoids q is a null vector (huang2020 Lemma 3 claims it
    /// definite), for CSMA it is b_l b_n Cov(r_l, r_n)/T, definite (wang2013 Lemma 1).
    pub fn jacobian(&self, prices: &[f64]) -> Option<Vec<Vec<f64>>> {
        let n = prices.len();
        let mut hessian = vec![0.0; n * n];
        let mut rates = vec![0.0; n];
        match self {
            Self::Csma { rates: b, conflicts, entropy } if *entropy > 0.0 => {
                Entropic::new(b, conflicts, *entropy).evaluate(prices, &mut rates, Some(&mut hessian));
            }
            _ => {
                self.curved()?.evaluate(prices, &mut rates, Some(&mut hessian));
            }
        }
        Some(hessian.chunks(n).map(<[f64]>::to_vec).collect())
    }

    /// Probabilities u_i of the independent sets (in the order of [`independent_sets`]) at prices q: (wang2013 (7)).
    /// `None` but for CSMA with entropy.
    pub fn stationary(&self, prices: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::Csma { rates, conflicts, entropy } if *entropy > 0.0 => {
                Some(Entropic::new(rates, conflicts, *entropy).stationary(prices))
            }
            _ => None,
        }
    }

    /// The strictly convex regions.
    pub(crate) fn curved(&self) -> Option<Curved> {
        match self {
            Self::Norm { capacity, exponent } if *exponent > 1.0 => Some(Curved::Norm(Norm::new(capacity, *exponent))),
            Self::Ellipsoid { matrix } => Some(Curved::Ellipsoid(Ellipsoid::new(matrix))),
            _ => None,
        }
    }

    /// The regions given by half-spaces, as (normals, offsets).
    pub(crate) fn half_spaces(&self) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
        match self {
            Self::HalfSpaces { normals, offsets } => Some((normals.clone(), offsets.clone())),
            Self::Norm { capacity, exponent: 1.0 } => {
                Some((vec![capacity.iter().map(|c| 1.0 / c).collect()], vec![1.0]))
            }
            _ => None,
        }
    }

    /// The regions given by vertices: mixtures of channel draws or of independent sets.
    pub(crate) fn vertices(&self) -> Option<Vertices> {
        match self {
            Self::Fading { rates, probabilities } => Some(Vertices::fading(rates, probabilities.as_deref())),
            Self::Csma { rates, conflicts, entropy } => Some(Vertices::csma(rates, conflicts, *entropy)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
