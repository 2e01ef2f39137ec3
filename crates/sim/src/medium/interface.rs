//! What a medium does, and what it may do to the world around it.

use super::air::AirFrame;
use crate::backlog::Backlog;
use crate::packet::Packet;
use crate::record::Figure;
use crate::status::{Counts, Sight};
use windward_units::Time;

/// What a medium does to the world around it.
pub trait Out {
    /// The packet has left member `local` and arrives at the far end at `time`, not before those that left earlier.
    fn arrive_at(&mut self, time: Time, local: u32, packet: Packet);
    /// [`Medium::wake`] is called with this timer at `time`.
    fn wake_at(&mut self, time: Time, timer: u32);
    /// The packet will not arrive.
    fn lose(&mut self, packet: Packet, cause: Cause);
    /// A frame has been on the air; what it was is asked for only where somebody listens.
    #[inline]
    fn on_air(&mut self, _: impl FnOnce() -> AirFrame) {}
}

/// Why a packet did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its queue was full.
    Queue,
    /// It was sent and lost on the way.
    Sent,
    /// Nodes sent it on too often.
    TimeToLive,
    /// A node knew no way.
    NoRoute,
}

const _: () = assert!(Cause::NoRoute as usize + 1 == CAUSES);

/// How many causes there are.
pub const CAUSES: usize = 4;

/// A medium at work.
pub trait Medium {
    /// Before the first packet.
    fn begin(&mut self, out: &mut impl Out);
    /// A packet comes to member `local`.
    fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out);
    /// A packet comes to station `station`, which shall find the way to [`Packet::to`] itself.
    fn carry(&mut self, _: Time, _station: u32, packet: Packet, out: &mut impl Out) {
        out.lose(packet, Cause::NoRoute);
    }
    /// Packets that it holds and no member shows as its backlog.
    fn held(&self) -> u64 {
        0
    }
    /// A timer rings.
    fn wake(&mut self, now: Time, timer: u32, out: &mut impl Out);
    /// What is to be seen of a member.
    fn see(&mut self, now: Time, local: u32) -> Sight;
    /// What a member counted from the last reset to `now`.
    fn counts(&self, now: Time, local: u32) -> Counts;
    /// Counts from now on.
    fn reset_counts(&mut self, now: Time);
    /// Shows what a member counted beyond that, by name; the same names for every member.
    fn observe(&self, local: u32, sink: &mut dyn FnMut(&'static str, Figure));
    /// Shows what a station did until now, by name; the same names for every station.
    fn observe_station(&self, _: Time, _station: u32, _: &mut dyn FnMut(&'static str, Figure)) {}
    /// Its queues of packets and what went where, if its stations forward by backlog, and from when it counts.
    fn backlog(&self) -> Option<(&Backlog, Time)> {
        None
    }
}
