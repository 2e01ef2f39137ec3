//! TCP: connections that carry one flow of data each, in segments of equal size.
//!
//! Sequence numbers count segments; only the last segment of a sized flow may be shorter, which matters for its
//! size on the wire alone.

mod answer;
mod burst;
mod by_time;
mod coded;
mod compress;
mod connection;
mod host;
mod layer;
mod marks;
mod options;
mod order;
mod rack;
mod ranges;
mod receiver;
mod receiver_rtt;
mod recovery;
mod rtt;
mod scoreboard;
mod sender;
pub mod socket;
mod tally;
mod timer;
mod undo;
mod usage;

pub use connection::Connection;
pub(crate) use options::Headers;
pub use options::{IP_HEADER, TCP_HEADER, sack_option};
pub use sender::Counts;
pub(crate) use tally::Tally;
pub(crate) use timer::{Ring, Timer};
