//! A small HTTP server for one folder: byte ranges, checksums, and uploads that are verified piece by piece.
//!
//! HTTP/1.1 (RFC 9110, 9112), one thread per connection. By default it listens on the loopback interface; any other
//! address requires TLS and a token. Nothing outside the folder is read or written: the kernel resolves names *beneath*
//! the folder (`folder`). Every length that a client can choose is bounded.

mod answer;
mod content;
mod folder;
pub(crate) mod fuzz;
mod guard;
mod reflector;
mod refusal;
mod request;
mod respond;
mod session;
mod site;
mod sums;
mod upload;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustls::ServerConfig;
use serde::{Deserialize, Serialize};

use crate::common::is_readable;
use crate::tls;
use folder::Folder;
use guard::Guard;
use session::Session;
pub use site::Event;
use site::{Open, Site};
use sums::Sums;
use upload::Uploads;

/// Interval between searches for abandoned uploads.
const TIDY: Duration = Duration::from_secs(10);
/// Interval between calls of the observer.
const TICK: Duration = Duration::from_millis(100);
/// Maximum number of simultaneous connections; further ones are refused with 503.
const MOST_CONNECTIONS: usize = 256;

/// Options of the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The folder.
    pub root: PathBuf,
    /// Address to listen on; port 0 selects a free port.
    pub address: SocketAddr,
    /// PEM file of the certificate chain; requires `key`. Without it there is no TLS.
    pub certificate: Option<PathBuf>,
    /// PEM file of the certificate's private key.
    pub key: Option<PathBuf>,
    /// Token that clients must send, as a bearer token or as a password.
    pub token: Option<String>,
    /// True if `windward send` may upload files into the folder.
    pub is_writable: bool,
    /// True if the UDP port of the same number returns the probes of clients that have a connection.
    pub returns_probes: bool,
}

/// Reason why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid options.
    #[error("{0}")]
    Usage(String),
    /// The folder or the certificate cannot be read.
    #[error("{0}")]
    File(String),
    /// The address is not available.
    #[error("cannot listen on {address}: {source}{}", advice(.source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::AddrInUse => {
            "\nhint: another program listens there; choose another `port`, or 0 for any that is free"
        }
        io::ErrorKind::PermissionDenied => "\nhint: choose a `port` from 1024 on",
        _ => "",
    }
}

/// A random token of 128 bits, proposed to the user.
fn proposal() -> String {
    let mut bits = [0; 16];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bits));
    match read {
        Ok(()) => {
            let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("\nhint: a new one of 128 bits: {digits}")
        }
        Err(_) => String::new(),
    }
}

impl Error {
    /// The exit code of `windward serve`; docs/guides/serve.md lists them.
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Listen { .. } => 3,
            Self::File(_) => 10,
        }
    }
}

/// A listening server.
pub struct Server {
    listener: TcpListener,
    site: Arc<Site>,
    tls: Option<Arc<ServerConfig>>,
    seen: Receiver<Event>,
}

