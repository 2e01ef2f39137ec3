//! Cookies that redirects set, for the requests that follow: RFC 6265, within one download.
//!
//! The jar is empty when a download begins and gone when it ends. Public suffixes are not known: a `Domain`
//! needs a dot.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::{Address, Head};

/// Maximum number of cookies, and of bytes of one's name and value (RFC 6265 §6.1 asks for 50 and 4096).
const MOST: usize = 64;
const MOST_BYTES: usize = 4096;
/// Maximum number of bytes of a `Cookie` field.
const MOST_SENT: usize = 8 << 10;

/// The cookies of a download.
#[derive(Debug, Default)]
pub struct Jar(Mutex<Vec<Cookie>>);

#[derive(Clone, Debug)]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    path: String,
    /// True for the host that has set the cookie alone, and not for those below it.
    is_host_only: bool,
    is_secure: bool,
    until: Option<SystemTime>,
}

impl Jar {
    /// Keeps the cookies of a response from `url`; one of the same name, domain and path is replaced.
    pub fn keep(&self, url: &Address, head: &Head, now: SystemTime) {
        for text in head.values("set-cookie") {
            let Some(cookie) = Cookie::parse(text, url, now) else { continue };
            let mut there = self.lock();
            there.retain(|own| (&own.name, &own.domain, &own.path) != (&cookie.name, &cookie.domain, &cookie.path));
            if cookie.until.is_none_or(|until| until > now) && there.len() < MOST {
                there.push(cookie);
            }
        }
    }

    /// The value of the `Cookie` field for `url`, after the user's own, whose names win.
    pub fn field(&self, url: &Address, own: Option<&str>, now: SystemTime) -> Option<String> {
        let mut field = own.map(str::trim).unwrap_or_default().to_owned();
        let names: Vec<_> = field.split(';').filter_map(|pair| pair.split_once('=')).collect();
        let has = |name: &str| names.iter().any(|(own, _)| own.trim() == name);
        let mut sent: Vec<_> = self.lock().iter().filter(|it| it.is_for(url, now) && !has(&it.name)).cloned().collect();
        // RFC 6265 §5.4: longer paths first, then the older cookie.
        sent.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        for Cookie { name, value, .. } in sent {
            if field.len() + name.len() + value.len() < MOST_SENT {
                let between = if field.is_empty() { "" } else { "; " };
                field.push_str(&format!("{between}{name}={value}"));
            }
        }
        (!field.is_empty()).then_some(field)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Cookie>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cookie {
    /// RFC 6265 §5.2 and §5.3; `None` for what `url` may not set.
    fn parse(text: &str, url: &Address, now: SystemTime) -> Option<Self> {
        let mut parts = text.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        let is_text = |text: &str| text.bytes().all(|byte| byte == b'\t' || (b' '..0x7f).contains(&byte));
        if name.is_empty() || name.len() + value.len() > MOST_BYTES || !is_text(&name) || !is_text(&value) {
            return None;
        }
        let host = host(url);
        let mut cookie = Self {
            name,
            value,
            domain: host.clone(),
            path: directory(url.url().path()).to_owned(),
            is_host_only: true,
            is_secure: false,
            until: None,
        };
        let mut age = None;
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "domain" if !value.trim_start_matches('.').is_empty() => {
                    cookie.domain = value.trim_start_matches('.').to_ascii_lowercase();
                    cookie.is_host_only = false;
                }
                "path" if value.starts_with('/') => cookie.path = value.to_owned(),
                "secure" => cookie.is_secure = true,
                // RFC 6265 §5.2.2: a `Max-Age` has precedence over an `Expires`, wherever it stands.
                "max-age" => age = value.parse::<i64>().ok().or(age),
                "expires" => cookie.until = httpdate::parse_http_date(value).ok().or(cookie.until),
                _ => {}
            }
        }
        if let Some(age) = age {
            cookie.until = now.checked_add(Duration::from_secs(u64::try_from(age).unwrap_or(0)));
        }
        let is_own = cookie.is_host_only || cookie.domain == host;
        let is_above = cookie.domain.contains('.') && is_below(&host, &cookie.domain);
        ((is_own || is_above) && (!cookie.is_secure || url.is_encrypted())).then_some(cookie)
    }

    fn is_for(&self, url: &Address, now: SystemTime) -> bool {
        let host = host(url);
        let is_host = host == self.domain || (!self.is_host_only && is_below(&host, &self.domain));
        let is_live = self.until.is_none_or(|until| until > now);
        is_host && is_live && is_within(url.url().path(), &self.path) && (!self.is_secure || url.is_encrypted())
    }
}

fn host(url: &Address) -> String {
    url.url().host_str().unwrap_or_default().trim_end_matches('.').to_owned()
}

