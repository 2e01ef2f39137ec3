//! The first answer: where the file is, how long, which version, and whether the server gives parts of it.

use std::io::ErrorKind;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::SystemTime;

use url::Url;

use super::request::{Requests, is_redirect, redirected};
use super::retry::{Retry, is_transient, retry_after};
use super::validator::Validator;
use crate::common::Error;
use crate::http::{self, Body, Connection, Head};

/// Most redirects in a row.
pub(super) const MOST_HOPS: u32 = 10;

/// A server that has begun to answer.
pub(super) struct Contact {
    /// Where the redirects ended.
    pub url: Url,
    pub connection: Connection,
    pub body: Body,
    pub kind: Kind,
    pub validator: Option<Validator>,
    /// Its `Content-Disposition`.
    pub disposition: Option<String>,
    /// Whether the connection ends with the body.
    pub is_last: bool,
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
    url: &Url,
    first: u64,
    needs_validator: bool,
    retry: Retry,
    to: &Sender<News>,
) {
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

fn attempt(requests: &Requests, url: &Url, first: u64, needs_validator: bool) -> Result<Contact, Trouble> {
    let mut url = url.clone();
    let mut range = Some((0, first));
    let mut hops = 0;
    loop {
        let mut connection = requests.dialer.dial(&url, None)?;
        connection.send(&requests.get(&url, range, None))?;
        let (head, body) = connection.head(false)?;
        match head.status {
            status if is_redirect(status) => {
                hops += 1;
                if hops > MOST_HOPS {
                    let reason = format!(": more than {MOST_HOPS} redirects");
                    return Err(Error::Refused { status, reason }.into());
                }
                url = redirected(&url, &head)?;
            }
            // An empty file has no first bytes.
            416 if range.is_some() => range = None,
            status if !(200..300).contains(&status) => {
                let error = Error::Refused { status, reason: meaning(status).to_owned() };
                let asked = retry_after(&head, SystemTime::now());
                return Err(Trouble { error, is_transient: is_transient(status), asked });
            }
            _ => {
                let kind = kind(&head, range)?;
                let validator = Validator::of(&head);
                let is_whole = matches!(kind, Kind::Part { end, length } if end == length);
                if matches!(kind, Kind::Part { .. }) && validator.is_none() && needs_validator && !is_whole {
                    // Nothing would tell parts of two versions apart: all of it, from one connection.
                    range = None;
                    continue;
                }
                let disposition = head.field("content-disposition").map(str::to_owned);
                let is_last = head.is_last();
                return Ok(Contact { url, connection, body, kind, validator, disposition, is_last });
            }
        }
    }
}

/// What a successful answer to a request for the bytes of `range` holds.
pub(super) fn kind(head: &Head, range: Option<(u64, u64)>) -> Result<Kind, Error> {
    if let Some(coding) = head.content_encoding() {
        return Err(encoded(head.status, coding));
    }
    match (head.status, range) {
        (200, _) => Ok(Kind::Whole { length: head.content_length()? }),
        (206, Some((start, most))) => {
            let (end, length) = part(head, start, most, None)?;
            Ok(Kind::Part { end, length })
        }
        (status, _) => Err(http::Error::malformed(format!("status {status} in response to a plain GET")).into()),
    }
}

/// The refusal of a body that is not the file itself.
pub(super) fn encoded(status: u16, coding: &str) -> Error {
    Error::Refused { status, reason: format!(" with Content-Encoding {coding:?}, although `identity` was requested") }
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
        429 => ": too many requests",
        500..600 => ": temporarily unavailable",
        _ => "",
    }
}
