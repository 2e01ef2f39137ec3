//! Refusals: answers with an error status.

use std::io;

/// An answer with an error status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Status code, from 400.
    pub status: u16,
    /// Reason, without final punctuation.
    pub reason: String,
}

impl Refusal {
    /// A refusal.
    pub fn new(status: u16, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }

    /// The refusal for an error of the file system.
    pub fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
                Self::new(404, "no such file")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::new(507, "the disk is full")
            }
            io::ErrorKind::AlreadyExists => Self::new(409, "the file already exists"),
            // For the kernel, an escape from the folder is a link across devices (EXDEV).
            io::ErrorKind::PermissionDenied | io::ErrorKind::CrossesDevices => Self::new(403, "access denied"),
            _ if error.raw_os_error() == Some(libc::ELOOP) => Self::new(403, "access denied"),
            io::ErrorKind::IsADirectory => Self::new(409, "it is a folder"),
            _ => Self::new(503, error.to_string()),
        }
    }
}
