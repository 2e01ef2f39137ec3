//! Applications on the network: background sources, transfers that open and close TCP flows, and requests over two-way
//! connections.

mod arrivals;
mod browsing;
mod call;
mod carries;
mod client;
mod datagrams;
mod game;
mod host;
mod http;
mod kind;
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
mod video;
mod visits;

/// Rows and series of all kinds of applications.
pub mod all {
    pub use super::call::{CallStats, CallVideoStats};
    pub use super::game::GameStats;
    pub use super::video::{ChunkLog, VideoStats};
    pub use super::visits::{ObjectLog, PageStats, VisitLog};
}

pub use client::{Client, OF_APPS, no_rows};
pub use datagrams::{OF_SOURCES, report_sources};
pub use host::Apps;
pub use source::{Probed, Source, chain_messages, introduce, pair_games};
pub use transfer::{ProbePace, Transfer};
pub use transport::{Opening, Transport, TwoWay};
