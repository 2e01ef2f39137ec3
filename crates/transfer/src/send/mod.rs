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

use crate::law::Law;
use crate::options::{Shown, options};
use serde::Serialize;

options! {
    /// Options of an upload.
    Options {
        /// Name of the file on the server. Default: the file's own.
        name: Option<String> = None, Shown::value("NAME");
        /// Replace another file of this name that was uploaded before.
        replace: bool = false, Shown::plain();
        /// Bearer token of the server.
        token: Option<String> = None, Shown::value("TOKEN");
        /// Maximum number of connections.
        max_connections: u32 = 64, Shown::value("MAX").short("-x").at_least(1).at_most(64);
        /// Use a fixed number of connections.
        connections: Option<u32> = None, Shown::value("N").short("-n").at_least(1).at_most(64);
        /// Give up after this many consecutive failures.
        max_tries: u32 = 5, Shown::value("N").short("-m").at_least(1);
        /// Timeout for opening a connection, in seconds.
        connect_timeout_s: f64 = 10.0, Shown::value("SECONDS");
        /// Time without progress after which a connection is closed, in seconds.
        stall_timeout_s: f64 = 30.0, Shown::value("SECONDS");
        /// PEM file of certificates to trust instead of the system's; a server's own will do.
        ca: Option<PathBuf> = None, Shown::value("PEM");
        /// Send the token over plain http to another machine, too. Certificates are verified in any case.
        insecure: bool = false, Shown::plain();
        /// Law that adapts the number of connections: emultcp-fast, or emultcp as published; with parameters of the
        /// law as in 'emultcp(tau=5, gamma=0.2)': tau (s), alpha, beta, gamma, min_rtt_window (s).
        law: Law = Law::default(), Shown::value("LAW");
        /// Forget how many connections the host needed in the last 15 minutes, and start with one.
        forget: bool = false, Shown::plain();
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
