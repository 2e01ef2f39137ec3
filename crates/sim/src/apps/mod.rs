//! Applications on the network: background sources, transfers that open and close TCP flows, and requests over two-way
//! connections.

mod host;
mod http;
mod requests;
mod rtp;
mod share;
mod source;
mod transfer;

pub use host::Apps;
pub use source::{Source, introduce};
pub use transfer::Transfer;
