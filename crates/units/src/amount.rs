//! Amounts and rates of data.

use crate::Duration;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A number of packets; fractional, because windows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Packets(f64);

/// Packets a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct PacketRate(f64);

/// Whole bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

/// Bits a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

impl Packets {
    /// None.
    pub const ZERO: Self = Self(0.0);
    /// One packet.
    pub const ONE: Self = Self(1.0);

    /// `count` packets.
    pub const fn new(count: f64) -> Self {
        Self(count)
    }

    /// The count.
    pub const fn count(self) -> f64 {
        self.0
    }

    /// The larger of two.
    pub const fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The smaller of two.
    pub const fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

impl PacketRate {
    /// `rate` packets a second.
    pub const fn per_sec(rate: f64) -> Self {
        Self(rate)
    }

    /// Packets a second.
    pub const fn as_per_sec(self) -> f64 {
        self.0
    }
}

impl Bytes {
    /// `count` bytes.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count.
    pub const fn count(self) -> u64 {
        self.0
    }
}

impl BitRate {
    /// `rate` bits a second.
    pub const fn bits_per_sec(rate: u64) -> Self {
        Self(rate)
    }

    /// Bits a second.
    pub const fn as_bits_per_sec(self) -> u64 {
        self.0
    }
}

impl Add for Packets {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Packets {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Packets {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<f64> for Packets {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
}

impl Div for Packets {
    type Output = f64;
    fn div(self, other: Self) -> f64 {
        self.0 / other.0
    }
}

impl Div<Duration> for Packets {
    type Output = PacketRate;
    fn div(self, span: Duration) -> PacketRate {
        PacketRate(self.0 / span.as_secs())
    }
}

impl Mul<Duration> for PacketRate {
    type Output = Packets;
    fn mul(self, span: Duration) -> Packets {
        Packets(self.0 * span.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_over_time_is_a_rate_and_back() {
        let rate = Packets::new(50.0) / Duration::from_millis(100);
        assert_eq!(rate, PacketRate::per_sec(500.0));
        assert_eq!(rate * Duration::from_millis(100), Packets::new(50.0));
    }
}
