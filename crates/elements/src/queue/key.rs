//! Flow keys for hashing, and labels for queues that tell hosts and code points apart.

use crate::backpressure::Class;
use crate::packet::{Kind, NodeId, Packet};
use std::sync::Arc;
use windward_units::splitmix64;

/// Flow key, in place of a hash over addresses and ports: equal for all packets of a flow in one direction.
#[inline]
pub fn conversation(packet: &Packet) -> u64 {
    match packet.kind {
        Kind::Parcel { .. } => packet.stamp,
        _ => splitmix64(u64::from(packet.flow) << 2 | Class::of(packet) as u64),
    }
}

/// Ends and code point of the packets on a route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// Code point (DSCP).
    pub dscp: u8,
}

/// Labels by the position on a route that packets carry ([`Packet::hop`]).
pub type Labels = Arc<[Label]>;

/// Keys of a packet: its flow, its hosts and its code point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    pub flow: u64,
    pub source: u64,
    pub sink: u64,
    pub dscp: u8,
}

/// Bits of a host, and of a flow, in the conversation of a parcel.
const HOST_BITS: u32 = 15;
const FLOW_BITS: u32 = 28;

/// Conversation of a parcel: its code point, hashes of its sender and receiver, and a hash of its flow.
#[inline]
pub const fn parcel_conversation(dscp: u8, source: u64, sink: u64, flow: u64) -> u64 {
    let hosts = (source >> (64 - HOST_BITS)) << HOST_BITS | sink >> (64 - HOST_BITS);
    (dscp as u64) << (64 - 6) | hosts << FLOW_BITS | flow >> (64 - FLOW_BITS)
}

impl Keys {
    /// Keys of a packet, whose route has its label in `labels`.
    #[inline]
    pub fn of(packet: &Packet, labels: &[Label]) -> Self {
        let flow = conversation(packet);
        if let Kind::Parcel { .. } = packet.kind {
            let host = |shift: u32| flow >> shift & ((1 << HOST_BITS) - 1);
            let (source, sink) = (host(FLOW_BITS + HOST_BITS), host(FLOW_BITS));
            return Self { flow, source, sink, dscp: (flow >> (64 - 6)) as u8 };
        }
        let Label { from, to, dscp } = labels.get(packet.hop as usize).copied().unwrap_or_default();
        Self { flow, source: u64::from(from), sink: u64::from(to), dscp }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Time;

    #[test]
    fn a_parcel_carries_hosts_and_code_point() {
        let stamp = parcel_conversation(46, 0xfffe << 48, 3 << 49, 5 << 36);
        let kind = Kind::Parcel { is_backward: false };
        let keys = Keys::of(&Packet { stamp, ..Packet::new(kind, Time::ZERO, 0, 0, 1500) }, &[]);
        assert_eq!((keys.dscp, keys.source, keys.sink, keys.flow & 0xfff_ffff), (46, 0x7fff, 3, 5));
    }
}
