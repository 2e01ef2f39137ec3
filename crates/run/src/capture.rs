//! Packet captures, one file for each seed.

use crate::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A capture file that packets are written to.
pub(crate) struct Capture {
    path: PathBuf,
}

impl Capture {
    /// The capture file of `seed` in `folder`.
    pub(crate) fn of(folder: &Path, seed: u64) -> Self {
        Self { path: folder.join(format!("seed-{seed}.pcapng")) }
    }

    /// Creates the file. Follows no link and replaces no file.
    pub(crate) fn create<E>(&self) -> Result<Box<dyn Write + Send>, Error<E>> {
        let file = File::create_new(&self.path).map_err(|source| self.refused(source))?;
        Ok(Box::new(BufWriter::with_capacity(1 << 20, file)))
    }

    /// The error of a file that cannot be written.
    pub(crate) fn refused<E>(&self, source: io::Error) -> Error<E> {
        Error::Capture { path: self.path.clone(), source }
    }
}
