//! Applications on the network: background sources, transfers that open and close TCP flows, and requests over two-way
//! connections.

mod host;
mod http;
mod requests;
mod rtp;
mod share;
mod simulated;
mod source;
mod transfer;
mod transport;

pub use host::Apps;
pub use requests::Requests;
pub use source::{Source, introduce};
pub use transfer::Transfer;
pub use transport::{Opening, Transport, TwoWay};
