//! One connection: reads, writes, and the socket.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustls::{ClientConnection, StreamOwned};

use super::body::{Body, Source};
use super::error::Error;
use super::head::Head;
use super::receive::receive;
use crate::common::is_readable;

/// Bytes per read from the socket for a head.
const READ: usize = 16 << 10;

/// A connection to a server, with or without TLS.
pub struct Connection {
    stream: Stream,
    /// Received and not yet consumed: `held[taken..]`.
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

    /// The socket, for kernel information or for shutdown.
    pub fn socket(&self) -> &TcpStream {
        match &self.stream {
            Stream::Plain(socket) => socket,
            Stream::Tls(stream) => stream.get_ref(),
        }
    }

    pub(super) fn into_socket(self) -> Result<TcpStream, Error> {
        match self.stream {
            Stream::Plain(socket) if self.taken == self.held.len() => Ok(socket),
            _ => Err(Error::malformed("data after the response to CONNECT")),
        }
    }

    /// Timeout of one read.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// True if the next head can be read with little or no wait, because part of it has arrived.
    ///
    /// # Errors
    /// The system call fails.
    pub fn is_answered(&self) -> Result<bool, Error> {
        let has_arrived = is_readable(self.socket(), Duration::ZERO).map_err(Error::Lost)?;
        Ok(has_arrived || self.taken < self.held.len())
    }

    /// Sends a complete request.
    ///
    /// # Errors
    /// The connection is lost, or the peer stops reading.
    pub fn send(&mut self, request: &[u8]) -> Result<(), Error> {
        let sent = match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(request),
            Stream::Tls(stream) => stream.write_all(request).and_then(|()| stream.flush()),
        };
        sent.map_err(|error| self.failure(error))
    }

    /// Reads the head of the next response and prepares its body; skips interim responses.
    ///
    /// # Errors
    /// The connection is lost or stalled before the head is complete, or the head is malformed.
    pub fn head(&mut self, is_answer_to_head: bool) -> Result<(Head, Body), Error> {
        let (begun, patience) = (Instant::now(), self.patience);
        receive(self, is_answer_to_head, || {
            // A head that arrives byte by byte never exceeds the timeout of a single read.
            if begun.elapsed() > patience { Err(Error::Stalled(patience.as_secs_f64())) } else { Ok(()) }
        })
    }

    fn arrive(&mut self, out: &mut [u8]) -> Result<usize, Error> {
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

impl Source for Connection {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        let held = &self.held[self.taken..];
        if held.is_empty() {
            return self.arrive(out);
        }
        let count = held.len().min(out.len());
        out[..count].copy_from_slice(&held[..count]);
        self.taken += count;
        Ok(count)
    }

    fn held(&self) -> &[u8] {
        &self.held[self.taken..]
    }

    fn take(&mut self, count: usize) {
        self.taken += count;
    }

    fn more(&mut self) -> Result<(), Error> {
        self.held.drain(..self.taken);
        self.taken = 0;
        let before = self.held.len();
        let mut held = std::mem::take(&mut self.held);
        held.resize(before + READ, 0);
        let received = self.arrive(&mut held[before..]);
        held.truncate(before + received.as_ref().map_or(0, |count| *count));
        self.held = held;
        if received? == 0 { Err(Error::closed()) } else { Ok(()) }
    }
}
