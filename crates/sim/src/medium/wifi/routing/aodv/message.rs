//! What stations tell each other (RFC 3561 §5).

/// Bytes of IP and UDP before a message.
const HEADERS: u32 = 28;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Who knows a way to `to`?
    Request(Request),
    /// Here is one.
    Reply(Reply),
    /// These cannot be reached by the sender any more: stations and the numbers of their routes.
    Error(Vec<(u32, u32)>),
    /// The sender is there; its number.
    Hello(u32),
}

/// A route request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// With `origin`, its name.
    pub id: u32,
    pub origin: u32,
    pub origin_number: u32,
    pub to: u32,
    /// The freshest number of `to` that the origin knows.
    pub to_number: Option<u32>,
    /// Hops that it has come.
    pub hops: u8,
    /// Hops that it may still go.
    pub ttl: u8,
}

/// A route reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Where the route leads, and how fresh it is.
    pub to: u32,
    pub number: u32,
    /// Who asked.
    pub origin: u32,
    /// Hops from the sender to `to`.
    pub hops: u8,
    /// How long the route lives, in nanoseconds.
    pub lifetime: u64,
}

impl Message {
    /// Bytes with the headers of IP and UDP.
    pub fn bytes(&self) -> u32 {
        HEADERS
            + match self {
                Self::Request(_) => 24,
                Self::Reply(_) | Self::Hello(_) => 20,
                Self::Error(gone) => 4 + 8 * gone.len() as u32,
            }
    }
}

/// Whether a sequence number is fresher than another: numbers go round (§6.1).
pub const fn is_fresher(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() > 0
}
