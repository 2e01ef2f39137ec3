//! Long-term bandwidth: detection of a token-bucket policer and its rate (Linux, `bbr_lt_bw_sampling`).

use windward_units::Time;

/// Minimum length of an interval in round trips; the maximum is four times as many.
const LEAST_ROUNDS: u32 = 4;
/// Share of losses from which an interval counts: 50/256.
const LOSSES: f64 = 50.0 / 256.0;
/// Tolerance between the rates of two intervals: an eighth, or 4 kbit/s (of segments of 1448 bytes, paced at 99 %).
const RATIO: f64 = 1.0 / 8.0;
const DIFFERENCE: f64 = 4000.0 / (8.0 * 1448.0 * 0.99);
/// Round trips for which the detected rate is used.
const USED_ROUNDS: u32 = 48;

/// Loss statistics of an ACK.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) now: Time,
    /// Packets delivered and lost so far.
    pub(super) delivered: f64,
    pub(super) lost: f64,
    pub(super) has_loss: bool,
    pub(super) is_limited: bool,
    pub(super) is_round_start: bool,
}

/// Policer detection and the policer's rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    is_sampling: bool,
    is_used: bool,
    rate: f64,
    rounds: u32,
    since: Time,
    delivered: f64,
    lost: f64,
    /// Latest statistics, for timeouts.
    seen: (Time, f64, f64),
}

impl Policer {
    /// Policer's rate in packets per second, while it is used.
    pub(super) fn rate(&self) -> Option<f64> {
        self.is_used.then_some(self.rate)
    }

    /// Statistics of a timeout, a loss at the end of a round trip.
    pub(super) fn at_timeout(&self) -> Interval {
        let (now, delivered, lost) = self.seen;
        Interval { now, delivered, lost, has_loss: true, is_limited: false, is_round_start: true }
    }

    /// Updates the detection; true if its rate has been used long enough and probing restarts. `is_probing`: the law is
    /// in ProbeBW.
    pub(super) fn update(&mut self, interval: &Interval, is_probing: bool) -> bool {
        self.seen = (interval.now, interval.delivered, interval.lost);
        if self.is_used {
            self.rounds += u32::from(is_probing && interval.is_round_start);
            let is_over = self.rounds >= USED_ROUNDS;
            if is_over {
                self.reset(interval);
            }
            return is_over;
        }
        // From the first loss on, when the bucket is empty.
        if !self.is_sampling {
            if !interval.has_loss {
                return false;
            }
            self.begin(interval);
            self.is_sampling = true;
        }
        self.rounds += u32::from(interval.is_round_start && !interval.is_limited);
        if interval.is_limited || self.rounds > 4 * LEAST_ROUNDS {
            self.reset(interval);
        } else if self.rounds >= LEAST_ROUNDS && interval.has_loss {
            self.end(interval);
        }
        false
    }

    fn begin(&mut self, interval: &Interval) {
        (self.since, self.delivered, self.lost) = (interval.now, interval.delivered, interval.lost);
        self.rounds = 0;
    }

    fn reset(&mut self, interval: &Interval) {
        (self.rate, self.is_used, self.is_sampling) = (0.0, false, false);
        self.begin(interval);
    }

    /// Ends an interval at a loss, so that the bucket is empty again.
    fn end(&mut self, interval: &Interval) {
        let (delivered, lost) = (interval.delivered - self.delivered, interval.lost - self.lost);
        let time = interval.now.since(self.since).as_secs();
        if delivered <= 0.0 || lost < LOSSES * delivered || time < 1e-3 {
            return;
        }
        let rate = delivered / time;
        let difference = (rate - self.rate).abs();
        if self.rate > 0.0 && (difference <= RATIO * self.rate || difference <= DIFFERENCE) {
            (self.rate, self.is_used, self.rounds) = ((rate + self.rate) / 2.0, true, 0);
            return;
        }
        self.rate = rate;
        self.begin(interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(ms: u64, delivered: f64, lost: f64) -> Interval {
        let now = Time::from_nanos(ms * 1_000_000);
        Interval { now, delivered, lost, has_loss: true, is_limited: false, is_round_start: true }
    }

    /// A first loss at 0 s; five round trips of 100 ms with 100 delivered and 25 lost each. The first interval ends
    /// when four have begun, at 400 ms: 400/0.4 s = 1000 packets per second. The second, at 800 ms, confirms it: used.
    #[test]
    fn two_intervals_of_one_rate_are_a_policer() {
        let mut policer = Policer::default();
        let at = |n: u64| round(100 * n, 100.0 * n as f64, 25.0 * n as f64);
        policer.update(&Interval { is_round_start: false, ..at(0) }, true);
        for n in 1..8 {
            policer.update(&at(n), true);
            assert_eq!(policer.rate(), None, "{n}");
        }
        policer.update(&at(8), true);
        assert_eq!(policer.rate(), Some(1000.0));
        // 48 round trips later it is forgotten.
        assert!((9..56).all(|n| !policer.update(&at(n), true)));
        assert!(policer.update(&at(56), true));
        assert_eq!(policer.rate(), None);
    }

    /// 15 lost of 100 delivered are less than 50/256 = 19.5 %.
    #[test]
    fn few_losses_are_none() {
        let mut policer = Policer::default();
        for n in 0..60u64 {
            policer.update(&round(100 * n, 100.0 * n as f64, 15.0 * n as f64), true);
            assert_eq!(policer.rate(), None);
        }
    }

    #[test]
    fn an_application_without_data_begins_anew() {
        let mut policer = Policer::default();
        for n in 0..60u64 {
            let limited = Interval { is_limited: n % 4 == 3, ..round(100 * n, 100.0 * n as f64, 25.0 * n as f64) };
            policer.update(&limited, true);
            assert_eq!(policer.rate(), None);
        }
    }
}
