//! Congestion control laws.
//!
//! A [`Law`] only decides how much may be in flight; its **host** (the simulated TCP, the fluid runner, a socket
//! adapter) keeps the books and tells it what happened. Each law is one file: citation, equations with units,
//! parameters, state, the packet law, its fluid form, tests. [`LawSpec`] names them all.

mod fluid;
mod interface;
mod registry;

pub mod reno;

pub use fluid::{FluidLaw, FluidPath, Response};
pub use interface::{Ack, Congestion, CongestionKind, Feedback, Law};
pub use registry::{AnyLaw, LawSpec, SpecError};
