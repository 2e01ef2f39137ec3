//! Download of one file from one server over as many connections as the path needs (chen2007), with no wrong file.
//!
//! A download has four steps. `contact` requests the first bytes and learns the file's address, length and version.
//! `part` opens `NAME.part` and checks the bytes that an earlier run has left there. `workers` holds the
//! connections, each a `worker` in its own thread: they lease missing bytes from the `plan` and write them in
//! place. Meanwhile the `supervisor` adjusts their number to the controller. Finally the part is verified and
//! renamed.
//!
//! Three rules prevent a wrong file: responses of another version are discarded, each byte has one writer at a time,
//! and bytes of an earlier run count only if their digest still matches.

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
mod probes;
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

/// Events of a download.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A notice for the user.
    Notice {
        /// A sentence without its final punctuation.
        text: String,
    },
    /// The server's response has begun.
    Begin {
        /// Path of the file.
        path: PathBuf,
        /// Length of the file, if the server gives it.
        length_bytes: Option<u64>,
        /// Bytes left by an earlier run.
        there_bytes: u64,
        /// True if the server supports ranges, and so several connections.
        has_ranges: bool,
    },
    /// The current state.
    Sample(Snapshot),
    /// No news; the observer may stop the download.
    Tick,
}

/// State of a running download.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Snapshot {
    /// Seconds since the server answered.
    pub time_s: f64,
    /// Received bytes of the file.
    pub received_bytes: u64,
    /// Length of the file in bytes.
    pub length_bytes: Option<u64>,
    /// Rate over all connections, averaged over the last seconds, bit/s.
    pub rate_bps: f64,
    /// Estimated seconds left at this rate.
    pub remaining_s: Option<f64>,
    /// Connections open or opening.
    pub connections: usize,
    /// The controller's n, a real number.
    pub wanted: f64,
    /// Mean RTT over the connections, seconds.
    pub rtt_s: Option<f64>,
    /// Minimum RTT, seconds.
    pub rtt_min_s: Option<f64>,
    /// Estimated queueing delay, seconds.
    pub queue_s: Option<f64>,
}

/// Result of a download.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Path of the file.
    pub path: PathBuf,
    /// Its length.
    pub length_bytes: u64,
    /// Bytes left by earlier runs.
    pub there_bytes: u64,
    /// Seconds from the first answer to the last byte.
    pub duration_s: f64,
    /// Mean rate over that time, bit/s.
    pub rate_bps: f64,
    /// Connections over time.
    pub series: Series,
    /// Connections that failed and were replaced.
    pub retries: u32,
    /// True if the length was known in advance.
    pub has_known_length: bool,
    /// True if the end was marked by a length, chunks or TLS, so that a truncated file would have been detected.
    pub has_known_end: bool,
    /// Reason why one connection had to transfer the whole file, if the server was asked for ranges.
    pub single: Option<&'static str>,
    /// True if a checksum was given and matched.
    pub is_checked: bool,
}

/// Means over the download's duration.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Series {
    /// Mean number of connections.
    pub connections_mean: f64,
    /// Most connections.
    pub connections_max: usize,
    /// Mean queueing delay in seconds, over the time in which it was known.
    pub queue_mean_s: f64,
    #[serde(skip)]
    seconds: f64,
    #[serde(skip)]
    queue_seconds: f64,
}

impl Series {
    /// Adds an interval of `elapsed` seconds with these values.
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
