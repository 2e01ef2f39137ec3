//! Uploads: pieces of a [`Tree`], each verified before it is written. The file gets its name once all are there.
//!
//! A client first posts the tree (`POST /NAME?upload`): length and hash in fields, the chaining values of the pieces as
//! the body. If they combine to the hash, the answer lists the missing pieces. Then the client puts those (`PUT
//! /NAME?upload=HASH&piece=I`) over any number of connections, in any order. Pieces of an earlier attempt in
//! `.NAME.HASH.part` are hashed again and count if they are right. No journal is needed, so none can be wrong after a
//! power failure.
//!
//! An upload without pieces costs its client only one request, so it must not block others. It and its part are removed
//! after a minute, or when its address exceeds its share. Parts with pieces stay for a day.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use blake3::Hash;

use super::answer::Answer;
use super::folder::{Folder, Names};
use super::guard;
use super::refusal::Refusal;
use super::request::{Bring, Request};
use crate::common::reserve;
use crate::tree::{PIECE, Tree};
use crate::upload::{HASH, LENGTH, Missing, TREE, is_fit};

/// Maximum size of a tree in bytes: that of a file of half a TiB.
const MOST_TREE: u64 = 64 << 20;
/// Maximum number of unfinished uploads, in total and per address.
const MOST_UPLOADS: usize = 64;
const MOST_OF_ONE: usize = 16;
/// Time after which an idle upload is forgotten: with pieces, without pieces, and if another upload needs its slot.
const REST: Duration = Duration::from_secs(600);
const REST_EMPTY: Duration = Duration::from_secs(60);
const REST_FULL: Duration = Duration::from_secs(30);
/// Age at which an abandoned part is removed.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);
/// Maximum length of a file name.
const MOST_NAME: usize = 255;
/// Digits of the hash in a part's name.
const DIGITS: usize = 16;

/// The unfinished uploads.
#[derive(Default)]
pub struct Uploads {
    known: Mutex<Known>,
    /// Held while a part is opened: of two clients that begin the same upload, only one may set its length.
    opening: Mutex<()>,
}

/// Uploads by name and hash.
type Known = BTreeMap<(Names, [u8; 32]), Arc<Upload>>;

struct Upload {
    tree: Tree,
    folder: Folder,
    name: OsString,
    part: OsString,
    file: File,
    /// The client's address, or the key of its network.
    owner: IpAddr,
    replaces: bool,
    progress: Mutex<Progress>,
    is_named: Mutex<bool>,
}

struct Progress {
    is_there: Vec<bool>,
    left: u64,
    /// True if a piece has arrived, now or in an earlier attempt.
    has_pieces: bool,
    touched: Instant,
}

impl Uploads {
    /// Answers POST and PUT.
    pub fn answer(
        &self,
        folder: &Folder,
        client: IpAddr,
        request: &Request,
        body: &mut Bring<'_>,
    ) -> Result<Answer, Refusal> {
        let names = Names::parse(request.path_and_query().0)?;
        if !names.parts().all(|name| is_fit(name.as_bytes())) {
            return Err(Refusal::new(400, "a name must not have control characters or begin with a dash"));
        }
        match (request.method.as_str(), request.parameter("upload")) {
            ("POST", Some(_)) => self.begin(folder, client, names, request, body),
            ("PUT", Some(hash)) => self.piece(names, hash, request, body),
            _ => Err(Refusal::new(400, "plain uploads are not supported; use `windward send`")),
        }
    }

    fn begin(
        &self,
        folder: &Folder,
        client: IpAddr,
        names: Names,
        request: &Request,
        body: &mut Bring<'_>,
    ) -> Result<Answer, Refusal> {
        if request.field("content-type") != Some(TREE) {
            return Err(Refusal::new(400, format!("Content-Type must be {TREE}")));
        }
        let (Some(length), Some(hash)) = (number(request.field(LENGTH)), hash(request.field(HASH))) else {
            return Err(Refusal::new(400, format!("{LENGTH} and {HASH} are required")));
        };
        let tree = Tree::from_bytes(length, &body(MOST_TREE)?).filter(|tree| tree.hash() == hash);
        let tree = tree.ok_or_else(|| Refusal::new(422, "the pieces do not match the hash of the file"))?;
        let key = (names.clone(), *hash.as_bytes());
        let _turn = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.lock().get(&key).cloned();
        let upload = match known {
            Some(upload) => {
                upload.lock().touched = Instant::now();
                upload
            }
            None => {
                let replaces = request.parameter("replace").is_some();
                if is_there(folder, &names, &tree, replaces)? {
                    return Ok(report(true, Vec::new()));
                }
                // Before anything is written to the disk.
                let owner = guard::key(client);
                self.make_room(owner)?;
                let upload = Arc::new(Upload::open(folder, &names, tree, replaces, owner)?);
                self.lock().insert(key.clone(), Arc::clone(&upload));
                upload
            }
        };
        let missing = upload.missing();
        if missing.is_empty() {
            self.finish(&key, &upload)?;
            return Ok(report(true, missing));
        }
        Ok(report(false, missing))
    }

