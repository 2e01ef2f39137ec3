//! Flow keys for hashing.

use crate::backpressure::Class;
use crate::packet::{Kind, Packet};
use windward_units::splitmix64;

/// Flow key, in place of a hash over addresses and ports: equal for all packets of a flow in one direction.
#[inline]
pub fn conversation(packet: &Packet) -> u64 {
    match packet.kind {
        Kind::Parcel { .. } => packet.stamp,
        _ => splitmix64(u64::from(packet.flow) << 2 | Class::of(packet) as u64),
    }
}
