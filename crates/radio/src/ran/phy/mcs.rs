//! Modulation and coding schemes (MCS) and channel quality indicators (CQI): 3GPP TS 38.214 tables 5.2.2.1-2 to -4 and
//! 5.1.3.1-1 to -3; LTE's from TS 36.213 tables 7.2.3-1, 7.2.3-2, 7.1.7.1-1, 7.1.7.1-1A and 8.6.1-1.

/// Radio technology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technology {
    /// LTE (E-UTRA).
    Lte,
    /// 5G NR, frequency range 1.
    Nr,
}

/// Modulation of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Modulation {
    /// QPSK.
    Qpsk,
    /// 16-QAM.
    Qam16,
    /// 64-QAM.
    Qam64,
    /// 256-QAM.
    Qam256,
}

impl Modulation {
    /// Bits a symbol.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Qpsk => 2,
            Self::Qam16 => 4,
            Self::Qam64 => 6,
            Self::Qam256 => 8,
        }
    }
}

/// Modulation and code rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// Modulation.
    pub modulation: Modulation,
    /// Code rate times 2048: table 2 of NR has half steps of R·1024.
    pub rate: u32,
}

impl Scheme {
    /// Bits a symbol, after coding.
    pub fn efficiency(self) -> f64 {
        f64::from(self.modulation.bits() * self.rate) / 2048.0
    }
}

/// Table of modulation and coding schemes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McsTable {
    /// Up to 64-QAM: table 1.
    Qam64,
    /// Up to 256-QAM: table 2.
    #[default]
    Qam256,
    /// Low spectral efficiency, up to 64-QAM: table 3 of NR.
    LowRate,
}

use Modulation::{Qam16, Qam64, Qam256, Qpsk};

/// Code rates times 1024 by modulation. A half step is written in `HALVES`.
type Rates = &'static [(Modulation, &'static [u32])];

const CQI_64: Rates =
    &[(Qpsk, &[78, 120, 193, 308, 449, 602]), (Qam16, &[378, 490, 616]), (Qam64, &[466, 567, 666, 772, 873, 948])];
const CQI_256: Rates = &[
    (Qpsk, &[78, 193, 449]),
    (Qam16, &[378, 490, 616]),
    (Qam64, &[466, 567, 666, 772, 873]),
    (Qam256, &[711, 797, 885, 948]),
];
const CQI_LOW: Rates =
    &[(Qpsk, &[30, 50, 78, 120, 193, 308, 449, 602]), (Qam16, &[378, 490, 616]), (Qam64, &[466, 567, 666, 772])];

const MCS_64: Rates = &[
    (Qpsk, &[120, 157, 193, 251, 308, 379, 449, 526, 602, 679]),
    (Qam16, &[340, 378, 434, 490, 553, 616, 658]),
    (Qam64, &[438, 466, 517, 567, 616, 666, 719, 772, 822, 873, 910, 948]),
];
const MCS_256: Rates = &[
    (Qpsk, &[120, 193, 308, 449, 602]),
    (Qam16, &[378, 434, 490, 553, 616, 658]),
    (Qam64, &[466, 517, 567, 616, 666, 719, 772, 822, 873]),
    (Qam256, &[682, 711, 754, 797, 841, 885, 916, 948]),
];
const MCS_LOW: Rates = &[
    (Qpsk, &[30, 40, 50, 64, 78, 99, 120, 157, 193, 251, 308, 379, 449, 526, 602]),
    (Qam16, &[340, 378, 434, 490, 553, 616]),
    (Qam64, &[438, 466, 517, 567, 616, 666, 719, 772]),
];

/// The two code rates of table 2 that end in a half: 682.5 and 916.5.
const HALVES: [u32; 2] = [682, 916];

fn schemes(rates: Rates) -> Vec<Scheme> {
    let of = |&(modulation, rates): &(Modulation, &'static [u32])| {
        rates.iter().map(move |&rate| {
            let half = u32::from(modulation == Qam256 && HALVES.contains(&rate));
            Scheme { modulation, rate: 2 * rate + half }
        })
    };
    rates.iter().flat_map(of).collect()
}

impl McsTable {
    /// Schemes of CQI 1 to 15.
    pub fn cqi(self) -> Vec<Scheme> {
        schemes(match self {
            Self::Qam64 => CQI_64,
            Self::Qam256 => CQI_256,
            Self::LowRate => CQI_LOW,
        })
    }

    /// Schemes of NR by MCS index.
    pub fn mcs(self) -> Vec<Scheme> {
        schemes(match self {
            Self::Qam64 => MCS_64,
            Self::Qam256 => MCS_256,
            Self::LowRate => MCS_LOW,
        })
    }
}
