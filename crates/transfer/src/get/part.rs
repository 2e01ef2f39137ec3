//! The file while it arrives: `NAME.part`, and `NAME.part.windward` that knows what of it is there.

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
use crate::common::{Error, reserve};

/// Bytes read at once when what is there is read again.
const READ: usize = 128 << 10;

/// Longest name of a file (Linux and most others).
const MOST_NAME: usize = 255;
/// Ends of the names beside the target.
const PART: &str = ".part";
const JOURNAL: &str = ".part.windward";
/// End of the name of a file that arrives while a part of another version is kept.
const BESIDE: &str = ".part.new";

/// A file that arrives.
#[derive(Debug)]
pub(super) struct Part {
    target: PathBuf,
    path: PathBuf,
    file: File,
    journal: Journal,
    identity: Identity,
    /// True if what arrives is noted, for a later run to resume.
    is_resumable: bool,
    /// A part of another version, which goes once this is whole.
    kept: Option<PathBuf>,
    is_named: AtomicBool,
    /// Whether anything was written since the last [`Part::sync`].
    is_dirty: AtomicBool,
}

/// What an earlier run has left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing of use.
    Nothing,
    /// Another version, which cannot be had any more: it was thrown away.
    Older,
    /// A part of the same version, but all of it comes again.
    Again,
    /// A part of something else, which stays until this is whole.
    Kept,
    /// A part that could not have been resumed: it was thrown away.
    Useless,
    /// These bytes (first, and after the last), read again and found as they had arrived.
    There(Vec<(u64, u64)>),
}

/// An answer, and the user's wishes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arriving<'a> {
    pub identity: &'a Identity,
    /// Status of the answer.
    pub status: u16,
    /// True if parts can be asked for.
    pub has_ranges: bool,
    /// True if a part goes for an answer that may not be of the file.
    pub is_forced: bool,
}

impl Part {
    /// Opens or makes the part of `target`, and takes the room that it needs. `goes_on` is asked between pieces of
    /// work.
    ///
    /// # Errors
    /// Another process is at it, a part that is not ours is in the way, there is a part and the answer may not be of the same file, the disk
    /// is full, or `goes_on` says no.
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
                // One without any bytes is not missed.
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
            // The journal first: a part without one would not be known as ours.
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
            // A part that holds nothing is of no use to a later run.
            if !is_same && part.kept.is_none() {
                part.discard();
            }
            return Err(error);
        }
        Ok((part, found))
    }

    /// A part of `target` that is whole by its journal, and its length.
    ///
    /// # Errors
    /// Another process is at it, or it cannot be read.
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

    /// Removes the part and what is known of it.
    pub fn discard(&self) {
        // What stays is found by the next run.
        _ = fs::remove_file(&self.path);
        _ = fs::remove_file(self.journal.path());
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
        if !self.is_resumable {
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
    /// The checksum is another (the part stays, for another checksum), the target has come into being meanwhile, the disk fails, or
    /// `goes_on` says no.
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
        // The new name is safe only once its folder is; some file systems cannot sync one.
        let synced = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        match synced {
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => return Err(failure(&error)),
            _ => {}
        }
        fs::remove_file(self.journal.path()).map_err(|error| failure(&error))
    }

    /// Notes that all is there, also where nothing was noted on the way: another checksum may be the right one.
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

    /// Lets others have the part.
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
            // What is not whole does not take the place of what was kept.
            _ = fs::remove_file(&self.path);
        }
    }
}

/// Bytes of a part that have arrived by its journal.
fn arrived(identity: &Identity, records: &[Record]) -> u64 {
    let spans: Vec<_> = records.iter().map(|record| (record.start, record.end)).collect();
    let length = identity.length.unwrap_or(u64::MAX);
    length - Plan::new(length, &spans).left()
}

/// The refusal to take an answer for the file that the part is of.
fn doubt(path: &Path, before: &Identity, Arriving { identity, status, .. }: Arriving<'_>) -> Error {
    let reason = format!(
        " with another file ({identity}) than {} is of ({before}); the part is kept\nhint: a log-in or error page may \
         answer for the server; `force` downloads what it gives now, which takes the place of the part",
        path.display()
    );
    Error::Refused { status, reason }
}

/// Whether an earlier run has left a part of `target`, or something that looks like one.
pub(super) fn is_begun(target: &Path) -> bool {
    beside(target, JOURNAL).exists()
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

/// A name beside `target` that ends in `suffix`. What would be too long for a file system is cut, and told apart by a digest of the whole.
fn beside(target: &Path, suffix: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().as_bytes();
    let mut own = name.to_vec();
    if name.len() + JOURNAL.len() > MOST_NAME {
        let digest = blake3::hash(name).to_hex();
        own.truncate(MOST_NAME - JOURNAL.len() - DIGEST - 1);
        // A character is not cut in two.
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
