//! Names and passwords: in the address, or in the user's `.netrc`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use url::Url;

/// A name and its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    user: String,
    password: String,
}

impl Credentials {
    /// Those that stand in the address itself, percent-decoded.
    pub fn of(url: &Url) -> Option<Self> {
        let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let has_any = !url.username().is_empty() || url.password().is_some();
        has_any.then(|| Self { user: decoded(url.username()), password: decoded(url.password().unwrap_or_default()) })
    }

    /// The value of an `Authorization` field (RFC 7617).
    pub fn basic(&self) -> String {
        format!("Basic {}", BASE64_STANDARD.encode(format!("{}:{}", self.user, self.password)))
    }
}

/// What a `.netrc` file says about `host`: the first `machine` of that name, or `default`.
pub fn netrc(text: &str, host: &str) -> Option<Credentials> {
    let mut words = without_macros(text);
    let mut found: Option<Credentials> = None;
    while let Some(word) = words.next() {
        match word {
            "machine" | "default" => {
                if found.is_some() {
                    return found;
                }
                let is_ours = word == "default" || words.next().is_some_and(|name| name.eq_ignore_ascii_case(host));
                found = is_ours.then(|| Credentials { user: String::new(), password: String::new() });
            }
            "login" | "password" | "account" => {
                let value = words.next().unwrap_or_default().to_owned();
                match (word, &mut found) {
                    ("login", Some(found)) => found.user = value,
                    ("password", Some(found)) => found.password = value,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// The words of the file but for comments and the bodies of macros, which end at an empty line.
fn without_macros(text: &str) -> impl Iterator<Item = &str> {
    let mut is_macro = false;
    let lines = text.lines().filter(move |line| {
        let first = line.split_whitespace().next();
        is_macro = first == Some("macdef") || (is_macro && first.is_some());
        !is_macro && !line.trim_start().starts_with('#')
    });
    lines.flat_map(str::split_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# mine\nmachine a.example login ann password p1\nmacdef init\nmachine b.example login x\n\n\
                        machine b.example\n  login bob\n  account c\n  password p2\ndefault login any password p3\n";

    #[test]
    fn netrc_is_read_as_ftp_reads_it() {
        let basic = |host| netrc(FILE, host).unwrap().basic();
        // `printf ann:p1 | base64` and so on.
        assert_eq!(basic("a.example"), "Basic YW5uOnAx");
        assert_eq!(basic("B.example"), "Basic Ym9iOnAy");
        assert_eq!(basic("c.example"), "Basic YW55OnAz");
        assert!(netrc("machine a.example login x password y", "b.example").is_none());
    }

    #[test]
    fn addresses_carry_credentials() {
        let url = Url::parse("http://Aladdin:open%20sesame@a.example/").unwrap();
        // RFC 7617 §2's own example.
        assert_eq!(Credentials::of(&url).unwrap().basic(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert!(Credentials::of(&Url::parse("http://a.example/").unwrap()).is_none());
    }
}
