//! The scenario format: a network, the traffic over it and the duration, in TOML or JSON.
//!
//! [`Scenario::from_toml`] reads and validates a file. Problems come back as an [`Error`] with places, allowed values
//! and suggestions. A [`Scenario`] that exists is valid. [`Scenario::compile`] makes the network that the simulator
//! runs, [`Scenario::optimum`] solves for the best rates, and [`Scenario::fluid`] follows the windows. [`schema`] is
//! the JSON Schema of the format, from the same definition.

#![forbid(unsafe_code)]

mod capacity;
mod check;
mod controller;
mod early;
mod error;
mod fluid;
mod format;
mod links;
mod load;
mod memory;
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
pub mod tables;
mod unit_hint;

pub use controller::controller;
pub use error::{Error, Position, Problem};
pub use fluid::{FluidError, FluidRun};
pub use links::Links;
pub use load::AppOptimum;
pub use memory::Need;
pub use names::{FlowName, LinkName, SourceName};
pub use optimum::{FlowOptimum, LinkOptimum, Objective, Optimum};
pub use python::PythonClass;
pub use read::{MAX_RECORDING, read_text};
pub use reference::reference;
pub use routing::{Activity, FlowLinkOptimum, PathOptimum, RoutedOptimum};
pub use scenario::{Compiled, MAX_TEXT, NoPackets, Scenario, schema};
