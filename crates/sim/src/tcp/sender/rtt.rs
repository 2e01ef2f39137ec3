//! Round-trip estimation and the retransmission timeout (RTO): RFC 6298 or Linux.
//!
//! Linux applies its minimum of 200 ms to the variation and not to the whole: RTO = srtt + max(4·rttvar, 200 ms). Its
//! rttvar is the largest mean deviation within a round trip; it follows an increase at once, and a decrease by a
//! quarter each round trip. A sample below srtt that would raise the mean deviation has an eighth of the usual weight
//! (`tcp_rtt_estimator`).

use crate::network::{RtoRule, TcpOptions};
use windward_units::Duration;

/// Clock granularity G. The simulator's own is a nanosecond; RFC 6298 §4 asks for 100 ms or finer.
const GRANULARITY: Duration = Duration::from_millis(1);
/// Timeout before the first sample (RFC 6298 §2.1).
const INITIAL: Duration = Duration::from_millis(1000);
/// Timeout with which data begins after a repeated SYN without a sample (RFC 6298 §5.7; Linux: `TCP_TIMEOUT_FALLBACK`).
const AFTER_LOST_SYN: Duration = Duration::from_millis(3000);
/// Timeouts of a SYN before they begin to double in Linux (`tcp_syn_linear_timeouts`).
const LINEAR_SYNS: u32 = 4;
/// Longest timeout (RFC 6298 §2.5).
const LONGEST: Duration = Duration::from_millis(60_000);
/// Longest timeout of Linux.
const LONGEST_OF_LINUX: Duration = Duration::from_millis(120_000);

/// Smoothed round-trip time, its variation and the resulting timeout.
#[derive(Clone, Debug)]
pub struct Estimator {
    srtt: Duration,
    rttvar: Duration,
    min_rto: Duration,
    rto: Duration,
    backoff: u32,
    longest: Duration,
    linux: Option<Deviation>,
}

/// Linux's estimate of the variation: four times the mean deviation, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Deviation {
    mean: u64,
    /// Largest value in this round trip, at least the floor.
    largest: u64,
    /// Term that the timeout adds to srtt.
    added: u64,
    /// Segment whose acknowledgement ends the round trip.
    until: u32,
}

impl Deviation {
    fn sample(&mut self, rtt: u64, srtt: Option<u64>, floor: u64, una: u32, next: u32) {
        let Some(srtt) = srtt else {
            let mean = 2 * rtt;
            *self = Self { mean, largest: mean.max(floor), added: mean.max(floor), until: next };
            return;
        };
        let error = srtt.abs_diff(rtt);
        if error > self.mean / 4 {
            let above = error - self.mean / 4;
            self.mean += if rtt < srtt { above / 8 } else { above };
        } else {
            self.mean -= self.mean / 4 - error;
        }
        if self.mean > self.largest {
            self.largest = self.mean;
            self.added = self.added.max(self.largest);
        }
        if una > self.until {
            self.added -= self.added.saturating_sub(self.largest) / 4;
            (self.until, self.largest) = (next, floor);
        }
    }
}

/// Round-trip times of a connection.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    /// The estimator of the retransmission timeout.
    pub estimator: Estimator,
    /// Least sample, or the propagation delay if that is known.
    base: Duration,
    is_base_known: bool,
    last: Duration,
    /// Excess of a segment's round trip over the handshake's, if that counts.
    handshake_excess: Option<Duration>,
}

impl RoundTrips {
    /// State without samples.
    pub fn new(tcp: &TcpOptions) -> Self {
        Self {
            estimator: Estimator::new(tcp.rto, tcp.min_rto),
            base: tcp.known_base_rtt.unwrap_or(Duration::MAX),
            is_base_known: tcp.known_base_rtt.is_some(),
            last: Duration::ZERO,
            handshake_excess: tcp.handshake_excess,
        }
    }

    /// Takes the sample of the handshake as one of the base, as if it had been that of a full segment. Otherwise it is
    /// none: a SYN is shorter and has a shorter transmission time.
    pub fn establish(&mut self, rtt: Duration) {
        if let Some(excess) = self.handshake_excess
            && !self.is_base_known
        {
            self.base = self.base.min(rtt + excess);
        }
    }

    /// Takes the sample that the law gets.
    #[inline]
    pub fn note(&mut self, rtt: Duration) {
        self.last = rtt;
        if !self.is_base_known {
            self.base = self.base.min(rtt);
        }
    }

    /// Least sample, or the propagation delay if that is known; [`Duration::MAX`] before the first.
    #[inline]
    pub fn base(&self) -> Duration {
        self.base
    }

    /// Latest sample; zero before the first.
    pub fn last(&self) -> Duration {
        self.last
    }

