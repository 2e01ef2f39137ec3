//! A packet on its way, small enough to be passed by value.

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
    /// A background datagram.
    Datagram,
    /// What only the owner of a [`crate::Fabric`] understands.
    Parcel,
}

/// Most SACK blocks that fit beside a timestamp option (RFC 2018 §3).
pub const SACK_BLOCKS: usize = 3;

/// Half-open range of segment numbers.
pub type Range = (u32, u32);

/// A packet in flight.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Data: when it was sent; ACK: the stamp that it echoes; in nanoseconds.
    pub stamp: u64,
    /// The flow, or the source of a datagram.
    pub flow: u32,
    /// Where the packet is on its route: index into the table of all routes.
    pub hop: u32,
    /// Data: its segment number; ACK: the first segment still missing.
    pub number: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// SACK blocks, the newest first; unused ones are empty.
    pub sack: [Range; SACK_BLOCKS],
    /// What it carries.
    pub kind: Kind,
    /// The last segment of a sized flow, or the ACK of it: carries FIN.
    pub is_last: bool,
}
