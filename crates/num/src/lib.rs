//! Network utility maximisation: optimal rates for any congestion control on a network.
//!
//! maximise Σ U_s(x_s) over routes and capacity regions: a [`Problem`] is a [`Network`] (links, [`Region`]s that couple
//! some of them, routes) and one [`Utility`] per flow; [`solve`] finds the rates, and every [`Solution`] carries a
//! [`Certificate`] computed from the answer alone. [`FluidMap`] re-solves the problem of fixed windows, F: w → (x, q,
//! r), along a trajectory. Model, methods and limits: `docs/reference/models/num.md`.
//!
//! Rates may be in any one unit (packets per second by convention); prices are utility per rate.
//!
//! ```
//! use windward_num::{Options, Problem, Utility, solve};
//! // Two links of capacity 1; one flow over both, one over each: 1/3, 2/3, 2/3.
//! let fair = vec![Utility::ProportionalFair { weight: 1.0 }; 3];
//! let parking_lot = Problem::wired(&[1.0, 1.0], vec![vec![0, 1], vec![0], vec![1]], fair);
//! let best = solve(&parking_lot, &Options::default())?;
//! assert!((best.rates[0] - 1.0 / 3.0).abs() < 1e-8);
//! assert!(best.certificate.worst() < 1e-8);
//! # Ok::<(), windward_num::Error>(())
//! ```

#![forbid(unsafe_code)]

mod answer;
mod certificate;
mod dense;
mod error;
mod fluid_map;
mod network;
mod program;
pub mod region;
mod routing;
mod scale;
mod solution;
mod solve;
mod stop;
mod utility;

pub use answer::{Level, Mixture};
pub use certificate::Certificate;
pub use error::Error;
pub use fluid_map::{FluidMap, FluidPoint};
pub use network::{Coupling, Link, Network, Problem};
pub use region::Region;
pub use routing::{Demand, Path, Routing, RoutingProblem, solve_routing};
pub use solution::{Method, Solution};
pub use solve::options::Options;
pub use solve::{solve, solve_reference, solve_until, subgradient};
pub use stop::Stop;
pub use utility::Utility;
