//! State shared by all connections of a server.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, TcpStream};
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
    /// Address of the client.
    pub peer: SocketAddr,
    /// Method and target, with control characters escaped.
    pub request: String,
    /// Status of the answer.
    pub status: u16,
    /// Number of body bytes sent.
    pub sent_bytes: u64,
    /// Reason of a refusal.
    pub reason: Option<String>,
}

/// State shared by all connections.
pub struct Site {
    /// The served folder.
    pub folder: Folder,
    /// Computed checksums.
    pub sums: Sums,
    /// Uploads, if the folder is writable.
    pub uploads: Option<Uploads>,
    /// Addresses that have sent wrong tokens.
    pub guard: Guard,
    /// BLAKE3 of the token, because hashes compare in constant time.
    pub token: Option<blake3::Hash>,
    /// Channel to the server's observer.
    pub events: Mutex<Sender<Event>>,
    /// Open sockets, for shutdown and for probes.
    pub open: Mutex<BTreeMap<u64, Open>>,
}

/// An open socket and the address at its other end.
pub type Open = (TcpStream, IpAddr);

impl Site {
    /// True if a connection from this address is open.
    pub fn is_connected(&self, address: IpAddr) -> bool {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).values().any(|(_, peer)| *peer == address)
    }

    /// Reports to the observer.
    pub fn tell(&self, event: Event) {
        // The receiver is gone once the server ends.
        let _ = self.events.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}
