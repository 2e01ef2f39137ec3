//! Clients of a server that answers each request with a response.

use super::arrivals::Arrivals;
use windward_elements::size::Size;
use windward_units::Duration;

/// Requests of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestsConfig {
    /// Arrivals of the requests.
    pub arrivals: Arrivals,
    /// Bytes of a response, unless the arrivals give them.
    pub response: Size,
    /// Time at the server from the request's last byte to the first byte of the response.
    pub service: Duration,
    /// Use of connections.
    pub connections: ConnectionUse,
    /// Time after which a response is late; `None`: never.
    pub deadline: Option<Duration>,
}

/// Use of connections by requests. A connection carries one request at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionUse {
    /// A new connection for each request; the server closes it after the response.
    New,
    /// Connections stay open. A request takes the one that was used last among the idle ones, or a new one. Requests
    /// wait while `most` connections are in use.
    Kept {
        /// Largest number of connections; positive.
        most: u32,
    },
}
