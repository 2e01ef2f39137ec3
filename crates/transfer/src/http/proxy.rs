//! Which proxy a request goes through: what the environment says, as curl reads it.

use url::{Host, Url};

use super::auth::Credentials;
use super::error::Error;

/// The environment's proxies.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    http: Option<Url>,
    https: Option<Url>,
    /// Hosts that are reached without one; `*` is all of them.
    except: Vec<String>,
}

/// A proxy to go through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    url: Url,
}

impl Proxies {
    /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` from `variable`. Capitals count too, but not
    /// for `HTTP_PROXY`, which a CGI server sets from a request's header.
    ///
    /// # Errors
    /// A proxy that is no `http://` address.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let either = |name: &str| variable(name).or_else(|| variable(&name.to_uppercase())).filter(|it| !it.is_empty());
        let all = either("all_proxy");
        let http = variable("http_proxy").filter(|it| !it.is_empty()).or_else(|| all.clone());
        let except = either("no_proxy").unwrap_or_default();
        Ok(Self {
            http: http.map(|text| proxy(&text)).transpose()?,
            https: either("https_proxy").or(all).map(|text| proxy(&text)).transpose()?,
            except: except.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_lowercase).collect(),
        })
    }

    /// The proxy for `url`, if it needs one.
    pub fn of(&self, url: &Url) -> Option<Proxy> {
        let chosen = if url.scheme() == "https" { &self.https } else { &self.http };
        let is_direct = self.except.iter().any(|name| covers(name, url));
        chosen.clone().filter(|_| !is_direct).map(|url| Proxy { url })
    }
}

impl Proxy {
    /// Its address, whose scheme is `http`.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The value of a `Proxy-Authorization` field.
    pub fn authorization(&self) -> Option<String> {
        Credentials::of(&self.url).map(|credentials| credentials.basic())
    }
}

fn proxy(text: &str) -> Result<Url, Error> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let wrong = |reason: &str| Error::Proxy { proxy: text.clone(), reason: reason.to_owned() };
    let url = Url::parse(&text).map_err(|error| wrong(&format!("is not a URL: {error}")))?;
    if url.scheme() == "http" { Ok(url) } else { Err(wrong("is not an http:// proxy; other kinds are not supported")) }
}

/// Whether an entry of `no_proxy` covers the host: the name itself, or a domain above it; `name:port` only that port.
fn covers(name: &str, url: &Url) -> bool {
    let (name, port) = match name.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, port.parse::<u16>().ok()),
        _ => (name, None),
    };
    if port.is_some() && port != url.port_or_known_default() {
        return false;
    }
    let domain = name.trim_start_matches('.');
    match url.host() {
        _ if name == "*" => true,
        Some(Host::Domain(host)) => {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }
        Some(Host::Ipv4(address)) => domain == address.to_string(),
        Some(Host::Ipv6(address)) => domain.trim_matches(['[', ']']) == address.to_string(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(environment: &[(&str, &str)], url: &str) -> Option<String> {
        let variable =
            |name: &str| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let proxy = Proxies::from_environment(variable).unwrap().of(&Url::parse(url).unwrap())?;
        Some(proxy.url().to_string())
    }

    #[test]
    fn the_environment_is_read_as_curl_reads_it() {
        let plain = [("http_proxy", "p.example:3128"), ("HTTPS_PROXY", "http://s.example:1")];
        assert_eq!(chosen(&plain, "http://a.example/").unwrap(), "http://p.example:3128/");
        assert_eq!(chosen(&plain, "https://a.example/").unwrap(), "http://s.example:1/");
        assert_eq!(chosen(&[("HTTP_PROXY", "p.example")], "http://a.example/"), None);
        assert_eq!(chosen(&[("ALL_PROXY", "p.example")], "http://a.example/").unwrap(), "http://p.example/");
    }

    #[test]
    fn exceptions_are_domains_not_suffixes() {
        let direct = |except, url| chosen(&[("http_proxy", "p.example"), ("no_proxy", except)], url).is_none();
        assert!(direct("a.example", "http://a.example/"));
        assert!(direct(".a.example,other", "http://b.a.example/"));
        assert!(!direct("a.example", "http://ba.example/"));
        assert!(direct("127.0.0.1, ::1", "http://127.0.0.1:80/"));
        assert!(direct("127.0.0.1,::1", "http://[::1]:8080/"));
        assert!(direct("*", "http://a.example/"));
        assert!(direct("a.example:81", "http://a.example:81/"));
        assert!(!direct("a.example:81", "http://a.example/"));
    }

    #[test]
    fn other_kinds_of_proxy_are_refused() {
        let environment = |_: &str| Some("socks5://p.example".to_owned());
        assert!(Proxies::from_environment(environment).is_err());
    }
}
