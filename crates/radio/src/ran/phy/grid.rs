//! Link adaptation of a carrier: sizes and errors of all transport blocks, CQI reports, and the choice of the MCS.

use super::bler::{Curves, Errors};
use super::lte;
use super::mcs::{McsTable, Modulation, Scheme, Technology};
use super::tbs;

/// Numbers of layers.
pub const LAYERS: [u32; 3] = [1, 2, 4];
/// Signal-to-noise ratio lost per layer with 1, 2 and 4 layers, in decibels. Of two layers: transmission mode 3 in
/// ns-3 LTE, from mean ratios of 10.7 and 13.5 dB; of four: a guess.
pub const LAYER_LOSS: [f64; 3] = [0.0, 2.8, 7.0];
/// Highest code rate that a receiver decodes.
const HIGHEST_RATE: f64 = 0.93;
/// Most block errors of the transport block of a CQI: 38.214 §5.2.2.1.
const CQI_ERRORS: f64 = 0.1;
/// Tolerance of comparisons of thresholds, in decibels: rounding must not cost a step.
const TOLERANCE: f64 = 1e-9;

/// A channel report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// CQI; 0: out of range.
    pub cqi: u8,
    /// Place of the number of layers among 1, 2 and 4.
    pub rank: u8,
    /// Signal-to-noise ratio per layer that the CQI stands for, in decibels.
    pub snr: f64,
}

/// An MCS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mcs {
    /// Modulation.
    pub modulation: Modulation,
    /// Bits a symbol on the whole carrier.
    pub efficiency: f64,
    /// θ₁₀, in decibels.
    pub threshold: f64,
}

/// A kind of transport block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Entry {
    /// Size in bits.
    pub bits: u32,
    /// Its errors.
    pub errors: Errors,
}

/// All transport blocks of a kind of slot.
#[derive(Clone, Debug)]
pub struct Grid {
    prbs: u32,
    mcs: Vec<Mcs>,
    /// MCS in use by increasing threshold: those that carry less than one before are left out.
    ladder: Vec<u8>,
    /// By layers, MCS and resource blocks.
    entries: Vec<Entry>,
    /// Efficiency and θ₁₀ of CQI 1 to 15.
    cqi: Vec<(f64, f64)>,
    /// Ratio per layer at which the transport block of CQI 1 to 15 on the whole carrier has 10 % errors, by layers.
    heard: Vec<Vec<f64>>,
    ranks: usize,
}

