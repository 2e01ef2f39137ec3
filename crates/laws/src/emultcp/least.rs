//! Minimum of all values, or of a window of time.

use std::collections::VecDeque;

/// The minimum, and its successors after expiry: later values, each larger than the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Least(VecDeque<(f64, f64)>);

impl Least {
    /// Adds a value at `now`, in seconds; returns the minimum of the last `window` seconds, or of all if that is 0.
    pub fn see(&mut self, now: f64, value: f64, window: f64) -> f64 {
        while self.0.back().is_some_and(|&(_, last)| last >= value) {
            self.0.pop_back();
        }
        if window > 0.0 || self.0.is_empty() {
            self.0.push_back((now, value));
        }
        while window > 0.0 && self.0.front().is_some_and(|&(since, _)| now - since > window) {
            self.0.pop_front();
        }
        self.0.front().map_or(value, |&(_, least)| least)
    }

    /// Adds a value to a maximum filter; an instance is used either for minima or for maxima.
    pub fn see_most(&mut self, now: f64, value: f64, window: f64) -> f64 {
        -self.see(now, -value, window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_least_is_forgotten_with_a_window_alone() {
        let seen = [(0.0, 3.0), (1.0, 5.0), (2.0, 4.0), (3.0, 6.0), (5.5, 7.0), (8.5, 9.0)];
        let with = |window| {
            let mut least = Least::default();
            seen.map(|(now, value)| least.see(now, value, window))
        };
        assert_eq!(with(0.0), [3.0; 6]);
        assert_eq!(with(3.0), [3.0, 3.0, 3.0, 3.0, 6.0, 7.0]);
    }
}
