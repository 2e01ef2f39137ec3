//! One connection: bytes in, bytes out, and the socket beneath.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use rustls::{ClientConnection, StreamOwned};

use super::head::{Head, MOST_BYTES};
use super::{Body, Error};

/// Most interim responses (1xx) before the one that counts.
const MOST_INTERIM: usize = 8;
/// Bytes asked of the socket at once for a head.
const READ: usize = 16 << 10;

/// A connection to a server, over TLS or not.
pub struct Connection {
    stream: Stream,
    /// Arrived and not yet taken: `held[taken..]`.
    held: Vec<u8>,
    taken: usize,
    patience: Duration,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Connection {
    pub(super) fn plain(socket: TcpStream, patience: Duration) -> Self {
        Self { stream: Stream::Plain(socket), held: Vec::new(), taken: 0, patience }
    }

    pub(super) fn tls(stream: StreamOwned<ClientConnection, TcpStream>, patience: Duration) -> Self {
        Self { stream: Stream::Tls(Box::new(stream)), held: Vec::new(), taken: 0, patience }
    }

    /// The socket, to ask the kernel about it or to shut it down.
    pub fn socket(&self) -> &TcpStream {
        match &self.stream {
            Stream::Plain(socket) => socket,
            Stream::Tls(stream) => stream.get_ref(),
        }
    }

    pub(super) fn into_socket(self) -> Result<TcpStream, Error> {
        match self.stream {
            Stream::Plain(socket) if self.taken == self.held.len() => Ok(socket),
            _ => Err(Error::malformed("bytes after the answer to CONNECT")),
        }
    }

    /// How long one read may wait.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Whether the next head can be read with little or no wait: something of it has arrived.
    ///
    /// # Errors
    /// The system does not say.
    pub fn is_answered(&self) -> Result<bool, Error> {
        let mut asked = libc::pollfd { fd: self.socket().as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which is open while `self` is borrowed.
        let result = unsafe { libc::poll(&raw mut asked, 1, 0) };
        match result {
            -1 => Err(Error::Lost(io::Error::last_os_error())),
            count => Ok(count > 0 || self.taken < self.held.len()),
        }
    }

    /// Sends a whole request.
    ///
    /// # Errors
    /// The connection is lost, or the peer takes nothing.
    pub fn send(&mut self, request: &[u8]) -> Result<(), Error> {
        let sent = match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(request),
            Stream::Tls(stream) => stream.write_all(request).and_then(|()| stream.flush()),
        };
        sent.map_err(|error| self.failure(error))
    }

    /// The head of the next response and what is needed to read its body; interim responses are passed over.
    ///
    /// # Errors
    /// The connection is lost or stalls before the head is whole, or it is no head.
    pub fn head(&mut self, is_answer_to_head: bool) -> Result<(Head, Body), Error> {
        let begun = Instant::now();
        let mut interim = 0;
        loop {
            let arrived = &self.held[self.taken..];
            match Head::parse(&arrived[..arrived.len().min(MOST_BYTES)])? {
                Some((head, length)) => {
                    self.taken += length;
                    if head.status >= 200 {
                        let body = if is_answer_to_head { Body::none() } else { Body::new(head.framing()?) };
                        return Ok((head, body));
                    }
                    interim += 1;
                    if head.status == 101 || interim > MOST_INTERIM {
                        return Err(Error::malformed(format!(
                            "interim responses, the last with status {}",
                            head.status
                        )));
                    }
                }
                None => self.more()?,
            }
            // A head that drips in byte by byte keeps every single read short.
            if begun.elapsed() > self.patience {
                return Err(Error::Stalled(self.patience.as_secs_f64()));
            }
        }
    }

    /// Body bytes that have arrived: first those that came with a head, then straight from the socket; 0 at the end.
    ///
    /// # Errors
    /// The connection is lost or stalls.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        let held = &self.held[self.taken..];
        if held.is_empty() {
            return self.receive(out);
        }
        let count = held.len().min(out.len());
        out[..count].copy_from_slice(&held[..count]);
        self.taken += count;
        Ok(count)
    }

    /// What is held, to be looked at before it is taken.
    pub(super) fn held(&self) -> &[u8] {
        &self.held[self.taken..]
    }

    pub(super) fn take(&mut self, count: usize) {
        self.taken += count;
    }

    /// Waits for more to be held.
    pub(super) fn more(&mut self) -> Result<(), Error> {
        self.held.drain(..self.taken);
        self.taken = 0;
        let before = self.held.len();
        let mut held = std::mem::take(&mut self.held);
        held.resize(before + READ, 0);
        let received = self.receive(&mut held[before..]);
        held.truncate(before + received.as_ref().map_or(0, |count| *count));
        self.held = held;
        if received? == 0 { Err(Error::closed()) } else { Ok(()) }
    }

    fn receive(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        loop {
            let received = match &mut self.stream {
                Stream::Plain(socket) => socket.read(out),
                Stream::Tls(stream) => stream.read(out),
            };
            match received {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map_err(|error| self.failure(error)),
            }
        }
    }

    fn failure(&self, error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::Stalled(self.patience.as_secs_f64()),
            _ => Error::Lost(error),
        }
    }
}
