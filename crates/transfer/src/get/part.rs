//! The file during its download: `NAME.part`, and `NAME.part.windward` with the list of received ranges.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use blake3::Hash;

use super::checksum::Checksum;
use super::journal::{Identity, Journal, Kinship, Record};
use super::plan::Plan;
use crate::common::reserve;
use crate::error::Error;

/// Bytes per read when received bytes are verified.
const READ: usize = 128 << 10;

/// Maximum length of a file name (Linux and most others).
const MOST_NAME: usize = 255;
/// Suffixes of the files beside the target.
const PART: &str = ".part";
const JOURNAL: &str = ".part.windward";
/// Suffix of a file that is downloaded while a part of another version is kept.
const BESIDE: &str = ".part.new";

/// A file during its download.
#[derive(Debug)]
pub(super) struct Part {
    target: PathBuf,
    path: PathBuf,
    file: File,
    journal: Journal,
    identity: Identity,
    /// True if received ranges are recorded for a later run.
    is_resumable: bool,
    /// A part of another version, which is removed once this file is complete.
    kept: Option<PathBuf>,
    is_named: AtomicBool,
    /// True if anything was written since the last [`Part::sync`].
    is_dirty: AtomicBool,
}

/// State of an earlier run's part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing of use.
    Nothing,
    /// A part of another version that is no longer available; it was deleted.
    Older,
    /// A part of the same version, but the whole file is transferred again.
    Again,
    /// A part of another file, which is kept until this file is complete.
    Kept,
    /// A part that could not be resumed; it was deleted.
    Useless,
    /// Verified ranges (first byte, and the byte after the last).
    There(Vec<(u64, u64)>),
}

/// A response, with the user's options.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arriving<'a> {
    pub identity: &'a Identity,
    /// Status of the answer.
    pub status: u16,
    /// True if the server supports ranges.
    pub has_ranges: bool,
    /// True if a part is replaced even by a response that may be another file.
    pub is_forced: bool,
}

impl Part {
    /// Opens or creates the part of `target`, and reserves its space. `goes_on` is called between pieces of work.
    ///
    /// # Errors
    /// Another process downloads the file; a part that is not ours is in the way; there is a part and the response may
    /// be another file; the disk is full; or `goes_on` returns false.
    pub fn open(
        target: &Path,
        arriving: Arriving<'_>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(Self, Found), Error> {
        let Arriving { identity, has_ranges, .. } = arriving;
        let mut path = beside(target, PART);
        let (journal, before) = Journal::open(&beside(target, JOURNAL))?;
        let has_part = fs::symlink_metadata(&path).is_ok();
        if before.is_none() && has_part {
            _ = fs::remove_file(journal.path());
            return Err(Error::File(format!(
                "{}: this file was not created by windward; move it away",
                path.display()
            )));
        }
        let mut kept = None;
        let mut found = match before.as_ref().filter(|_| has_part) {
            None => Found::Nothing,
            Some((other, records)) => match other.kinship(identity, has_ranges, arrived(other, records)) {
                Kinship::Same if has_ranges => Found::There(Vec::new()),
                Kinship::Same => Found::Again,
                Kinship::Newer => Found::Older,
                // A part without received bytes is not mentioned.
                Kinship::Useless if other.validator.is_some() => Found::Nothing,
                Kinship::Useless => Found::Useless,
                Kinship::Doubtful if !arriving.is_forced => return Err(doubt(&path, other, arriving)),
                Kinship::Doubtful if has_ranges => Found::Older,
                Kinship::Doubtful => {
                    kept = Some(std::mem::replace(&mut path, beside(target, BESIDE)));
                    Found::Kept
                }
            },
        };
        let is_same = matches!(found, Found::There(_) | Found::Again);
        let is_resumable = is_same || (has_ranges && identity.validator.is_some());
        let mut identity = identity.clone();
        if !is_resumable {
            identity.validator = None;
        }
        if !is_same && kept.is_none() {
            // The journal first: without one, a part would not be recognised as ours.
            journal.begin(&identity)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(!is_same);
        let file = options.custom_flags(libc::O_NOFOLLOW).mode(0o666).open(&path);
        let file = file.map_err(|error| Error::file(&path.display().to_string(), &error))?;
        let is_named = AtomicBool::new(false);
        let is_dirty = AtomicBool::new(false);
        let target = target.to_owned();
        let part = Self { target, path, file, journal, identity, is_resumable, kept, is_named, is_dirty };
        if let (Found::There(there), Some((_, records))) = (&mut found, &before) {
            *there = part.verify(records, goes_on)?;
        }
        if let Err(error) = part.reserve() {
            // An empty part is useless to a later run.
            if !is_same && part.kept.is_none() {
                part.discard();
            }
            return Err(error);
        }
        Ok((part, found))
    }

    /// Opens a part of `target` that is complete according to its journal; returns it with its length.
    ///
    /// # Errors
    /// Another process downloads the file, or the part cannot be read.
    pub fn whole(target: &Path) -> Result<Option<(Self, u64)>, Error> {
        let (path, journal) = (beside(target, PART), beside(target, JOURNAL));
        let is_file = |path: &Path| fs::symlink_metadata(path).is_ok_and(|about| about.is_file());
        if !is_file(&path) || !is_file(&journal) {
            return Ok(None);
        }
        let (journal, Some((identity, records))) = Journal::open(&journal)? else { return Ok(None) };
        let failure = |error: io::Error| Error::file(&path.display().to_string(), &error);
        let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOFOLLOW).open(&path);
        let file = file.map_err(failure)?;
        let length = file.metadata().map_err(failure)?.len();
        if identity.length != Some(length) || arrived(&identity, &records) != length {
            return Ok(None);
        }
        let (is_named, is_dirty) = (AtomicBool::new(false), AtomicBool::new(false));
        let target = target.to_owned();
        let part = Self { target, path, file, journal, identity, is_resumable: true, kept: None, is_named, is_dirty };
        Ok(Some((part, length)))
    }

