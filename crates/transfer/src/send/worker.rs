//! One slot: a connection that sends pieces as fast as it can, and is replaced if it fails.

use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use url::Url;

use super::workers::{End, Next, Workers};
use crate::common::hold_little;
use crate::error::Error;
use crate::http::{Connection, Dialer};
use crate::tree::{PIECE, Tree};

/// Maximum number of unanswered pieces per connection: 16 MiB.
const MOST_FLYING: usize = 64;
/// Wait before reconnecting; doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// Maximum sleep of an idle worker.
const NAP: Duration = Duration::from_millis(200);

/// Configuration shared by all workers.
pub struct Task {
    pub dialer: Dialer,
    pub file: File,
    pub tree: Tree,
    /// Target of pieces; `&piece=I` is appended.
    pub url: Url,
    /// `Authorization` field with its line end; may be empty.
    pub authorization: String,
    pub max_tries: u32,
}

impl Task {
    /// Key under which the number of connections is cached.
    pub fn memory(&self) -> String {
        format!("send {}", self.url.host_str().unwrap_or_default())
    }
}

/// Works until the slot is no longer wanted or the upload ends.
pub fn work(task: &Task, workers: &Workers, slot: u32) {
    let mut flying = VecDeque::new();
    let mut wait = FIRST_WAIT;
    loop {
        let answered = workers.lock().answered.len();
        match connection(task, workers, slot, &mut flying) {
            Ok(()) => break,
            Err(error) => {
                if !workers.failed(flying.make_contiguous(), error, task.max_tries) {
                    break;
                }
                flying.clear();
                let has_progress = workers.lock().answered.len() > answered;
                wait = if has_progress { FIRST_WAIT } else { (2 * wait).min(LONGEST_WAIT) };
                workers.wait(wait);
            }
        }
    }
    workers.lock().slots.remove(&slot);
}

/// Works on one connection; returns without error when the slot should stop.
fn connection(task: &Task, workers: &Workers, slot: u32, flying: &mut VecDeque<u64>) -> Result<(), Error> {
    if !workers.wants(slot) {
        return Ok(());
    }
    let mut connection = task.dialer.dial(&task.url, None)?;
    // If this fails, the end of the upload takes a little longer.
    let _ = hold_little(connection.socket(), PIECE as u32);
    if let Ok(socket) = connection.socket().try_clone() {
        workers.lock().slots.insert(slot, Some((Instant::now(), socket)));
    }
    let result = exchange(task, workers, slot, &mut connection, flying);
    workers.lock().slots.insert(slot, None);
    result
}

fn exchange(
    task: &Task,
    workers: &Workers,
    slot: u32,
    connection: &mut Connection,
    flying: &mut VecDeque<u64>,
) -> Result<(), Error> {
    let mut is_last = false;
    loop {
        while !flying.is_empty() && connection.is_answered()? {
            is_last |= answer(task, workers, connection, flying)?;
        }
        let next = if is_last || flying.len() >= MOST_FLYING {
            Next::Wait
        } else {
            workers.next(slot, flying.make_contiguous())
        };
        match next {
            Next::Piece(piece) => {
                flying.push_back(piece);
                put(task, connection, piece)?;
            }
            Next::Wait | Next::Leave if !flying.is_empty() => is_last |= answer(task, workers, connection, flying)?,
            Next::Leave => return Ok(()),
            Next::Wait if is_last => return Err(crate::http::Error::closed().into()),
            Next::Wait => workers.wait(NAP),
        }
    }
}

/// Sends a piece.
fn put(task: &Task, connection: &mut Connection, piece: u64) -> Result<(), Error> {
    let mut bytes = vec![0; task.tree.piece_length(piece) as usize];
    let read = task.file.read_exact_at(&mut bytes, piece * PIECE);
    read.map_err(|error| Error::File(format!("cannot read the file: {error}")))?;
    let mut request = head(task, "PUT", &format!("&piece={piece}"), bytes.len(), "").into_bytes();
    request.append(&mut bytes);
    Ok(connection.send(&request)?)
}

/// The head of an upload request.
pub fn head(task: &Task, method: &str, more: &str, length: usize, fields: &str) -> String {
    let target = task.dialer.target(&task.url);
    let host = &task.url[url::Position::BeforeHost..url::Position::AfterPort];
    let authorization = &task.authorization;
    format!(
        "{method} {target}{more} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: windward/{}\r\n\
         Content-Length: {length}\r\n{authorization}{fields}\r\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Reads the next answer, which belongs to the piece sent first. Returns whether the connection ends with it.
fn answer(
    task: &Task,
    workers: &Workers,
    connection: &mut Connection,
    flying: &mut VecDeque<u64>,
) -> Result<bool, Error> {
    let (head, mut body) = connection.head(false)?;
    let is_last = head.is_last();
    let mut reason = [0; 512];
    let mut length = 0;
    while let Some(room) = reason.get_mut(length..).filter(|room| !room.is_empty()) {
        match body.read(connection, room)? {
            0 => break,
            count => length += count,
        }
    }
    let refused = || Error::Refused {
        status: head.status,
        reason: match String::from_utf8_lossy(&reason[..length]).trim() {
            "" => String::new(),
            reason => format!(": {reason}"),
        },
    };
    match head.status {
        201 | 204 => {
            if let Some(piece) = flying.pop_front() {
                workers.answered(piece);
            }
            Ok(is_last)
        }
        404 => {
            workers.end(End::Forgotten);
            Ok(is_last)
        }
        // The piece does not match the tree: the file has changed, or the path corrupts bytes.
        422 => {
            let piece = flying.front().copied().unwrap_or_default();
            let mut bytes = vec![0; task.tree.piece_length(piece) as usize];
            let is_read = task.file.read_exact_at(&mut bytes, piece * PIECE).is_ok();
            if !is_read || !task.tree.holds(piece, &bytes) {
                workers.end(End::Failed(Error::Changed("the file changed while it was being sent".to_owned())));
            }
            Err(refused())
        }
        408 | 429 | 500..=599 if head.status != 507 => Err(refused()),
        _ => {
            workers.end(End::Failed(refused()));
            Ok(true)
        }
    }
}
