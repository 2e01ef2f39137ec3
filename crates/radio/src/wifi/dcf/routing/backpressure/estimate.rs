//! Failure estimate of a link.

use windward_units::{Duration, Time};

/// Attempts on a link, and successes among them, in the current span and the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimate {
    since: Time,
    attempts: [u32; 2],
    successes: [u32; 2],
}

impl Estimate {
    fn roll(&mut self, now: Time, span: Duration) {
        let passed = now.since(self.since).as_nanos() / span.as_nanos();
        if passed > 0 {
            let last = |counts: [u32; 2]| if passed == 1 { [0, counts[0]] } else { [0, 0] };
            (self.attempts, self.successes) = (last(self.attempts), last(self.successes));
            self.since += span * passed;
        }
    }

    /// Counts a finished attempt.
    pub fn note(&mut self, now: Time, span: Duration, is_success: bool) {
        self.roll(now, span);
        self.attempts[0] += 1;
        self.successes[0] += u32::from(is_success);
    }

    /// 1 − p̃; 1 without recent attempts, so that a link that failed is tried again.
    pub fn success(mut self, now: Time, span: Duration) -> f64 {
        self.roll(now, span);
        let sum = |[now, before]: [u32; 2]| f64::from(now + before);
        if self.attempts == [0, 0] { 1.0 } else { sum(self.successes) / sum(self.attempts) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of four attempts succeeds: 1/4, then 2/5 as the next span has seen one more success, then 1 of 1, then
    /// unknown.
    #[test]
    fn the_share_of_successes_is_that_of_the_last_two_spans() {
        let span = Duration::from_millis(1000);
        let at = |millis: u64| Time::from_nanos(millis * 1_000_000);
        let mut estimate = Estimate::default();
        assert_eq!(estimate.success(at(5), span), 1.0);
        (0..4).for_each(|n| estimate.note(at(100 * n), span, n == 2));
        assert_eq!(estimate.success(at(999), span), 0.25);
        assert_eq!(estimate.success(at(1999), span), 0.25);
        estimate.note(at(1500), span, true);
        assert_eq!(estimate.success(at(1999), span), 0.4);
        assert_eq!(estimate.success(at(2999), span), 1.0);
        assert_eq!(estimate.success(at(4000), span), 1.0);
    }
}
