//! Why an exchange of messages failed.

use std::io;

/// Why an exchange of messages failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name has no address, or none of them answers.
    #[error("cannot connect to {host}: {source}")]
    Connect {
        /// Name and port.
        host: String,
        /// What the system said.
        source: io::Error,
    },
    /// The proxy will not help.
    #[error("the proxy {proxy} {reason}")]
    Proxy {
        /// Name and port.
        proxy: String,
        /// What it did.
        reason: String,
    },
    /// The peer cannot prove who it is, or breaks the protocol of TLS.
    #[error("TLS with {host}: {reason}")]
    Tls {
        /// Name and port.
        host: String,
        /// What was wrong.
        reason: String,
    },
    /// Nothing, or next to nothing, arrived for so long that the connection counts as dead.
    #[error("stalled: no data for {0:.0} s")]
    Stalled(f64),
    /// The connection ended before the message did.
    #[error("connection lost: {0}")]
    Lost(io::Error),
    /// What arrived is no HTTP/1.1, or more of it than is sane.
    #[error("the server violates HTTP: {0}")]
    Malformed(String),
}

impl Error {
    /// The exit code of a command that ends by it.
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
