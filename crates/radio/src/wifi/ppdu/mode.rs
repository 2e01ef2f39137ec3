//! Modulation and coding schemes of HT, VHT and HE.

use std::fmt;
use windward_units::Duration;

/// Format of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// 802.11n, high throughput, in mixed format (IEEE 802.11-2020, clause 19).
    Ht,
    /// 802.11ac, very high throughput (clause 21).
    Vht,
    /// 802.11ax, high efficiency, for one user (IEEE 802.11ax-2021, clause 27).
    He,
}

/// Width of a channel; 80 + 80 MHz counts as 160.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// 20 MHz.
    Mhz20,
    /// 40 MHz.
    Mhz40,
    /// 80 MHz.
    Mhz80,
    /// 160 MHz.
    Mhz160,
}

impl Width {
    /// All widths, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Mhz20, Self::Mhz40, Self::Mhz80, Self::Mhz160];

    /// Width in MHz.
    pub const fn mhz(self) -> u32 {
        20 << self as u32
    }
}

/// Guard interval between the symbols of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// 0.4 µs, the short one of HT and VHT.
    Ns400,
    /// 0.8 µs, the long one of HT and VHT.
    Ns800,
    /// 1.6 µs, HE.
    Ns1600,
    /// 3.2 µs, HE.
    Ns3200,
}

impl Guard {
    /// Its length in nanoseconds.
    pub const fn nanos(self) -> u64 {
        match self {
            Self::Ns400 => 400,
            Self::Ns800 => 800,
            Self::Ns1600 => 1600,
            Self::Ns3200 => 3200,
        }
    }
}

/// Coded bits per subcarrier and stream, numerator and denominator of the code rate, of MCS 0 to 11.
const SCHEMES: [(u64, u64, u64); 12] = [
    (1, 1, 2),
    (2, 1, 2),
    (2, 3, 4),
    (4, 1, 2),
    (4, 3, 4),
    (6, 2, 3),
    (6, 3, 4),
    (6, 5, 6),
    (8, 3, 4),
    (8, 5, 6),
    (10, 3, 4),
    (10, 5, 6),
];

/// Rate of the non-HT format with the same modulation and code, in Mbit/s, of MCS 0 to 11.
pub(super) const REFERENCE_RATES: [u64; 12] = [6, 12, 18, 24, 36, 48, 54, 54, 54, 54, 54, 54];

/// Most spatial streams that are modelled.
const STREAMS: u8 = 4;

/// A combination that a standard lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// The format does not have the width; its widest.
    Width(Width),
    /// The format does not have the guard interval; the nearest it has.
    Guard(Guard),
    /// More than four streams, or none.
    Streams,
    /// The format does not have the scheme; its highest.
    Mcs(u8),
    /// The bits of a symbol do not divide among the encoders (IEEE 802.11-2020, §21.5); the next lower scheme.
    Combination(u8),
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Width(widest) => write!(f, "the standard's widest channel has {} MHz", widest.mhz()),
            Self::Guard(nearest) => {
                write!(f, "the standard has no such guard interval; the nearest is {} µs", nearest.nanos() as f64 / 1e3)
            }
            Self::Streams => write!(f, "1 to {STREAMS} spatial streams are possible"),
            Self::Mcs(highest) => write!(f, "the standard's highest MCS is {highest}"),
            Self::Combination(lower) => {
                write!(
                    f,
                    "the standard has no such MCS with this width and number of streams; the next lower is {lower}"
                )
            }
        }
    }
}

/// A rate: format, width, streams, guard interval and scheme; it exists in the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    format: Format,
    width: Width,
    streams: u8,
    guard: Guard,
    mcs: u8,
}

