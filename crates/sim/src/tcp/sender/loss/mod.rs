//! Loss detection and recovery, by counting duplicates or by time.

mod dup_ack;
mod frto;
mod news;
mod rack;
mod rack_tlp;
mod undo;

pub use dup_ack::DupAck;
pub use rack_tlp::RackTlp;
#[cfg(test)]
pub use rack_tlp::Tlp;

use super::scoreboard::{DUP_THRESH, Segment};
use super::tcb::Tcb;
use super::turn::Turn;
use crate::network::TcpOptions;
use windward_elements::packet::Packet;
use windward_units::{Duration, Time};

/// Loss detection and recovery of a connection.
pub enum Recovery {
    /// By counting duplicate ACKs and SACKed segments.
    DupAck(DupAck),
    /// By time, as in Linux.
    RackTlp(Box<RackTlp>),
}

impl Recovery {
    /// State of a connection with these options, before its first segment.
    pub fn new(tcp: &TcpOptions) -> Self {
        if tcp.is_by_time() {
            Self::RackTlp(Box::new(RackTlp::new(tcp.min_rto)))
        } else {
            Self::DupAck(DupAck::new(tcp))
        }
    }

    /// [`Self::new`] in place, for the options with which it was made.
    pub fn recycle(&mut self, tcp: &TcpOptions) {
        match self {
            Self::RackTlp(recovery) => **recovery = RackTlp::new(tcp.min_rto),
            Self::DupAck(recovery) => *recovery = DupAck::new(tcp),
        }
    }

    /// Takes the RTT sample of the handshake.
    pub fn establish(&mut self, rtt: Duration) {
        match self {
            Self::DupAck(_) => {}
            Self::RackTlp(recovery) => recovery.rack.sample(rtt),
        }
    }

    /// Handles the arrival of an ACK. Returns its RTT sample, if any.
    #[inline]
    pub fn on_ack(&mut self, tcb: &mut Tcb, now: Time, packet: &Packet) -> Option<Duration> {
        match self {
            Self::DupAck(recovery) => recovery.on_ack(tcb, now, packet),
            Self::RackTlp(recovery) => recovery.on_ack(tcb, now, packet),
        }
    }

    /// Handles the arrival of an ACK of a part of a segment.
    #[cold]
    pub fn on_part(&mut self, tcb: &mut Tcb, now: Time) {
        match self {
            Self::DupAck(recovery) => recovery.on_part(tcb, now),
            // Linux counts segments that are acknowledged as a whole, and restarts the timer with them.
            Self::RackTlp(_) => {}
        }
    }

    /// Returns the transmission due regardless of the window.
    #[inline]
    pub fn urgent_turn(&mut self, tcb: &mut Tcb) -> Option<Turn> {
        match self {
            Self::DupAck(_) => None,
            Self::RackTlp(recovery) => recovery.urgent_turn(tcb),
        }
    }

    /// True if lost segments may be sent before new ones.
    #[inline]
    pub fn repeats(&self, tcb: &Tcb) -> bool {
        match self {
            Self::DupAck(_) => true,
            Self::RackTlp(recovery) => recovery.repeats(tcb),
        }
    }

    /// Segment to send in recovery where there is no new one.
    #[inline]
    pub fn last_resort(&mut self, tcb: &Tcb) -> Option<u32> {
        match self {
            Self::DupAck(recovery) => recovery.last_resort(tcb),
            Self::RackTlp(_) => None,
        }
    }

    /// Records the transmission of a segment. `was_empty` is true if nothing was in flight before.
    #[inline]
    pub fn on_send(&mut self, tcb: &mut Tcb, now: Time, turn: Turn, segment: Segment, was_empty: bool) {
        match self {
            Self::DupAck(recovery) => recovery.on_send(tcb, now, turn, segment),
            Self::RackTlp(recovery) => recovery.on_send(tcb, now, turn, segment, was_empty),
        }
    }

    /// Handles the expiry of the retransmission timer with data outstanding.
    pub fn on_timer(&mut self, tcb: &mut Tcb, now: Time) {
        match self {
            Self::DupAck(recovery) => recovery.on_timer(tcb, now),
            Self::RackTlp(recovery) => recovery.on_timer(tcb, now),
        }
    }

    /// Largest reordering distance in segments; at least DupThresh.
    pub fn reordering(&self) -> u32 {
        match self {
            Self::DupAck(_) => DUP_THRESH,
            Self::RackTlp(recovery) => recovery.rack.reordering(),
        }
    }

    /// Number of reordering events.
    pub fn reorderings(&self) -> u32 {
        match self {
            Self::DupAck(_) => 0,
            Self::RackTlp(recovery) => recovery.rack.reorderings(),
        }
    }
}