/// Returns whether `host` is a name below `domain`; addresses have none (RFC 6265 §5.1.3).
fn is_below(host: &str, domain: &str) -> bool {
    let is_address = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    !is_address && host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// The default path (RFC 6265 §5.1.4).
fn directory(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || folder.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: &str = "https://get.a.example/files/x.bin";

    fn sent(set: &[&str], from: &str, to: &str) -> Option<String> {
        let [from, to] = [from, to].map(|url| Address::parse(url).unwrap());
        let jar = Jar::default();
        let fields: String = set.iter().map(|value| format!("Set-Cookie: {value}\r\n")).collect();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        jar.keep(&from, &Head::of(&format!("HTTP/1.1 302 Found\r\n{fields}\r\n")), now);
        jar.field(&to, None, now + Duration::from_secs(10))
    }

    #[test]
    fn a_cookie_returns_to_the_host_that_set_it() {
        let one = Some("k=v".to_owned());
        assert_eq!(sent(&["k=v"], FROM, "https://get.a.example/files/y"), one);
        assert_eq!(sent(&["k=v; Path=/"], FROM, "https://get.a.example/"), one);
        // Ports do not separate cookies (RFC 6265 §8.5).
        assert_eq!(sent(&["k=v; path=/"], FROM, "http://get.a.example:81/"), one);
        for other in ["https://a.example/files/y", "https://b.get.a.example/files/y", "https://get.b.example/files/y"] {
            assert_eq!(sent(&["k=v"], FROM, other), None, "{other}");
        }
        // The default path is the folder of the file.
        for other in ["https://get.a.example/", "https://get.a.example/filesystem"] {
            assert_eq!(sent(&["k=v"], FROM, other), None, "{other}");
        }
    }

    #[test]
    fn a_domain_is_one_of_the_host() {
        let to = "https://cdn.a.example/y";
        let one = Some("k=v".to_owned());
        assert_eq!(sent(&["k=v; Path=/; Domain=.A.example"], FROM, to), one);
        assert_eq!(sent(&["k=v; Path=/; Domain=a.example"], FROM, to), one);
        for domain in ["b.example", "cdn.a.example", "example", "xa.example"] {
            assert_eq!(sent(&[&format!("k=v; Path=/; Domain={domain}")], FROM, to), None, "{domain}");
        }
        assert_eq!(sent(&["k=v; Path=/; Domain=0.0.1"], "http://127.0.0.1/", "http://126.0.0.1/"), None);
    }

    #[test]
    fn secure_cookies_need_tls() {
        assert_eq!(sent(&["k=v; Path=/; Secure"], FROM, "http://get.a.example/"), None);
        assert_eq!(sent(&["k=v; Path=/; Secure"], FROM, "https://get.a.example/"), Some("k=v".to_owned()));
        assert_eq!(sent(&["k=v; Secure"], "http://a.example/", "https://a.example/"), None);
    }

    #[test]
    fn cookies_end() {
        for over in ["Max-Age=0", "Max-Age=-1", "Max-Age=9", "Expires=Sun, 09 Sep 2001 01:46:39 GMT"] {
            assert_eq!(sent(&["k=v; Path=/", &format!("k=w; Path=/; {over}")], FROM, FROM), None, "{over}");
        }
        for live in ["Max-Age=60", "Max-Age=60; Expires=Sun, 09 Sep 2001 01:46:39 GMT", "Max-Age=x", "Expires=x"] {
            assert_eq!(sent(&[&format!("k=v; {live}")], FROM, FROM), Some("k=v".to_owned()), "{live}");
        }
    }

    #[test]
    fn fields_are_joined_and_bounded() {
        assert_eq!(sent(&["a=1; Path=/", "b=2", "a=3; Path=/"], FROM, FROM), Some("b=2; a=3".to_owned()));
        for wrong in ["=v", "k", "k=\u{e9}"] {
            assert_eq!(sent(&[wrong], FROM, FROM), None, "{wrong}");
        }
        let many: Vec<_> = (0..80).map(|at| format!("k{at}={}", "v".repeat(1000))).collect();
        let sent = sent(&many.iter().map(String::as_str).collect::<Vec<_>>(), FROM, FROM).unwrap();
        assert!(sent.len() <= MOST_SENT && sent.matches(';').count() == 7, "{}", sent.len());
    }

    #[test]
    fn the_users_cookies_win() {
        let (jar, url, now) = (Jar::default(), Address::parse(FROM).unwrap(), SystemTime::now());
        jar.keep(&url, &Head::of("HTTP/1.1 302 Found\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"), now);
        assert_eq!(jar.field(&url, Some("a=own"), now), Some("a=own; b=2".to_owned()));
        assert_eq!(Jar::default().field(&url, Some("a=own"), now), Some("a=own".to_owned()));
        assert_eq!(Jar::default().field(&url, None, now), None);
    }
}
