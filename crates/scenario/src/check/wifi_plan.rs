//! Wireless networks, as planned.

use std::ops::Range;

/// Properties of a wireless network beyond its medium.
#[derive(Clone, Debug)]
pub(crate) struct WifiPlan {
    /// Links of the network.
    pub links: Range<u32>,
    /// True if its stations find routes themselves.
    pub finds_routes: bool,
    /// Weight of the schedule's entropy.
    pub entropy: f64,
}

/// The plan of the wireless network that a link belongs to. `plans` are in the order of their links.
pub(crate) fn plan_of(plans: &[WifiPlan], link: u32) -> Option<&WifiPlan> {
    let at = plans.partition_point(|plan| plan.links.end <= link);
    plans.get(at).filter(|plan| plan.links.contains(&link))
}
