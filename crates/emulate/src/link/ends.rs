//! Programs at the two ends of a link.

use std::env;
use std::ffi::OsString;
use std::net::Ipv4Addr;

/// Environment variables with the server's address.
pub(super) const SERVER_VARIABLE: &str = "WINDWARD_SERVER";

/// Second byte of the first and last addresses of 100.64.0.0/10, which RFC 6598 keeps for between networks.
const FIRST: u8 = 64;
const LAST: u8 = 127;

/// Programs at the ends of a link.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Shell commands that run behind the link for as long as the program does.
    pub servers: Vec<String>,
    /// The server's congestion control, where it is not the machine's default.
    pub congestion: Option<String>,
    /// Nothing but the servers can be reached: no gateway.
    pub is_isolated: bool,
}

/// The addresses of a link's ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Addresses {
    /// Address of the servers.
    pub server: Ipv4Addr,
    /// Address of the program.
    pub client: Ipv4Addr,
}

impl Addresses {
    /// 100.64.0.1 and .2; behind another link the next ones, so that both servers can be told apart.
    pub fn choose() -> Self {
        let outer = env::var(SERVER_VARIABLE).ok().and_then(|text| text.parse().ok());
        Self::behind(outer)
    }

    fn behind(outer: Option<Ipv4Addr>) -> Self {
        let net = match outer.map(|outer| outer.octets()) {
            Some([100, high @ FIRST..=LAST, low, 1]) => u16::from_be_bytes([high, low]) + 1,
            _ => u16::from_be_bytes([FIRST, 0]),
        };
        let [high, low] = net.to_be_bytes();
        let high = if high > LAST { FIRST } else { high };
        let [server, client] = [1, 2].map(|last| Ipv4Addr::new(100, high, low, last));
        Self { server, client }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_behind_a_link_has_other_addresses() {
        let server = |outer: &str| Addresses::behind(outer.parse().ok()).server.to_string();
        assert_eq!(server(""), "100.64.0.1");
        assert_eq!(server("192.0.2.1"), "100.64.0.1");
        assert_eq!(server("100.64.0.1"), "100.64.1.1");
        assert_eq!(server("100.64.255.1"), "100.65.0.1");
        assert_eq!(server("100.127.255.1"), "100.64.0.1");
        assert_eq!(Addresses::behind(None).client.to_string(), "100.64.0.2");
    }
}
