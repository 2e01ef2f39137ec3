//! Addresses that print without their secrets.

use std::fmt;
use std::net::IpAddr;

use percent_encoding::percent_decode_str;
use url::{Host, Position, Url};

use super::auth::Credentials;

/// Replaces secrets in all printed text.
const MASK: &str = "***";

/// An `http` or `https` URL with a host. It prints without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
    /// The zone of an IPv6 address, such as the interface `eth0` of `fe80::1%eth0`.
    zone: Option<String>,
}

impl Address {
    /// Parses an address; the default scheme is `http`.
    ///
    /// # Errors
    /// Not a URL, or one of another scheme; the reason contains no secret.
    pub fn parse(text: &str) -> Result<Self, String> {
        let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let (whole, zone) = without_zone(whole);
        let url = Url::parse(&whole).map_err(|error| format!("{}: {error}", masked(text)))?;
        Self::of(url, zone).ok_or_else(|| format!("{}: only http:// and https:// URLs are supported", masked(text)))
    }

    /// Resolves a `Location` against this address. Non-ASCII bytes that are not UTF-8 are kept, percent-encoded.
    ///
    /// # Errors
    /// Not a URL, or one of another scheme; the reason contains no secret.
    pub fn join(&self, location: &[u8]) -> Result<Self, String> {
        let text = match std::str::from_utf8(location) {
            Ok(text) => text.to_owned(),
            Err(_) => percent_encoding::percent_encode(location, ABOVE_ASCII).to_string(),
        };
        let shown = || masked(&text);
        let url = self.url.join(&text).map_err(|error| format!("{:?}: {error}", shown()))?;
        let zone = self.zone.clone().filter(|_| url.host() == self.url.host());
        Self::of(url, zone).ok_or_else(|| format!("{}, which is not an http(s) URL", shown()))
    }

    fn of(url: Url, zone: Option<String>) -> Option<Self> {
        (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(Self { url, zone })
    }

    /// The zone of an IPv6 address. `Host` and TLS do not have it (RFC 6874 §3).
    pub fn zone(&self) -> Option<&str> {
        self.zone.as_deref()
    }

    /// The complete URL, secrets included, without the zone.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns whether the scheme is `https`.
    pub fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Returns whether the host is this machine, independently of name resolution.
    pub fn is_here(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => is_local(name),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
            None => false,
        }
    }

    /// Host and port; the scheme's default port is omitted.
    pub fn host(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    /// User and password in the address, percent-decoded.
    pub fn credentials(&self) -> Option<Credentials> {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let has_any = !self.url.username().is_empty() || self.url.password().is_some();
        has_any.then(|| Credentials::new(decoded(self.url.username()), self.url.password().map(decoded)))
    }
}

/// Returns whether the name is `localhost` or a subdomain of it (RFC 6761 §6.3).
fn is_local(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&masked(self.url.as_str()))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

/// A URL without the zone of its IPv6 address, and the zone: `[fe80::1%eth0]` as curl takes it, `[fe80::1%25eth0]` as
/// RFC 6874 writes it. The URL standard has no zones.
pub fn without_zone(text: String) -> (String, Option<String>) {
    let start = text.find("://").map_or(0, |at| at + 3);
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |at| start + at);
    let host = text[..end].rfind('[').filter(|at| *at >= start);
    let ends = host.and_then(|from| text[from..end].find(']').map(|to| (from, from + to)));
    let Some((at, to)) = ends.and_then(|(from, to)| text[from..to].find('%').map(|at| (from + at, to))) else {
        return (text, None);
    };
    let zone = &text[at + 1..to];
    let zone = zone.strip_prefix("25").filter(|rest| !rest.is_empty()).unwrap_or(zone);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if zone.is_empty() || !zone.bytes().all(is_name) {
        return (text, None);
    }
    (format!("{}{}", &text[..at], &text[to..]), Some(zone.to_owned()))
}

/// Encodes no ASCII characters; `percent_encode` always encodes the others.
const ABOVE_ASCII: &percent_encoding::AsciiSet = &percent_encoding::AsciiSet::EMPTY;

