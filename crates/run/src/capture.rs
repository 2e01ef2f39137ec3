//! Packet captures: one file for each seed, or for each interface of each seed.

use crate::{Captures, Error};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use windward_sim::Destination;

/// The capture of a seed.
pub(crate) struct Capture {
    /// Its file or folder.
    path: PathBuf,
    is_apart: bool,
}

impl Capture {
    /// The capture of `seed`: seed-N.pcapng, or NAME.pcapng of each interface in the folder captures-N.
    pub(crate) fn of(captures: &Captures, seed: u64) -> Self {
        let Captures { folder, are_apart } = captures;
        let name = if *are_apart { format!("captures-{seed}") } else { format!("seed-{seed}.pcapng") };
        Self { path: folder.join(name), is_apart: *are_apart }
    }

    /// Creates the file or folder. Follows no link and replaces nothing.
    pub(crate) fn create<E>(&self) -> Result<Destination, Error<E>> {
        if !self.is_apart {
            return create(&self.path, TOGETHER).map(Destination::Together).map_err(|source| self.refused(source));
        }
        fs::create_dir(&self.path).map_err(|source| self.refused(source))?;
        let folder = self.path.clone();
        Ok(Destination::Apart(Box::new(move |name| create(&folder.join(format!("{name}.pcapng")), APART))))
    }

    /// The error of a capture that cannot be written.
    pub(crate) fn refused<E>(&self, source: io::Error) -> Error<E> {
        Error::Capture { path: self.path.clone(), source }
    }
}

/// Buffers in bytes of a single file, and of one of many.
const TOGETHER: usize = 1 << 20;
const APART: usize = 1 << 16;

fn create(path: &Path, buffer: usize) -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(BufWriter::with_capacity(buffer, File::create_new(path)?)))
}
