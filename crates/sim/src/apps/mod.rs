//! Applications on the network: background sources, transfers that open and close TCP flows, and requests over two-way
//! connections.

mod arrivals;
mod browsing;
mod client;
mod host;
mod http;
mod page;
mod request;
mod requests;
mod rtp;
mod session;
mod share;
mod simulated;
mod source;
mod transfer;
mod transport;

pub use client::Client;
pub use host::Apps;
pub use source::{Probed, Source, chain_messages, introduce, pair_games};
pub use transfer::{ProbePace, Transfer};
pub use transport::{Opening, Transport, TwoWay};
