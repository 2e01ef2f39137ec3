//! Virtual time for transports that tell the time by the machine's clock.

#![expect(clippy::disallowed_types, reason = "for transports that tell the time by it; only distances count")]

use std::time::Instant;
use windward_units::Time;

/// Virtual time for a transport that tells the time by [`Instant`]. Its zero has no meaning: only distances count.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// A clock whose zero is now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The instant of a time.
    pub fn instant(self, time: Time) -> Instant {
        self.0 + std::time::Duration::from_nanos(time.as_nanos())
    }

    /// The time of an instant; zero for those before the clock's.
    pub fn time(self, instant: Instant) -> Time {
        Time::from_nanos(instant.saturating_duration_since(self.0).as_nanos() as u64)
    }
}
