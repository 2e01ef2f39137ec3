//! One file from one server over as many connections as the path needs (chen2007), and never a wrong file.
//!
//! A download goes through four steps. [`contact`] asks for the first bytes and learns where the file is, how long,
//! and which version. [`part`] opens `NAME.part` and finds out what an earlier run has left there. A [`workers`] of
//! connections, each a [`worker`] in a thread of its own, leases what is missing from the [`plan`] and writes it in
//! place, while the [`supervisor`] asks the controller how many there should be. At last the part is checked and renamed.
//!
//! What makes a wrong file impossible: each response is of the version that was begun, or it is not used; each byte
//! has one writer at a time; and what an earlier run has left counts only if it is still as it arrived.

mod base;
mod checksum;
mod contact;
pub(crate) mod fuzz;
mod job;
mod journal;
pub(crate) mod memory;
mod meter;
mod name;
mod options;
mod pace;
mod part;
mod plan;
mod request;
mod retry;
mod session;
mod state;
mod supervisor;
mod validator;
mod worker;
mod workers;

pub use options::Options;
pub use session::get;

use std::path::PathBuf;

use serde::Serialize;

/// What happens during a download.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// Something that the user should know.
    Notice {
        /// A sentence without its end.
        text: String,
    },
    /// The server has answered.
    Begin {
        /// Where the file will be.
        path: PathBuf,
        /// Its length, if the server says it.
        length_bytes: Option<u64>,
        /// Bytes that an earlier run has left.
        there_bytes: u64,
        /// Whether the server gives parts, so that several connections can be used.
        has_ranges: bool,
    },
    /// How it goes.
    Sample(Snapshot),
    /// Nothing to tell; a chance to stop.
    Tick,
}

/// How a download goes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Snapshot {
    /// Seconds since the server answered.
    pub time_s: f64,
    /// Bytes of the file that are there.
    pub received_bytes: u64,
    /// Bytes of the file.
    pub length_bytes: Option<u64>,
    /// What arrives on all connections, over the last seconds, bit/s.
    pub rate_bps: f64,
    /// Seconds to the end at this rate.
    pub remaining_s: Option<f64>,
    /// Connections open or opening.
    pub connections: usize,
    /// The controller's n, which is real.
    pub wanted: f64,
    /// Mean RTT over the connections, seconds.
    pub rtt_s: Option<f64>,
    /// The least RTT seen, seconds.
    pub rtt_min_s: Option<f64>,
    /// Estimate of the time that data wait in queues, seconds.
    pub queue_s: Option<f64>,
}

/// How a download went.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where the file is.
    pub path: PathBuf,
    /// Its length.
    pub length_bytes: u64,
    /// Bytes of it that were there before.
    pub there_bytes: u64,
    /// Seconds from the first answer to the last byte.
    pub duration_s: f64,
    /// What arrived, over the whole of that time, bit/s.
    pub rate_bps: f64,
    /// Connections over time.
    pub series: Series,
    /// Connections that failed and were replaced.
    pub retries: u32,
    /// True if the length was known.
    pub has_known_length: bool,
    /// True if the end was told, by a length, chunks or TLS, so that a file cut short would have been seen.
    pub has_known_end: bool,
    /// Why one connection had to bring all, if the server was asked for more.
    pub single: Option<&'static str>,
    /// Whether a checksum was given and found.
    pub is_checked: bool,
}

/// Means over time.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Series {
    /// Mean number of connections.
    pub connections_mean: f64,
    /// Most connections.
    pub connections_max: usize,
    /// Mean queue in seconds while it was known.
    pub queue_mean_s: f64,
    #[serde(skip)]
    seconds: f64,
    #[serde(skip)]
    queue_seconds: f64,
}

impl Series {
    /// So it was for another `elapsed` seconds.
    fn add(&mut self, elapsed: f64, connections: usize, queue: Option<f64>) {
        self.seconds += elapsed;
        self.connections_mean += (connections as f64 - self.connections_mean) * elapsed / self.seconds;
        self.connections_max = self.connections_max.max(connections);
        if let Some(queue) = queue {
            self.queue_seconds += elapsed;
            self.queue_mean_s += (queue - self.queue_mean_s) * elapsed / self.queue_seconds;
        }
    }
}
