//! A packet in transit, small enough to be passed by value.

use crate::ecn::Ecn;
use windward_units::Time;

/// A node's index.
pub type NodeId = u32;

/// Content of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first packet of a connection.
    Syn,
    /// The answer to a SYN.
    SynAck,
    /// The acknowledgement of a SYN-ACK, which ends the handshake.
    HandshakeAck,
    /// A segment of data.
    Data,
    /// An acknowledgement.
    Ack,
    /// A data segment of a two-way connection, which acknowledges too; see [`Packet::set_ack`].
    Segment,
    /// A probe of a closed receive window: it asks for an ACK, and carries one.
    Probe,
    /// A combination of data segments; its header takes the place of the SACK blocks.
    Coded,
    /// Feedback from the sink of coded data to its source; its content takes the place of the SACK blocks.
    CodedAck,
    /// A background datagram.
    Datagram,
    /// A report on the datagrams of an RTP stream, from its receiver to its source.
    Report,
    /// A datagram of QUIC from a flow's source; its number is its content's handle.
    Quic,
    /// A datagram of QUIC from a flow's sink.
    QuicBack,
    /// A routing message between a medium's stations; the medium identifies it by its number.
    Routing,
    /// An item of the owner of a `Fabric`.
    Parcel {
        /// True if it takes the route of its flow's ACKs.
        is_backward: bool,
    },
}

/// Hop limit of packets across deciding nodes (the default of RFC 1700); bounds routing loops.
pub const TIME_TO_LIVE: u8 = 64;

/// Most SACK blocks that fit beside a timestamp option (RFC 2018 §3).
pub const SACK_BLOCKS: usize = 3;

/// Half-open range of segment numbers.
pub type Range = (u32, u32);

/// A packet in flight: 56 bytes, so that it fits into a cache line beside the time of its arrival.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Data: time of sending; ACK: the echoed timestamp; both in nanoseconds. Parcel: identifier of the conversation.
    pub stamp: u64,
    /// Index of the flow, or of the source of a datagram.
    pub flow: u32,
    /// Position on the route: index into the table of all routes.
    pub hop: u32,
    /// Destination across deciding nodes; meaningless while `ttl` is zero.
    pub to: NodeId,
    /// Data: segment number; ACK: first missing segment; parcel: its owner's handle.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// SACK blocks, the newest first; unused ones are empty.
    pub sack: [Range; SACK_BLOCKS],
    /// Content.
    pub kind: Kind,
    /// Remaining hops across deciding nodes; zero for a packet that follows its route.
    pub ttl: u8,
    /// True for the last segment of a sized flow and its ACK: they carry FIN.
    pub is_last: bool,
    /// ECN fields.
    pub ecn: Ecn,
}

const _: () = assert!(size_of::<Packet>() == 56);

impl Packet {
    /// True if the packet has not left the start of its route, `hop`.
    #[inline]
    pub fn is_at_source(&self, hop: u32) -> bool {
        // The hop limit is still at its initial value at the first deciding node.
        self.hop == hop || (self.hop == hop + 1 && self.ttl == TIME_TO_LIVE)
    }

    /// Adds the hops across deciding nodes that a datagram has behind it, in the place of a SACK block.
    #[inline]
    pub fn count_hops(&mut self) {
        if self.kind == Kind::Datagram {
            self.sack[SACK_BLOCKS - 1].0 += u32::from(TIME_TO_LIVE - self.ttl) + 1;
        }
    }

    /// Hops of a datagram across deciding nodes; of a reply, there and back.
    #[inline]
    pub fn hops(&self) -> u32 {
        self.sack[SACK_BLOCKS - 1].0
    }

    /// A packet of `kind` sent now along the route that starts at `hop`.
    #[inline]
    pub fn new(kind: Kind, now: Time, flow: u32, hop: u32, size: u32) -> Self {
        Self {
            stamp: now.as_nanos(),
            flow,
            hop,
            to: 0,
            number: 0,
            size,
            sack: [(0, 0); SACK_BLOCKS],
            kind,
            ttl: 0,
            is_last: false,
            ecn: Ecn::default(),
        }
    }
}

/// Acknowledgement that a data segment of a two-way connection carries, in the place of SACK blocks: it has room for
/// one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piggyback {
    /// First missing segment of the other direction.
    pub number: u32,
    /// Receive window in bytes, if it moves.
    pub window: u32,
    /// The echoed timestamp, in nanoseconds.
    pub stamp: u64,
    /// The newest SACK block; empty if there is none.
    pub block: Range,
}

impl Packet {
    /// Puts a receive window that moves onto a pure ACK. The two numbers are an empty range: it takes the place of the
    /// last SACK block, and no reader of blocks mistakes it for one.
    #[inline]
    pub fn set_window(&mut self, window: u32) {
        self.sack[SACK_BLOCKS - 1] = (window, 0);
    }

    /// Returns the receive window of a pure ACK.
    #[inline]
    pub fn window(&self) -> u32 {
        self.sack[SACK_BLOCKS - 1].0
    }

    /// Puts an acknowledgement onto a data segment.
    #[inline]
    pub fn set_ack(&mut self, ack: Piggyback) {
        let Piggyback { number, window, stamp, block } = ack;
        self.sack = [(number, window), (stamp as u32, (stamp >> 32) as u32), block];
    }

    /// Returns the acknowledgement of a data segment.
    #[inline]
    pub fn ack(&self) -> Piggyback {
        let [(number, window), (low, high), block] = self.sack;
        Piggyback { number, window, stamp: u64::from(high) << 32 | u64::from(low), block }
    }
}

impl Packet {
    /// Marks an ACK as one of a part of a segment, the first that it does not cover as a whole. The two numbers are an
    /// empty range in the place of the last SACK block.
    #[inline]
    pub fn set_part(&mut self) {
        *self.sack.last_mut().expect("blocks") = PART;
    }

    /// True for an ACK of a part of a segment.
    #[inline]
    pub fn has_part(&self) -> bool {
        self.sack.last() == Some(&PART)
    }
}

/// Mark of an ACK of a part of a segment; neither an unused SACK block nor a receive window.
const PART: (u32, u32) = (1, 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_keeps_its_acknowledgement() {
        let ack = Piggyback { number: u32::MAX, window: 65_535, stamp: 0x0123_4567_89ab_cdef, block: (7, 9) };
        let mut packet = Packet::new(Kind::Segment, Time::ZERO, 0, 0, 1500);
        packet.set_ack(ack);
        assert_eq!(packet.ack(), ack);
    }
}
