//! Routing protocols of 802.11 networks: their parameters.

mod aodv;
mod backpressure;
mod dsdv;

pub use aodv::AodvConfig;
pub use backpressure::{Acks, BackpressureConfig, Failures};
pub use dsdv::DsdvConfig;

/// Routing protocol of a network.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutingConfig {
    /// Destination-sequenced distance vectors (DSDV).
    Dsdv(DsdvConfig),
    /// Ad hoc on-demand distance vectors (AODV).
    Aodv(AodvConfig),
    /// No routes: forwarding by the backlogs of a station and its neighbours.
    Backpressure(BackpressureConfig),
}
