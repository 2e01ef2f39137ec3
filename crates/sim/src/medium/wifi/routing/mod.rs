//! Routing protocols of 802.11 networks.

mod aodv;
mod backpressure;
mod calls;
mod directory;
mod dsdv;
mod handles;
mod protocol;
mod state;

pub use aodv::AodvConfig;
pub use backpressure::{Acks, BackpressureConfig, Failures};
pub use dsdv::DsdvConfig;
pub use protocol::RoutingConfig;
pub(super) use state::Routing;
