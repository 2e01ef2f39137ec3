//! One file to a [`serve`](crate::serve)r, over as many connections as the path needs, driven by the sender as in the paper.
//!
//! The file's [`Tree`](crate::tree::Tree) is posted first; the server answers which pieces it lacks, from nothing or from an
//! earlier attempt. Each connection, a [`worker`] in a thread of its own, takes the next missing piece and puts it, without
//! waiting for the answer to the one before. The sender's kernel knows the round trip of every connection, and the same
//! controller as in a download says how many there should be. The server names the file once all pieces are right.

mod guide;
mod job;
mod late;
mod worker;
mod workers;

pub use job::send;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use windward_laws::emultcp::Kind;

/// How to send.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// The file's name on the server; default: its own.
    pub name: Option<String>,
    /// The server's token.
    pub token: Option<String>,
    /// PEM file of certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// Overwrite another file of this name.
    pub replaces: bool,
    /// The law of the number of connections.
    pub law: Kind,
    /// Seconds over which the least RTT is taken; 0: for ever. Default: the law's own.
    pub window: Option<f64>,
    /// Most connections.
    pub max_connections: u32,
    /// A fixed number of connections.
    pub connections: Option<u32>,
    /// Give up after this many consecutive failures.
    pub max_tries: u32,
    /// Connect timeout, seconds.
    pub connect_timeout: f64,
    /// Seconds after which a connection that takes nothing and answers nothing is given up.
    pub stall_timeout: f64,
    /// True if the token may go over plain `http` to another machine.
    pub is_insecure: bool,
    /// True if the number of connections that the host was found to want is forgotten.
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

/// What happens during an upload.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The file is being read, to know its hash.
    Hashing {
        /// Bytes read.
        read_bytes: u64,
        /// Bytes of the file.
        length_bytes: u64,
    },
    /// How it goes.
    Sample {
        /// Seconds since the server answered.
        time_s: f64,
        /// Bytes that the server has, those of earlier attempts among them.
        there_bytes: u64,
        /// Bytes of the file.
        length_bytes: u64,
        /// What was acknowledged on all connections since the last sample, bit/s.
        rate_bps: f64,
        /// Connections open or opening.
        connections: u32,
        /// The controller's n, which is real.
        wanted: f64,
        /// Mean smoothed RTT over the connections, seconds.
        rtt_s: Option<f64>,
        /// The least RTT seen, seconds.
        rtt_min_s: Option<f64>,
        /// The queue that the controller sees, seconds.
        queue_s: Option<f64>,
    },
    /// Nothing to tell; a chance to stop.
    Tick,
}

/// How an upload went.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where the file is now.
    pub url: String,
    /// BLAKE3 of the file, as `b3sum` prints it; the server has checked it.
    pub blake3: String,
    /// Bytes of the file.
    pub length_bytes: u64,
    /// Bytes that the server had before.
    pub there_bytes: u64,
    /// Seconds from the first answer to the last.
    pub duration_s: f64,
    /// What was sent over that time, bit/s.
    pub rate_bps: f64,
    /// Most connections at a time.
    pub connections_max: u32,
}
