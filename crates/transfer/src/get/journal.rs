//! The journal of a part: the received bytes, so that a later run can resume.
//!
//! A text file. Each line ends with its own check value, so that a line torn by a crash is detected. The first line
//! identifies the file and its version. Each further line gives a range of received bytes and its BLAKE3 digest. A
//! range counts only if the part still has that digest, so the order of writes to the disk does not matter.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use blake3::Hash;
use serde::{Deserialize, Serialize};
use url::Url;

use super::validator::Validator;
use crate::error::Error;

/// Digits of a line's check value.
const CHECK: usize = 16;

/// Identity of the file and version that a part belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// The requested address without its query, because signed addresses change theirs.
    pub resource: String,
    /// Length of the file in bytes.
    pub length: Option<u64>,
    /// Without a validator nothing is resumed.
    pub validator: Option<Validator>,
    /// Codings of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coding: Option<String>,
    /// Its media type, which distinguishes a log-in page from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
}

/// Relation of a response to the part of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinship {
    /// A response of this version.
    Same,
    /// Another version of the file, from a server with validators and ranges: the old version is no longer available.
    Newer,
    /// The part cannot be resumed with any response.
    Useless,
    /// Possibly another file: a log-in page, an error page, the file of another server.
    Doubtful,
}

impl Identity {
    /// Relation of `answer` to a part with this identity and `arrived` bytes.
    pub fn kinship(&self, answer: &Self, has_ranges: bool, arrived: u64) -> Kinship {
        let is_empty = self.validator.is_none() || arrived == 0;
        if !is_empty && self.is_same(answer) {
            return Kinship::Same;
        }
        match () {
            () if answer.is_page() && !self.is_page() => Kinship::Doubtful,
            () if is_empty => Kinship::Useless,
            () if has_ranges && self.may_become(answer, arrived) => Kinship::Newer,
            () => Kinship::Doubtful,
        }
    }

    /// Returns whether the response has the same bytes; its length may be missing.
    fn is_same(&self, answer: &Self) -> bool {
        self.resource == answer.resource
            && self.validator == answer.validator
            && self.coding == answer.coding
            && (self.length == answer.length || answer.length.is_none())
    }

    /// Returns whether the response may be a later version.
    fn may_become(&self, answer: &Self, arrived: u64) -> bool {
        let is_alike = match (&self.media, &answer.media) {
            (Some(before), Some(now)) => before == now || self.is_page(),
            _ => true,
        };
        answer.validator.is_some() && is_alike && answer.length.is_some_and(|length| length >= arrived)
    }

    /// Returns whether the content is an HTML page.
    fn is_page(&self) -> bool {
        let is_html = |media: &str| matches!(media, "text/html" | "application/xhtml+xml");
        let is_named_so = || {
            let path = Url::parse(&self.resource).map(|url| url.path().to_ascii_lowercase()).unwrap_or_default();
            [".html", ".htm", ".xhtml"].iter().any(|end| path.ends_with(end))
        };
        self.media.as_deref().map_or_else(is_named_so, is_html)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.length {
            Some(length) => write!(to, "{length} bytes")?,
            None => write!(to, "unknown length")?,
        }
        if let Some(media) = &self.media {
            write!(to, ", {media}")?;
        }
        match &self.validator {
            Some(Validator::Etag(tag)) => write!(to, ", ETag {tag}"),
            Some(Validator::LastModified(date)) => write!(to, ", of {date}"),
            None => write!(to, ", without a version"),
        }
    }
}

/// A range of received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub start: u64,
    pub end: u64,
    pub hash: Hash,
}

/// Identity and records of a journal.
pub(super) type Contents = (Identity, Vec<Record>);

