//! Interface of forwarding rules.

use crate::packet::NodeId;
use crate::status::Sight;

/// A running rule.
pub(super) trait Forward {
    /// Port through which a packet for `to` leaves; `None` if the node knows no route. `see` returns the visible state
    /// of a port.
    fn next(&mut self, to: NodeId, see: impl FnMut(u32) -> Sight) -> Option<u32>;
}