    /// Deletes the part and its journal.
    pub fn discard(&self) {
        // The next run finds anything left over.
        _ = fs::remove_file(&self.path);
        _ = fs::remove_file(self.journal.path());
    }

    /// Returns the recorded ranges whose digest still matches.
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

    /// Reserves the space of the whole file, so that a full disk is detected at the start.
    fn reserve(&self) -> Result<(), Error> {
        let Some(length) = self.identity.length else { return Ok(()) };
        let what = format!("{}: {length} bytes", self.path.display());
        reserve(&self.file, length).map_err(|error| Error::file(&what, &error))
    }

    /// Writes bytes at their offset.
    pub fn write(&self, bytes: &[u8], at: u64) -> Result<(), Error> {
        self.is_dirty.store(true, Ordering::Relaxed);
        self.file.write_all_at(bytes, at).map_err(|error| self.failure(&error))
    }

    /// Records received bytes.
    pub fn record(&self, start: u64, end: u64, hash: Hash) -> Result<(), Error> {
        if !self.is_resumable {
            return Ok(());
        }
        self.is_dirty.store(true, Ordering::Relaxed);
        self.journal.add(&Record { start, end, hash })
    }

    /// Flushes the received bytes to the disk, and then their records.
    pub fn sync(&self) -> Result<(), Error> {
        if self.is_dirty.swap(false, Ordering::Relaxed) {
            self.file.sync_data().map_err(|error| self.failure(&error))?;
            self.journal.sync()?;
        }
        Ok(())
    }

    /// Verifies the whole file and renames it. `goes_on` is called between pieces of work.
    ///
    /// # Errors
    /// The checksum differs (the part is kept, for another checksum), the target was created in the meantime, the disk
    /// fails, or `goes_on` returns false.
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
            if let Err(mut error) = checksum.check(&mut file, goes_on) {
                if let Error::Checksum { kept, .. } = &mut error
                    && self.kept.is_none()
                {
                    self.keep(length)?;
                    *kept = Some(self.path.clone());
                }
                return Err(error);
            }
        }
        if !is_forced {
            is_free(&self.target)?;
        }
        let failure = |error: &io::Error| Error::file(&self.target.display().to_string(), error);
        fs::rename(&self.path, &self.target).map_err(|error| failure(&error))?;
        self.is_named.store(true, Ordering::Relaxed);
        if let Some(kept) = &self.kept {
            fs::remove_file(kept).map_err(|error| failure(&error))?;
        }
        // The new name is durable only after a sync of the folder, which some file systems do not support.
        let synced = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        match synced {
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => return Err(failure(&error)),
            _ => {}
        }
        fs::remove_file(self.journal.path()).map_err(|error| failure(&error))
    }

    /// Records the whole file, even if no ranges were recorded: another checksum may match.
    fn keep(&self, length: u64) -> Result<(), Error> {
        if self.is_resumable {
            return Ok(());
        }
        self.journal.begin(&Identity { length: Some(length), ..self.identity.clone() })?;
        let mut hasher = blake3::Hasher::new();
        let read = File::open(&self.path).and_then(|file| hasher.update_reader(file).map(drop));
        read.map_err(|error| self.failure(&error))?;
        self.journal.add(&Record { start: 0, end: length, hash: hasher.finalize() })?;
        self.journal.sync()
    }

    /// Releases the part for other processes.
    pub fn unlock(&self) {
        self.journal.unlock();
    }

    fn failure(&self, error: &io::Error) -> Error {
        Error::file(&self.path.display().to_string(), error)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.kept.is_some() && !self.is_named.load(Ordering::Relaxed) {
            // An incomplete file does not replace the kept part.
            _ = fs::remove_file(&self.path);
        }
    }
}

