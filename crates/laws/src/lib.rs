//! Congestion control laws.
//!
//! A [`Law`] only decides the number of packets in flight. Its **host** (the simulated TCP, the fluid runner, a socket
//! adapter) keeps the state of the connection and reports events. Each law is one file: citation, equations with units,
//! parameters, state, the packet law, its fluid form, tests. [`LawSpec`] lists them all.

#![forbid(unsafe_code)]

mod backlog;
mod classic;
mod fluid;
mod interface;
mod registry;
mod shared;
mod utility;

#[cfg(test)]
mod testing;

pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod compound;
pub mod copa;
pub mod cubic;
pub mod dctcp;
pub mod emultcp;
pub mod fast;
pub mod highspeed;
pub mod htcp;
pub mod hybla;
pub mod multcp;
pub mod prague;
pub mod quic_tcp;
pub mod reno;
pub mod scalable;
pub mod tcp_fit;
pub mod vegas;
pub mod veno;
pub mod westwood;

pub use backlog::Mode;
pub use classic::{Avoidance, Classic, Window};
pub use fluid::{FluidLaw, FluidPath, Lyapunov, Response, TimeUnit};
pub use interface::{Ack, Congestion, CongestionKind, Feedback, Law, Repair, Sample, Start};
pub use registry::{AnyLaw, LawSpec, SpecError};
pub use utility::{Price, Utility};
