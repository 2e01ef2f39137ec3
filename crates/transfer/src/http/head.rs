//! The head of a response: status and header fields, parsed as RFC 9112 requires of clients.

use super::error::Error;

/// Maximum size of a head in bytes (RFC 9112 §5 leaves the bound to the recipient).
pub(super) const MOST_BYTES: usize = 64 << 10;
/// Maximum number of fields in a head.
const MOST_FIELDS: usize = 128;

/// Status line and header fields of a response.
#[derive(Clone, Debug)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// Minor version of HTTP/1.
    minor: u8,
    fields: Vec<Field>,
}

/// A header field.
#[derive(Clone, Debug)]
struct Field {
    name: String,
    /// The value as text: UTF-8, otherwise decoded as ISO-8859-1 (RFC 9110 §5.5).
    value: String,
    /// The bytes of a value that is not UTF-8.
    raw: Option<Vec<u8>>,
}

/// Framing of a body (RFC 9112 §6.3).
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
    /// Length of the whole file; `None` if the server does not say.
    pub whole: Option<u64>,
}

impl Head {
    /// Parses the head at the start of `bytes`. Returns it with its length in bytes, or `None` if it is incomplete.
    ///
    /// # Errors
    /// Not an HTTP/1 head, or one beyond the bounds.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, Error> {
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut response = httparse::Response::new(&mut fields);
        let mut parser = httparse::ParserConfig::default();
        // RFC 9112 §4, §5.1 and §5.2: accepted from old servers, although senders must not generate it.
        parser
            .allow_multiple_spaces_in_response_status_delimiters(true)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true);
        match parser.parse_response(&mut response, bytes) {
            Ok(httparse::Status::Complete(length)) => {
                let fields = response.headers.iter().map(|field| Field::new(field.name, field.value)).collect();
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

    /// A head for tests.
    #[cfg(test)]
    pub fn of(text: &str) -> Self {
        Self::parse(text.as_bytes()).unwrap().unwrap().0
    }

    /// The first value of the field `name`.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.find(name).map(|field| field.value.as_str())
    }

    /// The bytes of the first value of the field `name`.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.find(name).map(|field| field.raw.as_deref().unwrap_or(field.value.as_bytes()))
    }

    fn find(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))
    }

    /// The values of all fields `name`.
    pub(super) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value.as_str())
    }

    /// The elements of a list over all fields `name`; empty elements are skipped (RFC 9110 §5.6.1).
    fn elements<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.values(name).flat_map(|value| value.split(',')).map(str::trim).filter(|element| !element.is_empty())
    }

    fn has_token(&self, name: &str, token: &str) -> bool {
        self.elements(name).any(|word| word.eq_ignore_ascii_case(token))
    }

    /// The length of the body, if given. A list of equal lengths counts as one (RFC 9110 §8.6), and a transfer coding
    /// overrides all lengths (RFC 9112 §6.3).
    ///
    /// # Errors
    /// Two different lengths, or not a number.
    pub fn content_length(&self) -> Result<Option<u64>, Error> {
        let mut length = None;
        if self.codings().next().is_some() {
            return Ok(None);
        }
        for value in self.values("content-length").flat_map(|value| value.split(',')) {
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

    /// The transfer codings. `identity`, which RFC 7230 removed, is skipped.
    fn codings(&self) -> impl Iterator<Item = &str> {
        self.elements("transfer-encoding").filter(|coding| !coding.eq_ignore_ascii_case("identity"))
    }

    pub(super) fn framing(&self) -> Result<Framing, Error> {
        if matches!(self.status, 204 | 304) {
            return Ok(Framing::Length(0));
        }
        let mut codings = self.codings();
        match (codings.next(), codings.next()) {
            (None, _) => Ok(self.content_length()?.map_or(Framing::UntilClose, Framing::Length)),
            (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
            // No other coding was requested (`TE`).
            _ => {
                let codings: Vec<_> = self.codings().collect();
                Err(Error::malformed(format!("Transfer-Encoding {:?}", codings.join(", "))))
            }
        }
    }

    /// Returns whether the connection ends with this response (RFC 9112 §9.3). It also ends where the body's end is
    /// ambiguous or HTTP/1.0 is chunked (§6.1, §6.3), because the bytes that follow may not be a response.
    pub fn is_last(&self) -> bool {
        let is_odd = self.codings().next().is_some() && (self.minor == 0 || self.find("content-length").is_some());
        let keeps = self.minor > 0 || self.has_token("connection", "keep-alive");
        is_odd || self.has_token("connection", "close") || !keeps
    }

    /// The codings of the content, in lower case; `None` for plain content. `none` is not a registered coding, but some
    /// servers send it.
    pub fn content_encoding(&self) -> Option<String> {
        let codings = self.elements("content-encoding").map(str::to_ascii_lowercase);
        let codings: Vec<_> = codings.filter(|coding| coding != "identity" && coding != "none").collect();
        (!codings.is_empty()).then(|| codings.join(", "))
    }

    /// The media type of the content, without parameters, in lower case.
    pub fn media_type(&self) -> Option<String> {
        let value = self.field("content-type")?;
        let name = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        (!name.is_empty()).then_some(name)
    }

    /// The `Content-Range`.
    ///
    /// # Errors
    /// The field is missing, has units other than bytes, or contradicts itself.
    pub fn content_range(&self) -> Result<ContentRange, Error> {
        let value = self.field("content-range").ok_or_else(|| Error::malformed("no Content-Range"))?;
        ContentRange::parse(value).ok_or_else(|| Error::malformed(format!("Content-Range {value:?}")))
    }
}

impl Field {
    fn new(name: &str, value: &[u8]) -> Self {
        let value = unfolded(value);
        match String::from_utf8(value) {
            Ok(value) => Self { name: name.to_owned(), value, raw: None },
            Err(error) => {
                let raw = error.into_bytes();
                let value = raw.iter().map(|byte| char::from(*byte)).collect();
                Self { name: name.to_owned(), value, raw: Some(raw) }
            }
        }
    }
}

/// A value on one line: each line fold becomes one space (RFC 9112 §5.2).
fn unfolded(value: &[u8]) -> Vec<u8> {
    if !value.contains(&b'\n') {
        return value.to_vec();
    }
    let lines = value.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(&b' ')
}

impl ContentRange {
    fn parse(value: &str) -> Option<Self> {
        let number = |digits: &str| {
            (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse::<u64>().ok())
        };
        let (unit, range) = value.trim().split_once(' ')?;
        // RFC 9110 §14.1: the names of units are case-insensitive.
        let (part, whole) = Some(range.trim()).filter(|_| unit.eq_ignore_ascii_case("bytes"))?.split_once('/')?;
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
        Head::of(text)
    }

    #[test]
    fn content_range_is_taken_only_whole() {
        let range = |value| ContentRange::parse(value);
        assert_eq!(range("bytes 0-0/1"), Some(ContentRange { part: Some((0, 1)), whole: Some(1) }));
        assert_eq!(range("bytes 5-9/*"), Some(ContentRange { part: Some((5, 10)), whole: None }));
        assert_eq!(range("bytes */0"), Some(ContentRange { part: None, whole: Some(0) }));
        assert_eq!(range("Bytes 0-0/1"), range("bytes 0-0/1"));
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
        assert_eq!(length("Content-Length: 5, 5\r\n").unwrap(), Framing::Length(5));
        assert_eq!(length("Transfer-Encoding: identity\r\nContent-Length: 5\r\n").unwrap(), Framing::Length(5));
        // RFC 9112 §6.3, 3: the coding overrides any length.
        assert_eq!(length("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n").unwrap(), Framing::Chunked);
        assert_eq!(length("Transfer-Encoding: chunked\r\nContent-Length: x\r\n").unwrap(), Framing::Chunked);
        for wrong in [
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: -5\r\n",
            "Content-Length: 5, 6\r\n",
            "Content-Length: 5,\r\n",
            "Content-Length: +5\r\n",
            "Content-Length:\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n",
        ] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    /// RFC 9112 §6.3, 1: these statuses never have a body.
    #[test]
    fn no_content_is_none() {
        for status in [204, 304] {
            let head = head(&format!("HTTP/1.1 {status} x\r\nContent-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\n"));
            assert_eq!(head.framing().unwrap(), Framing::Length(0));
        }
    }

    /// RFC 9112 §2.2, §4, §5.1, §5.2.
    #[test]
    fn heads_of_old_servers_are_read() {
        let head = head("HTTP/1.1  200\nA : b\nC: d\r\n\te\r\n  f \r\nG:\r\n h\r\n\r\n");
        let fields = ["a", "c", "g"].map(|name| head.field(name));
        assert_eq!((head.status, fields), (200, [Some("b"), Some("d e f"), Some("h")]));
        for wrong in [
            // A bare CR, and whitespace before the first field.
            "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
            "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/2 200 OK\r\n\r\n",
        ] {
            assert!(Head::parse(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn values_that_are_not_utf8_are_latin_1() {
        let head = Head::parse(b"HTTP/1.1 200 OK\r\nA: caf\xe9\r\nB: caf\xc3\xa9\r\n\r\n").unwrap().unwrap().0;
        assert_eq!((head.field("a"), head.field("b")), (Some("caf\u{e9}"), Some("caf\u{e9}")));
        assert_eq!(head.bytes("a"), Some(&b"caf\xe9"[..]));
        assert_eq!(head.bytes("b"), Some(&b"caf\xc3\xa9"[..]));
    }

    #[test]
    fn codings_of_the_content_are_a_list() {
        let coding = |fields: &str| head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n")).content_encoding();
        for none in ["", "Content-Encoding:\r\n", "Content-Encoding: none\r\n", "Content-Encoding: , Identity\r\n"] {
            assert_eq!(coding(none), None, "{none}");
        }
        assert_eq!(coding("Content-Encoding: X-Gzip\r\nContent-Encoding: br\r\n").as_deref(), Some("x-gzip, br"));
    }

    #[test]
    fn floods_end() {
        let flood = format!("HTTP/1.1 200 OK\r\n{}", "A: b\r\n".repeat(MOST_FIELDS + 2));
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
        // RFC 9112 §6.1 and §6.3.
        assert!(head("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n").is_last());
        assert!(head("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n").is_last());
        assert!(!head("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").is_last());
    }
}
