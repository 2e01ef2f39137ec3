//! Packets queued at a station.

use windward_elements::packet::Packet;
use windward_units::Time;

/// A queued packet and its link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub since: Time,
    pub way: u32,
    pub packet: Packet,
    /// Its turn: the number of packets that backpressure chooses at the station before it, from the start of the run. 0
    /// without a line: it precedes them.
    pub turn: u64,
}
