//! Common parts of several laws: standard slow start and halving, samples of one round trip, range checks.

pub(crate) mod losses;
pub(crate) mod marks;
pub(crate) mod max_filter;

use crate::{Ack, Congestion};
use std::ops::RangeInclusive;
use windward_units::Duration;

/// Name of a parameter, and the error in its value.
pub(crate) type Refusal = (&'static str, String);

/// Least window after a loss, in packets (RFC 5681 §3.1, Eq. 4).
pub(crate) const LOSS_FLOOR: f64 = 2.0;

/// Window after an ACK of `acked` packets in slow start, at most `ssthresh`. As in Linux (`tcp_slow_start`) it grows by
/// all acknowledged packets, without the limit L of RFC 3465 §2.3: receivers that merge segments acknowledge dozens at
/// once.
#[inline]
pub(crate) fn slow_start(cwnd: f64, ssthresh: f64, acked: f64) -> f64 {
    (cwnd + acked).min(ssthresh)
}

/// Half of the flight, at least two packets: ssthresh of RFC 5681 §3.1, Eq. 4.
pub(crate) fn half_flight(event: &Congestion) -> f64 {
    (event.flight.count() / 2.0).max(LOSS_FLOOR)
}

/// The range `STEP` of [`params!`].
pub(crate) const STEP: RangeInclusive<f64> = range!(STEP least)..=range!(STEP most);

/// Refuses a value outside `range`.
pub(crate) fn between(field: &'static str, value: f64, range: RangeInclusive<f64>) -> Result<(), Refusal> {
    if range.contains(&value) {
        return Ok(());
    }
    let [value, least, most] = [value, *range.start(), *range.end()].map(|number| {
        let is_long = number != 0.0 && !(1e-3..1e6).contains(&number.abs());
        if is_long { format!("{number:e}") } else { number.to_string() }
    });
    Err((field, format!("{value} is not between {least} and {most}")))
}

/// Round-trip samples of the current round trip.
#[derive(Clone, Debug)]
pub(crate) struct RoundTrip {
    round: u64,
    samples: u32,
    min_rtt: Duration,
}

/// A completed round trip.
pub(crate) struct Ended {
    /// Least sample; `None` without samples.
    pub min_rtt: Option<Duration>,
    /// Number of samples.
    pub samples: u32,
}

impl RoundTrip {
    pub(crate) fn new() -> Self {
        Self { round: 0, samples: 0, min_rtt: Duration::MAX }
    }

    /// Counts the sample of `ack`; returns the completed round trip, its own sample included, if the ACK ends one.
    #[inline]
    pub(crate) fn on_ack(&mut self, ack: &Ack) -> Option<Ended> {
        if let Some(rtt) = ack.rtt {
            self.min_rtt = self.min_rtt.min(rtt);
            self.samples += 1;
        }
        if ack.round == self.round {
            return None;
        }
        let ended = Ended { min_rtt: self.min_rtt(), samples: self.samples };
        *self = Self { round: ack.round, ..Self::new() };
        Some(ended)
    }

    /// Samples of this round trip so far.
    pub(crate) fn samples(&self) -> u32 {
        self.samples
    }

    /// Least sample of this round trip so far.
    pub(crate) fn min_rtt(&self) -> Option<Duration> {
        (self.samples > 0).then_some(self.min_rtt)
    }
}

/// Packets of a window `cwnd` in queues: W·(1 − base_rtt/rtt), rate times queueing delay.
#[inline]
pub(crate) fn queued(cwnd: f64, base_rtt: Duration, rtt: Duration) -> f64 {
    cwnd * (1.0 - base_rtt.ratio(rtt).min(1.0))
}
