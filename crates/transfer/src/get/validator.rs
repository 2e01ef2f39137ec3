//! What tells one version of a file from another (RFC 9110 §8.8).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::http::Head;

/// A strong validator: equal only for equal bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Validator {
    /// A strong entity tag, quotes included.
    Etag(String),
    /// A date of last modification that was a second old when the server sent it (RFC 9110 §8.8.2.2).
    LastModified(String),
}

/// How a response compares with a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Same,
    Differs,
    /// The response does not say.
    Absent,
}

impl Validator {
    /// The strong validator that a response carries.
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

    /// Whether `head` is of the same version.
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

/// `"…"`; a weak tag begins with W/ and says nothing about bytes.
fn is_strong(tag: &str) -> bool {
    tag.len() >= 2 && tag.starts_with('"') && tag.ends_with('"') && !tag[1..tag.len() - 1].contains(['"', ' '])
}
