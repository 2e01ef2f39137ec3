//! Errors of HTTP exchanges.

use std::io;

/// Reason why an exchange of messages failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name does not resolve, or none of its addresses answers.
    #[error("cannot connect to {host}: {source}")]
    Connect {
        /// Name and port.
        host: String,
        /// The system's error.
        source: io::Error,
    },
    /// The proxy refuses.
    #[error("the proxy {proxy} {reason}")]
    Proxy {
        /// Name and port.
        proxy: String,
        /// Its answer.
        reason: String,
    },
    /// The peer's certificate is not trusted, or the peer violates the TLS protocol.
    #[error("TLS with {host}: {reason}")]
    Tls {
        /// Name and port.
        host: String,
        /// The violation.
        reason: String,
    },
    /// Too little data arrived within the timeout; the connection counts as dead.
    #[error("stalled: no data for {0:.0} s")]
    Stalled(f64),
    /// The connection ended before the message did.
    #[error("connection lost: {0}")]
    Lost(io::Error),
    /// The message is not HTTP/1.1, or exceeds the bounds.
    #[error("the server violates HTTP: {0}")]
    Malformed(String),
}

impl Error {
    /// Exit code of a command that fails with this error.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::Connect { .. } | Self::Proxy { .. } => 3,
            Self::Stalled(_) => 5,
            Self::Tls { .. } => 6,
            Self::Malformed(_) => 11,
            Self::Lost(_) => 12,
        }
    }

    pub(crate) fn malformed(reason: impl Into<String>) -> Self {
        Self::Malformed(reason.into())
    }

    pub(crate) fn closed() -> Self {
        Self::Lost(io::Error::new(io::ErrorKind::UnexpectedEof, "closed by the server too early"))
    }
}
