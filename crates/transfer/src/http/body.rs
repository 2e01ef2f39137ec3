//! The body of a response, separated from the bytes after it.

use super::error::Error;
use super::head::Framing;

/// Longest line between chunks, and most bytes of trailers.
const MOST_LINE: usize = 4 << 10;

/// A source of the bytes of a body.
pub trait Source {
    /// Reads received bytes: first those that arrived with a head, then directly from the socket; 0 at the end.
    ///
    /// # Errors
    /// The connection is lost or stalled.
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Error>;

    /// Buffered bytes, without consuming them.
    fn held(&self) -> &[u8];

    /// Consumes `count` buffered bytes.
    fn take(&mut self, count: usize);

    /// Waits until more bytes are buffered.
    ///
    /// # Errors
    /// The connection is lost, closed or stalled.
    fn more(&mut self) -> Result<(), Error>;
}

/// The unread rest of a response's body.
#[derive(Debug)]
pub struct Body(State);

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Number of bytes left.
    Length(u64),
    /// Number of bytes left in this chunk (RFC 9112 §7.1); its final line follows.
    Chunk(u64),
    /// The size of a chunk follows.
    Size,
    /// Skipped fields after the last chunk, with the number of their bytes so far.
    Trailers(usize),
    UntilClose,
    Ended,
}

impl Body {
    pub(super) fn new(framing: Framing) -> Self {
        Self(match framing {
            Framing::Length(length) => State::Length(length),
            Framing::Chunked => State::Size,
            Framing::UntilClose => State::UntilClose,
        })
    }

    pub(super) fn none() -> Self {
        Self(State::Ended)
    }

    /// Number of bytes left, if known.
    pub fn left(&self) -> Option<u64> {
        match self.0 {
            State::Length(left) => Some(left),
            State::Ended => Some(0),
            _ => None,
        }
    }

    /// Returns whether the end of the body is marked, and not only by the end of the connection.
    pub fn has_end(&self) -> bool {
        self.0 != State::UntilClose
    }

    /// Reads into `out`, which must not be empty; 0 at the end of the body.
    ///
    /// # Errors
    /// The connection is lost before the body's end, or the chunks are malformed.
    pub fn read(&mut self, source: &mut impl Source, out: &mut [u8]) -> Result<usize, Error> {
        loop {
            match self.0 {
                State::Ended | State::Length(0) => return Ok(0),
                State::Length(left) => {
                    let count = some(source.read(capped(out, left))?)?;
                    self.0 = State::Length(left - count as u64);
                    return Ok(count);
                }
                State::Chunk(0) => {
                    if line(source)? != 2 {
                        return Err(Error::malformed("a chunk without an end"));
                    }
                    self.0 = State::Size;
                }
                State::Chunk(left) => {
                    let count = some(source.read(capped(out, left))?)?;
                    self.0 = State::Chunk(left - count as u64);
                    return Ok(count);
                }
                State::Size => match httparse::parse_chunk_size(start(source.held())) {
                    Ok(httparse::Status::Complete((length, size))) => {
                        source.take(length);
                        self.0 = if size == 0 { State::Trailers(0) } else { State::Chunk(size) };
                    }
                    Ok(httparse::Status::Partial) if source.held().len() < MOST_LINE => source.more()?,
                    _ => return Err(Error::malformed("an invalid chunk size")),
                },
                State::Trailers(seen) => match line(source)? {
                    2 => self.0 = State::Ended,
                    length if seen + length <= MOST_LINE => self.0 = State::Trailers(seen + length),
                    _ => return Err(Error::malformed(format!("more than {MOST_LINE} bytes of trailers"))),
                },
                State::UntilClose => {
                    let count = source.read(out)?;
                    if count == 0 {
                        self.0 = State::Ended;
                    }
                    return Ok(count);
                }
            }
        }
    }
}

/// The part of the buffered bytes that may be a line.
fn start(held: &[u8]) -> &[u8] {
    &held[..held.len().min(MOST_LINE)]
}

fn capped(out: &mut [u8], left: u64) -> &mut [u8] {
    let most = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
    &mut out[..most]
}

fn some(count: usize) -> Result<usize, Error> {
    if count == 0 { Err(Error::closed()) } else { Ok(count) }
}

/// Skips one line; returns its length with CRLF.
fn line(source: &mut impl Source) -> Result<usize, Error> {
    loop {
        if let Some(end) = start(source.held()).windows(2).position(|pair| pair == b"\r\n") {
            source.take(end + 2);
            return Ok(end + 2);
        }
        if source.held().len() >= MOST_LINE {
            return Err(Error::malformed("a chunk or trailer line that is too long"));
        }
        source.more()?;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use super::super::connection::Connection;
    use super::*;

    fn body(message: &[u8]) -> Result<Vec<u8>, Error> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        peer.write_all(message).unwrap();
        drop(peer);
        let mut connection = Connection::plain(socket, Duration::from_secs(5));
        let (_, mut body) = connection.head(false)?;
        let (mut all, mut buffer) = (Vec::new(), [0; 3]);
        loop {
            match body.read(&mut connection, &mut buffer)? {
                0 => return Ok(all),
                count => all.extend_from_slice(&buffer[..count]),
            }
        }
    }

    #[test]
    fn each_framing_gives_the_body_and_no_more() {
        let length = body(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, you");
        assert_eq!(length.unwrap(), b"hello");
        let chunked =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;a=b\r\nhell\r\n1\r\no\r\n0\r\nT: x\r\n\r\nrest";
        assert_eq!(body(chunked).unwrap(), b"hello");
        assert_eq!(body(b"HTTP/1.1 200 OK\r\n\r\nhello").unwrap(), b"hello");
    }

    #[test]
    fn a_body_cut_short_is_no_body() {
        assert!(matches!(body(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"), Err(Error::Lost(_))));
        for chunks in ["4\r\nhe", "4\r\nhell", "4\r\nhell\r\n", "4\r\nhell\r\n0\r\n"] {
            let message = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
            assert!(matches!(body(message.as_bytes()), Err(Error::Lost(_))), "{chunks:?}");
        }
    }

    #[test]
    fn chunks_that_lie_are_refused() {
        for chunks in ["4\r\nhello\r\n0\r\n\r\n", "-4\r\n", "fffffffffffffffff\r\n", "zz\r\n"] {
            let message = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
            assert!(matches!(body(message.as_bytes()), Err(Error::Malformed(_))), "{chunks:?}");
        }
    }
    /// Without the bound, an endless line between chunks would be buffered completely.
    #[test]
    fn lines_between_chunks_are_bounded() {
        let chunked =
            |text: &str| body(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{text}").as_bytes());
        let size = |length: usize| format!("1;{}\r\n", "a".repeat(length - 4));
        assert_eq!(chunked(&format!("{}x\r\n0\r\n\r\n", size(MOST_LINE))).unwrap(), b"x");
        let trailer = |length: usize| format!("0\r\nT: {}\r\n\r\n", "a".repeat(length - 5));
        assert_eq!(chunked(&trailer(MOST_LINE)).unwrap(), b"");
        for text in [
            format!("{}x\r\n0\r\n\r\n", size(MOST_LINE + 1)),
            format!("1;{}", "a".repeat(1 << 16)),
            format!("1\r\nx{}", "a".repeat(1 << 16)),
            trailer(MOST_LINE + 1),
            format!("0\r\n{}\r\n", "T: a\r\n".repeat(MOST_LINE / 6 + 1)),
        ] {
            assert!(matches!(chunked(&text), Err(Error::Malformed(_))), "{} bytes: {:.20}", text.len(), text);
        }
    }
}
