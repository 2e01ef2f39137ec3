//! Time averages of a flow: its window, and the rate of window over round-trip time.

use windward_tables::Histogram;
use windward_units::{Duration, Packets, Time};

/// Weight of a sample in the average RTT of evidence/papers/huang2020 eq. (8).
const GAIN: f64 = 1.0 / 256.0;

/// Integrals since the last reset.
#[derive(Clone, Debug)]
pub struct Averages {
    since: Time,
    at: Time,
    is_open: bool,
    cwnd: f64,
    average_rtt: f64,
    cwnd_area: f64,
    rate_area: f64,
    open_for: Duration,
    rtt_sum: f64,
    rtt_count: u64,
    rtt_max: Duration,
    rtt_min: Duration,
    rtts: Histogram,
}

impl Averages {
    /// State without samples.
    pub fn new() -> Self {
        Self {
            since: Time::ZERO,
            at: Time::ZERO,
            is_open: false,
            cwnd: 0.0,
            average_rtt: 0.0,
            cwnd_area: 0.0,
            rate_area: 0.0,
            open_for: Duration::ZERO,
            rtt_sum: 0.0,
            rtt_count: 0,
            rtt_max: Duration::ZERO,
            rtt_min: Duration::MAX,
            rtts: Histogram::default(),
        }
    }

    /// Starts with the opening of the connection, with this window.
    pub fn begin(&mut self, now: Time, cwnd: Packets) {
        (self.at, self.since) = (now, self.since.max(now));
        (self.is_open, self.cwnd) = (true, cwnd.count());
    }

    /// Sets the window to `cwnd` from now on.
    #[inline]
    pub fn advance(&mut self, now: Time, cwnd: Packets) {
        let span = now.since(self.at).as_secs();
        self.cwnd_area += self.cwnd * span;
        if self.average_rtt > 0.0 {
            self.rate_area += self.cwnd / self.average_rtt * span;
        }
        (self.at, self.cwnd) = (now, cwnd.count());
    }

    /// Ends with the connection.
    pub fn end(&mut self, now: Time) {
        if self.is_open {
            self.advance(now, Packets::ZERO);
            self.open_for += now.since(self.since);
            self.is_open = false;
        }
    }

    /// Takes an RTT sample.
    #[inline]
    pub fn sample(&mut self, rtt: Duration) {
        let seconds = rtt.as_secs();
        self.average_rtt =
            if self.average_rtt == 0.0 { seconds } else { self.average_rtt + GAIN * (seconds - self.average_rtt) };
        self.rtt_sum += seconds;
        self.rtt_count += 1;
        self.rtt_max = self.rtt_max.max(rtt);
        self.rtt_min = self.rtt_min.min(rtt);
        self.rtts.record(rtt.as_nanos());
    }

    /// Resets at the end of the warm-up: discards all but the current state and the minimum RTT.
    pub fn reset(&mut self, now: Time) {
        *self = Self {
            since: now,
            at: now,
            is_open: self.is_open,
            cwnd: self.cwnd,
            average_rtt: self.average_rtt,
            rtt_min: self.rtt_min,
            ..Self::new()
        };
    }

    /// Time for which the connection was open.
    pub fn open_for(&self) -> Duration {
        self.open_for
    }

    /// Mean window, in packets; NaN if never open.
    pub fn mean_cwnd(&self) -> f64 {
        self.cwnd_area / self.open_for.as_secs()
    }

    /// Mean of window over average RTT, in packets per second.
    pub fn mean_window_rate(&self) -> f64 {
        self.rate_area / self.open_for.as_secs()
    }

    /// Takes the RTT samples since the last reset.
    pub fn take_histogram(&mut self) -> Histogram {
        std::mem::take(&mut self.rtts)
    }

    /// Mean, least and largest RTT in seconds; NaN without samples.
    pub fn rtts(&self) -> (f64, f64, f64) {
        let or_nan = |is_known: bool, value: f64| if is_known { value } else { f64::NAN };
        (
            self.rtt_sum / self.rtt_count as f64,
            or_nan(self.rtt_min < Duration::MAX, self.rtt_min.as_secs()),
            or_nan(self.rtt_count > 0, self.rtt_max.as_secs()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 packets for 1 s, 20 for 3 s: mean 17.5. At a constant RTT of 0.5 s the rate is 35 packets/s.
    #[test]
    fn a_mean_weighs_by_time() {
        let at = |s: u64| Time::ZERO + Duration::from_millis(1000 * s);
        let mut averages = Averages::new();
        averages.begin(at(1), Packets::new(10.0));
        averages.sample(Duration::from_millis(500));
        averages.advance(at(2), Packets::new(20.0));
        averages.end(at(5));
        assert_eq!((averages.mean_cwnd(), averages.mean_window_rate()), (17.5, 35.0));
        assert_eq!(averages.rtts(), (0.5, 0.5, 0.5));
    }
}
