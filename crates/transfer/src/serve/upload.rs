//! Uploads: pieces of a [`Tree`], each verified before it is written, and the file named only when all are there.
//!
//! A client first posts the tree (`POST /NAME?upload`): length and hash in fields, the chaining values of the pieces as the
//! body. If they add up to the hash, the answer says which pieces are missing. Then it puts those
//! (`PUT /NAME?upload=HASH&piece=I`) over any number of connections, in any order. What an earlier attempt has left in
//! `.NAME.HASH.part` is hashed anew and counts where it is right: there is no journal that could be wrong after a power cut.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use blake3::Hash;

use super::answer::Answer;
use super::folder::{Folder, Names};
use super::refusal::Refusal;
use super::request::Request;
use crate::common::reserve;
use crate::tree::{PIECE, Tree};
use crate::upload::{HASH, LENGTH, Missing, TREE};

/// Most bytes of a tree: those of a file of half a TiB.
const MOST_TREE: u64 = 64 << 20;
/// Most uploads at a time, and how long one may rest before another takes its place.
const MOST_UPLOADS: usize = 64;
const REST: Duration = Duration::from_secs(600);

/// The uploads that are under way.
#[derive(Default)]
pub struct Uploads {
    known: Mutex<Known>,
    /// Held while a part is opened: two clients that begin the same upload must not both give it its length.
    opening: Mutex<()>,
}

/// By name and hash.
type Known = BTreeMap<(Names, [u8; 32]), Arc<Upload>>;

struct Upload {
    tree: Tree,
    folder: Folder,
    name: OsString,
    part: OsString,
    file: File,
    replaces: bool,
    progress: Mutex<Progress>,
    is_named: Mutex<bool>,
}

struct Progress {
    is_there: Vec<bool>,
    left: u64,
    touched: Instant,
}

impl Uploads {
    /// Answers POST and PUT.
    pub fn answer(
        &self,
        folder: &Folder,
        request: &Request,
        body: &mut dyn FnMut(u64) -> Result<Vec<u8>, Refusal>,
    ) -> Result<Answer, Refusal> {
        let names = Names::parse(request.path_and_query().0)?;
        match (request.method.as_str(), request.parameter("upload")) {
            ("POST", Some(_)) => self.begin(folder, names, request, body),
            ("PUT", Some(hash)) => self.piece(names, hash, request, body),
            _ => Err(Refusal::new(400, "plain uploads are not supported; use `windward send`")),
        }
    }

    fn begin(
        &self,
        folder: &Folder,
        names: Names,
        request: &Request,
        body: &mut dyn FnMut(u64) -> Result<Vec<u8>, Refusal>,
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
            Some(upload) => upload,
            None => {
                let Some(upload) = Upload::open(folder, &names, tree, request.parameter("replace").is_some())? else {
                    return Ok(report(true, Vec::new()));
                };
                let upload = Arc::new(upload);
                let mut uploads = self.lock();
                if uploads.len() >= MOST_UPLOADS {
                    uploads.retain(|_, upload| upload.lock().touched.elapsed() < REST);
                }
                if uploads.len() >= MOST_UPLOADS {
                    return Err(Refusal::new(503, "too many uploads at once"));
                }
                uploads.insert(key.clone(), Arc::clone(&upload));
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

    fn piece(
        &self,
        names: Names,
        upload: &str,
        request: &Request,
        body: &mut dyn FnMut(u64) -> Result<Vec<u8>, Refusal>,
    ) -> Result<Answer, Refusal> {
        let (Some(hash), Some(index)) = (hash(Some(upload)), number(request.parameter("piece"))) else {
            return Err(Refusal::new(400, "the upload or the piece number is invalid"));
        };
        let key = (names, *hash.as_bytes());
        let known = self.lock().get(&key).cloned();
        // After a restart of the server nobody knows it: the client posts the tree again.
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

    /// All pieces are there: to the disk, then under its name. Whoever comes while another does it waits for the outcome.
    fn finish(&self, key: &(Names, [u8; 32]), upload: &Upload) -> Result<(), Refusal> {
        let mut is_named = upload.is_named.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_named {
            let synced = upload.file.sync_all();
            let named = synced.and_then(|()| upload.folder.rename(&upload.part, &upload.name, upload.replaces));
            // Where it could not be named, the next post of the tree finds all its pieces and tries again.
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

impl Upload {
    /// Opens the part, old or new; `None` if the very file is there under its name.
    fn open(folder: &Folder, names: &Names, tree: Tree, replaces: bool) -> Result<Option<Self>, Refusal> {
        let error = |error: io::Error| Refusal::of(&error);
        let (folders, name) = names.split_last().ok_or_else(|| Refusal::new(409, "it is a folder"))?;
        let parent = folder.folder(&folders).map_err(error)?;
        match folder.find(names) {
            Ok(file) => {
                let kind = file.metadata().map_err(error)?;
                let is_same = kind.is_file()
                    && kind.len() == tree.length()
                    && Tree::of(&file, tree.length(), |_| Ok(())).map_err(error)? == tree;
                if is_same {
                    return Ok(None);
                }
                if !replaces || !kind.is_file() {
                    return Err(Refusal::new(409, "another file of this name exists"));
                }
            }
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {}
            Err(reason) => return Err(error(reason)),
        }
        let part = part_name(name, &tree);
        let file = parent.make(&part).map_err(error)?;
        let is_there = Self::look(&file, &tree).map_err(|reason| {
            // What could not be given its length holds nothing that would be missed.
            let _ = parent.remove(&part);
            error(reason)
        })?;
        let left = is_there.iter().filter(|is_there| !**is_there).count() as u64;
        let progress = Mutex::new(Progress { is_there, left, touched: Instant::now() });
        let is_named = Mutex::new(false);
        Ok(Some(Self { tree, folder: parent, name: name.to_owned(), part, file, replaces, progress, is_named }))
    }

    /// Gives the part its length, with the room that takes, and finds out which pieces are there.
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

    /// Notes a piece that was written; whether it was the last one missing.
    fn take(&self, index: u64) -> bool {
        let mut progress = self.lock();
        progress.touched = Instant::now();
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

/// A hidden name, for the server neither lists nor serves those; with the hash, so that another version is another part.
fn part_name(name: &OsStr, tree: &Tree) -> OsString {
    let mut part = OsString::from(".");
    part.push(name);
    part.push(format!(".{}.part", &tree.hash().to_hex()[..16]));
    part
}

fn number(text: Option<&str>) -> Option<u64> {
    text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

fn hash(text: Option<&str>) -> Option<Hash> {
    Hash::from_hex(text?).ok()
}
