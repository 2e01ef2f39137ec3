//! The best rates over all routings: a flow's packets may take any of the links that it is allowed, and split over them.
//!
//! maximise Σ U_s(x_s) subject to Σ_j f_ij^s − Σ_j f_ji^s = x_s at the source and 0 at every node but the sink,
//! Σ_s f_l^s ≤ c_l or r_l, r ∈ R, f ≥ 0: what backpressure reaches (seferoglu2014 Theorem 2; Neely, Modiano, Li 2008). Optimal
//! exactly when, with link prices λ ≥ 0, λ is 0 on links that are not full, r is what MaxWeight serves at λ, U′(x_s) is the
//! price of the cheapest way of flow s, and it takes no dearer one. The answer is given by paths, so that the proof can be
//! recomputed: what a flow sends is what its paths carry.

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
