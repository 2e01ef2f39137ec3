//! Rates that two ends have in common.

use super::groups::{RATES, mode, shape};
use crate::wifi::ppdu::{Format, Guard, Mode, Width};

/// Rates that a transmitter and its receiver have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Format.
    pub format: Format,
    /// Widest channel. Linux's groups of VHT end at 80 MHz.
    pub width: Width,
    /// Most spatial streams, 1 to 4.
    pub streams: u8,
    /// Shortest guard interval; the longer ones of the format are used too.
    pub guard: Guard,
    /// Highest MCS per stream.
    pub mcs: u8,
    /// Most attempts of the hardware at one rate; Linux takes 7 where a driver gives none, ath9k gives 10.
    pub tries: u8,
    /// True if the driver reports the number of MPDUs; otherwise the mean is guessed from the best rate.
    pub reports_length: bool,
}

impl Capabilities {
    /// All rates of a format up to a width and a number of streams, on hardware like ath9k's.
    pub const fn new(format: Format, width: Width, streams: u8) -> Self {
        let (guard, mcs) = match format {
            Format::Ht => (Guard::Ns400, 7),
            Format::Vht => (Guard::Ns400, 9),
            Format::He => (Guard::Ns800, 11),
        };
        Self { format, width, streams, guard, mcs, tries: 10, reports_length: true }
    }

    /// Slowest of these rates.
    pub fn slowest(&self) -> Mode {
        let guard = if self.format == Format::He { Guard::Ns3200 } else { Guard::Ns800 };
        let Ok(mode) = Mode::new(self.format, Width::Mhz20, 1, guard, 0) else {
            unreachable!("each format has its slowest rate")
        };
        mode
    }

    /// Bits of the rates of a group that are in common.
    pub(super) fn supported(&self, group: usize) -> u16 {
        let (_, width, streams, guard) = shape(group);
        if width > self.width || streams > self.streams || guard < self.guard {
            return 0;
        }
        let common = |mcs: &usize| *mcs <= usize::from(self.mcs) && mode(group, *mcs).is_some();
        (0..RATES).filter(common).fold(0, |bits, mcs| bits | 1 << mcs)
    }
}
