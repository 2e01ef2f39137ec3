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
pub struct Address(Url);

impl Address {
    /// Parses an address; the default scheme is `http`.
    ///
    /// # Errors
    /// Not a URL, or one of another scheme; the reason contains no secret.
    pub fn parse(text: &str) -> Result<Self, String> {
        let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = Url::parse(&whole).map_err(|error| format!("{}: {error}", masked(text)))?;
        Self::of(url).ok_or_else(|| format!("{}: only http:// and https:// URLs are supported", masked(text)))
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
        let url = self.0.join(&text).map_err(|error| format!("{:?}: {error}", shown()))?;
        Self::of(url).ok_or_else(|| format!("{}, which is not an http(s) URL", shown()))
    }

    fn of(url: Url) -> Option<Self> {
        (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(Self(url))
    }

    /// The complete URL, secrets included.
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// Returns whether the scheme is `https`.
    pub fn is_encrypted(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns whether the host is this machine, independently of name resolution.
    pub fn is_here(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => is_local(name),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
            None => false,
        }
    }

    /// Host and port; the scheme's default port is omitted.
    pub fn host(&self) -> &str {
        &self.0[Position::BeforeHost..Position::AfterPort]
    }

    /// User and password in the address, percent-decoded.
    pub fn credentials(&self) -> Option<Credentials> {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let has_any = !self.0.username().is_empty() || self.0.password().is_some();
        has_any.then(|| Credentials::new(decoded(self.0.username()), self.0.password().map(decoded)))
    }
}

/// Returns whether the name is `localhost` or a subdomain of it (RFC 6761 §6.3).
fn is_local(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&masked(self.0.as_str()))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
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
