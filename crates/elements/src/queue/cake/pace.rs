//! Times of bytes at a rate, with Linux's rounding.

/// Time of a byte: `nanos` divided by 2^`shift`. Zero without a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pace {
    nanos: u64,
    shift: u32,
}

/// Bits behind the point of a rate, before it is made to fit.
const BITS: u32 = 34;
/// Least rate in bytes a second.
const LEAST: u64 = 64;

impl Pace {
    /// Pace of `rate` bytes a second (`cake_set_rate`).
    pub const fn new(rate: u64) -> Self {
        if rate == 0 {
            return Self { nanos: 0, shift: 0 };
        }
        let rate = if rate < LEAST { LEAST } else { rate };
        let (mut nanos, mut shift) = ((1_000_000_000 << BITS) / rate, BITS);
        while nanos >> BITS > 0 {
            nanos >>= 1;
            shift -= 1;
        }
        Self { nanos, shift }
    }

    /// Time of `bytes`, in nanoseconds.
    #[inline]
    pub const fn time(self, bytes: u32) -> u64 {
        (bytes as u64 * self.nanos) >> self.shift
    }
}
