//! When packets leave a link.

use super::config::Rate;
use super::replay::Replay;
use std::sync::Arc;
use windward_units::{Duration, Time};

/// When packets leave.
#[derive(Debug)]
pub(super) enum Clock {
    Constant(Transmitter),
    Recorded(Replay),
}

impl Clock {
    pub(super) fn new(rate: &Rate) -> Self {
        match rate {
            Rate::Constant(rate) => Self::Constant(Transmitter::new(rate.as_bits_per_sec())),
            Rate::Recorded(trace) => Self::Recorded(Replay::new(Arc::clone(trace))),
        }
    }

    /// When a packet that arrives now begins to leave, where those before it have left at `free_at`.
    #[inline]
    pub(super) fn start(&self, free_at: Time, now: Time) -> Time {
        match self {
            Self::Constant(_) => free_at.max(now),
            Self::Recorded(replay) => replay.start(now),
        }
    }

    /// When it has left.
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

    /// How long a link with recorded opportunities counts as busy, in nanoseconds: of the time since the counting began, the
    /// share of the opportunities' bytes that were used. `None` where the rate is constant, and the busy time is known.
    pub(super) fn busy(&self, now: Time) -> Option<u64> {
        let Self::Recorded(replay) = self else { return None };
        let passed = u128::from(replay.counted(now).as_nanos());
        let busy = (passed * u128::from(replay.used(now))).checked_div(u128::from(replay.offered(now)));
        Some(busy.and_then(|busy| u64::try_from(busy).ok()).unwrap_or(0))
    }

    /// Whether the rate is the same at all times.
    pub(super) const fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// Opportunities up to now are gone, and those to come are free: what was to be sent will not be.
    pub(super) fn skip(&mut self, now: Time) {
        if let Self::Recorded(replay) = self {
            replay.skip(now);
        }
    }

    /// What is left of a transmission that takes so many nanoseconds more, counted in those of a rate of one bit a second; of
    /// recorded opportunities nothing is known.
    pub(super) fn bit_nanos(&self, left: u64) -> Option<u128> {
        match self {
            Self::Constant(clock) => Some(u128::from(left) * u128::from(clock.rate)),
            Self::Recorded(_) => None,
        }
    }

    /// When such a rest, begun now, has left; where the rate is recorded, all of the packet goes again.
    pub(super) fn rest(&mut self, now: Time, rest: u128) -> Option<Time> {
        let Self::Constant(clock) = self else { return None };
        clock.reset();
        let nanos = rest.div_ceil(u128::from(clock.rate));
        Some(now + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }

    /// Counts from now on.
    pub(super) fn count_from(&mut self, now: Time) {
        if let Self::Recorded(replay) = self {
            replay.count_from(now);
        }
    }
}

/// Transmission times that lose no fraction of a nanosecond: what one packet leaves over, the next one gets.
#[derive(Debug)]
pub struct Transmitter {
    rate: u64,
    remainder: u64,
    size: u32,
    whole: u64,
    part: u64,
}

impl Transmitter {
    /// Of this many bits a second, above zero.
    pub const fn new(rate: u64) -> Self {
        Self { rate, remainder: 0, size: 0, whole: 0, part: 0 }
    }

    /// Begins a busy period.
    #[inline]
    const fn reset(&mut self) {
        self.remainder = 0;
    }

    /// How long `size` bytes take. The division is kept from packet to packet while the size stays.
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
