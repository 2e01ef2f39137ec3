//! Arrivals of requests and sessions: open and closed loops.

use super::source::Spread;
use std::sync::Arc;
use windward_units::{Bytes, Duration};

/// Arrivals of requests or sessions.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Open loop: the first at the start, then one after every span; positive.
    Periodic {
        /// Time between two requests.
        every: Duration,
    },
    /// Open loop: a Poisson process.
    Poisson {
        /// Mean time between two requests; positive.
        mean: Duration,
    },
    /// Closed loop: each user thinks, sends a request and waits for the response.
    Closed {
        /// Number of users, positive and below 2^24.
        users: u32,
        /// Mean time of thinking.
        think: Duration,
        /// Its distribution.
        spread: Spread,
    },
    /// Open loop: times in order, counted from the start, each with the bytes of the response if they are given.
    Times(Arc<[(Duration, Option<Bytes>)]>),
}

impl Arrivals {
    /// True if the arrivals draw from the seed.
    pub(super) fn is_random(&self) -> bool {
        match self {
            Self::Periodic { .. } | Self::Times(_) => false,
            Self::Poisson { .. } => true,
            Self::Closed { spread, .. } => *spread != Spread::Fixed,
        }
    }
}
