//! Wireless networks, as planned.

use std::ops::Range;

/// What a wireless network has beyond its medium.
#[derive(Clone, Debug)]
pub(crate) struct WifiPlan {
    /// Its links.
    pub links: Range<u32>,
    /// Whether its stations find routes themselves.
    pub finds_routes: bool,
    /// Weight of the schedule's entropy.
    pub entropy: f64,
}
