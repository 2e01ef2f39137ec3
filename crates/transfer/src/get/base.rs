//! Base RTT of a path, estimated while other flows may keep a queue on it.
//!
//! Handshakes and data include the queue of other flows in their RTT, as if it were part of the path. When that queue
//! is short for a moment, the minimum RTT falls by the queue's length. On such a path the visible queue is shorter than
//! the real one. With many connections of the download itself it would not become short again, and they would stay. For
//! some time after such a fall the visible queue therefore counts double.

/// The kernel's estimate from data errs by some percent: it counts only if it is below the minimum by this factor.
const MARGIN: f64 = 1.05;
/// A fall of less than this, in seconds, is jitter, and so is a fall within the margin.
const JITTER: f64 = 0.01;
/// Seconds for which a fall counts: several sawteeth of a CUBIC flow on a path of 100 ms.
const CROWDED: f64 = 20.0;

/// The minimum RTT, in seconds, and whether other flows were detected on the path.
#[derive(Debug)]
pub(super) struct Base {
    least: f64,
    crowded_until: f64,
}

impl Base {
    /// An estimate without samples.
    pub fn new() -> Self {
        Self { least: f64::INFINITY, crowded_until: f64::NEG_INFINITY }
    }

    /// The minimum RTT; infinite without samples.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Adds the RTT of a handshake at time `now`, in seconds on any clock.
    pub fn learn(&mut self, rtt: f64, now: f64) {
        let fall = self.least - rtt;
        if fall.is_finite() && fall > JITTER.max(self.least * (MARGIN - 1.0)) {
            self.crowded_until = now + CROWDED;
        }
        self.least = self.least.min(rtt);
    }

    /// Adds a mean RTT from data.
    pub fn learn_from_data(&mut self, rtt: f64, now: f64) {
        self.learn(rtt * MARGIN, now);
    }

    /// Sets the minimum RTT of HEAD requests, which is not comparable with that of handshakes.
    pub fn set(&mut self, rtt: f64) {
        self.least = rtt;
    }

    /// RTT reported to the controller for a mean RTT of `rtt`.
    pub fn judge(&self, rtt: f64, now: f64) -> f64 {
        let queue = (rtt - self.least).max(0.0);
        if now < self.crowded_until { rtt + queue } else { rtt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_was_there_first_is_seen_once_it_is_short() {
        // Measured on a link of 100 ms filled by a CUBIC flow: handshakes take 173 ms, data 145 to 199.
        let mut base = Base::new();
        base.learn(0.173, 0.0);
        base.learn_from_data(0.199, 1.0);
        assert_eq!((base.least(), base.judge(0.199, 1.0)), (0.173, 0.199));
        base.learn_from_data(0.145, 2.0);
        assert_eq!(base.least(), 0.145 * MARGIN);
        assert_eq!(base.judge(0.19, 2.0), 0.19 + (0.19 - 0.145 * MARGIN));
        assert_eq!(base.judge(0.14, 2.0), 0.14);
        assert_eq!(base.judge(0.19, 2.0 + CROWDED), 0.19);
    }

    #[test]
    fn a_path_of_ones_own_is_believed() {
        // Measured on the same link, alone at 1 % loss: handshakes 100.1 ms, data 101 and more.
        let mut base = Base::new();
        base.learn(0.1001, 0.0);
        base.learn_from_data(0.101, 1.0);
        base.learn_from_data(0.096, 2.0);
        assert_eq!((base.least(), base.judge(0.15, 2.0)), (0.1001, 0.15));
        // Wi-Fi: the first handshake is a few milliseconds late.
        let mut base = Base::new();
        base.learn(0.024, 0.0);
        base.learn(0.016, 1.0);
        assert_eq!((base.least(), base.judge(0.03, 1.0)), (0.016, 0.03));
    }
}
