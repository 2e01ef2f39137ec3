//! Why a file was not transferred, and the exit code for it.

use std::io;
use std::path::{Path, PathBuf};

use crate::http;

/// Why a file was not transferred. What has arrived is kept, for the transfer to be resumed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid options.
    #[error("{0}")]
    Usage(String),
    /// The exchange with the server failed, and all retries too.
    #[error(transparent)]
    Http(#[from] http::Error),
    /// The server refuses.
    #[error("the server answered {status}{reason}")]
    Refused {
        /// Status code of its response.
        status: u16,
        /// More, beginning with punctuation; may be empty.
        reason: String,
    },
    /// The file is no longer the version that was begun.
    #[error("{0}")]
    Changed(String),
    /// The file is not the one that was wanted.
    #[error("{algorithm} mismatch: expected {wanted}, got {found}{}", advice(kept.as_deref()))]
    Checksum {
        /// The digest's name.
        algorithm: &'static str,
        /// The digest of what arrived, in hexadecimal digits.
        found: String,
        /// The digest that was asked for.
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
            "\nhint: {} is kept, and taken without the network if it has the checksum of a later call; `force` downloads \
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
            // A length beyond what the file system can hold is the same trouble.
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::DiskFull(format!("{what}: {error}"))
            }
            _ => Self::File(format!("{what}: {error}")),
        }
    }
}
