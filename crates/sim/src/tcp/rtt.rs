//! Round-trip estimation and the retransmission timeout (RFC 6298).

use windward_units::Duration;

/// Clock granularity G: the simulator's own is a nanosecond; RFC 6298 §4 asks for 100 ms or finer.
const GRANULARITY: Duration = Duration::from_millis(1);
/// Before the first sample (RFC 6298 §2.1).
const INITIAL: Duration = Duration::from_millis(1000);
/// Longest timeout (RFC 6298 §2.5).
const LONGEST: Duration = Duration::from_millis(60_000);

/// Smoothed round-trip time, its variation and the timeout that follows.
#[derive(Clone, Debug)]
pub struct Estimator {
    srtt: Duration,
    rttvar: Duration,
    min_rto: Duration,
    rto: Duration,
    backoff: u32,
}

impl Estimator {
    /// No sample yet.
    pub fn new(min_rto: Duration) -> Self {
        Self { srtt: Duration::ZERO, rttvar: Duration::ZERO, min_rto, rto: INITIAL.max(min_rto), backoff: 0 }
    }

    /// A sample; ends any back-off.
    pub fn sample(&mut self, rtt: Duration) {
        let nanos = rtt.as_nanos();
        let (srtt, rttvar) = (self.srtt.as_nanos(), self.rttvar.as_nanos());
        // (a·of + b)/(a + 1) of spans as long as they may be.
        let mix =
            |a: u64, of: u64, b: u64| ((u128::from(a) * u128::from(of) + u128::from(b)) / u128::from(a + 1)) as u64;
        (self.srtt, self.rttvar) = if srtt == 0 {
            // RFC 6298 §2.2
            (rtt, Duration::from_nanos(nanos / 2))
        } else {
            // RFC 6298 §2.3: the variation first, with the old srtt.
            let rttvar = mix(3, rttvar, srtt.abs_diff(nanos));
            (Duration::from_nanos(mix(7, srtt, nanos)), Duration::from_nanos(rttvar))
        };
        self.rto = (self.srtt + (self.rttvar * 4).max(GRANULARITY)).max(self.min_rto);
        self.backoff = 0;
    }

    /// The timer expired: the next one waits twice as long (RFC 6298 §5.5).
    pub fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// Expirations since the last sample.
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// The smoothed round-trip time; zero before the first sample.
    #[inline]
    pub fn srtt(&self) -> Duration {
        self.srtt
    }

    /// How long to wait for an ACK now.
    #[inline]
    pub fn rto(&self) -> Duration {
        (self.rto * (1 << self.backoff.min(16))).min(LONGEST.max(self.rto))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// First sample 100 ms: srtt 100, rttvar 50, RTO 300. Second 140 ms: rttvar (3·50 + 40)/4 = 47.5, srtt
    /// (700 + 140)/8 = 105, RTO 105 + 190 = 295.
    #[test]
    fn two_samples_by_hand() {
        let mut estimator = Estimator::new(millis(200));
        assert_eq!(estimator.rto(), millis(1000));
        estimator.sample(millis(100));
        assert_eq!((estimator.srtt(), estimator.rto()), (millis(100), millis(300)));
        estimator.sample(millis(140));
        assert_eq!((estimator.srtt(), estimator.rto()), (millis(105), millis(295)));
    }

    #[test]
    fn the_timeout_doubles_up_to_a_minute_and_has_a_floor() {
        let mut estimator = Estimator::new(millis(1000));
        estimator.sample(millis(100));
        assert_eq!(estimator.rto(), millis(1000));
        estimator.back_off();
        assert_eq!(estimator.rto(), millis(2000));
        (0..40).for_each(|_| estimator.back_off());
        assert_eq!(estimator.rto(), LONGEST);
        estimator.sample(millis(100));
        assert_eq!(estimator.rto(), millis(1000));
    }
}
