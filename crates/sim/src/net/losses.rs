//! Loss accounting.

use crate::output::Balance;
use std::collections::BTreeSet;
use windward_elements::packet::{Kind, Packet};
use windward_elements::status::Cause;
use windward_units::Time;

/// Lost packets.
#[derive(Default)]
pub struct Losses {
    /// Lost data segments of each flow, among those sent from `since` on.
    pub segments: Vec<u64>,
    /// Lost datagrams of each background source, among those sent from `since` on.
    pub datagrams: Vec<u64>,
    pub(super) since: Option<Time>,
    /// Lost parcels and their causes, until the owner takes them.
    pub parcels: Vec<(Packet, Cause)>,
    /// Lost datagrams of QUIC, until their connection takes them.
    pub(super) quic: Vec<Packet>,
    /// Open connections of applications over QUIC.
    pub(super) open: BTreeSet<u32>,
    /// Combinations dropped by a full queue, until their flow takes them.
    pub(super) coded: Vec<Packet>,
}

impl Losses {
    /// Keeps the lost datagrams of the application's connection `id` from now on.
    pub fn begin_quic(&mut self, id: u32) {
        self.open.insert(id);
    }

    /// Drops the lost datagrams of the application's connection `id`, which has ended.
    pub fn end_quic(&mut self, id: u32) {
        self.open.remove(&id);
        self.quic.retain(|packet| packet.flow != id);
    }

    /// Takes out a lost datagram of a connection over QUIC.
    pub fn take_quic(&mut self, flow: u32) -> Option<Packet> {
        self.quic.iter().position(|packet| packet.flow == flow).map(|at| self.quic.swap_remove(at))
    }

    /// Takes out the combinations of a flow that a full queue dropped.
    pub fn take_coded(&mut self, flow: u32) -> Vec<Packet> {
        self.coded.extract_if(.., |packet| packet.flow == flow).collect()
    }
}

#[cold]
pub(super) fn count_loss(losses: &mut Losses, balance: &mut Balance, packet: &Packet, cause: Cause) {
    balance.lost[cause as usize] += 1;
    let counts = losses.since.is_none_or(|since| packet.stamp >= since.as_nanos());
    match packet.kind {
        Kind::Datagram => losses.datagrams[packet.flow as usize] += u64::from(counts),
        Kind::Data | Kind::Coded => {
            losses.segments[packet.flow as usize] += u64::from(counts);
            if packet.kind == Kind::Coded && cause == Cause::Queue {
                losses.coded.push(*packet);
            }
        }
        // Connections of applications have numbers beyond those of flows.
        Kind::Segment => {
            if let Some(lost) = losses.segments.get_mut(packet.flow as usize) {
                *lost += u64::from(counts);
            }
        }
        Kind::Quic | Kind::QuicBack => {
            let lost = losses.segments.get_mut(packet.flow as usize);
            if lost.is_some() || losses.open.contains(&packet.flow) {
                losses.quic.push(*packet);
            }
            if let Some(lost) = lost {
                *lost += u64::from(counts && packet.kind == Kind::Quic);
            }
        }
        Kind::Parcel { .. } => losses.parcels.push((*packet, cause)),
        _ => {}
    }
}
