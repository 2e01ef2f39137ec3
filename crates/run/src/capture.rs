//! Packet captures: one file for each seed, or for each interface of each seed.

use crate::{Captures, Error, PacketFiles};
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
    /// The capture of `seed`, if there is to be one: seed-N.pcapng, or NAME.pcapng of each interface in the folder
    /// captures-N.
    pub(crate) fn of(captures: &Captures, seed: u64) -> Option<Self> {
        let is_apart = captures.packets? == PacketFiles::Apart;
        let name = if is_apart { format!("captures-{seed}") } else { format!("seed-{seed}.pcapng") };
        Some(Self { path: captures.folder.join(name), is_apart })
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

/// Folder of the qlog files of `seed`, created if there are to be any.
pub(crate) fn qlog<E>(captures: Option<&Captures>, seed: u64) -> Result<Option<PathBuf>, Error<E>> {
    let Some(captures) = captures.filter(|captures| captures.has_qlog) else { return Ok(None) };
    let path = captures.folder.join(format!("qlog-{seed}"));
    match fs::create_dir(&path) {
        Ok(()) => Ok(Some(path)),
        Err(source) => Err(Error::Capture { path, source }),
    }
}

/// Buffers in bytes of a single file, and of one of many.
const TOGETHER: usize = 1 << 20;
const APART: usize = 1 << 16;

fn create(path: &Path, buffer: usize) -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(BufWriter::with_capacity(buffer, File::create_new(path)?)))
}
