//! Choice of the routing protocol.

use super::aodv::AodvConfig;
use super::backpressure::BackpressureConfig;
use super::dsdv::DsdvConfig;

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
