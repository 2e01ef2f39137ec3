//! Timing of a physical layer: slots, interframe spaces and air time of frames.

use windward_units::{BitRate, Duration};

/// Mapping from a frame's bits to air time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Serial bits (IEEE 802.11, clauses 15 and 16: DSSS and CCK).
    Serial,
    /// Whole OFDM symbols, which also carry the 16 bits of SERVICE and 6 tail bits (clauses 17 and 18).
    Ofdm {
        /// Length of a symbol; positive.
        symbol: Duration,
        /// Signal extension after every frame (6 µs in 802.11g).
        extension: Duration,
    },
}

impl Coding {
    /// Lowest mandatory rate.
    pub const fn slowest(self) -> BitRate {
        match self {
            Self::Serial => BitRate::bits_per_sec(1_000_000),
            Self::Ofdm { .. } => BitRate::bits_per_sec(6_000_000),
        }
    }
}

/// Timing of a physical layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phy {
    /// Slot of the backoff; positive.
    pub slot: Duration,
    /// SIFS, between the frames of an exchange; longer than `propagation`.
    pub sifs: Duration,
    /// DIFS, before a backoff; longer than `sifs`.
    pub difs: Duration,
    /// Preamble and header of every frame.
    pub preamble: Duration,
    /// Propagation delay between all stations; below a slot.
    pub propagation: Duration,
    /// Coding of the bits.
    pub coding: Coding,
    /// CWmin: a backoff is drawn from 0 to it, both included.
    pub cw_min: u32,
    /// CWmax.
    pub cw_max: u32,
}

const fn micros(count: u64) -> Duration {
    Duration::from_micros(count)
}

impl Phy {
    /// 802.11b with the long preamble (IEEE 802.11-2016, table 16-4).
    pub const B: Self = Self {
        slot: micros(20),
        sifs: micros(10),
        difs: micros(50),
        preamble: micros(192),
        propagation: micros(1),
        coding: Coding::Serial,
        cw_min: 31,
        cw_max: 1023,
    };
    /// 802.11a (table 17-21).
    pub const A: Self = Self {
        slot: micros(9),
        sifs: micros(16),
        difs: micros(34),
        preamble: micros(20),
        propagation: micros(1),
        coding: Coding::Ofdm { symbol: micros(4), extension: Duration::ZERO },
        cw_min: 15,
        cw_max: 1023,
    };
    /// 802.11g without 802.11b stations: the short slot (table 18-5).
    pub const G: Self = Self {
        sifs: micros(10),
        difs: micros(28),
        coding: Coding::Ofdm { symbol: micros(4), extension: micros(6) },
        ..Self::A
    };
    /// The parameters of Bianchi's table II (JSAC 18(3), 2000), W = 32 and m = 3: frequency hopping at 1 Mbit/s.
    pub const BIANCHI: Self = Self {
        slot: micros(50),
        sifs: micros(28),
        difs: micros(128),
        preamble: micros(128),
        propagation: micros(1),
        coding: Coding::Serial,
        cw_min: 31,
        cw_max: 255,
    };

    /// Air time of a frame of `bytes` at `rate`.
    pub fn air_time(&self, bytes: u64, rate: BitRate) -> Duration {
        let bits_per_sec = u128::from(rate.as_bits_per_sec());
        let body = match self.coding {
            Coding::Serial => {
                let nanos = (u128::from(bytes) * 8 * 1_000_000_000).div_ceil(bits_per_sec);
                Duration::from_nanos(nanos as u64)
            }
            Coding::Ofdm { symbol, extension } => {
                // In bits times nanoseconds a second: exact up to the rounding to whole symbols.
                let per_symbol = bits_per_sec * u128::from(symbol.as_nanos());
                let symbols = ((16 + u128::from(bytes) * 8 + 6) * 1_000_000_000).div_ceil(per_symbol);
                symbol * symbols as u64 + extension
            }
        };
        self.preamble + body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbit(rate: f64) -> BitRate {
        BitRate::bits_per_sec((rate * 1e6) as u64)
    }

    /// An ACK of 14 bytes: 192 + 112 µs at 1 Mbit/s; at 24 Mbit/s of OFDM 134 bits in two symbols of 96.
    #[test]
    fn frames_take_what_the_standard_says() {
        assert_eq!(Phy::B.air_time(14, mbit(1.0)), micros(304));
        assert_eq!(Phy::A.air_time(14, mbit(24.0)), micros(28));
        assert_eq!(Phy::A.air_time(14, mbit(6.0)), micros(20 + 4 * 6));
        assert_eq!(Phy::G.air_time(14, mbit(24.0)), micros(34));
        // 1536 bytes at 54 Mbit/s: 12310 bits in 57 symbols of 216.
        assert_eq!(Phy::A.air_time(1536, mbit(54.0)), micros(20 + 4 * 57));
        // 5.5 Mbit/s: 1500·8/5.5 = 2181.818 µs, rounded up to the nanosecond.
        assert_eq!(Phy::B.air_time(1500, mbit(5.5)).as_nanos(), 192_000 + 2_181_819);
    }
}
