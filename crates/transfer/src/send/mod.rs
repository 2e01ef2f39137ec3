//! Upload of one file to a [`serve`](crate::serve)r over as many connections as the path needs. The sender controls
//! their number, as in the paper.
//!
//! The file's [`Tree`](crate::tree::Tree) is posted first. The server answers with the missing pieces; those of an
//! earlier attempt count. Each connection, a `worker` in its own thread, takes the next missing piece and sends it
//! without waiting for the previous answer. The sender's kernel measures the RTT of every connection, and the
//! controller of downloads sets their number. The server renames the file once all pieces are verified.

mod guide;
mod job;
mod late;
mod worker;
mod workers;

pub use job::send;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use windward_laws::emultcp::Kind;

/// Options of an upload.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Name of the file on the server (default: its own).
    pub name: Option<String>,
    /// The server's token.
    pub token: Option<String>,
    /// PEM file of certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// True if another file of this name is replaced.
    pub replaces: bool,
    /// The law of the number of connections.
    pub law: Kind,
    /// Window of the minimum-RTT filter, seconds; 0: unlimited (default: the law's own).
    pub window: Option<f64>,
    /// Maximum number of connections.
    pub max_connections: u32,
    /// A fixed number of connections.
    pub connections: Option<u32>,
    /// Number of consecutive failures after which the upload fails.
    pub max_tries: u32,
    /// Connect timeout, seconds.
    pub connect_timeout: f64,
    /// Seconds after which a connection that neither accepts data nor answers is closed.
    pub stall_timeout: f64,
    /// True if the token may be sent over plain `http` to another machine.
    pub is_insecure: bool,
    /// True if the cached number of connections of the host is discarded first.
    pub is_forgetful: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: None,
            token: None,
            ca: None,
            replaces: false,
            law: Kind::Fast,
            window: None,
            max_connections: 64,
            connections: None,
            max_tries: 5,
            connect_timeout: 10.0,
            stall_timeout: 30.0,
            is_insecure: false,
            is_forgetful: false,
        }
    }
}

/// Events of an upload.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The file is being hashed.
    Hashing {
        /// Bytes read.
        read_bytes: u64,
        /// Bytes of the file.
        length_bytes: u64,
    },
    /// The current state.
    Sample {
        /// Seconds since the server answered.
        time_s: f64,
        /// Bytes that the server has, including those of earlier attempts.
        there_bytes: u64,
        /// Bytes of the file.
        length_bytes: u64,
        /// Rate acknowledged on all connections since the last sample, bit/s.
        rate_bps: f64,
        /// Connections open or opening.
        connections: u32,
        /// The controller's n, a real number.
        wanted: f64,
        /// Mean smoothed RTT over the connections, seconds.
        rtt_s: Option<f64>,
        /// Minimum RTT, seconds.
        rtt_min_s: Option<f64>,
        /// Queueing delay in the controller's view, seconds.
        queue_s: Option<f64>,
    },
    /// No news; the observer may stop the upload.
    Tick,
}

/// Result of an upload.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// URL of the uploaded file.
    pub url: String,
    /// BLAKE3 of the file, as `b3sum` prints it, verified by the server.
    pub blake3: String,
    /// Bytes of the file.
    pub length_bytes: u64,
    /// Bytes that the server had before.
    pub there_bytes: u64,
    /// Seconds from the first answer to the last.
    pub duration_s: f64,
    /// Mean rate over that time, bit/s.
    pub rate_bps: f64,
    /// Maximum number of simultaneous connections.
    pub connections_max: u32,
}
