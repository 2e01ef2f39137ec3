//! Times of a sender by what limits it, as in Linux's `struct tcp_info` (`tcp_chrono_start`).

use windward_units::{Duration, Time};

/// Running times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chronograph {
    busy: Duration,
    limited: Duration,
    /// Time since when data waits to be sent or acknowledged.
    busy_since: Option<Time>,
    /// Time since when the receive window has no room for the next segment.
    limited_since: Option<Time>,
}

impl Chronograph {
    /// Records that data waits to be sent or acknowledged.
    #[inline]
    pub fn start(&mut self, now: Time) {
        self.busy_since.get_or_insert(now);
    }

    /// Records that none does any more.
    #[inline]
    pub fn stop(&mut self, now: Time) {
        self.limit(now, false);
        if let Some(since) = self.busy_since.take() {
            self.busy += now.since(since);
        }
    }

    /// Records whether the receive window holds back the next segment.
    #[inline]
    pub fn limit(&mut self, now: Time, is_limited: bool) {
        if is_limited {
            self.limited_since.get_or_insert(now);
        } else if let Some(since) = self.limited_since.take() {
            self.limited += now.since(since);
        }
    }

    /// Busy time until `now`, and its part limited by the receive window.
    pub fn read(&self, now: Time) -> (Duration, Duration) {
        let running = |since: Option<Time>| since.map_or(Duration::ZERO, |since| now.since(since));
        (self.busy + running(self.busy_since), self.limited + running(self.limited_since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Busy from 10 to 70 ms and from 90 ms on; limited from 30 to 50 ms, and from 60 ms to the end of the first time.
    #[test]
    fn times_add_up() {
        let at = |ms: u64| Time::ZERO + Duration::from_millis(ms);
        let mut times = Chronograph::default();
        times.start(at(10));
        times.limit(at(30), true);
        times.limit(at(40), true);
        times.limit(at(50), false);
        times.limit(at(60), true);
        times.start(at(65));
        times.stop(at(70));
        times.start(at(90));
        assert_eq!(times.read(at(100)), (Duration::from_millis(70), Duration::from_millis(30)));
    }
}
