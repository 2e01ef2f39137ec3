//! The scenario format: a network, what is sent over it, for how long, in TOML or JSON.
//!
//! [`Scenario::from_toml`] reads and checks a file; what is wrong comes back as an [`Error`] that says where, what is
//! allowed, and what was probably meant. A [`Scenario`] that exists is right, and [`Scenario::compile`] makes of it
//! what the simulator runs, and [`Scenario::optimum`] asks it for the best rates,
//! [`Scenario::fluid`] for the path of its windows. [`schema`] is the JSON Schema of the format, from the same definition.

#![forbid(unsafe_code)]

mod capacity;
mod check;
mod controller;
mod early;
mod error;
mod fluid;
mod format;
mod names;
mod optimum;
mod path;
mod problems;
mod python;
mod read;
mod reference;
mod routing;
mod scenario;
mod suggest;
mod unit_hint;

pub use controller::controller;
pub use error::{Error, Position, Problem};
pub use fluid::{FluidError, FluidRun};
pub use names::{FlowName, LinkName, SourceName};
pub use optimum::{FlowOptimum, LinkOptimum, Objective, Optimum};
pub use python::PythonClass;
pub use read::{MAX_RECORDING, read_text};
pub use reference::reference;
pub use routing::{Activity, FlowLinkOptimum, PathOptimum, RoutedOptimum};
pub use scenario::{Compiled, MAX_TEXT, NoPackets, Scenario, schema};
