//! Which protocol stations follow.

use super::backpressure::BackpressureConfig;
use super::dsdv::DsdvConfig;

/// How stations find the way of packets.
#[derive(Clone, Debug, PartialEq)]
pub enum RoutingConfig {
    /// Destination-sequenced distance vectors.
    Dsdv(DsdvConfig),
    /// They do not: the backlogs of a station and its neighbours decide.
    Backpressure(BackpressureConfig),
}
