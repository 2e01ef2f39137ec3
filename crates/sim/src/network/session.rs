//! Sessions: transfers that come and go, each over a connection of its own.

use super::application::{Application, ConnectionUse, Demand};
use super::arrivals::Arrivals;
use super::source::Spread;
use windward_elements::size::Size;
use windward_units::Duration;

/// Transfers from a server to a client, each over a new connection that the server closes after it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionConfig {
    /// Arrivals of the transfers.
    pub arrivals: Arrivals,
    /// Length of a transfer.
    pub length: Length,
}

impl Application for SessionConfig {
    fn is_random(&self) -> bool {
        self.arrivals.is_random() || self.length.is_random()
    }

    fn demand(&self) -> Option<Demand<'_>> {
        let Length::Bytes(response) = &self.length else { return None };
        Some(Demand { arrivals: &self.arrivals, response, service: Duration::ZERO })
    }

    fn arrivals(&self) -> Option<(&Arrivals, ConnectionUse)> {
        Some((&self.arrivals, ConnectionUse::New))
    }
}

/// Length of a transfer.
#[derive(Clone, Debug, PartialEq)]
pub enum Length {
    /// Bytes, unless the arrivals give them.
    Bytes(Size),
    /// Time for which the server has data.
    Time {
        /// Mean time.
        mean: Duration,
        /// Its distribution.
        spread: Spread,
    },
}

impl Length {
    /// True if the lengths draw from the seed.
    fn is_random(&self) -> bool {
        match self {
            Self::Bytes(size) => !matches!(size, Size::Fixed(_)),
            Self::Time { spread, .. } => *spread != Spread::Fixed,
        }
    }
}