    /// State for a new connection with these options over the same path.
    pub fn renewed(&self, tcp: &TcpOptions) -> Self {
        Self { estimator: self.estimator.renewed(), base: self.base, ..Self::new(tcp) }
    }
}

impl Estimator {
    /// An estimator without samples.
    pub fn new(rule: RtoRule, min_rto: Duration) -> Self {
        let is_linux = rule == RtoRule::Linux;
        Self {
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            min_rto,
            rto: INITIAL.max(min_rto),
            backoff: 0,
            longest: if is_linux { LONGEST_OF_LINUX } else { LONGEST },
            linux: is_linux.then(Deviation::default),
        }
    }

    /// Takes a sample, with the first unacknowledged and the next new segment; ends any back-off.
    pub fn sample(&mut self, rtt: Duration, una: u32, next: u32) {
        self.backoff = 0;
        let before = (self.srtt > Duration::ZERO).then_some(self.srtt.as_nanos());
        let nanos = rtt.as_nanos();
        let (srtt, rttvar) = (self.srtt.as_nanos(), self.rttvar.as_nanos());
        // (a·of + b)/(a + 1) of spans that may have any length.
        let mix =
            |a: u64, of: u64, b: u64| ((u128::from(a) * u128::from(of) + u128::from(b)) / u128::from(a + 1)) as u64;
        (self.srtt, self.rttvar) = if srtt == 0 {
            // RFC 6298 §2.2
            (rtt, Duration::from_nanos(nanos / 2))
        } else {
            // RFC 6298 §2.3: first the variation, with the old srtt.
            let rttvar = mix(3, rttvar, srtt.abs_diff(nanos));
            (Duration::from_nanos(mix(7, srtt, nanos)), Duration::from_nanos(rttvar))
        };
        self.rto = match &mut self.linux {
            None => (self.srtt + (self.rttvar * 4).max(GRANULARITY)).max(self.min_rto),
            Some(deviation) => {
                deviation.sample(nanos, before, self.min_rto.as_nanos(), una, next);
                self.srtt + Duration::from_nanos(deviation.added)
            }
        };
    }

    /// True for Linux's formula.
    pub fn is_linux(&self) -> bool {
        self.linux.is_some()
    }

    /// Doubles the timeout after an expiry (RFC 6298 §5.5).
    pub fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// Smoothed round-trip time; zero before the first sample.
    #[inline]
    pub fn srtt(&self) -> Duration {
        self.srtt
    }

    /// Timeout of a SYN before which `earlier` ones were sent (RFC 6298 §2.1 and §5.5). Linux's begin to double at the
    /// sixth SYN (`tcp_retransmit_timer`).
    pub fn of_syn(&self, earlier: u32) -> Duration {
        let doublings = if self.linux.is_some() { earlier.saturating_sub(LINEAR_SYNS) } else { earlier };
        self.bounded(INITIAL * (1 << doublings.min(7)))
    }

    /// Records that the handshake repeated its SYN and gave no sample.
    pub fn note_lost_syn(&mut self) {
        self.rto = self.rto.max(AFTER_LOST_SYN);
    }

    /// Bounds a timeout to 60 s (Linux: 120 s), or to the minimum timeout if that is longer.
    fn bounded(&self, timeout: Duration) -> Duration {
        timeout.min(self.longest.max(self.min_rto))
    }

    /// The estimator for a new connection over the same path.
    pub fn renewed(&self) -> Self {
        Self { backoff: 0, ..self.clone() }
    }

    /// Current retransmission timeout.
    #[inline]
    pub fn rto(&self) -> Duration {
        self.bounded(self.rto * (1 << self.backoff.min(16)))
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
        let mut estimator = Estimator::new(RtoRule::Rfc6298, millis(200));
        assert_eq!(estimator.rto(), millis(1000));
        estimator.sample(millis(100), 0, 1);
        assert_eq!((estimator.srtt(), estimator.rto()), (millis(100), millis(300)));
        estimator.sample(millis(140), 0, 1);
        assert_eq!((estimator.srtt(), estimator.rto()), (millis(105), millis(295)));
    }

    /// A handshake of 50 ms counts as 51 ms where a segment takes 1 ms longer, unless the base is known.
    #[test]
    fn a_handshake_may_be_a_sample_of_the_base() {
        let base = |handshake_excess, known_base_rtt, samples: &[u64]| {
            let mut own = RoundTrips::new(&TcpOptions { handshake_excess, known_base_rtt, ..TcpOptions::default() });
            own.establish(millis(50));
            samples.iter().for_each(|&ms| own.note(millis(ms)));
            own.base()
        };
        assert_eq!(base(None, None, &[]), Duration::MAX);
        assert_eq!(base(Some(millis(1)), None, &[60]), millis(51));
        assert_eq!(base(Some(millis(1)), None, &[49, 60]), millis(49));
        assert_eq!(base(Some(millis(1)), Some(millis(70)), &[60]), millis(70));
    }

