//! Errors of transfers, with their exit codes.

use std::io;
use std::path::{Path, PathBuf};

use crate::http;

/// Reason why a file was not transferred. Received bytes are kept, so that the transfer can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid options.
    #[error("{0}")]
    Usage(String),
    /// The exchange with the server failed, and so did all retries.
    #[error(transparent)]
    Http(#[from] http::Error),
    /// The server refuses.
    #[error("the server answered {status}{reason}")]
    Refused {
        /// Status code of its response.
        status: u16,
        /// Details, beginning with punctuation; may be empty.
        reason: String,
    },
    /// The file on the server is no longer the version that the transfer began with.
    #[error("{0}")]
    Changed(String),
    /// The file's digest differs from the expected one.
    #[error("{algorithm} mismatch: expected {wanted}, got {found}{}", advice(kept.as_deref()))]
    Checksum {
        /// The digest's name.
        algorithm: &'static str,
        /// The digest of the received file, in hexadecimal digits.
        found: String,
        /// The expected digest.
        wanted: String,
        /// Path of the downloaded bytes, if they are kept.
        kept: Option<PathBuf>,
    },
    /// The disk, here or at the server, cannot hold the file.
    #[error("the disk is full: {0}")]
    DiskFull(String),
    /// A local file cannot be read or written, or is in the way.
    #[error("{0}")]
    File(String),
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
}

fn advice(kept: Option<&Path>) -> String {
    kept.map_or_else(String::new, |path| {
        format!(
            "\nhint: {} is kept, and taken without the network if it has the checksum of a later call; `replace` downloads \
             it anew",
            path.display()
        )
    })
}

impl Error {
    /// The exit code of `windward get` and `windward send`; docs/guides/get.md and serve.md list them.
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Http(error) => error.code(),
            Self::Refused { status: 507, .. } | Self::DiskFull(_) => 9,
            Self::Refused { .. } => 4,
            Self::Changed(_) => 7,
            Self::Checksum { .. } => 8,
            Self::File(_) => 10,
            Self::Interrupted => 130,
        }
    }

    /// The failure of an operation on a local file.
    pub(crate) fn file(what: &str, error: &io::Error) -> Self {
        match error.kind() {
            // A length beyond the file system's limit is the same failure.
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::DiskFull(format!("{what}: {error}"))
            }
            _ => Self::File(format!("{what}: {error}")),
        }
    }
}