/// An open journal, locked against other processes.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens or creates the journal, and reads its contents.
    ///
    /// # Errors
    /// Another process downloads the same file, or a system call fails.
    pub fn open(path: &Path) -> Result<(Self, Option<Contents>), Error> {
        let failure = |error: &io::Error| Error::file(&path.display().to_string(), error);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o666).custom_flags(libc::O_NOFOLLOW);
        let mut file = options.open(path).map_err(|error| failure(&error))?;
        let busy = || Error::File(format!("{}: another download of the same file is running", path.display()));
        // SAFETY: flock takes an open descriptor and touches no memory.
        let locked = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
        // Any other failure comes from a file system without locks.
        if locked != 0 && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock {
            return Err(busy());
        }
        // The previous owner may have finished and removed the file before we locked it.
        if file.metadata().map_err(|error| failure(&error))?.nlink() == 0 {
            return Err(busy());
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| failure(&error))?;
        let (found, sound) = parse(&text);
        // A torn line would corrupt the next line.
        file.set_len(sound as u64).map_err(|error| failure(&error))?;
        Ok((Self { file, path: path.to_owned() }, found))
    }

    /// Starts over, for another version or file.
    pub fn begin(&self, identity: &Identity) -> Result<(), Error> {
        let text = serde_json::to_string(identity).map_err(|error| Error::File(error.to_string()))?;
        let begun = self.file.set_len(0).and_then(|()| self.write(&text)).and_then(|()| self.file.sync_all());
        begun.map_err(|error| {
            // A full disk leaves an empty journal, which is of no use.
            drop(fs::remove_file(&self.path));
            self.failure(&error)
        })
    }

    /// Adds a record.
    pub fn add(&self, record: &Record) -> Result<(), Error> {
        let text = format!("{} {} {}", record.start, record.end, record.hash);
        self.write(&text).map_err(|error| self.failure(&error))
    }

    /// Writes a line in one call, so that concurrent threads append whole lines.
    fn write(&self, text: &str) -> io::Result<()> {
        (&self.file).write_all(format!("{text} {}\n", check(text)).as_bytes())
    }

    /// Waits until the journal is on the disk.
    pub fn sync(&self) -> Result<(), Error> {
        self.file.sync_data().map_err(|error| self.failure(&error))
    }

    /// Releases the lock for other processes.
    pub fn unlock(&self) {
        // SAFETY: flock takes an open descriptor and touches no memory. A failure has no remedy.
        unsafe { libc::flock(self.file.as_raw_fd(), libc::LOCK_UN) };
    }

    /// Path of the journal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn failure(&self, error: &io::Error) -> Error {
        Error::file(&self.path.display().to_string(), error)
    }
}

/// Check value at the end of a line.
pub(super) fn check(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..CHECK].to_owned()
}

/// Parses the valid lines. Returns their contents, and their length in bytes.
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
        let (coding, media) = (None, Some("text/plain".to_owned()));
        Identity { resource: "http://a.example/ä".to_owned(), length: Some(9), validator, coding, media }
    }

    #[test]
    fn only_what_can_be_the_file_takes_the_place_of_a_part() {
        let old = identity();
        let tagged = |tag: &str| Some(Validator::Etag(format!("\"{tag}\"")));
        let new = Identity { validator: tagged("new"), ..old.clone() };
        let of = |answer: &Identity, has_ranges| old.kinship(answer, has_ranges, 5);
        assert_eq!((of(&old, true), of(&old, false)), (Kinship::Same, Kinship::Same));
        assert_eq!(of(&Identity { length: None, ..old.clone() }, false), Kinship::Same);
        assert_eq!(of(&new, true), Kinship::Newer);
        assert_eq!(of(&Identity { length: Some(5), ..new.clone() }, true), Kinship::Newer);
        let page = |validator| Identity { media: Some("text/html".to_owned()), validator, ..new.clone() };
        for (doubtful, has_ranges) in [
            // A server without ranges; a length below the received bytes; another type; HTML pages; no version; empty.
            (new.clone(), false),
            (Identity { length: Some(4), ..new.clone() }, true),
            (Identity { media: Some("application/json".to_owned()), ..new.clone() }, true),
            (page(tagged("new")), true),
            (page(None), false),
            (Identity { validator: None, ..old.clone() }, true),
            (Identity { coding: Some("gzip".to_owned()), ..old.clone() }, false),
            (Identity { length: Some(0), ..new.clone() }, false),
        ] {
            assert_eq!(of(&doubtful, has_ranges), Kinship::Doubtful, "{doubtful}");
        }
        // A part that cannot be resumed gives way to any response except a page.
        let useless = Identity { validator: None, ..old };
        assert_eq!(useless.kinship(&new, false, 0), Kinship::Useless);
        assert_eq!(useless.kinship(&page(None), false, 0), Kinship::Doubtful);
        assert_eq!(page(None).kinship(&new, false, 0), Kinship::Useless);
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
