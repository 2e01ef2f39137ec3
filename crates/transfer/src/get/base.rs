//! The base RTT of a path, found out while others may keep a queue on it.
//!
//! Handshakes and data of one's own see the queue of others as a part of the path. When that queue is short for a
//! moment, the least RTT falls, and what it fell by was a queue. On such a path the queue that is seen is less than the
//! queue that is there, and with many connections of one's own it is never short again: they would stay. So for some
//! time after such a fall what is seen counts double.

/// The kernel's estimate from data errs by some percent; by so much it must be below the least to be believed.
const MARGIN: f64 = 1.05;
/// A fall of less than this, in seconds, is jitter; so is one within the margin.
const JITTER: f64 = 0.01;
/// Seconds for which a fall is remembered: several sawteeth of a CUBIC flow on a path of 100 ms.
const CROWDED: f64 = 20.0;

/// The least RTT, in seconds, and whether others were found on the path.
#[derive(Debug)]
pub(super) struct Base {
    least: f64,
    crowded_until: f64,
}

impl Base {
    /// Nothing is known.
    pub fn new() -> Self {
        Self { least: f64::INFINITY, crowded_until: f64::NEG_INFINITY }
    }

    /// The least RTT; infinite while none is known.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// A handshake took `rtt`; it is `now`, in seconds on any clock.
    pub fn learn(&mut self, rtt: f64, now: f64) {
        let fall = self.least - rtt;
        if fall.is_finite() && fall > JITTER.max(self.least * (MARGIN - 1.0)) {
            self.crowded_until = now + CROWDED;
        }
        self.least = self.least.min(rtt);
    }

    /// Data show a mean of `rtt`.
    pub fn learn_from_data(&mut self, rtt: f64, now: f64) {
        self.learn(rtt * MARGIN, now);
    }

    /// HEAD requests took at least `rtt`: nothing of a handshake is compared with them.
    pub fn set(&mut self, rtt: f64) {
        self.least = rtt;
    }

    /// What to tell the controller of a mean of `rtt`.
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
        // Seen on a link of 100 ms that a CUBIC flow fills: handshakes take 173 ms, data 145 to 199.
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
        // Seen on the same link alone at 1 % loss: handshakes 100.1 ms, data 101 and more.
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
