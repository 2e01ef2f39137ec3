//! What a rule of forwarding is.

use crate::packet::NodeId;
use crate::status::Sight;

/// A rule at work.
pub(super) trait Forward {
    /// The port through which a packet for `to` leaves; `None` where the node knows no way. `see` shows what is to be seen of
    /// a port.
    fn next(&mut self, to: NodeId, see: impl FnMut(u32) -> Sight) -> Option<u32>;
}
