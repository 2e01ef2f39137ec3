//! Groups of rates with the same width, guard interval and streams, and the airtime of an average packet.

use crate::wifi::ppdu::{Format, Guard, Mode, Width};

/// Most rates of a group.
pub(super) const RATES: usize = 12;
/// Most spatial streams.
const STREAMS: usize = 4;
/// First groups of the formats. HT and VHT have Linux's numbers; 16 and 17 are CCK and OFDM there. HE is ours.
const HT: usize = 0;
const VHT: usize = 18;
const HE: usize = 42;
const GROUPS: usize = 90;

/// Bits of an average A-MPDU: 16 packets of 1200 bytes.
const BITS: u64 = 16 * 1200 * 8;
/// Packets of an average A-MPDU.
const PACKETS: u64 = 16;

/// A rate: its group in the upper twelve bits, its MCS in the lower four. Zero doubles as "none" in sample lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rate(u16);

impl Rate {
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn new(group: usize, mcs: usize) -> Self {
        Self((group as u16) << 4 | mcs as u16)
    }

    /// Linux's number.
    pub(super) const fn number(self) -> u16 {
        self.0
    }

    pub(super) const fn group(self) -> usize {
        (self.0 >> 4) as usize
    }

    pub(super) const fn mcs(self) -> usize {
        (self.0 & 15) as usize
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Airtime of an average packet in nanoseconds, without preamble and contention.
    pub(super) fn duration(self) -> u32 {
        DURATIONS[self.group()][self.mcs()]
    }

    /// The mode; the rate is one that the standard has.
    pub(super) fn mode(self) -> Mode {
        mode(self.group(), self.mcs()).unwrap_or_else(|| unreachable!("rate {} is not in the standard", self.0))
    }
}

/// First group of a format, and its number of groups.
pub(super) const fn span(format: Format) -> (usize, usize) {
    match format {
        Format::Ht => (HT, 16),
        Format::Vht => (VHT, HE - VHT),
        Format::He => (HE, GROUPS - HE),
    }
}

/// Rates of a group.
pub(super) const fn rates(format: Format) -> usize {
    match format {
        // Linux's table of permutations serves HT and VHT alike.
        Format::Ht | Format::Vht => 10,
        Format::He => 12,
    }
}

/// Format, width, streams and guard interval of a group. Widths ascend, then guard intervals from the longest, then
/// streams.
pub(super) const fn shape(group: usize) -> (Format, Width, u8, Guard) {
    let (format, at, guards): (_, _, &[Guard]) = match group {
        ..VHT => (Format::Ht, group, &[Guard::Ns800, Guard::Ns400]),
        VHT..HE => (Format::Vht, group - VHT, &[Guard::Ns800, Guard::Ns400]),
        _ => (Format::He, group - HE, &[Guard::Ns3200, Guard::Ns1600, Guard::Ns800]),
    };
    let (at, streams) = (at / STREAMS, at % STREAMS + 1);
    (format, Width::ALL[at / guards.len()], streams as u8, guards[at % guards.len()])
}

/// Streams of a group.
pub(super) const fn streams(group: usize) -> u8 {
    shape(group).2
}

/// Mode of a rate, if the standard has it.
pub(super) const fn mode(group: usize, mcs: usize) -> Option<Mode> {
    let (format, width, streams, guard) = shape(group);
    match Mode::new(format, width, streams, guard, mcs as u8) {
        Ok(mode) => Some(mode),
        Err(_) => None,
    }
}

/// Data bits of a symbol as Linux counts them: those of one stream, rounded down, times the streams.
const fn data_bits(group: usize, mcs: usize) -> Option<u64> {
    let (format, width, streams, guard) = shape(group);
    let counted = if matches!(format, Format::He) { streams } else { 1 };
    match Mode::new(format, width, counted, guard, mcs as u8) {
        Ok(mode) => Some(mode.data_bits() * (streams / counted) as u64),
        // VHT's MCS 9 at 20 MHz exists with three streams only.
        Err(_) if matches!((format, width, mcs), (Format::Vht, Width::Mhz20, 9)) => Some(346 * streams as u64),
        Err(_) => None,
    }
}

/// Airtime of an average packet, before it is rounded; zero without a mode.
const fn exact(group: usize, mcs: usize) -> u64 {
    let Some(bits) = data_bits(group, mcs) else { return 0 };
    let symbols = BITS.div_ceil(bits);
    let (.., guard) = shape(group);
    let all = match guard {
        Guard::Ns400 => (18_000 * symbols + 4_000) / 5,
        Guard::Ns800 if group < HE => 4_000 * symbols,
        _ => (12_800 + guard.nanos()) * symbols,
    };
    all / PACKETS
}

/// Airtimes by group and MCS. Linux stores them in 16 bits, shifted alike in a group.
static DURATIONS: [[u32; RATES]; GROUPS] = {
    let mut all = [[0; RATES]; GROUPS];
    let mut group = 0;
    while group < GROUPS {
        let longest = exact(group, 0) as u32;
        let shift = 16_u32.saturating_sub(longest.leading_zeros());
        let mut mcs = 0;
        while mcs < RATES {
            all[group][mcs] = (exact(group, mcs) as u32) >> shift << shift;
            mcs += 1;
        }
        group += 1;
    }
    all
};
