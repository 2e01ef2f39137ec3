//! Wireless networks, as planned.

use std::ops::Range;

/// Properties of a wireless network beyond its medium.
#[derive(Clone, Debug)]
pub struct WifiPlan {
    /// Links of the network.
    pub links: Range<u32>,
    /// True if its stations find routes themselves.
    pub finds_routes: bool,
    /// Weight of the schedule's entropy.
    pub entropy: f64,
}

impl WifiPlan {
    /// Properties of the wireless network that a link belongs to. `plans` are in the order of their links.
    pub fn of(plans: &[Self], link: u32) -> Option<&Self> {
        let at = plans.partition_point(|plan| plan.links.end <= link);
        plans.get(at).filter(|plan| plan.links.contains(&link))
    }
}
