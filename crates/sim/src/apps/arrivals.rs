//! Arrivals of requests and sessions at run time, and the random streams of users.

use crate::network::{AppConfig, Arrivals, Spread};
use windward_elements::engine::{Purpose, Stream};
use windward_units::{Duration, Time, splitmix64};

/// Arrival processes of a client: one of an open loop, or one for each user.
pub struct Process {
    arrivals: Arrivals,
    start: Time,
    gaps: Stream,
    /// Streams of each user: lengths of responses, and times of thinking.
    users: Vec<[Stream; 2]>,
}

impl Process {
    /// Processes of the application `config` before the first arrival.
    pub fn new(arrivals: &Arrivals, config: &AppConfig, seed: u64) -> Self {
        let count = if let Arrivals::Closed { users, .. } = arrivals { *users } else { 1 };
        let user = |user| {
            let key = if user == 0 { config.key } else { splitmix64(config.key ^ splitmix64(user)) };
            [Purpose::Size, Purpose::Think].map(|purpose| Stream::new(seed, key, purpose))
        };
        Self {
            arrivals: arrivals.clone(),
            start: config.start,
            gaps: Stream::new(seed, config.key, Purpose::Arrival),
            users: (0..u64::from(count)).map(user).collect(),
        }
    }

    /// Number of arrival processes.
    pub fn users(&self) -> u32 {
        self.users.len() as u32
    }

    /// Stream of the lengths of a user's responses.
    pub fn lengths(&mut self, user: u32) -> &mut Stream {
        &mut self.users[user as usize][0]
    }

    /// Time of the first request of a user, or of the open loop.
    pub fn first(&mut self, user: u32) -> Option<Time> {
        match &self.arrivals {
            Arrivals::Periodic { .. } => Some(self.start),
            Arrivals::Poisson { mean } => Some(self.start + exponential(*mean, &mut self.gaps)),
            Arrivals::Closed { .. } => self.think(user).map(|think| self.start + think),
            Arrivals::Times(times) => times.first().map(|(at, _)| self.start + *at),
        }
    }

    /// Time of the request after the one with the number `number`, which arrives now; `None` in a closed loop.
    pub fn next(&mut self, now: Time, number: u64) -> Option<Time> {
        match &self.arrivals {
            Arrivals::Periodic { every } => Some(now + *every),
            Arrivals::Poisson { mean } => Some(now + exponential(*mean, &mut self.gaps)),
            Arrivals::Closed { .. } => None,
            Arrivals::Times(times) => times.get(number as usize + 1).map(|(at, _)| self.start + *at),
        }
    }

    /// Bytes that the arrivals give the response with the number `number`.
    pub fn given(&self, number: u64) -> Option<u64> {
        let Arrivals::Times(times) = &self.arrivals else { return None };
        times[number as usize].1.map(|bytes| bytes.count())
    }

    /// Time for which a user thinks; `None` in an open loop.
    pub fn think(&mut self, user: u32) -> Option<Duration> {
        let Arrivals::Closed { think, spread, .. } = self.arrivals else { return None };
        let [_, stream] = &mut self.users[user as usize];
        Some(spread.draw(think, stream))
    }
}

impl Spread {
    /// A span with this mean, from at most one uniform variate.
    pub(super) fn draw(self, mean: Duration, stream: &mut Stream) -> Duration {
        match self {
            Self::Fixed => mean,
            Self::Exponential => exponential(mean, stream),
            Self::Pareto(shape) => mean.scale(stream.pareto(shape)),
        }
    }
}

/// Exponential span by its inverse, from one uniform variate.
pub fn exponential(mean: Duration, stream: &mut Stream) -> Duration {
    mean.scale(-libm::log1p(-stream.uniform()))
}
