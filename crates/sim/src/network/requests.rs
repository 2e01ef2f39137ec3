//! Clients of a server that answers each request with a response.

use super::application::{Application, ConnectionUse, Demand};
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

impl Application for RequestsConfig {
    fn is_random(&self) -> bool {
        self.arrivals.is_random() || !matches!(self.response, Size::Fixed(_))
    }

    fn demand(&self) -> Option<Demand<'_>> {
        Some(Demand { arrivals: &self.arrivals, response: &self.response, service: self.service })
    }

    fn arrivals(&self) -> Option<(&Arrivals, ConnectionUse)> {
        Some((&self.arrivals, self.connections))
    }
}
