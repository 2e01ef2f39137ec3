//! Demand of applications over connections, of any kind.

use super::arrivals::Arrivals;
use windward_elements::size::Size;
use windward_units::Duration;

/// Demand that does not depend on the network, but for the pace of a closed loop.
#[derive(Clone, Copy, Debug)]
pub struct Demand<'a> {
    /// Arrivals of the requests.
    pub arrivals: &'a Arrivals,
    /// Bytes of a response, unless the arrivals give them.
    pub response: &'a Size,
    /// Time at the server from the request's last byte to the first byte of the response.
    pub service: Duration,
}

/// Configuration of a kind of application.
pub trait Application {
    /// True if it draws from the seed.
    fn is_random(&self) -> bool;

    /// The demand; `None` if it depends on the network: a player or a browser asks, or a transfer has a time.
    fn demand(&self) -> Option<Demand<'_>> {
        None
    }

    /// Arrivals, and the use of connections; `None` for one client that waits for each response.
    fn arrivals(&self) -> Option<(&Arrivals, ConnectionUse)> {
        None
    }

    /// Sets of connections: of a page one for each origin.
    fn pools(&self) -> u32 {
        1
    }

    /// True if several requests share a connection, over QUIC each on a stream of its own.
    fn has_streams(&self) -> bool {
        false
    }
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
