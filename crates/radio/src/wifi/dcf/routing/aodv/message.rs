//! AODV messages (RFC 3561 §5).

/// IP and UDP headers of a message, in bytes.
const HEADERS: u32 = 28;

/// AODV message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Route request for `to`.
    Request(Request),
    /// Route reply.
    Reply(Reply),
    /// Route error: unreachable destinations and their sequence numbers.
    Error(Vec<(u32, u32)>),
    /// Hello message with the sender's sequence number.
    Hello(u32),
}

/// A route request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Identifier, unique with `origin`.
    pub id: u32,
    pub origin: u32,
    pub origin_number: u32,
    pub to: u32,
    /// Freshest sequence number of `to` that the origin knows.
    pub to_number: Option<u32>,
    /// Hops from the origin.
    pub hops: u8,
    /// Hops left.
    pub ttl: u8,
}

/// A route reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Destination of the route, and its sequence number.
    pub to: u32,
    pub number: u32,
    /// Origin of the request.
    pub origin: u32,
    /// Hops from the sender to `to`.
    pub hops: u8,
    /// Lifetime of the route, in nanoseconds.
    pub lifetime: u64,
}

impl Message {
    /// Size in bytes, with IP and UDP headers.
    pub fn bytes(&self) -> u32 {
        HEADERS
            + match self {
                Self::Request(_) => 24,
                Self::Reply(_) | Self::Hello(_) => 20,
                Self::Error(gone) => 4 + 8 * gone.len() as u32,
            }
    }
}

/// True if sequence number `one` is fresher than `other`, modulo 2³² (§6.1).
pub const fn is_fresher(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() > 0
}
