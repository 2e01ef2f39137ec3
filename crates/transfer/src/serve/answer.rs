//! What is answered to whom.

use std::fs::File;
use std::time::SystemTime;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::request::Request;
use super::{Site, content};

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Header fields but for `Date`, `Content-Length` and those of the connection.
    pub fields: Vec<(&'static str, String)>,
    /// The content.
    pub body: Body,
}

/// The content of an answer.
#[derive(Debug)]
pub enum Body {
    /// In memory.
    Bytes(Vec<u8>),
    /// Part of a file: from the first to before the second byte.
    Part(Box<File>, u64, u64),
}

/// An answer that says no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Status code, from 400.
    pub status: u16,
    /// Why, without an end.
    pub reason: String,
}

impl Refusal {
    /// A refusal.
    pub fn new(status: u16, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }
}

impl From<Refusal> for Answer {
    fn from(Refusal { status, reason }: Refusal) -> Self {
        let mut answer = Self::text(status, "text/plain; charset=utf-8", format!("{reason}\n"));
        match status {
            401 => answer.fields.push(("WWW-Authenticate", "Basic realm=\"windward\", charset=\"UTF-8\"".to_owned())),
            503 => answer.fields.push(("Retry-After", "1".to_owned())),
            _ => {}
        }
        answer
    }
}

impl Answer {
    /// An answer with a text.
    pub fn text(status: u16, kind: &str, text: String) -> Self {
        let fields = vec![("Content-Type", kind.to_owned()), ("Cache-Control", "no-store".to_owned())];
        Self { status, fields, body: Body::Bytes(text.into_bytes()) }
    }

    /// An answer without content.
    pub fn empty(status: u16) -> Self {
        Self { status, fields: Vec::new(), body: Body::Bytes(Vec::new()) }
    }

    /// Bytes of the content.
    pub fn length(&self) -> u64 {
        match &self.body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::Part(_, from, to) => to - from,
        }
    }

    /// The head, with `Content-Length`, which 204 and 304 must not (RFC 9110 §8.6).
    pub fn head(&self, is_last: bool) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        let date = httpdate::fmt_http_date(SystemTime::now());
        head += &format!("Server: windward\r\nDate: {date}\r\nX-Content-Type-Options: nosniff\r\n");
        for (name, value) in &self.fields {
            head += &format!("{name}: {value}\r\n");
        }
        if !matches!(self.status, 204 | 304) {
            head += &format!("Content-Length: {}\r\n", self.length());
        }
        head += if is_last { "Connection: close\r\n\r\n" } else { "\r\n" };
        head.into_bytes()
    }
}

/// Answers a request; `body` brings its content.
pub fn answer(site: &Site, request: &Request, body: &mut dyn FnMut(u64) -> Result<Vec<u8>, Refusal>) -> Answer {
    respond(site, request, body).unwrap_or_else(Answer::from)
}

fn respond(
    site: &Site,
    request: &Request,
    body: &mut dyn FnMut(u64) -> Result<Vec<u8>, Refusal>,
) -> Result<Answer, Refusal> {
    authorize(site, request)?;
    match request.method.as_str() {
        "GET" | "HEAD" if request.content_length()? > 0 => Err(Refusal::new(400, "a body is of no use here")),
        "GET" | "HEAD" => content::answer(site, request),
        "POST" | "PUT" => match &site.uploads {
            Some(uploads) => uploads.answer(&site.folder, request, body),
            None => Err(Refusal::new(403, "this folder takes no files")),
        },
        method => Err(Refusal::new(501, format!("{} is not known here", method.escape_default()))),
    }
}

/// Lets in who has the token. Without one only this machine can ask, and a browser here must not be led to ask for others:
/// the name of the host tells (DNS rebinding).
fn authorize(site: &Site, request: &Request) -> Result<(), Refusal> {
    let host = request.host()?;
    let Some(token) = site.token else {
        let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
        return match address {
            Ok(address) if address.is_loopback() => Ok(()),
            _ if is_here => Ok(()),
            _ => Err(Refusal::new(421, "this server is for this machine only")),
        };
    };
    let given = request.field("authorization").and_then(|value| value.split_once(' ')).and_then(|(scheme, value)| {
        if scheme.eq_ignore_ascii_case("bearer") {
            Some(value.trim().as_bytes().to_vec())
        } else if scheme.eq_ignore_ascii_case("basic") {
            let decoded = BASE64_STANDARD.decode(value.trim()).ok()?;
            let colon = decoded.iter().position(|byte| *byte == b':')?;
            Some(decoded[colon + 1..].to_vec())
        } else {
            None
        }
    });
    match given {
        Some(given) if blake3::hash(&given) == token => Ok(()),
        _ => Err(Refusal::new(401, "the token is missing or wrong")),
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        416 => "Range Not Satisfiable",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        507 => "Insufficient Storage",
        _ => "Error",
    }
}
