//! Interface between a medium and the simulator around it.

use crate::air::{AirFrame, RanBlock};
use windward_elements::backpressure::Queues;
use windward_elements::packet::{NodeId, Packet};
use windward_elements::status::{Cause, Counts, Sight};
use windward_tables::{Frames, Histogram};
use windward_units::Time;

/// Effects of a medium on the simulator.
pub trait Out {
    /// Delivers a packet of member `local` at the far end at `time`, in the order of calls.
    fn arrive_at(&mut self, time: Time, local: u32, packet: Packet);
    /// Schedules a call of [`Medium::wake`] with this timer at `time`.
    fn wake_at(&mut self, time: Time, timer: u32);
    /// Reports the loss of a packet.
    fn lose(&mut self, packet: Packet, cause: Cause);
    /// Reports that a member has finished with a packet: acknowledged, given up or dropped it. Each packet once, by
    /// media whose senders have TCP small queues or may be saturated.
    #[inline]
    fn complete(&mut self, _now: Time, _packet: &Packet) {}
    /// True if frames are recorded.
    #[inline]
    fn records_frames(&self) -> bool {
        false
    }
    /// Reports a transmitted frame. The closure is called only if frames are recorded.
    #[inline]
    fn on_air(&mut self, _: impl FnOnce() -> AirFrame) {}
    /// Reports a transport block of LTE or NR. The closure is called only if blocks are recorded.
    #[inline]
    fn on_block(&mut self, _: impl FnOnce() -> RanBlock) {}
}

/// A medium at run time.
pub trait Medium {
    /// Starts the medium, before the first packet.
    fn begin(&mut self, out: &mut impl Out);
    /// Accepts a packet for member `local`.
    fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out);
    /// Accepts a packet at station `station`, which must find the route to [`Packet::to`] itself.
    fn carry(&mut self, _: Time, _station: u32, packet: Packet, out: &mut impl Out) {
        out.lose(packet, Cause::NoRoute);
    }
    /// Packets inside the medium that no member counts in its backlog.
    fn held(&self) -> u64 {
        0
    }
    /// Handles a timer.
    fn wake(&mut self, now: Time, timer: u32, out: &mut impl Out);
    /// Rate and backlog of a member.
    fn see(&mut self, now: Time, local: u32) -> Sight;
    /// Counters of a member from the last reset to `now`.
    fn counts(&self, now: Time, local: u32) -> Counts;
    /// Restarts the counters.
    fn reset_counts(&mut self, now: Time);
    /// Takes the waits of a member's packets since the last reset; `None` if the medium does not know them.
    fn all_waits(&mut self, now: Time, local: u32) -> Option<Histogram>;
    /// Adds the rows of its own tables up to `now`, about its members, which are these ports, and its observed
    /// stations, which are these nodes.
    fn report(&self, now: Time, members: &[u32], stations: &[NodeId], tables: &mut Frames);
    /// Queues and transfers of stations that forward by backpressure, and the start of counting; `None` for other
    /// media.
    fn queues(&self) -> Option<(&Queues, Time)> {
        None
    }
}