impl Grid {
    /// Blocks on up to `prbs` resource blocks of `elements` resource elements each, with up to `layers` layers.
    pub fn new(
        technology: Technology,
        (prbs, elements): (u32, u32),
        (table, is_uplink): (McsTable, bool),
        layers: u32,
        curves: &Curves,
    ) -> Self {
        let ranks = LAYERS.iter().filter(|&&count| count <= layers).count();
        let sizes = match technology {
            Technology::Lte => lte_sizes(table, is_uplink, prbs),
            Technology::Nr => nr_sizes(table, prbs, elements, ranks),
        };
        let efficiency = |scheme: &(Modulation, Option<Scheme>, Vec<u32>)| match scheme.1 {
            Some(scheme) => scheme.efficiency(),
            None => f64::from(scheme.2[prbs as usize - 1] + 24) / f64::from(elements * prbs),
        };
        let mcs: Vec<Mcs> = sizes
            .iter()
            .map(|scheme| {
                let efficiency = efficiency(scheme);
                Mcs { modulation: scheme.0, efficiency, threshold: curves.threshold(scheme.0, efficiency) }
            })
            .collect();
        let mut entries = Vec::with_capacity(ranks * mcs.len() * prbs as usize);
        for rank in 0..ranks {
            for ((modulation, scheme, bits), mcs) in sizes.iter().zip(&mcs) {
                let of_rank = |at: usize| match scheme {
                    Some(_) => bits[rank * prbs as usize + at],
                    // Two layers carry two codewords.
                    None => bits[at] * LAYERS[rank],
                };
                entries.extend((0..prbs as usize).map(|at| {
                    let bits = of_rank(at);
                    let blocks = match scheme {
                        Some(scheme) => tbs::code_blocks(bits, scheme.rate),
                        None => turbo_blocks(bits / LAYERS[rank]) * LAYERS[rank],
                    };
                    Entry { bits, errors: curves.errors(mcs.threshold, *modulation, bits, blocks) }
                }));
            }
        }
        let cqi = table.cqi().into_iter().map(|scheme| {
            let efficiency = scheme.efficiency();
            (efficiency, curves.threshold(scheme.modulation, efficiency))
        });
        let cqi: Vec<_> = cqi.collect();
        // The reference resource is the whole carrier. LTE's tables have no size for the code rate of a CQI.
        let heard = |&layers: &u32| {
            let of = |(scheme, &(efficiency, threshold)): (Scheme, &(f64, f64))| {
                let (bits, blocks) = match technology {
                    Technology::Nr => {
                        let bits = tbs::size(elements, prbs, scheme, layers);
                        (bits, tbs::code_blocks(bits, scheme.rate))
                    }
                    Technology::Lte => {
                        let bits = (efficiency * f64::from(elements * prbs)) as u32;
                        (bits * layers, turbo_blocks(bits) * layers)
                    }
                };
                curves.ratio_at(curves.errors(threshold, scheme.modulation, bits, blocks), CQI_ERRORS)
            };
            // A CQI of more bits needs a higher ratio; few code blocks must not change that.
            let mut highest = f64::NEG_INFINITY;
            table
                .cqi()
                .into_iter()
                .zip(&cqi)
                .map(|pair| {
                    highest = of(pair).max(highest);
                    highest
                })
                .collect()
        };
        let heard = LAYERS[..ranks].iter().map(heard).collect();
        Self { prbs, ladder: ladder(&mcs), mcs, entries, cqi, heard, ranks }
    }

    /// The transport block of an MCS on `prbs` resource blocks, at least one.
    #[inline]
    pub fn entry(&self, rank: u8, mcs: u8, prbs: u32) -> Entry {
        let at = (usize::from(rank) * self.mcs.len() + usize::from(mcs)) * self.prbs as usize;
        self.entries[at + prbs as usize - 1]
    }

    /// An MCS.
    pub fn mcs(&self, index: u8) -> Mcs {
        self.mcs[usize::from(index)]
    }

    /// Number of MCS.
    pub fn schemes(&self) -> usize {
        self.mcs.len()
    }

    /// MCS in use, by increasing threshold.
    pub fn ladder(&self) -> &[u8] {
        &self.ladder
    }

    /// The MCS with the highest threshold that is at most `snr` decibels per layer; the lowest one if there is none.
    #[inline]
    pub fn choose(&self, snr: f64) -> u8 {
        let above = self.ladder.partition_point(|&mcs| self.mcs[usize::from(mcs)].threshold <= snr + TOLERANCE);
        self.ladder[above.saturating_sub(1)]
    }

    /// The MCS with the highest threshold whose block of one layer on `prbs` resource blocks has at most 10 % errors at
    /// `snr` decibels; the lowest one if there is none.
    pub fn choose_block(&self, curves: &Curves, snr: f64, prbs: u32) -> u8 {
        let above = self.ladder.partition_point(|&mcs| self.mcs[usize::from(mcs)].threshold <= snr + TOLERANCE);
        let is_heard = |mcs: &u8| curves.probability(self.entry(0, *mcs, prbs).errors, snr + TOLERANCE) <= CQI_ERRORS;
        self.ladder[..above].iter().rev().copied().find(is_heard).unwrap_or(self.ladder[0])
    }

    /// True if no MCS is above this one.
    #[inline]
    pub fn is_top(&self, mcs: u8) -> bool {
        self.ladder.last() == Some(&mcs)
    }

    /// True if no MCS is below this one.
    #[inline]
    pub fn is_bottom(&self, mcs: u8) -> bool {
        self.ladder.first() == Some(&mcs)
    }