    fn piece(&self, names: Names, upload: &str, request: &Request, body: &mut Bring<'_>) -> Result<Answer, Refusal> {
        let (Some(hash), Some(index)) = (hash(Some(upload)), number(request.parameter("piece"))) else {
            return Err(Refusal::new(400, "the upload or the piece number is invalid"));
        };
        let key = (names, *hash.as_bytes());
        let known = self.lock().get(&key).cloned();
        // After a restart the server does not know the upload: the client posts the tree again.
        let upload = known.ok_or_else(|| Refusal::new(404, "no such upload"))?;
        if index >= upload.tree.count() {
            return Err(Refusal::new(400, "no such piece"));
        }
        let bytes = body(PIECE)?;
        if !upload.tree.holds(index, &bytes) {
            return Err(Refusal::new(422, "the piece does not match its hash"));
        }
        if upload.lock().is_there[index as usize] {
            return Ok(Answer::empty(204));
        }
        upload.file.write_all_at(&bytes, index * PIECE).map_err(|error| Refusal::of(&error))?;
        if upload.take(index) {
            self.finish(&key, &upload)?;
            return Ok(Answer::empty(201));
        }
        Ok(Answer::empty(204))
    }

    /// Makes room for one more upload of `owner`: removes long idle uploads first, then uploads without pieces.
    fn make_room(&self, owner: IpAddr) -> Result<(), Refusal> {
        self.tidy();
        let mut known = self.lock();
        let count = known.values().filter(|upload| upload.owner == owner).count();
        if count >= MOST_OF_ONE && !forget_one(&mut known, |upload| upload.owner == owner) {
            return Err(Refusal::new(503, "too many unfinished uploads from this address"));
        }
        if known.len() >= MOST_UPLOADS && !forget_one(&mut known, |_| true) {
            return Err(Refusal::new(503, "too many uploads at once"));
        }
        Ok(())
    }

    /// Forgets idle uploads.
    pub fn tidy(&self) {
        self.forget(|progress| progress.touched.elapsed() > if progress.has_pieces { REST } else { REST_EMPTY });
    }

    /// Ends all uploads with the server; parts with pieces stay.
    pub fn end(&self) {
        self.forget(|_| true);
    }

    fn forget(&self, is_over: impl Fn(&Progress) -> bool) {
        self.lock().retain(|_, upload| {
            let is_over = is_over(&upload.lock());
            if is_over {
                upload.leave();
            }
            !is_over
        });
    }

