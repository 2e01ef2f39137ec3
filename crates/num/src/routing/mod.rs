//! Optimal rates over all routings: a flow's packets may use all links allowed to it, and split over them.
//!
//! maximise Σ U_s(x_s) subject to Σ_j f_ij^s − Σ_j f_ji^s = x_s at the source and 0 at every node but the sink, Σ_s
//! f_l^s ≤ c_l or r_l, r ∈ R, f ≥ 0: the rates that backpressure reaches (seferoglu2014 Theorem 2; Neely, Modiano, Li
//! 2008). Optimal exactly if link prices λ ≥ 0 exist such that λ is 0 on links that are not full, r is MaxWeight's
//! choice at λ, and U′(x_s) is the price of the cheapest path of flow s, which uses no dearer one. The answer is given
//! by paths, so that the certificate can be recomputed: a flow's rate is the sum over its paths.

mod answer;
mod levels;
mod model;
mod passes;
mod paths;
mod planes;
mod problem;

pub use answer::Routing;
pub use passes::solve_routing;
pub use paths::{Demand, Path};
pub use problem::RoutingProblem;