    /// Report at a ratio of `snr` decibels: the number of layers with the highest rate, and the highest CQI with at
    /// most 10 % block errors.
    pub fn report(&self, snr: f64) -> Report {
        let mut best = Report::default();
        let mut most = 0.0;
        for (rank, loss) in LAYER_LOSS.iter().take(self.ranks).enumerate() {
            let cqi = self.cqi_at(rank, snr - loss);
            let Some(&(efficiency, threshold)) = cqi.checked_sub(1).and_then(|at| self.cqi.get(at)) else { continue };
            let rate = f64::from(LAYERS[rank]) * efficiency;
            if rate > most {
                most = rate;
                best = Report { cqi: cqi as u8, rank: rank as u8, snr: threshold };
            }
        }
        best
    }

    /// Number of the highest CQI whose transport block has at most 10 % errors at `snr` decibels per layer.
    #[inline]
    fn cqi_at(&self, rank: usize, snr: f64) -> usize {
        self.heard[rank].partition_point(|&ratio| ratio <= snr + TOLERANCE)
    }

    /// Ratio per layer that the highest CQI with at most 10 % block errors at `snr` decibels per layer stands for, with
    /// the layers of `rank`; `None` out of range.
    #[inline]
    pub fn quantised(&self, rank: u8, snr: f64) -> Option<f64> {
        let cqi = self.cqi_at(usize::from(rank), snr);
        Some(self.cqi[cqi.checked_sub(1)?].1)
    }

    /// Report of one layer and CQI `cqi`, at least 1.
    pub fn of_cqi(&self, cqi: u8) -> Report {
        Report { cqi, rank: 0, snr: self.cqi[usize::from(cqi) - 1].1 }
    }

    /// Efficiency in bits a symbol over all layers, and the ratio from which it is used in decibels, for all
    /// combinations of layers and MCS in use.
    pub fn modes(&self) -> Vec<(f64, f64)> {
        let of_rank = |rank: usize| {
            self.ladder.iter().map(move |&mcs| {
                let Mcs { efficiency, threshold, .. } = self.mcs(mcs);
                (f64::from(LAYERS[rank]) * efficiency, threshold + LAYER_LOSS[rank])
            })
        };
        (0..self.ranks).flat_map(of_rank).collect()
    }
}

/// Modulation, scheme and sizes of each MCS of NR: those of all numbers of layers one after the other.
fn nr_sizes(table: McsTable, prbs: u32, elements: u32, ranks: usize) -> Vec<(Modulation, Option<Scheme>, Vec<u32>)> {
    let sizes = |scheme: Scheme| {
        let of = move |layers: &u32| {
            let layers = *layers;
            (1..=prbs).map(move |prbs| tbs::size(elements, prbs, scheme, layers))
        };
        LAYERS[..ranks].iter().flat_map(of).collect()
    };
    table.mcs().into_iter().map(|scheme| (scheme.modulation, Some(scheme), sizes(scheme))).collect()
}

/// Modulation and sizes of each MCS of LTE, for one codeword.
fn lte_sizes(table: McsTable, is_uplink: bool, prbs: u32) -> Vec<(Modulation, Option<Scheme>, Vec<u32>)> {
    let sizes = lte::Sizes::new();
    let of = |(modulation, index)| (modulation, None, (1..=prbs).map(|prbs| sizes.size(index, prbs)).collect());
    lte::schemes(table, is_uplink).into_iter().map(of).collect()
}

/// Turbo code blocks of a codeword, of at most 6144 bits each.
const fn turbo_blocks(bits: u32) -> u32 {
    match bits {
        ..=6120 => 1,
        _ => (bits + 24).div_ceil(6120),
    }
}

/// Indices of the MCS that are decodable and carry more than every one before.
fn ladder(mcs: &[Mcs]) -> Vec<u8> {
    let mut most = 0.0;
    let is_used = |(_, mcs): &(u8, &Mcs)| {
        let is_used = mcs.efficiency > most && mcs.efficiency <= HIGHEST_RATE * f64::from(mcs.modulation.bits());
        if is_used {
            most = mcs.efficiency;
        }
        is_used
    };
    (0..).zip(mcs).filter(is_used).map(|(at, _)| at).collect()
}
