//! Proxy selection from environment variables, as curl does.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::address::{Address, masked};
use super::error::Error;

/// The environment's proxies.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    http: Option<Address>,
    https: Option<Address>,
    /// Hosts that are reached without a proxy; `*` means all.
    except: Vec<String>,
}

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    address: Address,
}

impl Proxies {
    /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` from `variable`. Upper-case names count too,
    /// except `HTTP_PROXY`, which a CGI server sets from a request's header.
    ///
    /// # Errors
    /// A proxy that is not an `http://` address.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let either = |name: &str| variable(name).or_else(|| variable(&name.to_uppercase())).filter(|it| !it.is_empty());
        let all = either("all_proxy");
        let http = variable("http_proxy").filter(|it| !it.is_empty()).or_else(|| all.clone());
        let except = either("no_proxy").unwrap_or_default();
        Ok(Self {
            http: http.map(|text| proxy(&text)).transpose()?,
            https: either("https_proxy").or(all).map(|text| proxy(&text)).transpose()?,
            except: except.split([',', ' ', '\t']).filter(|name| !name.is_empty()).map(str::to_lowercase).collect(),
        })
    }

    /// The proxy for `url`, if one is configured.
    pub fn of(&self, url: &Url) -> Option<Proxy> {
        let chosen = if url.scheme() == "https" { &self.https } else { &self.http };
        let is_direct = self.except.iter().any(|name| covers(name, url));
        chosen.clone().filter(|_| !is_direct).map(|address| Proxy { address })
    }
}

impl Proxy {
    /// Its address; the scheme is `http`.
    pub fn url(&self) -> &Url {
        self.address.url()
    }

    /// The value of a `Proxy-Authorization` field.
    pub fn authorization(&self) -> Option<String> {
        self.address.credentials().map(|credentials| credentials.basic())
    }
}

fn proxy(text: &str) -> Result<Address, Error> {
    let wrong = || {
        let reason = "is not an http:// proxy; other kinds are not supported".to_owned();
        Error::Proxy { proxy: masked(text), reason }
    };
    Address::parse(text).ok().filter(|address| !address.is_encrypted()).ok_or_else(wrong)
}

/// Returns whether an entry of `no_proxy` covers the host: the name itself, a parent domain, or an address block
/// (`10.0.0.0/8`, `fd00::/8`), as in curl since 7.86. `name:port` covers only that port.
fn covers(name: &str, url: &Url) -> bool {
    let (name, port) = match name.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, port.parse::<u16>().ok()),
        _ => (name, None),
    };
    if port.is_some() && port != url.port_or_known_default() {
        return false;
    }
    // The final dot of a fully qualified name.
    let domain = name.trim_start_matches('.').trim_end_matches('.');
    match url.host() {
        _ if name == "*" => true,
        Some(Host::Domain(host)) => {
            let rest = host.trim_end_matches('.').strip_suffix(domain).filter(|_| !domain.is_empty());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }
        Some(Host::Ipv4(address)) => is_in_block(name, address.into()),
        Some(Host::Ipv6(address)) => is_in_block(name, address.into()),
        None => false,
    }
}

/// Returns whether an address equals `block` or is in it: `ADDRESS/BITS`; 0 or no bits compare the whole address.
fn is_in_block(block: &str, address: IpAddr) -> bool {
    let (base, bits) = block.split_once('/').unwrap_or((block, "0"));
    let Ok(bits) = bits.parse::<u32>() else { return false };
    let share = |value: u128, width: u32| match bits {
        0 => Some(value),
        bits if bits <= width => Some(value >> (width - bits)),
        _ => None,
    };
    let are_alike = |one, other, width| share(one, width).is_some_and(|one| share(other, width) == Some(one));
    match address {
        IpAddr::V4(address) => {
            base.parse::<Ipv4Addr>().is_ok_and(|base| are_alike(base.to_bits().into(), address.to_bits().into(), 32))
        }
        IpAddr::V6(address) => {
            let base = base.trim_matches(['[', ']']).parse::<Ipv6Addr>();
            base.is_ok_and(|base| are_alike(base.to_bits(), address.to_bits(), 128))
        }
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

    /// As curl since 7.86 (`lib/noproxy.c`).
    #[test]
    fn exceptions_are_blocks_of_addresses_too() {
        let direct = |except, url| chosen(&[("http_proxy", "p.example"), ("no_proxy", except)], url).is_none();
        for block in ["127.0.0.0/8", "127.0.0.1/32", "x,\t127.0.0.1", "127.1.2.3/8", "127.0.0.1/0"] {
            assert!(direct(block, "http://127.0.0.1:80/"), "{block}");
        }
        for block in ["127.0.0.0/33", "128.0.0.0/8", "127.0.0.0", "127.0.0.0/x", "127.0.0.2/32", "::1/8", "0.0.0.0/0"] {
            assert!(!direct(block, "http://127.0.0.1:80/"), "{block}");
        }
        assert!(direct("fd00::/8", "http://[fd12:3456::1]/") && direct("0:0::1/128", "http://[::1]/"));
        assert!(!direct("fd00::/16", "http://[fd12:3456::1]/") && !direct("fd00::/129", "http://[fd00::]/"));
    }

    #[test]
    fn a_dot_at_the_end_of_a_name_says_nothing() {
        let direct = |except, url| chosen(&[("http_proxy", "p.example"), ("no_proxy", except)], url).is_none();
        assert!(direct("localhost.", "http://localhost/") && direct("localhost", "http://localhost./"));
        assert!(direct(".a.example.", "http://b.a.example/") && !direct(".", "http://a.example./"));
    }

    #[test]
    fn a_proxys_password_is_not_printed() {
        for text in ["socks5://u:SECRET@p.example", "http://u:SECRET@p.example:x", "https://u:SECRET@p.example"] {
            let environment = |name: &str| (name == "http_proxy").then(|| text.to_owned());
            let error = Proxies::from_environment(environment).unwrap_err().to_string();
            assert!(!error.contains("SECRET"), "{error}");
        }
    }

    #[test]
    fn other_kinds_of_proxy_are_refused() {
        let environment = |_: &str| Some("socks5://p.example".to_owned());
        assert!(Proxies::from_environment(environment).is_err());
    }
}