/// Masks the password in an address given by the user, and a user without a password, which may be a token. In text
/// that is not a URL, everything that may be one of these is masked.
pub fn masked(text: &str) -> String {
    let start = text.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = text.split_at(start);
    let authority = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    // A password that contains one of these unencoded ends at the last `@` of the text.
    let is_whole = Url::parse(text).is_ok_and(|url| url.has_host());
    let end = if is_whole { rest[..authority].rfind('@') } else { rest.rfind('@') };
    let Some(end) = end else { return text.to_owned() };
    let user = rest[..end].split_once(':').map(|(user, _)| user);
    match user {
        Some(user) => format!("{scheme}{user}:{MASK}{}", &rest[end..]),
        None => format!("{scheme}{MASK}{}", &rest[end..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_printed() {
        for (text, shown) in [
            ("http://user:SECRET@a.example/x", "http://user:***@a.example/x"),
            ("https://:SECRET@a.example:8443/x?y#z", "https://:***@a.example:8443/x?y#z"),
            ("https://SECRET@a.example/", "https://***@a.example/"),
            ("user:SECRET@a.example/x", "user:***@a.example/x"),
            ("http://a.example/x@y", "http://a.example/x@y"),
            ("http://user:SEC@RET@a.example/", "http://user:***@a.example/"),
            // Not URLs.
            ("http://user:SEC/RET@a.example/", "http://user:***@a.example/"),
            ("http://user:SEC#RET@a.example:port/", "http://user:***@a.example:port/"),
            ("http://user:SECRET@", "http://user:***@"),
            ("ftp://user:SECRET@a.example/", "ftp://user:***@a.example/"),
        ] {
            assert_eq!(masked(text), shown);
            let printed = match Address::parse(text) {
                Ok(address) => format!("{address} {address:?}"),
                Err(reason) => reason,
            };
            assert!(!printed.contains("SEC") && !printed.contains("RET"), "{printed}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        let is_here = |text| Address::parse(text).unwrap().is_here();
        for here in
            ["127.0.0.1:80", "http://127.9.9.9", "localhost", "http://LocalHost.:1", "http://a.localhost", "[::1]:8"]
        {
            assert!(is_here(here), "{here}");
        }
        for away in ["http://10.0.0.1", "http://localhost.example", "http://[2001:db8::1]", "http://notlocalhost"] {
            assert!(!is_here(away), "{away}");
        }
    }

    #[test]
    fn zones_are_no_part_of_the_url() {
        let parts = |text| Address::parse(text).map(|it| (it.url().to_string(), it.zone().map(str::to_owned)));
        let with = |url: &str, zone: &str| Ok((url.to_owned(), Some(zone.to_owned())));
        for text in ["http://u@[fe80::1%eth0]:8765/x%41?[y%25]", "u@[fe80::1%25eth0]:8765/x%41?[y%25]"] {
            assert_eq!(parts(text), with("http://u@[fe80::1]:8765/x%41?[y%25]", "eth0"), "{text}");
        }
        // 25 is also a number of an interface.
        assert_eq!(parts("https://[fe80::1%25]"), with("https://[fe80::1]/", "25"));
        assert_eq!(parts("http://[fe80::1%252]/"), with("http://[fe80::1]/", "2"));
        assert_eq!(parts("http://a.example/[x%eth0]"), Ok(("http://a.example/[x%eth0]".to_owned(), None)));
        for wrong in ["http://[fe80::1%]/", "http://[fe80::1%a b]/", "http://[fe80::1%eth0/x]"] {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
        // A redirect on the same host stays in its zone.
        let from = Address::parse("http://[fe80::1%eth0]/x").unwrap();
        let zone = |to: &[u8]| from.join(to).unwrap().zone().map(str::to_owned);
        assert_eq!(zone(b"/y"), Some("eth0".to_owned()));
        assert_eq!((zone(b"http://[fe80::2]/"), zone(b"http://a.example/")), (None, None));
    }

    #[test]
    fn a_location_is_taken_byte_by_byte() {
        let from = Address::parse("http://u:SECRET@a.example/b/c").unwrap();
        let to = |location: &[u8]| from.join(location).unwrap().url().to_string();
        assert_eq!(to(b"/caf\xe9.bin?\xff"), "http://u:SECRET@a.example/caf%E9.bin?%FF");
        assert_eq!(to("/caf\u{e9}.bin".as_bytes()), "http://u:SECRET@a.example/caf%C3%A9.bin");
        assert_eq!(to(b"http://b.example/%41"), "http://b.example/%41");
        let refused = from.join(b"ftp://u:SECRET@b.example/").unwrap_err();
        assert!(!refused.contains("SECRET"), "{refused}");
    }
}