impl Server {
    /// Starts listening.
    ///
    /// # Errors
    /// No TLS or token on an address that others can reach; an unreadable folder, certificate or key; an address that
    /// is not local or is in use.
    pub fn bind(options: &Options) -> Result<Self, Error> {
        let is_wide = !options.address.ip().is_loopback();
        let has_tls = options.certificate.is_some() && options.key.is_some();
        if options.certificate.is_some() != options.key.is_some() {
            return Err(Error::Usage("--cert and --key must be given together".to_owned()));
        }
        if options.token.as_ref().is_some_and(|token| token.len() < 8) {
            return Err(Error::Usage(format!("the token must have at least 8 characters{}", proposal())));
        }
        if is_wide && !(has_tls && options.token.is_some()) {
            return Err(Error::Usage(format!(
                "{} is not a loopback address: --cert, --key and --token are required{}",
                options.address.ip(),
                if options.token.is_none() { proposal() } else { String::new() }
            )));
        }
        let folder = Folder::open(&options.root)
            .map_err(|error| Error::File(format!("cannot serve {}: {error}", options.root.display())))?;
        let tls = match (&options.certificate, &options.key) {
            (Some(certificate), Some(key)) => Some(tls::server(certificate, key).map_err(|error| {
                Error::File(format!("cannot use {} with {}: {error}", certificate.display(), key.display()))
            })?),
            _ => None,
        };
        let listen = |source| Error::Listen { address: options.address, source };
        let listener = TcpListener::bind(options.address).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let (events, seen) = channel();
        let site = Site {
            folder,
            sums: Sums::default(),
            uploads: options.is_writable.then(Uploads::default),
            guard: Guard::default(),
            token: options.token.as_ref().map(|token| blake3::hash(token.as_bytes())),
            events: Mutex::new(events),
            open: Mutex::default(),
        };
        if options.is_writable {
            upload::sweep(&site.folder);
        }
        let site = Arc::new(site);
        if options.returns_probes {
            reflector::start(listener.local_addr().map_err(listen)?, &site).map_err(listen)?;
        }
        Ok(Self { listener, site, tls, seen })
    }

    /// Address of the listening socket.
    ///
    /// # Errors
    /// The system call fails.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the observer breaks. The observer receives every response, and is called with `None` at least ten
    /// times a second. Open connections are then cut; their transfers can be resumed.
    ///
    /// # Errors
    /// The listening socket fails.
    pub fn run(&self, observe: &mut dyn FnMut(Option<&Event>) -> ControlFlow<()>) -> io::Result<()> {
        let mut threads: Vec<thread::JoinHandle<()>> = Vec::new();
        let mut number = 0;
        let mut tidied = Instant::now();
        let result = loop {
            if tidied.elapsed() > TIDY
                && let Some(uploads) = &self.site.uploads
            {
                uploads.tidy();
                tidied = Instant::now();
            }
            if let Err(error) = is_readable(&self.listener, TICK) {
                break Err(error);
            }
            match self.listener.accept() {
                Ok((socket, peer)) => {
                    number += 1;
                    threads.retain(|thread| !thread.is_finished());
                    threads.extend(self.receive(number, socket, peer));
                }
                // A connection that broke off before it was accepted, or too many open files: others may follow.
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => thread::sleep(TICK),
                Err(_) => {}
            }
            let events: Vec<Event> = self.seen.try_iter().collect();
            let told = events.iter().map(Some).chain([None]).try_for_each(&mut *observe);
            if told.is_break() {
                break Ok(());
            }
        };
        self.site.guard.end();
        for (socket, _) in self.open().values() {
            // A socket may already be closed.
            let _ = socket.shutdown(Shutdown::Both);
        }
        for thread in threads {
            // A thread that panicked has lost only its own connection; the message is on standard error.
            let _ = thread.join();
        }
        if let Some(uploads) = &self.site.uploads {
            uploads.end();
        }
        for event in self.seen.try_iter() {
            // The server ends in any case.
            let _ = observe(Some(&event));
        }
        result
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Open>> {
        self.site.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, number: u64, socket: TcpStream, peer: SocketAddr) -> Option<thread::JoinHandle<()>> {
        let mut open = self.open();
        let is_full = open.len() >= MOST_CONNECTIONS;
        // A failure here means that the connection is gone.
        socket.set_nonblocking(false).ok()?;
        socket.set_nodelay(true).ok()?;
        open.insert(number, (socket.try_clone().ok()?, peer.ip()));
        drop(open);
        let (site, tls) = (Arc::clone(&self.site), self.tls.clone());
        Some(thread::spawn(move || {
            if let Ok(mut session) = Session::new(socket, tls, peer) {
                if is_full {
                    session.refuse();
                } else {
                    session.serve(&site);
                }
            }
            site.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
        }))
    }
}
