//! What will not arrive, and who is told.

use crate::medium::Cause;
use crate::packet::{Kind, Packet};
use crate::record::Balance;
use windward_units::Time;

/// What will not arrive.
#[derive(Default)]
pub struct Losses {
    /// Data segments of each flow, of those sent after `since`.
    pub segments: Vec<u64>,
    /// Datagrams of each background source, of those sent after `since`.
    pub datagrams: Vec<u64>,
    pub(super) since: Option<Time>,
    /// Parcels, and why, until their owner asks for them.
    pub parcels: Vec<(Packet, Cause)>,
    /// Combinations that a full queue dropped, until their flow asks.
    pub(super) coded: Vec<Packet>,
}

impl Losses {
    /// Takes out the combinations of a flow that a full queue dropped.
    pub fn take_coded(&mut self, flow: u32) -> Vec<Packet> {
        self.coded.extract_if(.., |packet| packet.flow == flow).collect()
    }
}

#[cold]
pub(super) fn count_loss(losses: &mut Losses, balance: &mut Balance, packet: &Packet, cause: Cause) {
    balance.lost[cause as usize] += 1;
    let counts = losses.since.is_none_or(|since| packet.stamp > since.as_nanos());
    match packet.kind {
        Kind::Datagram => losses.datagrams[packet.flow as usize] += u64::from(counts),
        Kind::Data | Kind::Coded => {
            losses.segments[packet.flow as usize] += u64::from(counts);
            if packet.kind == Kind::Coded && cause == Cause::Queue {
                losses.coded.push(*packet);
            }
        }
        Kind::Parcel { .. } => losses.parcels.push((*packet, cause)),
        _ => {}
    }
}