    #[test]
    fn the_timeout_doubles_up_to_a_minute_and_has_a_floor() {
        let mut estimator = Estimator::new(RtoRule::Rfc6298, millis(1000));
        estimator.sample(millis(100), 0, 1);
        assert_eq!(estimator.rto(), millis(1000));
        estimator.back_off();
        assert_eq!(estimator.rto(), millis(2000));
        (0..40).for_each(|_| estimator.back_off());
        assert_eq!(estimator.rto(), LONGEST);
        estimator.sample(millis(100), 0, 1);
        assert_eq!(estimator.rto(), millis(1000));
    }

    /// RFC 6298 §5.5: 1, 2, 4 … s, at most 60 s. Linux 6.18 with its `tcp_syn_linear_timeouts` of 4: five SYNs a second
    /// apart, and doubling from there on. After a lost SYN data begins with 3 s (RFC 6298 §5.7).
    #[test]
    fn syns_are_repeated() {
        let of = |rule| {
            let estimator = Estimator::new(rule, millis(200));
            (0..9).map(|earlier| estimator.of_syn(earlier).as_millis() / 1000.0).collect::<Vec<_>>()
        };
        assert_eq!(of(RtoRule::Rfc6298), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
        assert_eq!(of(RtoRule::Linux), [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0]);
        let mut estimator = Estimator::new(RtoRule::Rfc6298, millis(200));
        estimator.note_lost_syn();
        assert_eq!(estimator.rto(), millis(3000));
        estimator.sample(millis(100), 0, 1);
        assert_eq!(estimator.rto(), millis(300));
    }

    /// RFC 6298 §2.5 and `TCP_RTO_MAX` hold even for longer round-trip times, unless the minimum is longer.
    #[test]
    fn no_timeout_is_longer_than_a_minute_or_linuxs_two() {
        for (rule, longest) in [(RtoRule::Rfc6298, 60_000), (RtoRule::Linux, 120_000)] {
            let mut estimator = Estimator::new(rule, millis(200));
            estimator.sample(millis(1_386_000), 0, 1);
            assert_eq!(estimator.rto(), millis(longest));
            estimator.back_off();
            assert_eq!(estimator.rto(), millis(longest));
        }
    }

    /// A steady path of 100 ms: 100 + 200 ms at first (2·100 ms, above or at the floor of 200 ms), and constant after
    /// that. RFC 6298 would fall to its minimum.
    #[test]
    fn linux_keeps_200_ms_above_the_round_trip() {
        let mut linux = Estimator::new(RtoRule::Linux, millis(200));
        for round in 0..50 {
            linux.sample(millis(100), round, round + 1);
        }
        assert_eq!(linux.rto(), millis(300));
        (0..20).for_each(|_| linux.back_off());
        assert_eq!(linux.rto(), LONGEST_OF_LINUX);
    }

    /// In ms, from srtt 100, mean 200 and floor 200. A sample of 500: error 400, above 200/4 by 350, so the mean is
    /// 550, which is the largest and is added; srtt is 100 + 400/8 = 150, RTO 700. Then all samples are 150: error 0,
    /// the mean falls by a quarter. At the end of the round trip no value is below its largest; at the end of the next,
    /// 550 falls by (550 − 412.5)/4 = 34.375.
    #[test]
    fn linux_follows_a_rise_at_once_and_a_fall_slowly() {
        let mut linux = Estimator::new(RtoRule::Linux, millis(200));
        linux.sample(millis(100), 0, 10);
        linux.sample(millis(500), 5, 15);
        assert_eq!((linux.srtt(), linux.rto()), (millis(150), millis(700)));
        linux.sample(millis(150), 11, 20);
        assert_eq!(linux.rto(), millis(700));
        linux.sample(millis(150), 21, 30);
        // The mean at the second sample of 150 was 412.5, at this one 309.375: the largest of the round trip that ends
        // now.
        assert_eq!(linux.rto(), Duration::from_nanos(700_000_000 - (550_000_000 - 309_375_000) / 4));
    }

    /// A sample of 20 with srtt 100 and mean 200: error 80, above 50 by 30, of which an eighth counts: 203.75. Above
    /// srtt it counts in full: 180 gives 230.
    #[test]
    fn linux_does_not_take_a_fall_for_variation() {
        for (sample, added) in [(20, 203_750_000), (180, 230_000_000)] {
            let mut linux = Estimator::new(RtoRule::Linux, millis(200));
            linux.sample(millis(100), 0, 10);
            linux.sample(millis(sample), 1, 11);
            assert_eq!(linux.rto().as_nanos() - linux.srtt().as_nanos(), added);
        }
    }
}
