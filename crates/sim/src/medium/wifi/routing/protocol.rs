//! Which protocol stations follow.

use super::aodv::AodvConfig;
use super::backpressure::BackpressureConfig;
use super::dsdv::DsdvConfig;

/// How stations find the way of packets.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutingConfig {
    /// Destination-sequenced distance vectors.
    Dsdv(DsdvConfig),
    /// Ad hoc on-demand distance vectors.
    Aodv(AodvConfig),
    /// They do not: the backlogs of a station and its neighbours decide.
    Backpressure(BackpressureConfig),
}
