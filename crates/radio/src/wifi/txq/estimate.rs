//! Airtime of a packet as Linux estimates it for AQL (`net/mac80211/airtime.c`).

use crate::wifi::ppdu::{Format, Guard, Mode, Width};

/// Bits of the packet whose airtime Linux's tables have.
const BITS: u32 = 1024 * 8;
/// Bytes that Linux adds to a packet.
const HEADER: u32 = 38;
/// Longest estimate, and its step.
const LONGEST: u32 = 4095;
const STEP: u32 = 4;

/// Data bits of a symbol and stream of HE's MCS 0 to 11 in Linux's table, from 20 to 160 MHz.
const HE_BITS: [[u32; 12]; 4] = [
    [115, 230, 345, 475, 705, 936, 1051, 1166, 1411, 1555, 1756, 1944],
    [230, 475, 705, 936, 1411, 1872, 2102, 2347, 2808, 3124, 3513, 3902],
    [489, 979, 1468, 1958, 2937, 3916, 4406, 4896, 5875, 6523, 7344, 8164],
    [979, 1958, 2937, 3916, 5875, 7833, 8827, 9806, 11_764, 13_060, 14_702, 16_329],
];

/// Estimator of the airtime of packets at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimator {
    /// Airtime of 1024 bytes in 1/1024 µs; zero for 6 Mbit/s without aggregation.
    duration: u32,
    /// Preamble in microseconds.
    overhead: u32,
    /// Binary logarithm of the number of packets that are taken to share the preamble.
    shift: u32,
}

impl Estimator {
    /// Estimator for a station to which nothing has been sent: 6 Mbit/s.
    pub const UNKNOWN: Self = Self { duration: 0, overhead: 36, shift: 0 };

    /// Estimator at a mode.
    pub const fn new(mode: Mode) -> Self {
        let lowest = duration(mode, lowest_bits(mode));
        // The table has 16 bits for an entry.
        let shift = 16_u32.saturating_sub(lowest.leading_zeros());
        let duration = ((duration(mode, data_bits(mode, mode.mcs())) >> shift) & 0xffff) << shift;
        let aggregated = match duration {
            409_601.. => 1,
            256_001.. => 2,
            153_601.. => 3,
            71_681.. => 4,
            ..=20_480 if matches!(mode.format(), Format::He) => 6,
            _ => 5,
        };
        Self { duration, overhead: 36 + 4 * mode.streams() as u32, shift: aggregated }
    }

    /// Airtime of a packet of `bytes` in microseconds, as Linux stores it: a multiple of four. Voice is not aggregated.
    pub fn estimate(&self, bytes: u32, is_voice: bool) -> u32 {
        let bytes = bytes + HEADER;
        let airtime = if self.duration == 0 {
            self.overhead + bytes * 80 / 60
        } else {
            let data = (u64::from(self.duration) * u64::from(bytes) / (1024 * 1024)) as u32;
            if is_voice { data + self.overhead } else { (data + (self.overhead >> self.shift)).max(STEP) }
        };
        airtime.min(LONGEST) / STEP * STEP
    }
}

/// Data bits of a symbol and stream.
const fn data_bits(mode: Mode, mcs: u8) -> u32 {
    if matches!(mode.format(), Format::He) {
        return HE_BITS[mode.width() as usize][mcs as usize];
    }
    match Mode::new(mode.format(), mode.width(), 1, mode.guard(), mcs) {
        Ok(one) => one.data_bits() as u32,
        // VHT's MCS 9 at 20 MHz exists with three streams only.
        Err(_) => 346,
    }
}

/// Data bits of the group's lowest rate, by which its table is shifted; Linux has 243 for VHT at 160 MHz.
const fn lowest_bits(mode: Mode) -> u32 {
    if matches!((mode.format(), mode.width()), (Format::Vht, Width::Mhz160)) { 243 } else { data_bits(mode, 0) }
}

/// Airtime of 1024 bytes at `bits` a symbol and stream, in 1/1024 µs.
const fn duration(mode: Mode, bits: u32) -> u32 {
    let symbols = (BITS << 10).div_ceil(bits * mode.streams() as u32);
    match (mode.format(), mode.guard()) {
        (Format::He, Guard::Ns800) => symbols * 16 * 17 / 20,
        (Format::He, Guard::Ns1600) => symbols * 16 * 18 / 20,
        (Format::He, _) => symbols * 16,
        (_, Guard::Ns400) => symbols * 4 * 18 / 20,
        _ => symbols * 4,
    }
}
