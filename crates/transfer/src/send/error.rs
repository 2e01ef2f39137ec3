//! Why a file was not sent, and the exit code that tells it.

use crate::http;

/// Why a file was not sent. What has arrived stays with the server, to be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something was asked that cannot be.
    #[error("{0}")]
    Usage(String),
    /// The exchange with the server failed, as often as was allowed.
    #[error(transparent)]
    Http(#[from] http::Error),
    /// The server does not take the file.
    #[error("the server answers {status}{reason}")]
    Refused {
        /// Status code of its answer.
        status: u16,
        /// More, beginning with punctuation; may be empty.
        reason: String,
    },
    /// The file is no longer the one that was begun.
    #[error("the file was written to while it was sent")]
    Changed,
    /// The file cannot be read.
    #[error("{0}")]
    File(String),
    /// The observer wished to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// The exit code of `windward send`, as of `windward get`; docs/guides/serve.md lists them.
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Http(error) => error.code(),
            Self::Refused { status: 507, .. } => 9,
            Self::Refused { .. } => 4,
            Self::Changed => 7,
            Self::File(_) => 10,
            Self::Interrupted => 130,
        }
    }
}
