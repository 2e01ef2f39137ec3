//! The file while it arrives: `NAME.part`, and `NAME.part.windward` that knows what of it is there.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use blake3::Hash;

use super::checksum::Checksum;
use super::journal::{Identity, Journal, Record};
use crate::common::{Error, reserve};

/// Bytes read at once when what is there is read again.
const READ: usize = 128 << 10;

/// A file that arrives.
#[derive(Debug)]
pub(super) struct Part {
    target: PathBuf,
    path: PathBuf,
    file: File,
    journal: Journal,
    identity: Identity,
    /// Whether anything was written since the last [`Part::sync`].
    is_dirty: AtomicBool,
}

/// What an earlier run has left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing of use.
    Nothing,
    /// Another version: it was thrown away.
    Other,
    /// These bytes (first, and after the last), read again and found as they had arrived.
    There(Vec<(u64, u64)>),
}

impl Part {
    /// Opens or makes the part of `target`, and takes the room that it needs. `goes_on` is asked between pieces of
    /// work.
    ///
    /// # Errors
    /// Another process is at it, a part that is not ours is in the way, the disk is full, or `goes_on` says no.
    pub fn open(target: &Path, identity: &Identity, goes_on: &mut dyn FnMut() -> bool) -> Result<(Self, Found), Error> {
        let path = with_suffix(target, ".part");
        let (journal, before) = Journal::open(&with_suffix(&path, ".windward"))?;
        let has_part = fs::symlink_metadata(&path).is_ok();
        if before.is_none() && has_part {
            _ = fs::remove_file(journal.path());
            return Err(Error::File(format!(
                "{}: this file was not created by windward; move it away",
                path.display()
            )));
        }
        let mut found = match &before {
            Some((other, _)) if has_part && identity.validator.is_some() && other != identity => Found::Other,
            Some((_, records)) if has_part && identity.validator.is_some() && !records.is_empty() => {
                Found::There(Vec::new())
            }
            _ => Found::Nothing,
        };
        if !matches!(found, Found::There(_)) {
            // The journal first: a part without one would not be known as ours.
            journal.begin(identity)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(!matches!(found, Found::There(_)));
        let file = options.custom_flags(libc::O_NOFOLLOW).mode(0o666).open(&path);
        let file = file.map_err(|error| Error::file(&path.display().to_string(), &error))?;
        let part = Self {
            target: target.to_owned(),
            path,
            file,
            journal,
            identity: identity.clone(),
            is_dirty: AtomicBool::new(false),
        };
        if let (Found::There(there), Some((_, records))) = (&mut found, &before) {
            *there = part.verify(records, goes_on)?;
        }
        if let Err(error) = part.reserve() {
            // A part that holds nothing is of no use to a later run.
            if !matches!(found, Found::There(_)) {
                _ = fs::remove_file(&part.path);
                _ = fs::remove_file(part.journal.path());
            }
            return Err(error);
        }
        Ok((part, found))
    }

    /// The records whose bytes are still as they arrived.
    fn verify(&self, records: &[Record], goes_on: &mut dyn FnMut() -> bool) -> Result<Vec<(u64, u64)>, Error> {
        let length = self.file.metadata().map_err(|error| self.failure(&error))?.len();
        let most = self.identity.length.unwrap_or(0).min(length);
        let mut buffer = vec![0; READ];
        let mut there = Vec::new();
        for record in records.iter().filter(|record| record.start < record.end && record.end <= most) {
            let mut hasher = blake3::Hasher::new();
            let mut next = record.start;
            while next < record.end {
                if !goes_on() {
                    return Err(Error::Interrupted);
                }
                let count = usize::try_from(record.end - next).unwrap_or(READ).min(READ);
                let piece = &mut buffer[..count];
                self.file.read_exact_at(piece, next).map_err(|error| self.failure(&error))?;
                hasher.update(piece);
                next += count as u64;
            }
            if hasher.finalize() == record.hash {
                there.push((record.start, record.end));
            }
        }
        Ok(there)
    }

    /// Takes the space for the whole file, so that a full disk is found now and not at the end.
    fn reserve(&self) -> Result<(), Error> {
        let Some(length) = self.identity.length else { return Ok(()) };
        let what = format!("{}: {length} bytes", self.path.display());
        reserve(&self.file, length).map_err(|error| Error::file(&what, &error))
    }

    /// Writes bytes in their place.
    pub fn write(&self, bytes: &[u8], at: u64) -> Result<(), Error> {
        self.is_dirty.store(true, Ordering::Relaxed);
        self.file.write_all_at(bytes, at).map_err(|error| self.failure(&error))
    }

    /// Notes that bytes have arrived.
    pub fn record(&self, start: u64, end: u64, hash: Hash) -> Result<(), Error> {
        if self.identity.validator.is_none() {
            return Ok(());
        }
        self.is_dirty.store(true, Ordering::Relaxed);
        self.journal.add(&Record { start, end, hash })
    }

    /// Waits until what has arrived is on the disk, and then that it is known there.
    pub fn sync(&self) -> Result<(), Error> {
        if self.is_dirty.swap(false, Ordering::Relaxed) {
            self.file.sync_data().map_err(|error| self.failure(&error))?;
            self.journal.sync()?;
        }
        Ok(())
    }

    /// Checks the whole and gives it its name. `goes_on` is asked between pieces of work.
    ///
    /// # Errors
    /// The checksum is another (the part stays, and nothing of it counts as arrived), the target has come into being
    /// meanwhile, the disk fails, or `goes_on` says no.
    pub fn finish(
        &self,
        length: u64,
        checksum: Option<&Checksum>,
        is_forced: bool,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        self.file.set_len(length).and_then(|()| self.file.sync_all()).map_err(|error| self.failure(&error))?;
        if let Some(checksum) = checksum {
            let mut file = File::open(&self.path).map_err(|error| self.failure(&error))?;
            if let Err(error) = checksum.check(&mut file, goes_on) {
                if matches!(error, Error::Checksum { .. }) {
                    self.journal.begin(&self.identity)?;
                }
                return Err(error);
            }
        }
        if !is_forced {
            is_free(&self.target)?;
        }
        let failure = |error: &io::Error| Error::file(&self.target.display().to_string(), error);
        fs::rename(&self.path, &self.target).map_err(|error| failure(&error))?;
        // The new name is safe only once its folder is; some file systems cannot sync one.
        let synced = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        match synced {
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => return Err(failure(&error)),
            _ => {}
        }
        fs::remove_file(self.journal.path()).map_err(|error| failure(&error))
    }

    /// Lets others have the part.
    pub fn unlock(&self) {
        self.journal.unlock();
    }

    fn failure(&self, error: &io::Error) -> Error {
        Error::file(&self.path.display().to_string(), error)
    }
}

/// Whether an earlier run has left a part of `target`, or something that looks like one.
pub(super) fn is_begun(target: &Path) -> bool {
    with_suffix(target, ".part.windward").exists()
}

/// Refuses a target that is there.
pub(super) fn is_free(target: &Path) -> Result<(), Error> {
    if fs::symlink_metadata(target).is_err() {
        return Ok(());
    }
    Err(Error::File(format!(
        "{} already exists\nhint: --force overwrites it; -c skips it if its length matches the server's",
        target.display()
    )))
}

/// The folder that a path is in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
