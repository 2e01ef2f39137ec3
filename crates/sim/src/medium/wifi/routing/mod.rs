//! Stations that find the way of packets themselves, by one protocol or another.

mod backpressure;
mod calls;
mod dsdv;
mod protocol;
mod state;

pub use backpressure::{Acks, BackpressureConfig, Failures};
pub use dsdv::DsdvConfig;
pub use protocol::RoutingConfig;
pub(super) use state::Routing;
