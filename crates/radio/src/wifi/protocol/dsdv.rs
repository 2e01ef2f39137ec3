//! Parameters of DSDV.

use windward_units::Duration;

/// Parameters of DSDV.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DsdvConfig {
    /// Interval of full updates, shortened by up to a quarter at random; positive.
    pub period: Duration,
    /// Initial settling time.
    pub settling: Duration,
    /// Least interval of updates that announce changes.
    pub spacing: Duration,
    /// Silent periods after which a neighbour is lost.
    pub missed: u32,
    /// Time over which first updates are spread.
    pub start: Duration,
    /// True if a packet that the MAC gives up breaks the route.
    pub asks_mac: bool,
    /// Packets of a station that can wait for routes.
    pub waiting: u32,
}

impl Default for DsdvConfig {
    /// Parameters of ns-2.35, without link-layer detection.
    fn default() -> Self {
        Self {
            period: Duration::from_millis(15_000),
            settling: Duration::from_millis(6_000),
            spacing: Duration::from_millis(1_000),
            missed: 3,
            start: Duration::from_millis(2_000),
            asks_mac: false,
            waiting: 5,
        }
    }
}
