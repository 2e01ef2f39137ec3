//! First response: the file's address, length and version, and whether the server supports ranges.

use std::io::ErrorKind;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::SystemTime;

use super::request::{Requests, is_redirect};
use super::retry::{Retry, is_transient, retry_after};
use super::validator::Validator;
use crate::error::Error;
use crate::http::{self, Address, Body, Connection, Head};

/// Maximum length of a refusal's text that the user sees.
const MOST_SAID: usize = 1 << 10;
/// Maximum number of consecutive redirects.
pub(super) const MOST_HOPS: u32 = 10;

/// A server whose response has begun.
pub(super) struct Contact {
    /// Address after all redirects.
    pub url: Address,
    pub connection: Connection,
    pub body: Body,
    pub kind: Kind,
    /// Reason why the response is the whole file although a range was requested.
    pub lack: Option<Lack>,
    pub validator: Option<Validator>,
    /// Codings of the content. The encoded content is saved, as the server stores it.
    pub coding: Option<String>,
    /// Media type of the content.
    pub media: Option<String>,
    /// True if the end of the body is marked, so that a truncated body is detected.
    pub has_end: bool,
    /// Its `Content-Disposition`.
    pub disposition: Option<String>,
    /// True if the connection ends with the body.
    pub is_last: bool,
}

/// Reason why a single connection must transfer the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// The server does not support ranges, or not as RFC 9110 requires.
    Ranges,
    /// Without a validator, parts of two versions could not be distinguished.
    Validator,
}

impl Lack {
    /// Text for the user, after "one connection: ".
    pub fn text(self) -> &'static str {
        match self {
            Self::Ranges => "the server does not support ranges",
            Self::Validator => "the server names no version of the file (ETag)",
        }
    }
}

/// Extent of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first `end` bytes of `length`; the server supports ranges.
    Part { end: u64, length: u64 },
    /// The whole file, with its length if the server gives it.
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

/// Events until the first response.
pub(super) enum News {
    /// A notice for the user.
    Notice(String),
    /// The response, or the reason why there is none.
    End(Box<Result<Contact, Error>>),
}

/// Requests the first `first` bytes until there is a response, and reports it. Stops once the receiver is dropped.
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
            // A name without an address, or a closed port, is more likely a typing error than overload. A timeout may
            // also be a stalled cellular link.
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

/// Requests the first bytes; after a refusal or an invalid response, requests the file once without a range.
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
                url = requests.redirected(&url, &head)?;
                range = Some((0, first));
            }
            // An empty file has no first bytes, and servers refuse ranges in many ways (RFC 9110 §14.2).
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
                    // Parts of two versions could not be distinguished: request the whole file over one connection.
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
                    // TLS marks the end of a connection, too.
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

/// Returns whether a status may refer to the requested range. Excluded are missing authentication, a missing file, and
/// overload of the server or the network.
fn may_be_about_ranges(status: u16) -> bool {
    let is_about_else = matches!(status, 401 | 404 | 407 | 408 | 410 | 425 | 429 | 431 | 451 | 502..=504 | 511);
    matches!(status, 201 | 202 | 204..=205 | 207..=299 | 400..=599) && !is_about_else
}

/// Extent of a successful response to a request for the bytes of `range`.
pub(super) fn kind(head: &Head, range: Option<(u64, u64)>) -> Result<Kind, Error> {
    match (head.status, range) {
        (200 | 203, _) => Ok(Kind::Whole { length: head.content_length()? }),
        (206, range) => {
            // All bytes, whatever the request: this does not show that ranges are supported.
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

/// Length of the file, if a 206 contains all of it.
fn whole(head: &Head) -> Result<Option<u64>, http::Error> {
    let Ok(http::ContentRange { part: Some((0, end)), whole }) = head.content_range() else { return Ok(None) };
    let has_length = head.content_length()?.is_none_or(|count| count == end);
    Ok(Some(end).filter(|_| whole == Some(end) && has_length))
}

/// Meaning of a refusal, and its text if that is short, for the user; begins with punctuation.
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

/// Checks that a 206 contains bytes from `start` on, up to at most `most`, of a file of `length` if that is known.
/// Returns the byte after its last, and the length of the file.
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

/// Explanation of a status for the user, beginning with punctuation.
pub(super) fn meaning(status: u16) -> &'static str {
    match status {
        401 => ": authentication required (user and password in the URL, .netrc or `headers`)",
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