    /// Flushes and renames a complete file. Concurrent calls wait for the outcome.
    fn finish(&self, key: &(Names, [u8; 32]), upload: &Upload) -> Result<(), Refusal> {
        let mut is_named = upload.is_named.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_named {
            let synced = upload.file.sync_all();
            let named = synced.and_then(|()| upload.folder.rename(&upload.part, &upload.name, upload.replaces));
            // If renaming failed, the next post of the tree finds all pieces and tries again.
            self.lock().remove(key);
            named.map_err(|error| Refusal::of(&error))?;
            *is_named = true;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the longest idle one of the matching uploads: one without pieces, or one with pieces that has been idle for
/// long.
fn forget_one(known: &mut Known, is_meant: impl Fn(&Upload) -> bool) -> bool {
    let candidates = known.iter().filter(|(_, upload)| is_meant(upload)).filter_map(|(key, upload)| {
        let progress = upload.lock();
        let rest = progress.touched.elapsed();
        (!progress.has_pieces || rest > REST_FULL).then_some((progress.has_pieces, std::cmp::Reverse(rest), key))
    });
    let Some((_, _, key)) = candidates.min().map(|(full, rest, key)| (full, rest, key.clone())) else { return false };
    if let Some(upload) = known.remove(&key) {
        upload.leave();
    }
    true
}

/// Returns whether exactly this file is there under its name.
fn is_there(folder: &Folder, names: &Names, tree: &Tree, replaces: bool) -> Result<bool, Refusal> {
    let error = |error: io::Error| Refusal::of(&error);
    if names.split_last().is_none() {
        return Err(Refusal::new(409, "it is a folder"));
    }
    match folder.find(names) {
        Ok(file) => {
            let kind = file.metadata().map_err(error)?;
            let is_same = kind.is_file()
                && kind.len() == tree.length()
                && Tree::of(&file, tree.length(), |_| Ok(())).map_err(error)? == *tree;
            if !is_same && (!replaces || !kind.is_file()) {
                return Err(Refusal::new(409, "another file of this name exists"));
            }
            Ok(is_same)
        }
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(reason) => Err(error(reason)),
    }
}

/// Removes abandoned parts from a folder.
pub fn sweep(folder: &Folder) {
    // A part that cannot be removed only wastes disk space.
    let _ = folder.remove_old(ABANDONED, is_part);
}

/// Returns whether a hidden file is a part: its name ends as [`part_name`] makes it.
fn is_part(name: &[u8]) -> bool {
    let stem = name.strip_suffix(b".part").and_then(|stem| stem.split_last_chunk::<DIGITS>());
    stem.is_some_and(|(before, digits)| {
        before.len() > 2
            && before.ends_with(b".")
            && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

impl Upload {
    /// Opens the part, new or existing.
    fn open(folder: &Folder, names: &Names, tree: Tree, replaces: bool, owner: IpAddr) -> Result<Self, Refusal> {
        let error = |error: io::Error| Refusal::of(&error);
        let (folders, name) = names.split_last().ok_or_else(|| Refusal::new(409, "it is a folder"))?;
        let parent = folder.folder(&folders).map_err(error)?;
        sweep(&parent);
        let part = part_name(name, &tree);
        let file = parent.make(&part).map_err(error)?;
        let is_there = Self::look(&file, &tree).map_err(|reason| {
            // A part whose length could not be set holds no data.
            let _ = parent.remove(&part);
            error(reason)
        })?;
        let left = is_there.iter().filter(|is_there| !**is_there).count() as u64;
        let has_pieces = left < tree.count();
        let progress = Mutex::new(Progress { is_there, left, has_pieces, touched: Instant::now() });
        let is_named = Mutex::new(false);
        let name = name.to_owned();
        Ok(Self { tree, folder: parent, name, part, file, owner, replaces, progress, is_named })
    }

    /// Abandons the upload: a part without pieces is of no use.
    fn leave(&self) {
        if !self.lock().has_pieces {
            let _ = self.folder.remove(&self.part);
        }
    }

    /// Sets the part's length, reserves its space, and determines the pieces that are there.
    fn look(file: &File, tree: &Tree) -> io::Result<Vec<bool>> {
        let is_new = file.metadata()?.len() != tree.length();
        if is_new {
            file.set_len(0)?;
            reserve(file, tree.length())?;
            return Ok(vec![false; tree.count() as usize]);
        }
        let mut bytes = vec![0; PIECE.min(tree.length()) as usize];
        let mut is_there = Vec::new();
        for index in 0..tree.count() {
            let piece = &mut bytes[..tree.piece_length(index) as usize];
            file.read_exact_at(piece, index * PIECE)?;
            is_there.push(tree.holds(index, piece));
        }
        Ok(is_there)
    }

    /// Records a written piece. Returns whether it was the last one missing.
    fn take(&self, index: u64) -> bool {
        let mut progress = self.lock();
        progress.touched = Instant::now();
        progress.has_pieces = true;
        let is_new = !std::mem::replace(&mut progress.is_there[index as usize], true);
        progress.left -= u64::from(is_new);
        is_new && progress.left == 0
    }

    fn missing(&self) -> Vec<(u64, u64)> {
        let progress = self.lock();
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (index, _) in (0..).zip(&progress.is_there).filter(|(_, is_there)| !**is_there) {
            match runs.last_mut() {
                Some((_, end)) if *end == index => *end += 1,
                _ => runs.push((index, index + 1)),
            }
        }
        runs
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn report(is_there: bool, missing: Vec<(u64, u64)>) -> Answer {
    let report = Missing { piece_bytes: PIECE, is_there, missing };
    let text = serde_json::to_string(&report).unwrap_or_default();
    Answer::text(200, "application/json", text)
}

/// A hidden name, because the server neither lists nor serves those. It contains the hash, so that another version has
/// another part.
fn part_name(name: &OsStr, tree: &Tree) -> OsString {
    let end = format!(".{}.part", &tree.hash().to_hex()[..DIGITS]);
    let mut part = OsString::from(".");
    if 1 + name.len() + end.len() > MOST_NAME {
        // A digest replaces a name that is too long for a file system.
        part.push(&blake3::hash(name.as_bytes()).to_hex()[..]);
    } else {
        part.push(name);
    }
    part.push(end);
    part
}

fn number(text: Option<&str>) -> Option<u64> {
    text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

fn hash(text: Option<&str>) -> Option<Hash> {
    Hash::from_hex(text?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_known_by_its_name() {
        let tree = Tree::from_bytes(3, blake3::hash(b"abc").as_bytes()).unwrap();
        for name in ["x", "a b", ".part", &"a".repeat(MOST_NAME)] {
            let part = part_name(OsStr::new(name), &tree);
            assert!(is_part(part.as_bytes()) && part.len() <= MOST_NAME, "{part:?}");
        }
        assert_eq!(part_name(OsStr::new("x"), &tree), ".x.6437b3ac38465133.part");
        for other in [".x.part", ".x.6437b3ac3846513z.part", ".6437b3ac38465133.part", ".x.6437b3ac38465133.partial"] {
            assert!(!is_part(other.as_bytes()), "{other}");
        }
    }
}
