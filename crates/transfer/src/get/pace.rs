//! The limit on the rate of all connections together.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How much may come at once, in seconds at the limit.
const BURST: f64 = 0.1;

/// A token bucket that may go into debt: who takes more than is there waits until it is paid.
#[derive(Debug)]
pub(super) struct Pace {
    /// Bytes per second.
    rate: f64,
    /// When the bucket was looked at, and what it held then.
    bucket: Mutex<(Instant, f64)>,
}

impl Pace {
    /// At most `rate` bytes per second.
    pub fn new(rate: u64, now: Instant) -> Self {
        Self { rate: rate as f64, bucket: Mutex::new((now, 0.0)) }
    }

    /// Bytes per second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// `count` bytes were taken at `now`: how long to wait before taking more.
    pub fn take(&self, count: u64, now: Instant) -> Duration {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, held) = *bucket;
        let gained = now.saturating_duration_since(then).as_secs_f64() * self.rate;
        let held = (held + gained).min(self.rate * BURST) - count as f64;
        *bucket = (now.max(then), held);
        Duration::from_secs_f64((-held / self.rate).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debts_are_paid_at_the_limit() {
        let start = Instant::now();
        let after = |milliseconds| start + Duration::from_millis(milliseconds);
        let pace = Pace::new(1000, start);
        assert_eq!(pace.take(500, start), Duration::from_millis(500));
        assert_eq!(pace.take(0, after(200)), Duration::from_millis(300));
        assert_eq!(pace.take(100, after(500)), Duration::from_millis(100));
        // However long nobody takes anything, only a tenth of a second's worth is saved.
        assert_eq!(pace.take(200, after(60_000)), Duration::from_millis(100));
    }
}
