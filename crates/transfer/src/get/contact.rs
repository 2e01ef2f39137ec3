//! The first answer: where the file is, how long, which version, and whether the server gives parts of it.

use std::io::ErrorKind;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::SystemTime;

use super::request::{Requests, is_redirect, redirected};
use super::retry::{Retry, is_transient, retry_after};
use super::validator::Validator;
use crate::common::Error;
use crate::http::{self, Address, Body, Connection, Head};

/// Longest text of a refusal that is told.
const MOST_SAID: usize = 1 << 10;
/// Most redirects in a row.
pub(super) const MOST_HOPS: u32 = 10;

/// A server that has begun to answer.
pub(super) struct Contact {
    /// Where the redirects ended.
    pub url: Address,
    pub connection: Connection,
    pub body: Body,
    pub kind: Kind,
    /// Why it is the whole although the server was asked for a part.
    pub lack: Option<Lack>,
    pub validator: Option<Validator>,
    /// Codings of the content: what is saved is the encoded content, as it lies on the server.
    pub coding: Option<String>,
    /// Media type of the content.
    pub media: Option<String>,
    /// True if the end of the body is told, so that one that is cut short is seen.
    pub has_end: bool,
    /// Its `Content-Disposition`.
    pub disposition: Option<String>,
    /// Whether the connection ends with the body.
    pub is_last: bool,
}

/// Why one connection must bring all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// The server does not give parts, or not as RFC 9110 wants them.
    Ranges,
    /// Nothing would tell parts of two versions apart.
    Validator,
}

impl Lack {
    /// For the user, after "one connection: ".
    pub fn text(self) -> &'static str {
        match self {
            Self::Ranges => "the server does not support ranges",
            Self::Validator => "the server names no version of the file (ETag)",
        }
    }
}

/// What the body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first bytes, so many, of `length`; the server gives parts.
    Part { end: u64, length: u64 },
    /// The whole, of this length if the server says so.
    Whole { length: Option<u64> },
}

impl Kind {
    /// Bytes of the file, if known.
    pub fn length(self) -> Option<u64> {
        match self {
            Self::Part { length, .. } => Some(length),
            Self::Whole { length } => length,
        }
    }
}

/// What became known while the first answer was waited for.
pub(super) enum News {
    /// To be told to the user.
    Notice(String),
    /// The answer, or why there is none.
    End(Box<Result<Contact, Error>>),
}

/// Asks for the first `first` bytes until there is an answer, and tells it. If nobody listens any more, it stops.
pub(super) fn contact(
    requests: &Requests,
    url: &Address,
    first: u64,
    needs_validator: bool,
    retry: Retry,
    to: &Sender<News>,
) {
    if requests.withholds() {
        let notice = format!(
            "the password that .netrc has for {} is not sent over plain http\nhint: use https://, or `insecure`",
            url.host()
        );
        _ = to.send(News::Notice(notice));
    }
    let mut failures = 0;
    let end = loop {
        let (error, asked) = match attempt(requests, url, first, needs_validator) {
            Ok(contact) => break Ok(contact),
            Err(Trouble { error, is_transient: false, .. }) => break Err(error),
            Err(Trouble { error, asked, .. }) => (error, asked),
        };
        failures += 1;
        let Some(wait) = retry.after(failures, asked) else { break Err(error) };
        let notice = format!("{error}; retrying in {:.0} s", wait.as_secs_f64());
        if to.send(News::Notice(notice)).is_err() {
            return;
        }
        thread::sleep(wait);
    };
    _ = to.send(News::End(Box::new(end)));
}

struct Trouble {
    error: Error,
    is_transient: bool,
    asked: Option<std::time::Duration>,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        let is_transient = match &error {
            Error::Http(http::Error::Stalled(_) | http::Error::Lost(_)) => true,
            // A name without an address, or a port where nobody listens, is more likely misspelt than busy; silence may
            // as well be a cellular link that stands still.
            Error::Http(http::Error::Connect { source, .. }) => source.kind() == ErrorKind::TimedOut,
            _ => false,
        };
        Self { error, is_transient, asked: None }
    }
}

impl From<http::Error> for Trouble {
    fn from(error: http::Error) -> Self {
        Error::from(error).into()
    }
}

