//! The head of a response: status and header fields.

use super::error::Error;

/// Most bytes of one head (RFC 9112 §5 leaves the bound to the recipient).
pub(super) const MOST_BYTES: usize = 64 << 10;
/// Most fields of one head.
const MOST_FIELDS: usize = 128;

/// Status line and header fields of a response.
#[derive(Clone, Debug)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// Minor version of HTTP/1.
    minor: u8,
    fields: Vec<(String, String)>,
}

/// How the end of a body is told (RFC 9112 §6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

/// A `Content-Range` (RFC 9110 §14.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentRange {
    /// First byte and the byte after the last; `None` in a 416.
    pub part: Option<(u64, u64)>,
    /// Length of the whole; `None` if the server does not say.
    pub whole: Option<u64>,
}

impl Head {
    /// The head that `bytes` begin with, and its length in bytes; `None` if more must come.
    ///
    /// # Errors
    /// No head of HTTP/1, or one beyond the bounds.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, Error> {
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut response = httparse::Response::new(&mut fields);
        match response.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => {
                let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
                let fields = response.headers.iter().map(|field| (field.name.to_owned(), text(field.value))).collect();
                let status = response.code.unwrap_or_default();
                Ok(Some((Self { status, minor: response.version.unwrap_or_default(), fields }, length)))
            }
            Ok(httparse::Status::Partial) if bytes.len() >= MOST_BYTES => {
                Err(Error::malformed(format!("a head of more than {MOST_BYTES} bytes")))
            }
            Ok(httparse::Status::Partial) => Ok(None),
            Err(httparse::Error::TooManyHeaders) => {
                Err(Error::malformed(format!("more than {MOST_FIELDS} header fields")))
            }
            Err(error) => Err(Error::malformed(error.to_string())),
        }
    }

    /// The first value of the field `name`.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn has_token(&self, name: &str, token: &str) -> bool {
        self.values(name).flat_map(|value| value.split(',')).any(|word| word.trim().eq_ignore_ascii_case(token))
    }

    /// The length of the body, if the server says it.
    ///
    /// # Errors
    /// Two lengths, or no number.
    pub fn content_length(&self) -> Result<Option<u64>, Error> {
        let mut length = None;
        for value in self.values("content-length") {
            let value = value.trim();
            let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            let parsed = is_number.then(|| value.parse::<u64>().ok()).flatten();
            let parsed = parsed.ok_or_else(|| Error::malformed(format!("Content-Length {value:?}")))?;
            if length.is_some_and(|length| length != parsed) {
                return Err(Error::malformed("conflicting Content-Length fields"));
            }
            length = Some(parsed);
        }
        Ok(length)
    }

    pub(super) fn framing(&self) -> Result<Framing, Error> {
        let length = self.content_length()?;
        if matches!(self.status, 204 | 304) {
            return Ok(Framing::Length(0));
        }
        match (self.field("transfer-encoding"), length) {
            // Two ways to tell the end are how messages are smuggled (RFC 9112 §6.3).
            (Some(_), Some(_)) => Err(Error::malformed("both Content-Length and Transfer-Encoding")),
            (Some(coding), None) if coding.trim().eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
            (Some(coding), None) => Err(Error::malformed(format!("Transfer-Encoding {coding:?}"))),
            (None, Some(length)) => Ok(Framing::Length(length)),
            (None, None) => Ok(Framing::UntilClose),
        }
    }

    /// Whether the connection ends with this response (RFC 9112 §9.3).
    pub fn is_last(&self) -> bool {
        self.has_token("connection", "close") || (self.minor == 0 && !self.has_token("connection", "keep-alive"))
    }

    /// The coding of the content, if it is not the content itself.
    pub fn content_encoding(&self) -> Option<&str> {
        self.field("content-encoding").filter(|coding| !coding.trim().eq_ignore_ascii_case("identity"))
    }

    /// The `Content-Range`.
    ///
    /// # Errors
    /// It is missing, in other units than bytes, or contradicts itself.
    pub fn content_range(&self) -> Result<ContentRange, Error> {
        let value = self.field("content-range").ok_or_else(|| Error::malformed("no Content-Range"))?;
        ContentRange::parse(value).ok_or_else(|| Error::malformed(format!("Content-Range {value:?}")))
    }
}

impl ContentRange {
    fn parse(value: &str) -> Option<Self> {
        let number = |digits: &str| {
            (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse::<u64>().ok())
        };
        let (part, whole) = value.trim().strip_prefix("bytes ")?.trim().split_once('/')?;
        let whole = if whole == "*" { None } else { Some(number(whole)??) };
        if part == "*" {
            return Some(Self { part: None, whole });
        }
        let (first, last) = part.split_once('-')?;
        let (first, last) = (number(first)??, number(last)??);
        let is_sane = first <= last && last < whole.unwrap_or(u64::MAX);
        is_sane.then(|| Self { part: Some((first, last + 1)), whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        Head::parse(text.as_bytes()).unwrap().unwrap().0
    }

    #[test]
    fn content_range_is_taken_only_whole() {
        let range = |value| ContentRange::parse(value);
        assert_eq!(range("bytes 0-0/1"), Some(ContentRange { part: Some((0, 1)), whole: Some(1) }));
        assert_eq!(range("bytes 5-9/*"), Some(ContentRange { part: Some((5, 10)), whole: None }));
        assert_eq!(range("bytes */0"), Some(ContentRange { part: None, whole: Some(0) }));
        for wrong in ["bytes 5-4/10", "bytes 0-10/10", "bytes +1-2/3", "items 0-1/2", "bytes 0-1", "bytes -1/2", ""] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
        assert_eq!(range("bytes 0-18446744073709551615/*"), None);
    }

    #[test]
    fn lengths_must_agree() {
        let length = |fields: &str| head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n")).framing();
        assert_eq!(length("Content-Length: 5\r\nContent-Length: 5\r\n").unwrap(), Framing::Length(5));
        assert_eq!(length("Transfer-Encoding: Chunked\r\n").unwrap(), Framing::Chunked);
        assert_eq!(length("").unwrap(), Framing::UntilClose);
        for wrong in [
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: -5\r\n",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
        ] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn floods_end() {
        let flood = format!("HTTP/1.1 200 OK\r\n{}", "A: b\r\n".repeat(MOST_FIELDS + 1));
        assert!(Head::parse(flood.as_bytes()).is_err());
        let long = format!("HTTP/1.1 200 OK\r\nA: {}", "b".repeat(MOST_BYTES));
        assert!(Head::parse(long.as_bytes()).is_err());
        assert!(Head::parse(b"HTTP/1.1 200 OK\r\nA: b").unwrap().is_none());
    }

    #[test]
    fn the_last_response_is_known() {
        assert!(head("HTTP/1.0 200 OK\r\n\r\n").is_last());
        assert!(!head("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n").is_last());
        assert!(head("HTTP/1.1 200 OK\r\nConnection: foo, Close\r\n\r\n").is_last());
        assert!(!head("HTTP/1.1 200 OK\r\n\r\n").is_last());
    }
}
