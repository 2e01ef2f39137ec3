//! Entry points for fuzzing (`fuzz/`): untrusted input, read as sockets and files deliver it, with checks that the
//! result is consistent. Each panics on an inconsistency.

use std::time::SystemTime;

use url::Url;

use crate::get;
use crate::http::{self, Error, Head, Proxies, Source};

/// A message that arrives `step` bytes at a time.
struct Arriving<'a> {
    message: &'a [u8],
    step: usize,
    held: Vec<u8>,
}

impl Source for Arriving<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Error> {
        if self.held.is_empty() && self.more().is_err() {
            return Ok(0);
        }
        let count = self.held.len().min(out.len());
        out[..count].copy_from_slice(&self.held[..count]);
        self.take(count);
        Ok(count)
    }

    fn held(&self) -> &[u8] {
        &self.held
    }

    fn take(&mut self, count: usize) {
        self.held.drain(..count);
    }

    fn more(&mut self) -> Result<(), Error> {
        let (now, later) = self.message.split_at(self.step.min(self.message.len()));
        if now.is_empty() {
            return Err(Error::closed());
        }
        self.held.extend_from_slice(now);
        self.message = later;
        Ok(())
    }
}

/// A response to GET, or to HEAD. Its head, its body and the bytes after it do not depend on how it is split.
pub fn response(message: &[u8], is_answer_to_head: bool) {
    let whole = received(message, usize::MAX, is_answer_to_head);
    for step in [1, 7] {
        // A rejected message is rejected in any split; the bytes taken before that may differ.
        let pieces = received(message, step, is_answer_to_head);
        assert_eq!(whole.is_ok(), pieces.is_ok(), "in pieces of {step}: {whole:?}, {pieces:?}");
        if let (Ok(whole), Ok(pieces)) = (&whole, pieces) {
            assert_eq!(*whole, pieces, "in pieces of {step}");
        }
    }
}

/// Status, body, and the number of bytes after it.
fn received(message: &[u8], step: usize, is_answer_to_head: bool) -> Result<(u16, Vec<u8>, usize), Error> {
    let mut source = Arriving { message, step, held: Vec::new() };
    let (head, mut body) = http::receive(&mut source, is_answer_to_head, || Ok(()))?;
    fields(&head);
    let (mut all, mut buffer) = (Vec::new(), [0; 61]);
    loop {
        let left = body.left();
        let count = body.read(&mut source, &mut buffer)?;
        assert!(count <= buffer.len() && left.is_none_or(|left| count as u64 <= left));
        if count == 0 {
            assert_eq!(body.left(), Some(0), "at its end nothing is left");
            return Ok((head.status, all, source.held.len() + source.message.len()));
        }
        all.extend_from_slice(&buffer[..count]);
    }
}

/// Header fields that a download reads.
fn fields(head: &Head) {
    if let Ok(http::ContentRange { part: Some((start, end)), whole }) = head.content_range() {
        assert!(start < end && whole.is_none_or(|whole| end <= whole));
    }
    get::fuzz::head(head);
    _ = (head.is_last(), head.content_encoding());
}

/// Values of fields, environment and files: one line each for `Content-Disposition`, an address, a proxy and exceptions
/// to it; the rest is a `.netrc`.
pub fn values(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let mut lines = text.splitn(5, '\n');
    let mut line = || lines.next().unwrap_or_default();
    let (disposition, address, proxy, except, netrc) = (line(), line(), line(), line(), line());
    let url = Url::parse(address).or_else(|_| Url::parse("http://a.example/b")).ok();
    let Some(url) = url else { return };
    get::fuzz::name(&url, disposition);
    let environment = |name: &str| match name {
        "http_proxy" | "https_proxy" => Some(proxy.to_owned()),
        "no_proxy" => Some(except.to_owned()),
        _ => None,
    };
    if let Ok(proxies) = Proxies::from_environment(environment)
        && let Some(proxy) = proxies.of(&url)
    {
        _ = proxy.authorization();
    }
    if let Some(entry) = http::netrc(netrc, url.host_str().unwrap_or_default(), None) {
        assert!(entry.credentials.basic().starts_with("Basic "));
    }
    _ = httpdate::parse_http_date(disposition).map(|date| date.duration_since(SystemTime::UNIX_EPOCH));
}

/// A request to the server.
#[cfg(target_os = "linux")]
pub use crate::serve::fuzz::request;

/// The journal of a part that an interrupted download has left.
pub fn journal(text: &[u8]) {
    get::fuzz::journal(text);
}

/// The remembered numbers of connections per host.
pub fn memory(text: &str) {
    get::fuzz::memory(text);
}
