//! One connection: requests and answers in sequence.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::answer::{Answer, Body};
use super::refusal::Refusal;
use super::request::{MOST_BYTES, Request};
use super::respond::{self, Client};
use super::site::{Event, Site};
use crate::http::masked;

/// Maximum idle time of a connection between requests.
const IDLE: Duration = Duration::from_secs(75);
/// Timeout of a head, a handshake, or 64 KiB of a body; anything slower is treated as an attack.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes per read or write.
const BLOCK: usize = 64 << 10;

/// A connection to a client.
pub struct Session {
    stream: Stream,
    peer: SocketAddr,
    /// True if the connection has shown the token.
    is_known: bool,
    /// Received and not yet consumed.
    held: Vec<u8>,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Session {
    /// A connection on `socket`.
    pub fn new(socket: TcpStream, tls: Option<Arc<ServerConfig>>, peer: SocketAddr) -> io::Result<Self> {
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        let stream = match tls {
            None => Stream::Plain(socket),
            Some(config) => {
                let mut stream = StreamOwned::new(ServerConnection::new(config).map_err(io::Error::other)?, socket);
                let begun = Instant::now();
                while stream.conn.is_handshaking() {
                    stream.conn.complete_io(&mut stream.sock)?;
                    if begun.elapsed() > PATIENCE {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                }
                Stream::Tls(Box::new(stream))
            }
        };
        Ok(Self { stream, peer, is_known: false, held: Vec::new() })
    }

    /// Refuses the connection with 503.
    pub fn refuse(&mut self) {
        let answer = Answer::from(Refusal::new(503, "too many connections"));
        // The client may be gone, and it needs nothing more.
        let _ = self.send(&answer, true, true);
    }

    /// Answers requests until the client or the protocol ends the connection, or it breaks.
    pub fn serve(&mut self, site: &Site) {
        loop {
            match self.head() {
                Ok(Some(Ok(request))) => {
                    if !self.respond(site, &request).unwrap_or(false) {
                        return;
                    }
                }
                Ok(Some(Err(refusal))) => {
                    // The end of an unparsable request is unknown, and so is the start of the next one.
                    let answer = Answer::from(refusal);
                    let sent = self.send(&answer, true, true);
                    self.tell(site, "?", &answer, sent);
                    return;
                }
                // The client is gone, or sends no request.
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Answers a request. Returns whether another may follow.
    fn respond(&mut self, site: &Site, request: &Request) -> io::Result<bool> {
        let mut failure = None;
        let mut is_read = request.content_length().unwrap_or(1) == 0;
        let mut client = Client { address: self.peer.ip(), is_known: self.is_known };
        let answer = respond::answer(site, &mut client, request, &mut |most| {
            let body = self.body(request, most);
            match body {
                Ok(Ok(body)) => {
                    is_read = true;
                    Ok(body)
                }
                Ok(Err(refusal)) => Err(refusal),
                Err(error) => {
                    failure = Some(error);
                    Err(Refusal::new(400, "the request body is incomplete"))
                }
            }
        });
        self.is_known = client.is_known;
        if let Some(error) = failure {
            return Err(error);
        }
        // An unread body would be taken for the next request.
        let is_last = request.is_last() || !is_read;
        let sent = self.send(&answer, request.method != "HEAD", is_last);
        let is_whole = sent.is_ok();
        // There are several pings a second, which the log omits; refused ones are logged.
        if !request.is_ping() || answer.status != 204 {
            let target = if request.target.contains("://") { masked(&request.target) } else { request.target.clone() };
            self.tell(site, &format!("{} {target}", request.method), &answer, sent);
        }
        Ok(is_whole && !is_last)
    }

    fn tell(&self, site: &Site, request: &str, answer: &Answer, sent: io::Result<u64>) {
        let request = request.escape_debug().to_string();
        let reason = answer.reason.clone();
        let sent_bytes = sent.unwrap_or(0);
        site.tell(Event { peer: self.peer, request, status: answer.status, sent_bytes, reason });
    }

    /// Reads the next head; `None` if the client closes the connection properly. An inner error is answered, an outer
    /// error ends the connection.
    fn head(&mut self) -> io::Result<Option<Result<Request, Refusal>>> {
        let mut begun = None;
        loop {
            if !self.held.is_empty() {
                match Request::parse(&self.held[..self.held.len().min(MOST_BYTES)]) {
                    Ok(Some((request, length))) => {
                        self.held.drain(..length);
                        return Ok(Some(Ok(request)));
                    }
                    Ok(None) => {}
                    Err(refusal) => return Ok(Some(Err(refusal))),
                }
            }
            let limit = match begun {
                // A head that arrives byte by byte never exceeds the timeout of a single read.
                Some(begun) => PATIENCE.saturating_sub(Instant::elapsed(&begun)),
                None if self.held.is_empty() => IDLE,
                None => PATIENCE,
            };
            if limit.is_zero() {
                return Ok(Some(Err(Refusal::new(408, "the request header is incomplete"))));
            }
            self.stream.socket().set_read_timeout(Some(limit))?;
            if self.more()? == 0 {
                return Ok(None);
            }
            begun.get_or_insert_with(Instant::now);
        }
    }

    /// Waits until more bytes are buffered; 0 at the end of the stream.
    fn more(&mut self) -> io::Result<usize> {
        let before = self.held.len();
        self.held.resize(before + BLOCK, 0);
        let count = self.stream.read(&mut self.held[before..]);
        self.held.truncate(before + *count.as_ref().unwrap_or(&0));
        count
    }

    /// Reads the body of a request, at most `most` bytes.
    fn body(&mut self, request: &Request, most: u64) -> io::Result<Result<Vec<u8>, Refusal>> {
        let length = match request.content_length() {
            Ok(length) if length <= most => length as usize,
            Ok(_) => return Ok(Err(Refusal::new(413, format!("the request body exceeds {most} bytes")))),
            Err(refusal) => return Ok(Err(refusal)),
        };
        if request.expects_continue() && self.held.is_empty() {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        self.stream.socket().set_read_timeout(Some(PATIENCE))?;
        let begun = Instant::now();
        while self.held.len() < length {
            // Slower than one block per timeout: the client blocks the connection without using it.
            let blocks = (self.held.len() / BLOCK) as u32 + 1;
            if self.more()? == 0 || begun.elapsed() > PATIENCE * blocks {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let rest = self.held.split_off(length);
        Ok(Ok(std::mem::replace(&mut self.held, rest)))
    }

    /// Sends an answer; returns the number of content bytes sent.
    fn send(&mut self, answer: &Answer, has_body: bool, is_last: bool) -> io::Result<u64> {
        let mut out = answer.head(is_last);
        match &answer.body {
            _ if !has_body => self.stream.write_all(&out)?,
            Body::Bytes(bytes) => {
                out.extend_from_slice(bytes);
                self.stream.write_all(&out)?;
            }
            Body::Part(file, from, to) => {
                let before = file.metadata()?.modified()?;
                self.stream.write_all(&out)?;
                let mut at = *from;
                let mut block = vec![0; BLOCK.min((to - from) as usize)];
                while at < *to {
                    let most = block.len().min((to - at) as usize);
                    let count = file.read_at(&mut block[..most], at)?;
                    if count == 0 {
                        // The file has become shorter: the client must see that the body is incomplete.
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    at += count as u64;
                    if at == *to && file.metadata()?.modified()? != before {
                        // The file was written to meanwhile: without its last bytes no client takes it for a version.
                        return Err(io::ErrorKind::InvalidData.into());
                    }
                    self.stream.write_all(&block[..count])?;
                }
            }
        }
        Ok(if has_body { answer.length() } else { 0 })
    }
}

impl Stream {
    fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(socket) => socket,
            Self::Tls(stream) => stream.get_ref(),
        }
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(out),
            Self::Tls(stream) => match stream.read(out) {
                // End without close_notify, as with many clients.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
                result => result,
            },
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.write_all(bytes),
            Self::Tls(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        }
    }
}
