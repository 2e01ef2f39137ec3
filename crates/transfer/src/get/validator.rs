//! Validators, which distinguish the versions of a file (RFC 9110 §8.8).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::http::Head;

/// A strong validator: equal only for equal bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Validator {
    /// A strong entity tag, quotes included.
    Etag(String),
    /// A `Last-Modified` at least a second older than the server's `Date` (RFC 9110 §8.8.2.2).
    LastModified(String),
}

/// Result of comparing a response with a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Same,
    Differs,
    /// The response has no such validator.
    Absent,
}

impl Validator {
    /// The strong validator of a response.
    pub fn of(head: &Head) -> Option<Self> {
        if let Some(tag) = head.field("etag").filter(|tag| is_strong(tag)) {
            return Some(Self::Etag(tag.to_owned()));
        }
        let modified = head.field("last-modified")?;
        let sent = httpdate::parse_http_date(head.field("date")?).ok()?;
        let age = sent.duration_since(httpdate::parse_http_date(modified).ok()?).ok()?;
        (age >= Duration::from_secs(1)).then(|| Self::LastModified(modified.to_owned()))
    }

    /// The value of an `If-Range` field.
    pub fn text(&self) -> &str {
        match self {
            Self::Etag(text) | Self::LastModified(text) => text,
        }
    }

    /// Compares the version of `head`.
    pub fn compare(&self, head: &Head) -> Match {
        let field = match self {
            Self::Etag(_) => head.field("etag"),
            Self::LastModified(_) => head.field("last-modified"),
        };
        match field {
            Some(value) if value == self.text() => Match::Same,
            Some(_) => Match::Differs,
            None => Match::Absent,
        }
    }
}

/// Returns whether the tag is `"…"`. A weak tag begins with W/ and does not identify bytes.
fn is_strong(tag: &str) -> bool {
    tag.len() >= 2 && tag.starts_with('"') && tag.ends_with('"') && !tag[1..tag.len() - 1].contains(['"', ' '])
}
