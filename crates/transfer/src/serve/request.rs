//! Request heads, and access to the content that follows.

use super::refusal::Refusal;

/// Maximum size of a head in bytes, and of fields (RFC 9112 leaves the bounds to the recipient).
pub const MOST_BYTES: usize = 32 << 10;
const MOST_FIELDS: usize = 64;

/// Reads the content of a request, at most the given number of bytes.
pub type Bring<'a> = dyn FnMut(u64) -> Result<Vec<u8>, Refusal> + 'a;

/// Request line and header fields.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method, as received.
    pub method: String,
    /// The target, as received.
    pub target: String,
    minor: u8,
    fields: Vec<(String, String)>,
}

impl Request {
    /// Parses the head at the start of `bytes`. Returns it with its length in bytes, or `None` if it is incomplete.
    ///
    /// # Errors
    /// Not an HTTP/1 head, one beyond the bounds, or one whose body has no clear end.
    pub fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, Refusal> {
        let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
        let mut parsed = httparse::Request::new(&mut fields);
        let length = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) if bytes.len() < MOST_BYTES => return Ok(None),
            Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
                return Err(Refusal::new(431, "the request header is too long"));
            }
            Err(error) => return Err(Refusal::new(400, error.to_string())),
        };
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let request = Self {
            method: parsed.method.unwrap_or_default().to_owned(),
            target: parsed.path.unwrap_or_default().to_owned(),
            minor: parsed.version.unwrap_or_default(),
            fields: parsed.headers.iter().map(|field| (field.name.to_owned(), text(field.value))).collect(),
        };
        request.content_length()?;
        Ok(Some((request, length)))
    }

    /// The value of the field `name`; `None` if it occurs twice, because it is ambiguous.
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        value.filter(|_| values.next().is_none())
    }

    fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(key, _)| key.eq_ignore_ascii_case(name))
    }

    /// Length of the body in bytes.
    ///
    /// # Errors
    /// A transfer coding, which this server does not support; or an invalid length.
    pub fn content_length(&self) -> Result<u64, Refusal> {
        if self.has("transfer-encoding") {
            return Err(Refusal::new(411, "Content-Length required"));
        }
        if !self.has("content-length") {
            return Ok(0);
        }
        let value = self.field("content-length").unwrap_or_default();
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        let length = is_number.then(|| value.parse().ok()).flatten();
        length.ok_or_else(|| Refusal::new(400, "invalid Content-Length"))
    }

    /// True if the client waits for a 100 (Continue) before it sends the body (RFC 9110 §10.1.1).
    pub fn expects_continue(&self) -> bool {
        self.minor > 0 && self.field("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    }

    /// True if the connection ends after the answer (RFC 9112 §9.3).
    pub fn is_last(&self) -> bool {
        let has = |token: &str| {
            let values = self.fields.iter().filter(|(key, _)| key.eq_ignore_ascii_case("connection"));
            values.flat_map(|(_, value)| value.split(',')).any(|word| word.trim().eq_ignore_ascii_case(token))
        };
        has("close") || (self.minor == 0 && !has("keep-alive"))
    }

    /// Path and query of the target; scheme and host of a proxy request are skipped.
    pub fn path_and_query(&self) -> (&str, &str) {
        let origin = match self.target.strip_prefix("http://").or_else(|| self.target.strip_prefix("https://")) {
            Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]),
            None => &self.target,
        };
        origin.split_once('?').unwrap_or((origin, ""))
    }

    /// True if an uploading client only measures the response time.
    pub fn is_ping(&self) -> bool {
        self.method == "HEAD" && self.parameter("upload").is_some()
    }

    /// The value of a query parameter.
    pub fn parameter<'a>(&'a self, name: &str) -> Option<&'a str> {
        let pairs = self.path_and_query().1.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Host name that the client addresses, without its port.
    ///
    /// # Errors
    /// HTTP/1.1 without `Host`, or with two of them (RFC 9112 §3.2).
    pub fn host(&self) -> Result<&str, Refusal> {
        let host = match self.field("host") {
            Some(host) => host.trim(),
            None if self.minor == 0 && !self.has("host") => "",
            None => return Err(Refusal::new(400, "exactly one Host is required")),
        };
        let end = if host.starts_with('[') { host.find(']').map(|at| at + 1) } else { host.rfind(':') };
        Ok(&host[..end.unwrap_or(host.len())])
    }
}
