//! Packets that wait at a station.

use crate::packet::Packet;
use windward_units::Time;

/// Packets of a station for which there is room from the beginning.
pub(super) const ROOM: usize = 64;

/// A packet and its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub since: Time,
    pub way: u32,
    pub packet: Packet,
}
