//! TCP: connections that carry one flow of data each, in segments of equal size, and connections that carry data both
//! ways.
//!
//! Sequence numbers count segments. The last segment of a sized flow may be shorter, which matters for its size on the
//! wire alone; of a two-way connection any segment may be.

mod averages;
mod chronograph;
mod coding;
mod connection;
mod duplex;
mod end;
mod headers;
mod inbox;
mod outbox;
mod paced;
mod ranges;
mod reader;
mod receive_window;
mod receiver;
mod right_sizing;
mod sender;
pub mod socket;
mod stream;
mod timer;
mod writer;

pub(crate) use averages::Averages;
pub use connection::Connection;
pub(crate) use duplex::Duplex;
pub use duplex::Side;
pub(crate) use headers::Headers;
pub use headers::{IP_HEADER, TCP_HEADER, sack_option};
pub use paced::Paced;
pub use reader::Reader;
pub use receiver::Beside;
pub use sender::Counts;
pub(crate) use timer::{Ring, Timer};
pub use writer::Writer;
