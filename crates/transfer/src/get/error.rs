//! Why a file did not arrive, and the exit code that tells it.

use std::io;

use crate::http;

/// Why a file did not arrive. What had arrived stays beside the target, to be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something was asked that cannot be.
    #[error("{0}")]
    Usage(String),
    /// The exchange with the server failed, as often as was allowed.
    #[error(transparent)]
    Http(#[from] http::Error),
    /// The server does not give the file.
    #[error("the server answers {status}{reason}")]
    Refused {
        /// Status code of its answer.
        status: u16,
        /// More, beginning with punctuation; may be empty.
        reason: String,
    },
    /// The server's file is no longer the one that was begun.
    #[error(
        "the file changed on the server while it was downloaded: {0}\n\
         hint: servers that disagree behind one name look the same; -n 1 asks only one of them at a time"
    )]
    Changed(String),
    /// The file is not the one that was wanted.
    #[error("the {algorithm} of what arrived is {found}, not {wanted}")]
    Checksum {
        /// The digest's name.
        algorithm: &'static str,
        /// The digest of what arrived, in hexadecimal digits.
        found: String,
        /// The digest that was asked for.
        wanted: String,
    },
    /// The disk cannot hold the file.
    #[error("the disk is full: {0}")]
    DiskFull(String),
    /// A file of ours cannot be read or written, or one stands in the way.
    #[error("{0}")]
    File(String),
    /// The observer wished to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// The exit code of `windward get`; docs/guides/get.md lists them.
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Http(error) => error.code(),
            Self::Refused { .. } => 4,
            Self::Changed(_) => 7,
            Self::Checksum { .. } => 8,
            Self::DiskFull(_) => 9,
            Self::File(_) => 10,
            Self::Interrupted => 130,
        }
    }

    /// The failure of an operation on one of our files.
    pub(super) fn file(what: &str, error: &io::Error) -> Self {
        match error.kind() {
            // A length beyond what the file system can hold is the same trouble.
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::DiskFull(format!("{what}: {error}"))
            }
            _ => Self::File(format!("{what}: {error}")),
        }
    }
}