impl Mode {
    /// The mode of an MCS index that counts per stream: HT's 8 to 31 are 0 to 7 with two to four streams.
    ///
    /// # Errors
    /// [`Impossible`] where the standard has no such combination.
    pub const fn new(format: Format, width: Width, streams: u8, guard: Guard, mcs: u8) -> Result<Self, Impossible> {
        let mode = Self { format, width, streams, guard, mcs };
        let highest = match format {
            Format::Ht => 7,
            Format::Vht => 9,
            Format::He => 11,
        };
        if matches!((format, width), (Format::Ht, Width::Mhz80 | Width::Mhz160)) {
            return Err(Impossible::Width(Width::Mhz40));
        }
        match (format, guard) {
            (Format::Ht | Format::Vht, Guard::Ns1600 | Guard::Ns3200) => return Err(Impossible::Guard(Guard::Ns800)),
            (Format::He, Guard::Ns400) => return Err(Impossible::Guard(Guard::Ns800)),
            _ => {}
        }
        if streams == 0 || streams > STREAMS {
            return Err(Impossible::Streams);
        }
        if mcs > highest {
            return Err(Impossible::Mcs(highest));
        }
        if matches!(format, Format::Vht) && !mode.divides() {
            return Err(Impossible::Combination(mcs - 1));
        }
        Ok(mode)
    }

    /// True if coded and data bits of a symbol are whole for each encoder.
    const fn divides(self) -> bool {
        let (_, over, under) = SCHEMES[self.mcs as usize];
        let (coded, encoders) = (self.coded_bits(), self.encoders());
        coded * over % under == 0 && coded % encoders == 0 && coded * over / under % encoders == 0
    }

    /// Format.
    pub const fn format(self) -> Format {
        self.format
    }

    /// Width.
    pub const fn width(self) -> Width {
        self.width
    }

    /// Spatial streams.
    pub const fn streams(self) -> u8 {
        self.streams
    }

    /// Guard interval.
    pub const fn guard(self) -> Guard {
        self.guard
    }

    /// Scheme, counted per stream.
    pub const fn mcs(self) -> u8 {
        self.mcs
    }

    /// Subcarriers with data.
    const fn subcarriers(self) -> u64 {
        let at = self.width as usize;
        match self.format {
            Format::Ht | Format::Vht => [52, 108, 234, 468][at],
            Format::He => [234, 468, 980, 1960][at],
        }
    }

    /// Coded bits of a symbol, N_CBPS, over all streams.
    const fn coded_bits(self) -> u64 {
        self.subcarriers() * SCHEMES[self.mcs as usize].0 * self.streams as u64
    }

    /// Data bits of a symbol, N_DBPS, over all streams.
    #[inline]
    pub const fn data_bits(self) -> u64 {
        let (_, over, under) = SCHEMES[self.mcs as usize];
        self.coded_bits() * over / under
    }

    /// Length of a symbol with its guard interval.
    pub const fn symbol(self) -> Duration {
        let body = match self.format {
            Format::Ht | Format::Vht => 3_200,
            Format::He => 12_800,
        };
        Duration::from_nanos(body + self.guard.nanos())
    }

    /// Rate of the data in bits a second, rounded down.
    #[inline]
    pub const fn bits_per_sec(self) -> u64 {
        self.data_bits() * 1_000_000_000 / self.symbol().as_nanos()
    }

    /// Binary convolutional encoders, N_ES, each with 6 tail bits (IEEE 802.11-2020, tables of §19.5 and §21.5).
    pub const fn encoders(self) -> u64 {
        let most = match (self.format, self.guard) {
            (Format::He, _) => return 1,
            // The one exception of the tables up to four streams.
            (Format::Vht, _) if matches!((self.width, self.streams, self.mcs), (Width::Mhz160, 4, 7)) => return 6,
            (Format::Ht, Guard::Ns400) => 350,
            (Format::Ht, _) => 320,
            (Format::Vht, Guard::Ns400) => 600,
            (Format::Vht, _) => 540,
        };
        // Mbit/s are bits per microsecond; compared without rounding.
        (self.data_bits() * 1_000).div_ceil(self.symbol().as_nanos() * most)
    }

    /// Rate of the non-HT format with the same modulation and code, in Mbit/s: no answer is faster.
    pub const fn reference_rate(self) -> u64 {
        REFERENCE_RATES[self.mcs as usize]
    }
}
