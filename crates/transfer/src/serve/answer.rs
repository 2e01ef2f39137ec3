//! Answers, and their heads.

use std::fs::File;
use std::time::SystemTime;

use super::refusal::Refusal;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Header fields except `Date`, `Content-Length` and those of the connection.
    pub fields: Vec<(&'static str, String)>,
    /// The content.
    pub body: Body,
    /// Reason of a refusal, for the server's log.
    pub reason: Option<String>,
}

/// The content of an answer.
#[derive(Debug)]
pub enum Body {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// Part of a file: from the first byte to before the second.
    Part(Box<File>, u64, u64),
}

impl From<Refusal> for Answer {
    fn from(Refusal { status, reason }: Refusal) -> Self {
        let mut answer = Self::text(status, "text/plain; charset=utf-8", format!("{reason}\n"));
        match status {
            401 => answer.fields.push(("WWW-Authenticate", "Basic realm=\"windward\", charset=\"UTF-8\"".to_owned())),
            503 => answer.fields.push(("Retry-After", "1".to_owned())),
            429 => answer.fields.push(("Retry-After", "5".to_owned())),
            _ => {}
        }
        answer.reason = Some(reason);
        answer
    }
}

impl Answer {
    /// A text answer.
    pub fn text(status: u16, kind: &str, text: String) -> Self {
        let fields = vec![("Content-Type", kind.to_owned()), ("Cache-Control", "no-store".to_owned())];
        Self { status, fields, body: Body::Bytes(text.into_bytes()), reason: None }
    }

    /// An answer without content.
    pub fn empty(status: u16) -> Self {
        Self { status, fields: Vec::new(), body: Body::Bytes(Vec::new()), reason: None }
    }

    /// Length of the content in bytes.
    pub fn length(&self) -> u64 {
        match &self.body {
            Body::Bytes(bytes) => bytes.len() as u64,
            Body::Part(_, from, to) => to - from,
        }
    }

    /// The head, with `Content-Length` except in 204 and 304, where it is forbidden (RFC 9110 §8.6).
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
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        507 => "Insufficient Storage",
        _ => "Error",
    }
}
