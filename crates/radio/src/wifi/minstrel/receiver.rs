//! Statistics of all rates towards one receiver, and the rates chosen.

use super::capabilities::Capabilities;
use super::groups::{RATES, Rate, span};
use super::stats::{SCALE, Stats, fraction};

/// Overhead of a PPDU in microseconds: Linux's estimate of an empty frame and an ACK at 6 Mbit/s.
pub(super) const OVERHEAD: u32 = 108;

/// Statistics and choices of a group.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Bits of the rates in use.
    pub(super) supported: u16,
    /// Next entry of the table of permutations.
    pub(super) column: u8,
    pub(super) row: u8,
    pub(super) best: [Rate; 4],
    pub(super) robust: Rate,
    pub(super) rates: [Stats; RATES],
}

/// Statistics of all rates, and the rates chosen.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    /// Number of the first group.
    pub(super) first: usize,
    pub(super) groups: Box<[Group]>,
    /// Mean number of MPDUs in a PPDU, in 4096ths; zero if unknown.
    pub(super) length: u32,
    pub(super) best: [Rate; 4],
    pub(super) robust: Rate,
}

impl Receiver {
    /// No statistics, the lowest rates.
    pub(super) fn new(capabilities: &Capabilities) -> Self {
        let (first, count) = span(capabilities.format);
        let group = |at| {
            let lowest = Rate::new(first + at, 0);
            Group {
                supported: capabilities.supported(first + at),
                column: 0,
                row: 0,
                best: [lowest; 4],
                robust: lowest,
                rates: [Stats::default(); RATES],
            }
        };
        let groups: Box<[Group]> = (0..count).map(group).collect();
        debug_assert!(groups[0].supported & 1 != 0, "the format's lowest rate is common to all: {capabilities:?}");
        let lowest = Rate::new(first, 0);
        Self { first, groups, length: 1 << SCALE, best: [lowest; 4], robust: lowest }
    }

    pub(super) fn group(&self, rate: Rate) -> &Group {
        &self.groups[rate.group() - self.first]
    }

    pub(super) fn stats(&self, rate: Rate) -> &Stats {
        &self.group(rate).rates[rate.mcs()]
    }

    pub(super) fn stats_mut(&mut self, rate: Rate) -> &mut Stats {
        &mut self.groups[rate.group() - self.first].rates[rate.mcs()]
    }

    pub(super) fn probability(&self, rate: Rate) -> u16 {
        self.stats(rate).probability
    }

    /// Mean number of MPDUs in a PPDU.
    pub(super) fn mean_length(&self) -> u32 {
        if self.length > 0 {
            return self.length >> SCALE;
        }
        match self.best[0].duration() {
            400_001.. => 2,
            250_001.. => 4,
            150_001.. => 8,
            _ => 16,
        }
    }

    /// Throughput of a rate at a success probability, in units of ten packets a second.
    pub(super) fn throughput(&self, rate: Rate, probability: u16) -> u32 {
        if probability < fraction(10, 100) {
            return 0;
        }
        let nanos = 1000 * OVERHEAD / self.mean_length() + rate.duration();
        // Collisions make the probability fluctuate: 90 % are as good as 100.
        let probability = u32::from(probability.min(fraction(90, 100)));
        (100 * (probability * 1_000_000 / nanos)) >> SCALE
    }
}
