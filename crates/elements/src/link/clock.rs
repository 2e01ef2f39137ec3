//! Departure times of a link.

use super::config::Rate;
use super::replay::Replay;
use std::sync::Arc;
use windward_units::{Duration, Time};

/// Departure process: a constant rate or a recording.
#[derive(Debug)]
pub(super) enum Clock {
    Constant(Transmitter),
    Recorded(Box<Replay>),
}

impl Clock {
    pub(super) fn new(rate: &Rate) -> Self {
        match rate {
            Rate::Constant(rate) => Self::Constant(Transmitter::new(rate.as_bits_per_sec())),
            Rate::Recorded(trace) => Self::Recorded(Box::new(Replay::new(Arc::clone(trace)))),
        }
    }

    /// The constant rate, or the mean rate of the whole recording, in bits a second.
    #[inline]
    pub(super) fn rate(&self) -> f64 {
        match self {
            Self::Constant(clock) => clock.rate as f64,
            Self::Recorded(replay) => replay.mean_rate().as_bits_per_sec() as f64,
        }
    }

    /// Start of the transmission of a packet that arrives now, after earlier ones have left at `free_at`.
    #[inline]
    pub(super) fn start(&self, free_at: Time, now: Time) -> Time {
        match self {
            Self::Constant(_) => free_at.max(now),
            Self::Recorded(replay) => replay.start(now),
        }
    }

    /// End of its transmission.
    // As [`super::wire::Wire::carry`].
    #[inline(always)]
    pub(super) fn finish(&mut self, free_at: Time, now: Time, size: u32) -> Time {
        match self {
            Self::Constant(clock) if free_at <= now => {
                clock.reset();
                now + clock.transmit(size)
            }
            Self::Constant(clock) => free_at + clock.transmit(size),
            Self::Recorded(replay) => replay.finish(now, size),
        }
    }

    /// Busy time of a recorded link in nanoseconds: the elapsed time times the used share of the opportunities' bytes.
    /// `None` for a constant rate, whose busy time is known.
    pub(super) fn busy(&self, now: Time) -> Option<u64> {
        let Self::Recorded(replay) = self else { return None };
        let passed = u128::from(replay.counted(now).as_nanos());
        let busy = (passed * u128::from(replay.used(now))).checked_div(u128::from(replay.offered(now)));
        Some(busy.and_then(|busy| u64::try_from(busy).ok()).unwrap_or(0))
    }

    /// True if the rate is constant.
    #[inline]
    pub(super) const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// Skips the opportunities up to now and frees those to come, cancelling transmissions.
    #[inline]
    pub(super) fn skip(&mut self, now: Time) {
        if let Self::Recorded(replay) = self {
            replay.skip(now);
        }
    }

    /// Converts the rest of a transmission, `left` nanoseconds, to nanoseconds at one bit a second; `None` for a
    /// recorded link.
    #[inline]
    pub(super) fn bit_nanos(&self, left: u64) -> Option<u128> {
        match self {
            Self::Constant(clock) => Some(u128::from(left) * u128::from(clock.rate)),
            Self::Recorded(_) => None,
        }
    }

    /// End of such a rest that begins now; `None` for a recorded link, where the whole packet is sent again.
    #[inline]
    pub(super) fn rest(&mut self, now: Time, rest: u128) -> Option<Time> {
        let Self::Constant(clock) = self else { return None };
        clock.reset();
        let nanos = rest.div_ceil(u128::from(clock.rate));
        Some(now + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }

    /// Restarts the counters.
    pub(super) fn count_from(&mut self, now: Time) {
        if let Self::Recorded(replay) = self {
            replay.count_from(now);
        }
    }
}

/// Exact transmission times: the remaining fraction of a nanosecond carries over to the next packet.
#[derive(Debug)]
pub struct Transmitter {
    rate: u64,
    remainder: u64,
    size: u32,
    whole: u64,
    part: u64,
}

impl Transmitter {
    /// Creates a transmitter of `rate` bits a second, above zero.
    pub const fn new(rate: u64) -> Self {
        Self { rate, remainder: 0, size: 0, whole: 0, part: 0 }
    }

    /// Starts a busy period.
    #[inline]
    const fn reset(&mut self) {
        self.remainder = 0;
    }

    /// Transmission time of `size` bytes. The division is cached while the size stays the same.
    #[inline]
    pub fn transmit(&mut self, size: u32) -> Duration {
        if size != self.size {
            let bit_nanos = u64::from(size) * 8_000_000_000;
            (self.size, self.whole, self.part) = (size, bit_nanos / self.rate, bit_nanos % self.rate);
        }
        self.remainder += self.part;
        let carry = self.remainder >= self.rate;
        if carry {
            self.remainder -= self.rate;
        }
        Duration::from_nanos(self.whole + u64::from(carry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 7 bit/s a byte takes 8/7 s: seven of them take 8 s to the nanosecond.
    #[test]
    fn fractions_of_a_nanosecond_are_carried() {
        let mut clock = Transmitter::new(7);
        let total: u64 = (0..7).map(|_| clock.transmit(1).as_nanos()).sum();
        assert_eq!(total, 8_000_000_000);
    }
}
