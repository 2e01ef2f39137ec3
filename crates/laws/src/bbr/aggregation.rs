//! ACK aggregation: packets acknowledged above the bandwidth (Linux, `bbr_update_ack_aggregation`).

use windward_units::{Duration, Time};

/// Round trips of each of the two halves of the maximum filter's window.
const WINDOW_ROUNDS: u32 = 5;
/// Packets after which a new epoch begins.
const MOST_ACKED: f64 = 1_048_576.0;
/// Limit of the window's allowance, in seconds of the bandwidth.
const LONGEST: f64 = 0.1;

/// Packets delivered above the bandwidth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregation {
    epoch: Time,
    acked: f64,
    extra: [f64; 2],
    half: usize,
    rounds: u32,
}

impl Default for Aggregation {
    fn default() -> Self {
        Self { epoch: Time::ZERO, acked: 0.0, extra: [0.0; 2], half: 0, rounds: 0 }
    }
}

impl Aggregation {
    /// Restarts the count at `now`.
    pub(super) fn restart(&mut self, now: Time) {
        (self.epoch, self.acked) = (now, 0.0);
    }

    /// Maximum of five to ten round trips.
    pub(super) fn extra(&self) -> f64 {
        self.extra[0].max(self.extra[1])
    }

    /// The window's allowance for aggregation.
    pub(super) fn allowance(&self, bandwidth: f64) -> f64 {
        self.extra().min((bandwidth * LONGEST).floor())
    }

    pub(super) fn update(&mut self, now: Time, acked: f64, bandwidth: f64, cwnd: f64, is_round_start: bool) {
        if is_round_start {
            self.rounds += 1;
            if self.rounds >= WINDOW_ROUNDS {
                self.rounds = 0;
                self.half = 1 - self.half;
                self.extra[self.half] = 0.0;
            }
        }
        let mut expected = self.expected(now.since(self.epoch), bandwidth);
        // Deliveries that are no faster than the bandwidth begin a new epoch.
        if self.acked <= expected || self.acked + acked >= MOST_ACKED {
            self.restart(now);
            expected = 0.0;
        }
        self.acked += acked;
        let extra = (self.acked - expected).min(cwnd);
        self.extra[self.half] = self.extra[self.half].max(extra);
    }

    fn expected(&self, time: Duration, bandwidth: f64) -> f64 {
        (bandwidth * time.as_secs()).floor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// 1000 packets a second. 10 packets at 0 ms (an epoch begins: 10 ahead), 10 more at 5 ms: 20 − 5 = 15 ahead. At 25
    /// ms 20 are no more than the 25 expected: a new epoch with the 10 that came.
    #[test]
    fn the_excess_over_the_bandwidth_is_kept() {
        let mut ahead = Aggregation::default();
        ahead.update(at(0), 10.0, 1000.0, 100.0, false);
        assert_eq!(ahead.extra(), 10.0);
        ahead.update(at(5), 10.0, 1000.0, 100.0, false);
        assert_eq!(ahead.extra(), 15.0);
        ahead.update(at(25), 10.0, 1000.0, 100.0, false);
        assert_eq!((ahead.extra(), ahead.acked), (15.0, 10.0));
        // The window bounds it, and 100 ms of the bandwidth bound the allowance.
        ahead.update(at(26), 500.0, 1000.0, 200.0, false);
        assert_eq!((ahead.extra(), ahead.allowance(1000.0), ahead.allowance(3000.0)), (200.0, 100.0, 200.0));
    }

    #[test]
    fn it_is_forgotten_after_ten_round_trips_at_the_latest() {
        let mut ahead = Aggregation::default();
        ahead.update(at(0), 10.0, 1000.0, 100.0, false);
        for round in 1..=10 {
            // One packet every second: never ahead by more than itself.
            ahead.update(at(1000 * round), 1.0, 1000.0, 100.0, true);
            assert_eq!(ahead.extra(), if round < 10 { 10.0 } else { 1.0 }, "{round}");
        }
    }
}