/// Asks for the first bytes; where that is refused or answered oddly, once without a range.
fn attempt(requests: &Requests, url: &Address, first: u64, needs_validator: bool) -> Result<Contact, Trouble> {
    let mut url = url.clone();
    let mut range = Some((0, first));
    let mut lack = None;
    let mut hops = 0;
    loop {
        let mut connection = requests.dialer.dial(url.url(), None)?;
        connection.send(&requests.get(&url, range, None))?;
        let (head, mut body) = connection.head(false)?;
        match head.status {
            status if is_redirect(status) => {
                hops += 1;
                if hops > MOST_HOPS {
                    let reason = format!(": more than {MOST_HOPS} redirects");
                    return Err(Error::Refused { status, reason }.into());
                }
                url = redirected(&url, &head)?;
                range = Some((0, first));
            }
            // An empty file has no first bytes, and a server may refuse ranges in any way (RFC 9110 §14.2).
            status if range.is_some() && may_be_about_ranges(status) => (range, lack) = (None, Some(Lack::Ranges)),
            status if !(200..300).contains(&status) => {
                let reason = reason(&head, &mut connection, &mut body);
                let error = Error::Refused { status, reason };
                let asked = retry_after(&head, SystemTime::now());
                return Err(Trouble { error, is_transient: is_transient(status), asked });
            }
            _ => {
                let kind = match kind(&head, range) {
                    Err(_) if range.is_some() => {
                        (range, lack) = (None, Some(Lack::Ranges));
                        continue;
                    }
                    kind => kind?,
                };
                let validator = Validator::of(&head).filter(|_| head.status != 203);
                let is_whole = matches!(kind, Kind::Part { end, length } if end == length);
                if matches!(kind, Kind::Part { .. }) && validator.is_none() && needs_validator && !is_whole {
                    // Nothing would tell parts of two versions apart: all of it, from one connection.
                    (range, lack) = (None, Some(Lack::Validator));
                    continue;
                }
                let is_part = matches!(kind, Kind::Part { .. });
                return Ok(Contact {
                    kind,
                    lack: if is_part { None } else { lack.or(Some(Lack::Ranges)) },
                    validator,
                    coding: head.content_encoding(),
                    media: head.media_type(),
                    // The end of a TLS connection is told, too.
                    has_end: body.has_end() || url.is_encrypted(),
                    disposition: head.field("content-disposition").map(str::to_owned),
                    is_last: head.is_last(),
                    url,
                    connection,
                    body,
                });
            }
        }
    }
}

/// Returns whether a status may mean the range that was asked for: all that say neither that the client must show who it is, nor that there is no
/// such file, nor that the server or the network has no time for it.
fn may_be_about_ranges(status: u16) -> bool {
    let is_about_else = matches!(status, 401 | 404 | 407 | 408 | 410 | 425 | 429 | 431 | 451 | 502..=504 | 511);
    matches!(status, 201 | 202 | 204..=205 | 207..=299 | 400..=599) && !is_about_else
}

/// What a successful answer to a request for the bytes of `range` holds.
pub(super) fn kind(head: &Head, range: Option<(u64, u64)>) -> Result<Kind, Error> {
    match (head.status, range) {
        (200 | 203, _) => Ok(Kind::Whole { length: head.content_length()? }),
        (206, range) => {
            // All bytes, whatever was asked for: that says nothing of parts.
            let most = range.map_or(0, |(_, most)| most);
            if let Some(length) = whole(head)?.filter(|length| *length > most) {
                return Ok(Kind::Whole { length: Some(length) });
            }
            let (start, most) = range.ok_or_else(|| unexpected(206))?;
            let (end, length) = part(head, start, most, None)?;
            Ok(Kind::Part { end, length })
        }
        (status, _) => Err(unexpected(status).into()),
    }
}

fn unexpected(status: u16) -> http::Error {
    http::Error::malformed(format!("status {status} in response to a plain GET"))
}

/// Bytes of the file, if a 206 holds all of them.
fn whole(head: &Head) -> Result<Option<u64>, http::Error> {
    let Ok(http::ContentRange { part: Some((0, end)), whole }) = head.content_range() else { return Ok(None) };
    let has_length = head.content_length()?.is_none_or(|count| count == end);
    Ok(Some(end).filter(|_| whole == Some(end) && has_length))
}

/// Meaning of a refusal and its text if that is short, for the user; begins with punctuation.
fn reason(head: &Head, connection: &mut Connection, body: &mut Body) -> String {
    let mut text = [0; MOST_SAID];
    let mut length = 0;
    if head.media_type().as_deref() == Some("text/plain") && body.left().is_some_and(|left| left <= MOST_SAID as u64) {
        while let Some(room) = text.get_mut(length..).filter(|room| !room.is_empty()) {
            match body.read(connection, room) {
                Ok(count) if count > 0 => length += count,
                _ => break,
            }
        }
    }
    let text = String::from_utf8_lossy(&text[..length]);
    match text.trim() {
        "" => meaning(head.status).to_owned(),
        text => format!("{}: {text}", meaning(head.status)),
    }
}

/// Checks that a 206 holds bytes from `start` on, at most up to `most`, of a whole of `length` if that is known; the
/// byte after its last, and the length of the whole.
pub(super) fn part(head: &Head, start: u64, most: u64, length: Option<u64>) -> Result<(u64, u64), http::Error> {
    let range = head.content_range()?;
    let wrong = || {
        let value = head.field("content-range").unwrap_or_default();
        http::Error::malformed(format!(
            "Content-Range {value:?} in response to a request for bytes {start} to {}",
            most - 1
        ))
    };
    let (Some((first, end)), Some(whole)) = (range.part, range.whole) else { return Err(wrong()) };
    let is_asked = first == start && end <= most && length.is_none_or(|length| length == whole);
    let has_length = head.content_length()?.is_none_or(|count| count == end - first);
    if is_asked && has_length { Ok((end, whole)) } else { Err(wrong()) }
}

/// What the user should know of a status, beginning with punctuation.
pub(super) fn meaning(status: u16) -> &'static str {
    match status {
        401 => ": authentication required (user and password in the URL, .netrc or --header)",
        403 => ": forbidden",
        404 => ": no such file",
        407 => ": the proxy requires authentication",
        410 => ": the file is gone",
        421 => ": the server does not answer to this host name",
        429 => ": too many requests",
        500..600 => ": temporarily unavailable",
        _ => "",
    }
}
