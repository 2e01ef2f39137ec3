//! The journal beside a part: what has arrived, so that a later run can resume.
//!
//! A text file of lines, each ended by a check of its own, so that a line torn by a crash is seen. The first line says
//! which version of which file it is; every other one names bytes that arrived, and their BLAKE3 digest. Bytes count
//! as arrived only if the part still has that digest: no order of writes to the disk has to be trusted.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::validator::Validator;
use crate::common::Error;

/// Digits of a line's check.
const CHECK: usize = 16;

/// Which version of which file a part is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// The address asked for, without its query: signed addresses change theirs.
    pub resource: String,
    /// Bytes of the whole.
    pub length: Option<u64>,
    /// Without one nothing is ever resumed.
    pub validator: Option<Validator>,
}

/// Bytes that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub start: u64,
    pub end: u64,
    pub hash: Hash,
}

/// What stands in a journal.
pub(super) type Contents = (Identity, Vec<Record>);

/// An open journal, locked against other processes.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens or makes the journal, and reads what stands in it.
    ///
    /// # Errors
    /// Another process downloads the same file, or the system refuses.
    pub fn open(path: &Path) -> Result<(Self, Option<Contents>), Error> {
        let failure = |error: &io::Error| Error::file(&path.display().to_string(), error);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o666).custom_flags(libc::O_NOFOLLOW);
        let mut file = options.open(path).map_err(|error| failure(&error))?;
        let busy = || Error::File(format!("{}: another download of the same file is running", path.display()));
        // SAFETY: flock takes an open descriptor and touches no memory.
        let locked = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
        // Any other failure is of a file system without locks.
        if locked != 0 && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock {
            return Err(busy());
        }
        // Its owner may have finished, and removed it, before the lock was ours.
        if file.metadata().map_err(|error| failure(&error))?.nlink() == 0 {
            return Err(busy());
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| failure(&error))?;
        let (found, sound) = parse(&text);
        // A torn line would spoil the one that is written behind it.
        file.set_len(sound as u64).map_err(|error| failure(&error))?;
        Ok((Self { file, path: path.to_owned() }, found))
    }

    /// Begins anew, for another version or file.
    pub fn begin(&self, identity: &Identity) -> Result<(), Error> {
        let text = serde_json::to_string(identity).map_err(|error| Error::File(error.to_string()))?;
        self.file
            .set_len(0)
            .and_then(|()| self.write(&text))
            .and_then(|()| self.file.sync_all())
            .map_err(|error| self.failure(&error))
    }

    /// Adds a record.
    pub fn add(&self, record: &Record) -> Result<(), Error> {
        let text = format!("{} {} {}", record.start, record.end, record.hash);
        self.write(&text).map_err(|error| self.failure(&error))
    }

    /// One line in one call: appended whole, whichever thread writes beside.
    fn write(&self, text: &str) -> io::Result<()> {
        (&self.file).write_all(format!("{text} {}\n", check(text)).as_bytes())
    }

    /// Waits until all is on the disk.
    pub fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(|error| self.failure(&error))
    }

    /// Lets other processes have it.
    pub fn unlock(&self) {
        // SAFETY: flock takes an open descriptor and touches no memory. Nothing could be done if it failed.
        unsafe { libc::flock(self.file.as_raw_fd(), libc::LOCK_UN) };
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn failure(&self, error: &io::Error) -> Error {
        Error::file(&self.path.display().to_string(), error)
    }
}

/// What ends a line.
pub(super) fn check(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..CHECK].to_owned()
}

/// What the sound lines say, and how many bytes they are.
pub(super) fn parse(text: &[u8]) -> (Option<Contents>, usize) {
    let mut sound = 0;
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').map_while(|line| {
        let (text, sum) = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.rsplit_once(' ')?;
        (check(text) == sum).then_some((text, line.len()))
    });
    let Some((identity, length)) = lines.next() else { return (None, 0) };
    let Ok(identity) = serde_json::from_str(identity) else { return (None, 0) };
    sound += length;
    let mut records = Vec::new();
    for (text, length) in lines {
        let mut words = text.split(' ');
        let mut number = || words.next()?.parse::<u64>().ok();
        let (Some(start), Some(end)) = (number(), number()) else { break };
        let Some(hash) = words.next().and_then(|digits| Hash::from_hex(digits).ok()) else { break };
        records.push(Record { start, end, hash });
        sound += length;
    }
    (Some((identity, records)), sound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        let validator = Some(Validator::Etag("\"a b\"".to_owned()));
        Identity { resource: "http://a.example/ä".to_owned(), length: Some(9), validator }
    }

    fn lines(texts: &[String]) -> Vec<u8> {
        texts.iter().map(|text| format!("{text} {}\n", check(text))).collect::<String>().into_bytes()
    }

    #[test]
    fn a_journal_cut_anywhere_is_read_up_to_its_last_whole_line() {
        let records: Vec<_> = (0..3).map(|n| Record { start: n, end: n + 1, hash: blake3::hash(&[n as u8]) }).collect();
        let mut texts = vec![serde_json::to_string(&identity()).unwrap()];
        texts.extend(records.iter().map(|record| format!("{} {} {}", record.start, record.end, record.hash)));
        let whole = lines(&texts);
        let mut ends = vec![0];
        texts.iter().for_each(|text| ends.push(ends.last().unwrap() + text.len() + CHECK + 2));
        for cut in 0..=whole.len() {
            let (found, sound) = parse(&whole[..cut]);
            let count = ends.iter().filter(|end| **end <= cut && **end > 0).count();
            assert_eq!(sound, ends[count], "cut at {cut}");
            assert_eq!(found.map(|(_, records)| records.len()), count.checked_sub(1), "cut at {cut}");
        }
        assert_eq!(parse(&whole).0, Some((identity(), records)));
    }

    #[test]
    fn a_changed_byte_ends_the_journal() {
        let text = serde_json::to_string(&identity()).unwrap();
        let record = format!("0 1 {}", blake3::hash(b"x"));
        let mut bytes = lines(&[text, record.clone(), record]);
        let last = bytes.len() - 40;
        bytes[last] ^= 1;
        assert_eq!(parse(&bytes).0.unwrap().1.len(), 1);
    }
}
