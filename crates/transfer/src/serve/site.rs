//! What all connections of a server share.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::folder::Folder;
use super::guard::Guard;
use super::sums::Sums;
use super::upload::Uploads;

/// An answered request.
#[derive(Clone, Debug, Serialize)]
pub struct Event {
    /// Whose it was.
    pub peer: SocketAddr,
    /// What was asked: method and target, control characters escaped.
    pub request: String,
    /// Status of the answer.
    pub status: u16,
    /// Bytes of its body that were sent.
    pub sent_bytes: u64,
    /// Why it was refused, if it was.
    pub reason: Option<String>,
}

/// What all connections share.
pub struct Site {
    /// The folder that is served.
    pub folder: Folder,
    /// Checksums that were computed.
    pub sums: Sums,
    /// Uploads, if the folder may be written to.
    pub uploads: Option<Uploads>,
    /// Addresses that have shown wrong tokens.
    pub guard: Guard,
    /// BLAKE3 of the token: hashes compare in constant time.
    pub token: Option<blake3::Hash>,
    /// Who observes the server.
    pub events: Mutex<Sender<Event>>,
    /// The sockets in use, to end them.
    pub open: Mutex<BTreeMap<u64, TcpStream>>,
}

impl Site {
    /// Tells the observer.
    pub fn tell(&self, event: Event) {
        // Nobody listens any more once the server ends.
        let _ = self.events.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}