/// Number of received bytes of a part, according to its journal.
fn arrived(identity: &Identity, records: &[Record]) -> u64 {
    let spans: Vec<_> = records.iter().map(|record| (record.start, record.end)).collect();
    let length = identity.length.unwrap_or(u64::MAX);
    length - Plan::new(length, &spans).left()
}

/// Refusal of a response that may not be the file of the part.
fn doubt(path: &Path, before: &Identity, Arriving { identity, status, .. }: Arriving<'_>) -> Error {
    let reason = format!(
        " with another file ({identity}) than {} is of ({before}); the part is kept\nhint: a log-in or error page may \
         answer for the server; `replace` downloads what it gives now, which takes the place of the part",
        path.display()
    );
    Error::Refused { status, reason }
}

/// True if an earlier run has left a part of `target`, or something that looks like one.
pub(super) fn is_begun(target: &Path) -> bool {
    beside(target, JOURNAL).exists()
}

/// Refuses an existing target.
pub(super) fn is_free(target: &Path) -> Result<(), Error> {
    if fs::symlink_metadata(target).is_err() {
        return Ok(());
    }
    Err(Error::File(format!(
        "{} already exists\nhint: `replace` overwrites it; `resume` skips it if its length matches the server's",
        target.display()
    )))
}

/// The folder of a path.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name beside `target` that ends in `suffix`. A name that is too long for a file system is cut and made unique by a
/// digest of the whole.
fn beside(target: &Path, suffix: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().as_bytes();
    let mut own = name.to_vec();
    if name.len() + JOURNAL.len() > MOST_NAME {
        let digest = blake3::hash(name).to_hex();
        own.truncate(MOST_NAME - JOURNAL.len() - DIGEST - 1);
        // A character is not split.
        while own.last().is_some_and(|byte| !byte.is_ascii()) && std::str::from_utf8(&own).is_err() && is_text(name) {
            own.pop();
        }
        own.push(b'.');
        own.extend_from_slice(&digest.as_bytes()[..DIGEST]);
    }
    own.extend_from_slice(suffix.as_bytes());
    target.with_file_name(OsString::from_vec(own))
}

fn is_text(name: &[u8]) -> bool {
    OsStr::from_bytes(name).to_str().is_some()
}

/// Digits of the digest of a long name.
const DIGEST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beside_a_long_one_fit() {
        let of = |name: &str| [PART, JOURNAL, BESIDE].map(|suffix| beside(&Path::new("d").join(name), suffix));
        assert_eq!(of("x")[0], Path::new("d/x.part"));
        let longest = "a".repeat(MOST_NAME - JOURNAL.len());
        assert_eq!(of(&longest)[1], Path::new("d").join(format!("{longest}{JOURNAL}")));
        let mut all: Vec<_> =
            ["a", "ä", "€"].iter().flat_map(|letter| of(&letter.repeat(MOST_NAME / letter.len()))).collect();
        all.extend(of(&format!("{}b", "a".repeat(MOST_NAME - 1))));
        for path in &all {
            let name = path.file_name().unwrap();
            assert!(name.len() <= MOST_NAME && name.to_str().is_some(), "{name:?}");
            assert_eq!(path.parent(), Some(Path::new("d")));
        }
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 12);
    }
}
