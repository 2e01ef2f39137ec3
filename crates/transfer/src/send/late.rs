//! What delayed ACKs add to the mean of the smoothed RTTs.
//!
//! The last packet of a flight waits for its ACK for up to 40 ms, and where losses keep windows small that is every fourth or
//! eighth one: 10 ms and more, as much as a queue. A request that is answered at once has no part in it.

use crate::common::weight;

/// Linux waits so long with an ACK, in seconds. More than this is no delayed ACK.
const MOST: f64 = 0.04;
/// Of it what is believed without an answer to compare with: a quarter. More may be a queue.
const MOST_ALONE: f64 = 0.01;
/// Time constant in seconds: how often ACKs are late changes with the windows, and single answers err.
const SMOOTHING: f64 = 5.0;

/// How late the mean is, in seconds.
#[derive(Debug)]
pub struct Late {
    /// How much the mean was above the least round trip when it was nearest.
    nearest: f64,
    /// How much it is above what answers take, smoothed, and for how long that is known.
    compared: f64,
    known_for: f64,
}

impl Late {
    /// Nothing is known.
    pub fn new() -> Self {
        Self { nearest: f64::INFINITY, compared: 0.0, known_for: 0.0 }
    }

    /// In the last `elapsed` seconds the mean was so much above the least round trip, and answers so much above the quickest
    /// one, if there were any. The queue in the former.
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
