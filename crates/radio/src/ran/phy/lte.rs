//! Transport block sizes of LTE for one codeword on one layer: 3GPP TS 36.213 table 7.1.7.2.1-1, and the index into it
//! by MCS (tables 7.1.7.1-1, 7.1.7.1-1A, 8.6.1-1).

use super::mcs::{McsTable, Modulation};

/// Most resource blocks of the table.
pub const MOST_PRBS: usize = 110;

/// Table of sizes in bits, by I_TBS and resource blocks.
#[derive(Clone, Debug)]
pub struct Sizes(Vec<[u32; MOST_PRBS]>);

impl Sizes {
    /// Reads the table.
    pub fn new() -> Self {
        let row = |line: &str| {
            let mut row = [0; MOST_PRBS];
            for (entry, word) in row.iter_mut().zip(line.split_ascii_whitespace()) {
                *entry = word.parse().expect("the table that comes with the simulator is right");
            }
            row
        };
        Self(include_str!("tables/lte-tbs.txt").lines().map(row).collect())
    }

    /// Size in bits of a block on `prbs` resource blocks, at least one.
    pub fn size(&self, index: u32, prbs: u32) -> u32 {
        self.0[index as usize][prbs as usize - 1]
    }

    /// Sizes of a row.
    pub fn row(&self, index: usize) -> &[u32] {
        &self.0[index]
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.0.len()
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self::new()
    }
}

/// Modulation and I_TBS of each MCS. The third table of NR has no counterpart: table 1 takes its place.
pub fn schemes(table: McsTable, is_uplink: bool) -> Vec<(Modulation, u32)> {
    use Modulation::{Qam16, Qam64, Qam256, Qpsk};
    match (table, is_uplink) {
        (McsTable::Qam64 | McsTable::LowRate, false) => (0..=28)
            .map(|mcs| match mcs {
                0..=9 => (Qpsk, mcs),
                10..=16 => (Qam16, mcs - 1),
                _ => (Qam64, mcs - 2),
            })
            .collect(),
        // The uplink has 64-QAM at most.
        (_, true) => (0..=28)
            .map(|mcs| match mcs {
                0..=10 => (Qpsk, mcs),
                11..=20 => (Qam16, mcs - 1),
                _ => (Qam64, mcs - 2),
            })
            .collect(),
        (McsTable::Qam256, false) => {
            let index = |mcs| match mcs {
                0..=5 => 2 * mcs,
                6..=20 => mcs + 5,
                _ => mcs + 6,
            };
            let modulation = |mcs| match mcs {
                0..=4 => Qpsk,
                5..=10 => Qam16,
                11..=19 => Qam64,
                _ => Qam256,
            };
            (0..=27).map(|mcs| (modulation(mcs), index(mcs))).collect()
        }
    }
}
