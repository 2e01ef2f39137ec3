//! Options of a download.

use std::path::PathBuf;

use serde::Deserialize;
use windward_laws::emultcp::{Kind, Params};

use super::checksum::Checksum;
use crate::error::Error;

/// Header fields that the download sets itself.
const OURS: [&str; 11] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "if-match",
    "if-range",
    "range",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Options of a download.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Output file (default: the server's name for it).
    pub output: Option<PathBuf>,
    /// Folder of `output` or of the server's name; created if missing.
    pub directory: PathBuf,
    /// The law of the number of connections.
    pub law: Kind,
    /// Time scale of the law in seconds (default: the law's own, as for the next four).
    pub tau: Option<f64>,
    /// Its increase.
    pub alpha: Option<f64>,
    /// Its decrease.
    pub beta: Option<f64>,
    /// Queueing delay that counts as congestion, as a share of the base RTT.
    pub gamma: Option<f64>,
    /// Window of the minimum-RTT filter, seconds; 0: unlimited.
    pub window: Option<f64>,
    /// True if the sum of the receive windows is bounded once several connections make a queue.
    pub bound: bool,
    /// Maximum number of connections.
    pub max_connections: u32,
    /// A fixed number of connections.
    pub connections: Option<u32>,
    /// True if an existing target of the server's length is skipped.
    pub is_continued: bool,
    /// True if an existing target is overwritten.
    pub is_forced: bool,
    /// Expected digest of the file: `sha-256=HEX` or `sha-512=HEX`.
    pub checksum: Option<String>,
    /// Number of consecutive failures after which the download fails.
    pub max_tries: u32,
    /// Seconds before the second try; each further wait is twice as long.
    pub retry_wait: f64,
    /// Connect timeout, seconds.
    pub connect_timeout: f64,
    /// Seconds without data after which a connection is closed.
    pub stall_timeout: f64,
    /// Further header fields, `Name: value`.
    pub headers: Vec<String>,
    /// Maximum rate in bytes per second over all connections.
    pub limit_rate: Option<u64>,
    /// PEM file of certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// True if passwords and tokens may be sent over plain `http` to other machines.
    pub is_insecure: bool,
    /// True if the cached number of connections of the host is discarded first.
    pub is_forgetful: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            output: None,
            directory: PathBuf::new(),
            law: Kind::Fast,
            tau: None,
            alpha: None,
            beta: None,
            gamma: None,
            window: None,
            bound: true,
            max_connections: 64,
            connections: None,
            is_continued: false,
            is_forced: false,
            checksum: None,
            max_tries: 5,
            retry_wait: 1.0,
            connect_timeout: 10.0,
            stall_timeout: 15.0,
            headers: Vec::new(),
            limit_rate: None,
            ca: None,
            is_insecure: false,
            is_forgetful: false,
        }
    }
}

impl Options {
    /// The parameters of the law.
    ///
    /// # Errors
    /// A value is out of range.
    pub(super) fn params(&self) -> Result<Params, Error> {
        let law = Params::of(self.law);
        let params = Params {
            tau: self.tau.unwrap_or(law.tau),
            alpha: self.alpha.unwrap_or(law.alpha),
            beta: self.beta.unwrap_or(law.beta),
            gamma: self.gamma.unwrap_or(law.gamma),
            min_rtt_window: self.window.unwrap_or(law.min_rtt_window),
            // Not available on other systems.
            bound: self.bound && law.bound && cfg!(target_os = "linux"),
            max: self.max_connections,
            ..law
        };
        params.check().map_err(|(name, reason)| Error::Usage(format!("--{name}: {reason}")))?;
        Ok(params)
    }

    /// The expected digest.
    ///
    /// # Errors
    /// The digest is malformed, or of an unsupported algorithm.
    pub(super) fn digest(&self) -> Result<Option<Checksum>, Error> {
        self.checksum.as_deref().map(Checksum::parse).transpose()
    }

    /// Names and values of the further header fields.
    ///
    /// # Errors
    /// A field is malformed, or one that the download sets itself.
    pub(super) fn fields(&self) -> Result<Vec<(String, String)>, Error> {
        let field = |line: &String| {
            // The value may be a secret.
            let shown = line.split(':').next().unwrap_or_default();
            let wrong = |reason: &str| Error::Usage(format!("--header {shown:?} {reason}"));
            let (name, value) = line.split_once(':').ok_or_else(|| wrong("has no colon"))?;
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_token) || value.contains(|c: char| c.is_control() && c != '\t') {
                return Err(wrong("is not a header field"));
            }
            if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
                return Err(wrong("is set by windward"));
            }
            Ok((name.to_owned(), value.trim().to_owned()))
        };
        self.headers.iter().map(field).collect()
    }
}
