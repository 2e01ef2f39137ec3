//! Average round-trip time of FAST and QUIC-TCP.

use windward_units::Duration;

/// AvgRTT, huang2020 Eq. 8: an exponential average over ACKs. Zero before the first sample.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AvgRtt {
    pub nanos: f64,
}

impl AvgRtt {
    /// Adds a sample with weight 1/`length`.
    #[inline]
    pub fn push(&mut self, rtt: Duration, length: f64) {
        let rtt = rtt.as_nanos() as f64;
        self.nanos = if self.nanos == 0.0 { rtt } else { self.nanos + (rtt - self.nanos) / length };
    }

    /// BaseRTT/AvgRTT, at most 1: the share of the round trip that is not queueing.
    #[inline]
    pub fn base_share(&self, base_rtt: Duration) -> f64 {
        (base_rtt.as_nanos() as f64 / self.nanos).min(1.0)
    }
}

/// Length of the papers' filter, huang2020 Eq. 8, in ACKs.
pub(crate) const FILTER: f64 = 256.0;
