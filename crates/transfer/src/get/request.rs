//! What is said to the server.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use url::{Position, Url};

use super::validator::Validator;
use crate::common::Error;
use crate::http::{Credentials, Dialer, Head, netrc};

/// Fields of the user's that another server may see too: they say nothing that only the first one should know.
const HARMLESS: [&str; 4] = ["accept", "accept-language", "referer", "user-agent"];

/// Makes requests and opens the connections to send them on.
pub(super) struct Requests {
    pub dialer: Dialer,
    /// The address that the user gave: its server may see all of the user's fields.
    pub origin: Url,
    fields: Vec<(String, String)>,
    netrc: Option<String>,
}

impl Requests {
    pub fn new(dialer: Dialer, origin: Url, fields: Vec<(String, String)>) -> Self {
        let path = env::var_os("NETRC").map(PathBuf::from);
        let path = path.or_else(|| env::home_dir().map(|home| home.join(".netrc")));
        Self { dialer, origin, fields, netrc: path.and_then(|path| fs::read_to_string(path).ok()) }
    }

    /// Asks for a file, or for the bytes `range` (first, and after the last) of it if it is still the version of
    /// `validator`.
    pub fn get(&self, url: &Url, range: Option<(u64, u64)>, validator: Option<&Validator>) -> Vec<u8> {
        let mut request = self.begin("GET", url);
        if let Some((start, end)) = range {
            add(&mut request, "Range", &format!("bytes={start}-{}", end - 1));
        }
        if let Some(validator) = validator {
            add(&mut request, "If-Range", validator.text());
        }
        finish(request)
    }

    /// Asks for nothing but an answer.
    pub fn ping(&self, url: &Url) -> Vec<u8> {
        finish(self.begin("HEAD", url))
    }

    fn begin(&self, method: &str, url: &Url) -> String {
        let mut request = format!("{method} {} HTTP/1.1\r\n", self.dialer.target(url));
        add(&mut request, "Host", &url[Position::BeforeHost..Position::AfterPort]);
        add(&mut request, "Accept-Encoding", "identity");
        let is_home = url.origin() == self.origin.origin();
        let sent = self.fields.iter().filter(|(name, _)| is_home || is_any(name, &HARMLESS));
        sent.clone().for_each(|(name, value)| add(&mut request, name, value));
        let has = |wanted: &str| sent.clone().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        if !has("user-agent") {
            add(&mut request, "User-Agent", concat!("windward/", env!("CARGO_PKG_VERSION")));
        }
        if !has("accept") {
            add(&mut request, "Accept", "*/*");
        }
        if !has("authorization") {
            let known = || netrc(self.netrc.as_deref()?, url.host_str()?);
            if let Some(credentials) = Credentials::of(url).or_else(known) {
                add(&mut request, "Authorization", &credentials.basic());
            }
        }
        // In a tunnel the proxy is another's business; without one each request passes through it.
        if url.scheme() == "http"
            && let Some(authorization) = self.dialer.proxy(url).and_then(|proxy| proxy.authorization())
        {
            add(&mut request, "Proxy-Authorization", &authorization);
        }
        request
    }
}

fn add(request: &mut String, name: &str, value: &str) {
    // Writing to a string cannot fail.
    _ = write!(request, "{name}: {value}\r\n");
}

fn finish(mut request: String) -> Vec<u8> {
    request.push_str("\r\n");
    request.into_bytes()
}

fn is_any(name: &str, names: &[&str]) -> bool {
    names.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// Whether a status sends elsewhere.
pub(super) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Where a redirect leads.
///
/// # Errors
/// Nowhere, to something that is no HTTP, or from a server that proved who it is to one that will not.
pub(super) fn redirected(from: &Url, head: &Head) -> Result<Url, Error> {
    let refused = |reason: String| Error::Refused { status: head.status, reason };
    let location = head.field("location").ok_or_else(|| refused(" without a Location".to_owned()))?;
    let to = from.join(location).map_err(|error| refused(format!(" to {location:?}: {error}")))?;
    if !matches!(to.scheme(), "http" | "https") || !to.has_host() {
        return Err(refused(format!(" to {to}, which is not an http(s) URL")));
    }
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(refused(format!(
            ", a redirect from https to {to}\nhint: use that URL directly if you trust the network"
        )));
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::http::Proxies;

    fn requests(fields: &[(&str, &str)]) -> Requests {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let dialer = Dialer::new(Proxies::default(), None, Duration::from_secs(1), Duration::from_secs(1));
        let origin = Url::parse("https://a.example/").unwrap();
        Requests { dialer, origin, fields, netrc: Some("machine b.example login bob password p".to_owned()) }
    }

    fn text(requests: &Requests, url: &str) -> String {
        String::from_utf8(requests.get(&Url::parse(url).unwrap(), Some((5, 10)), None)).unwrap()
    }

    #[test]
    fn secrets_stay_with_the_server_they_are_for() {
        let requests = requests(&[("Authorization", "Bearer s"), ("X-Token", "t"), ("Accept", "a/b")]);
        let home = text(&requests, "https://a.example/x?y=1#z");
        assert!(home.starts_with("GET /x?y=1 HTTP/1.1\r\nHost: a.example\r\n"), "{home}");
        assert!(home.contains("\r\nRange: bytes=5-9\r\n"));
        assert!(home.contains("Authorization: Bearer s\r\n") && home.contains("X-Token: t\r\n"));
        // Another host, another scheme, another port.
        for url in ["https://b.example/", "http://a.example/", "https://a.example:8443/"] {
            let away = text(&requests, url);
            assert!(!away.contains("Bearer") && !away.contains("X-Token"), "{away}");
            assert!(away.contains("Accept: a/b\r\n"));
        }
        assert!(text(&requests, "https://b.example/").contains("Authorization: Basic Ym9iOnA=\r\n"));
    }

    #[test]
    fn hosts_are_written_as_rfc_9110_wants() {
        let requests = requests(&[]);
        assert!(text(&requests, "http://[::1]:8080/").contains("Host: [::1]:8080\r\n"));
        assert!(text(&requests, "http://u:p@a.example:80/").contains("Host: a.example\r\n"));
    }
}
