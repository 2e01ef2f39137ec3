//! Solver results: an answer, its method, and its certificate.

use crate::answer::{Answer, Level, Mixture};
use crate::certificate::{self, Certificate};
use crate::network::Problem;
use serde::{Deserialize, Serialize};

/// The best rates, with the prices that prove it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// x_s of every flow.
    pub rates: Vec<f64>,
    /// λ_l of every link: utility per rate; with weights in packets, queueing delays in seconds.
    pub prices: Vec<f64>,
    /// Σ_{l∈L(s)} λ_l of every flow.
    pub path_prices: Vec<f64>,
    /// c_l, or r_l from the region. A link of a piecewise linear region gets its load.
    pub link_rates: Vec<f64>,
    /// Mixture by which each coupling reaches its rates.
    pub mixtures: Vec<Mixture>,
    /// Σ U_s(x_s), and the entropies of CSMA regions; `None` for max–min.
    pub objective: Option<f64>,
    /// For max–min: the levels at which flows are frozen, rising. Empty otherwise.
    pub levels: Vec<Level>,
    /// Solution method.
    pub method: Method,
    /// Iterations of the method.
    pub iterations: usize,
    /// Certificate of optimality.
    pub certificate: Certificate,
}

/// Solution method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Primal–dual interior point on the dual.
    Interior,
    /// Progressive filling.
    WaterFilling,
    /// Clarabel, as the reference.
    Reference,
    /// Clarabel, with free routing.
    Conic,
    /// The sub-gradient iteration.
    Subgradient,
}

impl Solution {
    /// Certifies an answer.
    pub(crate) fn certified(answer: Answer, problem: &Problem, method: Method, iterations: usize) -> Self {
        let certificate = Certificate::of(problem, &answer);
        Self::new(answer, problem, certificate, method, iterations)
    }

    /// Answer to `problem` with a certificate from other units.
    pub(crate) fn new(
        answer: Answer,
        problem: &Problem,
        certificate: Certificate,
        method: Method,
        iterations: usize,
    ) -> Self {
        let objective = Some(certificate::objective(problem, &answer));
        Self {
            path_prices: problem.network.path_prices(&answer.prices),
            rates: answer.rates,
            prices: answer.prices,
            link_rates: answer.link_rates,
            mixtures: answer.mixtures,
            objective,
            levels: Vec::new(),
            method,
            iterations,
            certificate,
        }
    }
}
