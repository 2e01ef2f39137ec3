//! Options of a download.

use std::path::PathBuf;

use windward_laws::emultcp::Params;

use super::checksum::Checksum;
use crate::error::Error;
use crate::law::Law;
use crate::options::{Shown, options, refused};

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

/// Headings of options in the help of the command.
const CONNECTIONS: &str = "Number of connections";
const SERVER: &str = "Server";

options! {
    /// Options of a download.
    Options {
        /// Name of the file. Default: the server's name for it.
        output: Option<PathBuf> = None, Shown::value("FILE").short("-o");
        /// Folder of the file; created if missing.
        directory: Option<PathBuf> = None, Shown::value("DIR").long("--dir").short("-d");
        /// Maximum number of connections.
        max_connections: u32 = 64, Shown::value("MAX").short("-x").at_least(1).at_most(64).under(CONNECTIONS);
        /// Use a fixed number of connections.
        connections: Option<u32> = None, Shown::value("N").short("-n").at_least(1).at_most(64).under(CONNECTIONS);
        /// Skip the download if the file exists with the server's length. An interrupted download resumes in any case.
        resume: bool = false, Shown::plain().long("--continue").short("-c");
        /// Replace an existing file, and a partial download of another file or with another checksum.
        replace: bool = false, Shown::plain();
        /// Expected checksum of the file: sha-256=HEX or sha-512=HEX.
        checksum: Option<String> = None, Shown::value("sha-256=HEX");
        /// Give up after this many consecutive failures.
        max_tries: u32 = 5, Shown::value("N").short("-m").at_least(1).under(SERVER);
        /// Wait before the first retry, in seconds; doubled for each further one.
        retry_wait_s: f64 = 1.0, Shown::value("SECONDS").under(SERVER);
        /// Timeout for opening a connection, in seconds.
        connect_timeout_s: f64 = 10.0, Shown::value("SECONDS").under(SERVER);
        /// Time without data after which a connection is closed, in seconds.
        stall_timeout_s: f64 = 15.0, Shown::value("SECONDS").under(SERVER);
        /// Additional header fields, NAME: VALUE.
        headers: Vec<String> = Vec::new(), Shown::value("NAME: VALUE").long("--header").short("-H").under(SERVER);
        /// Maximum total rate in bytes per second.
        limit_rate: Option<u64> = None, Shown::value("BYTES").size().under(SERVER);
        /// PEM file of certificates to trust instead of the system's; a server's own will do.
        ca: Option<PathBuf> = None, Shown::value("PEM").under(SERVER);
        /// Send passwords and tokens over plain http to other machines, too. Certificates are verified in any case.
        insecure: bool = false, Shown::plain().under(SERVER);
        /// Law that adapts the number of connections: emultcp-fast, or emultcp as published; with parameters of the
        /// law as in 'emultcp(tau=5, gamma=0.2)': tau (s), alpha, beta, gamma, min_rtt_window (s).
        law: Law = Law::default(), Shown::value("LAW").under(CONNECTIONS);
        /// Bound the sum of the receive windows once several connections make a queue, which shortens the queue
        /// (emultcp-fast on Linux).
        bound: bool = true, Shown::plain().negatable().under(CONNECTIONS);
        /// Measure the round trip by UDP probes of 32 bytes at the rate of the data packets, at most 1000 a second,
        /// which `windward serve --probes` returns. Default: by the connections, because other servers return none.
        probes: bool = false, Shown::plain().under(CONNECTIONS);
        /// Forget how many connections the host needed in the last 15 minutes, and start with one.
        forget: bool = false, Shown::plain().under(CONNECTIONS);
    }
}

impl Options {
    /// The parameters of the law.
    ///
    /// # Errors
    /// A value is out of range.
    pub(super) fn params(&self) -> Result<Params, Error> {
        let law = self.law.params();
        let params = Params {
            // Not available on other systems.
            bound: self.bound && law.bound && cfg!(target_os = "linux"),
            max: self.max_connections,
            ..law
        };
        params.check().map_err(refused)?;
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
            let wrong = |reason: &str| Error::Usage(format!("`headers` {shown:?} {reason}"));
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
