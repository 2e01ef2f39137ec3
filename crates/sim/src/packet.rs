//! A packet on its way, small enough to be passed by value.

use crate::ecn::Ecn;
use windward_units::Time;

/// A node's index.
pub type NodeId = u32;

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first packet of a connection.
    Syn,
    /// Its answer.
    SynAck,
    /// The answer's acknowledgement, which ends the handshake.
    HandshakeAck,
    /// A segment of data.
    Data,
    /// An acknowledgement.
    Ack,
    /// A combination of segments of data; its header is in the place of the SACK blocks.
    Coded,
    /// What the sink of coded data tells the source; likewise.
    CodedAck,
    /// A background datagram.
    Datagram,
    /// A message of a medium's stations about routes, known to the medium by its number.
    Routing,
    /// What only the owner of a [`crate::Fabric`] understands.
    Parcel {
        /// It goes the way of its flow's ACKs.
        is_backward: bool,
    },
}

/// Hops after which a packet that nodes pass to and fro is given up (the default of RFC 1700).
pub const TIME_TO_LIVE: u8 = 64;

/// Most SACK blocks that fit beside a timestamp option (RFC 2018 §3).
pub const SACK_BLOCKS: usize = 3;

/// Half-open range of segment numbers.
pub type Range = (u32, u32);

/// A packet in flight: 56 bytes, so that it fits into a cache line beside the time of its arrival.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Data: when it was sent; ACK: the stamp that it echoes; in nanoseconds. Parcel: what tells conversations apart.
    pub stamp: u64,
    /// The flow, or the source of a datagram.
    pub flow: u32,
    /// Where the packet is on its route: index into the table of all routes.
    pub hop: u32,
    /// Where nodes that decide for themselves shall bring it; of no meaning while `ttl` is zero.
    pub to: NodeId,
    /// Data: its segment number; ACK: the first segment still missing; parcel: its owner's handle.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// SACK blocks, the newest first; unused ones are empty.
    pub sack: [Range; SACK_BLOCKS],
    /// What it carries.
    pub kind: Kind,
    /// Hops that nodes may still send it; zero where it follows its route.
    pub ttl: u8,
    /// The last segment of a sized flow, or the ACK of it: carries FIN.
    pub is_last: bool,
    /// What it says of congestion.
    pub ecn: Ecn,
}

const _: () = assert!(size_of::<Packet>() == 56);

impl Packet {
    /// A packet of `kind` that is sent now, along the route that begins at `hop`.
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
