//! Fluid model of congestion control: windows as differential equations over a network.
//!
//! At every instant the windows w determine rates, queueing delays and link rates, F: w → (x, q, r)
//! ([`windward_num::FluidMap`]); each law moves its window according to its path ([`windward_laws::FluidLaw`]).
//! [`integrate`] follows them. Assumptions and limits: `docs/reference/models/fluid.md`.

#![forbid(unsafe_code)]

mod airtime;
mod alike;
mod delayed;
mod dormand_prince;
mod download;
mod early;
mod emultcp;
mod integrate;
mod model;

pub use airtime::Airtime;
pub use alike::Classes;
pub use download::{Download, DownloadTrajectory};
pub use early::{Early, Ecn, Rule};
pub use emultcp::{Congestion, Emultcp, EmultcpTrajectory, EmultcpUser};
pub use integrate::{Lag, Method, Rest, Trajectory, integrate, integrate_pieces};
pub use model::{FluidFlow, Losses, Model, lyapunov};
