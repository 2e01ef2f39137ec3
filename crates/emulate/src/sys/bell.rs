//! A way to wake a thread that waits for devices.

use super::check;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::sync::Arc;

/// An eventfd(2): it can be read once it has been rung.
#[derive(Clone, Debug)]
pub(crate) struct Bell(Arc<File>);

impl Bell {
    /// A silent one.
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: the call makes a descriptor that nobody else knows.
        let file = unsafe { File::from_raw_fd(check(libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK))?) };
        Ok(Self(Arc::new(file)))
    }

    /// Rings it.
    pub(crate) fn ring(&self) {
        // It cannot fail but for a count of 2^64.
        let _ = (&*self.0).write(&1u64.to_ne_bytes());
    }

    /// Silences it until it is rung again.
    pub(crate) fn silence(&self) {
        let _ = (&*self.0).read(&mut [0; 8]);
    }
}

impl AsRawFd for Bell {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
