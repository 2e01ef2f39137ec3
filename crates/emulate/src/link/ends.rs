//! What is at the two ends of a link.

use std::ffi::OsString;
use std::net::Ipv4Addr;

/// Where the servers are, behind the link. From the range that RFC 6598 keeps for between networks.
pub const SERVER: Ipv4Addr = Ipv4Addr::new(100, 64, 0, 1);

/// Where the program is.
pub const CLIENT: Ipv4Addr = Ipv4Addr::new(100, 64, 0, 2);

/// What runs at the ends of a link.
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
