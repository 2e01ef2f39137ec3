//! TCP: connections that carry one flow of data each, in segments of equal size.
//!
//! Sequence numbers count segments; only the last segment of a sized flow may be shorter, which matters for its
//! size on the wire alone.

mod averages;
mod coding;
mod connection;
mod headers;
mod ranges;
mod receiver;
mod sender;
pub mod socket;
mod timer;

pub(crate) use averages::Averages;
pub use connection::Connection;
pub(crate) use headers::Headers;
pub use headers::{IP_HEADER, TCP_HEADER, sack_option};
pub use sender::Counts;
pub(crate) use timer::{Ring, Timer};
