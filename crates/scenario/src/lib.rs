//! The scenario format: a network, the traffic over it and the duration, in TOML or JSON.
//!
//! [`Scenario::from_toml`] reads and validates a file. Problems come back as an [`Error`] with places, allowed values
//! and suggestions. A [`Scenario`] that exists is valid. [`Scenario::compile`] makes the network that the simulator
//! runs. [`schema`] is the JSON Schema of the format, from the same definition.

#![forbid(unsafe_code)]

mod check;
mod controller;
mod error;
mod format;
mod links;
mod memory;
mod names;
mod path;
mod problems;
mod python;
mod read;
mod reference;
mod scenario;
mod suggest;
mod unit_hint;

pub use check::{RegionPlan, WifiPlan};
pub use controller::controller;
pub use error::{Error, Position, Problem};
pub use links::Links;
pub use memory::Need;
pub use names::{FlowName, LinkName, SourceName};
pub use python::PythonClass;
pub use read::{MAX_RECORDING, read_text};
pub use reference::reference;
pub use scenario::{Compiled, KnownBase, MAX_TEXT, NoPackets, Scenario, schema};
