//! Delay that delayed ACKs add to the mean of the smoothed RTTs.
//!
//! The last packet of a flight waits for its ACK for up to 40 ms. Where losses keep windows small, that is every fourth
//! or eighth packet: 10 ms and more on average, as much as a queue. A request that is answered at once is not affected.

use crate::common::weight;

/// Maximum delay of an ACK in Linux, in seconds. A longer delay is not due to delayed ACKs.
const MOST: f64 = 0.04;
/// Share accepted without an answer for comparison: a quarter of that maximum. A longer delay may be a queue.
const MOST_ALONE: f64 = 0.01;
/// Time constant in seconds: the share of delayed ACKs changes with the windows, and single answers vary.
const SMOOTHING: f64 = 5.0;

/// Delay of the mean RTT by delayed ACKs, in seconds.
#[derive(Debug)]
pub struct Late {
    /// Smallest excess of the mean over the minimum RTT.
    nearest: f64,
    /// Excess of the mean over the answers, smoothed, and the seconds of its measurement.
    compared: f64,
    known_for: f64,
}

impl Late {
    /// An estimate without samples.
    pub fn new() -> Self {
        Self { nearest: f64::INFINITY, compared: 0.0, known_for: 0.0 }
    }

    /// Adds `elapsed` seconds in which the mean exceeded the minimum RTT by `mean`, and answers their quickest one by
    /// `answers`, if there were any. Returns the queueing delay in the mean.
    pub fn queue(&mut self, mean: f64, answers: Option<f64>, elapsed: f64) -> f64 {
        self.nearest = self.nearest.min(mean).max(0.0);
        if let Some(answers) = answers {
            self.known_for += elapsed;
            let late = (mean - answers).clamp(0.0, MOST);
            self.compared += (late - self.compared) * weight(elapsed, self.known_for, SMOOTHING);
        }
        let late = if self.known_for > 0.0 { self.compared } else { self.nearest.min(MOST_ALONE) };
        (mean - late).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_acks_are_no_queue_and_a_queue_is() {
        let mut late = Late::new();
        let alone = late.queue(0.018, None, 0.1);
        assert!((alone - 0.008).abs() < 1e-9, "without answers ten milliseconds at most are late: {alone}");
        for _ in 0..100 {
            late.queue(0.018, Some(0.002), 0.1);
        }
        assert!((late.queue(0.018, Some(0.002), 0.1) - 0.002).abs() < 1e-9);
        // A queue of 80 ms, which answers show a second later.
        for _ in 0..10 {
            late.queue(0.098, Some(0.002), 0.1);
        }
        let queue = late.queue(0.098, Some(0.082), 0.1);
        assert!(queue > 0.07, "{queue}");
        for _ in 0..300 {
            late.queue(0.098, Some(0.082), 0.1);
        }
        assert!((late.queue(0.098, Some(0.082), 0.1) - 0.082).abs() < 1e-3);
    }
}
