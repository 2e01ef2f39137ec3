//! Requests to the server.

use std::env;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use super::validator::Validator;
use crate::error::Error;
use crate::http::{Address, Credentials, Dialer, Entry, Head, Jar, netrc};
use crate::local;

/// User fields that other servers may see too, because they contain nothing confidential.
const HARMLESS: [&str; 4] = ["accept", "accept-language", "referer", "user-agent"];

/// Makes requests, and opens connections for them.
pub(super) struct Requests {
    pub dialer: Dialer,
    /// The address given by the user; its server receives all of the user's fields.
    pub origin: Address,
    fields: Vec<(String, String)>,
    netrc: Option<String>,
    cookies: Jar,
    /// True if passwords may be sent over plain `http` to other machines.
    is_insecure: bool,
}

impl Requests {
    pub fn new(dialer: Dialer, origin: Address, fields: Vec<(String, String)>, is_insecure: bool) -> Self {
        let path = env::var_os("NETRC").map(PathBuf::from);
        let path = path.or_else(|| env::home_dir().map(|home| home.join(".netrc")));
        let netrc = path.and_then(|path| local::read(&path).ok());
        let netrc = netrc.map(|text| String::from_utf8_lossy(&text).into_owned());
        Self { dialer, origin, fields, netrc, cookies: Jar::default(), is_insecure }
    }

    /// Returns whether `.netrc` names the host of the user's address, but plain `http` would expose its password to the
    /// network.
    pub fn withholds(&self) -> bool {
        let own = self.origin.credentials();
        let needs = own.as_ref().is_none_or(|own| !own.has_password()) && !self.has("authorization");
        let is_named =
            || self.entry(&self.origin, own.as_ref().map(Credentials::user)).is_some_and(|entry| entry.is_named);
        needs && !self.is_private(&self.origin) && is_named()
    }

    /// User and password for a server: from its own address, from the user's address if that is the same server, or
    /// from `.netrc`.
    fn credentials(&self, to: &Address) -> Option<Credentials> {
        let own = to.credentials().or_else(|| self.origin.credentials().filter(|_| self.is_home(to)));
        match own {
            Some(own) if own.has_password() => Some(own),
            own => {
                let known = self.known(to, own.as_ref().map(Credentials::user));
                known.filter(|_| self.is_private(to)).or(own)
            }
        }
    }

    /// Credentials from `.netrc`. A redirect to another server gets a password only if the file names that host, and
    /// only over TLS at its standard port. The file has no ports, and the redirecting server could listen at any other.
    fn known(&self, to: &Address, user: Option<&str>) -> Option<Credentials> {
        let entry = self.entry(to, user)?;
        let is_named = entry.is_named && to.is_encrypted() && to.url().port().is_none();
        (self.is_home(to) || is_named).then_some(entry.credentials)
    }

    fn entry(&self, to: &Address, user: Option<&str>) -> Option<Entry> {
        let host = to.url().host_str()?.trim_matches(['[', ']']);
        netrc(self.netrc.as_deref()?, host, user)
    }

    /// Returns whether a password for this server stays confidential.
    fn is_private(&self, to: &Address) -> bool {
        self.is_insecure || to.is_encrypted() || to.is_here()
    }

    fn is_home(&self, to: &Address) -> bool {
        to.url().origin() == self.origin.url().origin()
    }

