//! Limit on the total rate of all connections.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Burst size of the bucket, in seconds at the limit.
const BURST: f64 = 0.1;

/// A token bucket that may go into debt: a connection that overdraws it waits until the debt is paid.
#[derive(Debug)]
pub(super) struct Pace {
    /// Bytes per second.
    rate: f64,
    /// Time of the last update, and the tokens at that time.
    bucket: Mutex<(Instant, f64)>,
    /// Total nanoseconds that connections have waited.
    rest: AtomicU64,
}

impl Pace {
    /// A limit of `rate` bytes per second.
    pub fn new(rate: u64, now: Instant) -> Self {
        Self { rate: rate as f64, bucket: Mutex::new((now, 0.0)), rest: AtomicU64::new(0) }
    }

    /// Bytes per second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Records that a connection has waited for `wait`.
    pub fn rested(&self, wait: Duration) {
        self.rest.fetch_add(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Total seconds that connections have waited.
    pub fn rest(&self) -> f64 {
        Duration::from_nanos(self.rest.load(Ordering::Relaxed)).as_secs_f64()
    }

    /// Takes `count` bytes at `now`; returns the wait before taking more.
    pub fn take(&self, count: u64, now: Instant) -> Duration {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, held) = *bucket;
        let gained = now.saturating_duration_since(then).as_secs_f64() * self.rate;
        let held = (held + gained).min(self.rate * BURST) - count as f64;
        *bucket = (now.max(then), held);
        Duration::from_secs_f64((-held / self.rate).max(0.0))
    }
}

/// Number of connections that a limit needs. If connections wait for the limit most of the time, fewer are enough.
#[derive(Debug)]
pub(super) struct Need {
    /// Time of the last estimate, and the total seconds of waiting until then.
    last: (Instant, f64),
    most: u32,
}

impl Need {
    /// Starts from one connection.
    pub fn new(now: Instant) -> Self {
        Self { last: (now, 0.0), most: 1 }
    }

    /// Maximum useful number of connections, given `connections` that have waited for `rest` seconds in total.
    pub fn most(&mut self, connections: u32, rest: f64, now: Instant) -> u32 {
        let span = now.saturating_duration_since(self.last.0);
        if span >= SPAN {
            let count = f64::from(connections.max(1));
            let busy = (1.0 - (rest - self.last.1) / (count * span.as_secs_f64())).clamp(0.0, 1.0);
            self.last = (now, rest);
            self.most =
                if busy > BUSY { (2 * connections).max(1) } else { (count * busy * SPARE).ceil().max(1.0) as u32 };
        }
        self.most
    }
}

/// Interval between estimates.
const SPAN: Duration = Duration::from_millis(500);
/// Share of time without waiting above which the limit is not the bottleneck.
const BUSY: f64 = 0.8;
/// Headroom factor over the number needed, for a path that changes.
const SPARE: f64 = 1.25;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_connections_as_the_limit_needs() {
        let start = Instant::now();
        let after = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut need = Need::new(start);
        assert_eq!(need.most(1, 0.0, after(100)), 1);
        // The path is the bottleneck: two, then four.
        assert_eq!(need.most(1, 0.0, after(500)), 2);
        assert_eq!(need.most(2, 0.05, after(1000)), 4);
        // Each waits half of the time: two would be enough.
        assert_eq!(need.most(4, 0.05 + 4.0 * 0.25, after(1500)), 3);
        // Sixty-four connections that wait nearly all the time.
        let mut need = Need::new(start);
        assert_eq!(need.most(64, 64.0 * 0.495, after(500)), 1);
    }

    #[test]
    fn debts_are_paid_at_the_limit() {
        let start = Instant::now();
        let after = |milliseconds| start + Duration::from_millis(milliseconds);
        let pace = Pace::new(1000, start);
        assert_eq!(pace.take(500, start), Duration::from_millis(500));
        assert_eq!(pace.take(0, after(200)), Duration::from_millis(300));
        assert_eq!(pace.take(100, after(500)), Duration::from_millis(100));
        // An idle bucket saves at most a tenth of a second's worth.
        assert_eq!(pace.take(200, after(60_000)), Duration::from_millis(100));
    }
}