    fn has(&self, wanted: &str) -> bool {
        self.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted))
    }

    /// A request for a file, or for the bytes `range` (first, and after the last) if the file is still the version of
    /// `validator`.
    pub fn get(&self, url: &Address, range: Option<(u64, u64)>, validator: Option<&Validator>) -> Vec<u8> {
        let mut request = self.begin("GET", url);
        if let Some((start, end)) = range {
            add(&mut request, "Range", &format!("bytes={start}-{}", end - 1));
        }
        if let Some(validator) = validator {
            add(&mut request, "If-Range", validator.text());
        }
        finish(request)
    }

    /// A request that only measures the response time.
    pub fn ping(&self, url: &Address) -> Vec<u8> {
        finish(self.begin("HEAD", url))
    }

    /// Target of a redirect, whose cookies are kept.
    ///
    /// # Errors
    /// The target is missing, is not an HTTP address, or would lead from https to http.
    pub fn redirected(&self, from: &Address, head: &Head) -> Result<Address, Error> {
        self.cookies.keep(from, head, SystemTime::now());
        redirected(from, head)
    }

    fn begin(&self, method: &str, to: &Address) -> String {
        let url = to.url();
        let mut request = format!("{method} {} HTTP/1.1\r\n", self.dialer.target(url));
        add(&mut request, "Host", to.host());
        add(&mut request, "Accept-Encoding", "identity");
        let is_home = self.is_home(to);
        let sent = self.fields.iter().filter(|(name, _)| is_home || is_any(name, &HARMLESS));
        let is_cookie = |name: &str| name.eq_ignore_ascii_case("cookie");
        sent.clone().filter(|(name, _)| !is_cookie(name)).for_each(|(name, value)| add(&mut request, name, value));
        let own: Vec<_> = sent.clone().filter(|(name, _)| is_cookie(name)).map(|(_, value)| value.as_str()).collect();
        let own = (!own.is_empty()).then(|| own.join("; "));
        if let Some(cookies) = self.cookies.field(to, own.as_deref(), SystemTime::now()) {
            add(&mut request, "Cookie", &cookies);
        }
        let has = |wanted: &str| sent.clone().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
        if !has("user-agent") {
            add(&mut request, "User-Agent", concat!("windward/", env!("CARGO_PKG_VERSION")));
        }
        if !has("accept") {
            add(&mut request, "Accept", "*/*");
        }
        if !has("authorization")
            && let Some(credentials) = self.credentials(to)
        {
            add(&mut request, "Authorization", &credentials.basic());
        }
        // In a tunnel the proxy has its own authorization; without one, each request passes through the proxy.
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

/// True if a status is a redirect.
pub(super) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Target of a redirect.
pub(super) fn redirected(from: &Address, head: &Head) -> Result<Address, Error> {
    let refused = |reason: String| Error::Refused { status: head.status, reason };
    let location = head.bytes("location").ok_or_else(|| refused(" without a Location".to_owned()))?;
    let to = from.join(location).map_err(|reason| refused(format!(" to {reason}")))?;
    if from.is_encrypted() && !to.is_encrypted() {
        return Err(refused(format!(
            ", a redirect from https to {to}\nhint: use that URL directly if you trust the network"
        )));
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;

    use super::*;
    use crate::http::Proxies;

    fn requests(fields: &[(&str, &str)]) -> Requests {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let dialer = Dialer::new(Proxies::default(), None, Duration::from_secs(1), Duration::from_secs(1));
        let origin = Address::parse("https://a.example/").unwrap();
        let netrc = Some("machine b.example login bob password p default login any password all".to_owned());
        Requests { dialer, origin, fields, netrc, cookies: Jar::default(), is_insecure: false }
    }

    fn text(requests: &Requests, url: &str) -> String {
        String::from_utf8(requests.get(&Address::parse(url).unwrap(), Some((5, 10)), None)).unwrap()
    }

    /// User and password sent to `url` if the user gave `origin`.
    fn sent(origin: &str, netrc: &str, is_insecure: bool, url: &str) -> Option<String> {
        let origin = Address::parse(origin).unwrap();
        let requests = Requests { origin, netrc: Some(netrc.to_owned()), is_insecure, ..requests(&[]) };
        let text = text(&requests, url);
        let value = text.lines().find_map(|line| line.strip_prefix("Authorization: Basic "))?.to_owned();
        Some(String::from_utf8(BASE64_STANDARD.decode(value).unwrap()).unwrap())
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
    fn passwords_do_not_follow_a_redirect() {
        let netrc = "machine a.example login ann password p\nmachine b.example login bob password q\n\
                     default login any password r";
        let of = |origin, url| sent(origin, netrc, false, url);
        let ann = Some("ann:p".to_owned());
        assert_eq!(of("https://a.example/x", "https://a.example/y"), ann);
        assert_eq!(of("https://a.example:8443/x", "https://a.example:8443/y"), ann);
        // Another port or scheme, or a host that only `default` covers.
        for url in ["https://a.example:8443/", "http://a.example/", "https://c.example/", "https://b.example:8443/"] {
            assert_eq!(of("https://a.example/x", url), None, "{url}");
        }
        assert_eq!(of("https://c.example/x", "https://c.example/y"), Some("any:r".to_owned()));
        // The password of that host, and over TLS.
        assert_eq!(of("https://a.example/x", "https://b.example/"), Some("bob:q".to_owned()));
        assert_eq!(of("http://127.0.0.1:1/", "http://127.0.0.1:2/"), None);
        // The password of the address, only to the same server.
        assert_eq!(of("https://u:s@d.example/x", "https://d.example/y"), Some("u:s".to_owned()));
        assert_eq!(of("https://u:s@b.example/x", "https://b.example:1/y"), None);
    }

    #[test]
    fn plain_http_shows_no_password_to_the_network() {
        let netrc = "machine a.example login ann password p\nmachine 127.0.0.1 login here password q";
        assert_eq!(sent("http://a.example/", netrc, false, "http://a.example/"), None);
        assert_eq!(sent("http://a.example/", netrc, true, "http://a.example/"), Some("ann:p".to_owned()));
        assert_eq!(sent("http://127.0.0.1/", netrc, false, "http://127.0.0.1/"), Some("here:q".to_owned()));
        // A user without a password is not a secret.
        assert_eq!(sent("http://x@a.example/", netrc, false, "http://x@a.example/"), Some("x:".to_owned()));
    }

    #[test]
    fn hosts_are_written_as_rfc_9110_wants() {
        let requests = requests(&[]);
        assert!(text(&requests, "http://[::1]:8080/").contains("Host: [::1]:8080\r\n"));
        assert!(text(&requests, "http://u:p@a.example:80/").contains("Host: a.example\r\n"));
    }
}
