//! Frame errors by signal-to-noise ratio, with or without Rayleigh fading, and the required signal-to-interference
//! ratio of a rate.

use super::phy::Coding;
use libm::{erfc, exp, log1p, pow, sqrt};
use windward_units::BitRate;

/// Noise and frame-to-frame fading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fading {
    /// Noise power in the channel, in watts; positive.
    pub noise: f64,
    /// True if a frame's power is exponential around its mean (Rayleigh, constant over a frame); otherwise it is the
    /// mean.
    pub is_rayleigh: bool,
}

/// Modulation and coding of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// Barker code, differential BPSK: 1 Mbit/s.
    Dbpsk,
    /// Barker code, differential QPSK: 2 Mbit/s.
    Dqpsk,
    /// Complementary codes: 5.5 Mbit/s.
    Cck5,
    /// Complementary codes: 11 Mbit/s.
    Cck11,
    /// OFDM: bits per symbol of a subcarrier, and the rate of the convolutional code as a fraction.
    Ofdm(u8, (u8, u8)),
}

/// Required signal-to-interference ratio in decibels by rate in bits a second. It gives the frame loss by which the
/// standard defines receiver sensitivity: 8 % of 1024-byte frames for DSSS and CCK (IEEE 802.11-2016, clauses 15 and
/// 16), 10 % of 1000-byte frames for OFDM (§17.3.10.2). Interference counts as noise.
const REQUIRED_SERIAL: [(u64, f64); 4] = [(1_000_000, 2.2), (2_000_000, 5.2), (5_500_000, 4.4), (11_000_000, 7.6)];
const REQUIRED_OFDM: [(u64, f64); 8] = [
    (6_000_000, 3.8),
    (9_000_000, 6.7),
    (12_000_000, 6.9),
    (18_000_000, 9.7),
    (24_000_000, 13.4),
    (36_000_000, 16.5),
    (48_000_000, 21.2),
    (54_000_000, 22.5),
];

/// Least linear ratio of a frame's power to that of all other signals at which bits of `rate` are received. A rate
/// outside the standard requires the ratio of the next faster one.
pub fn required(coding: Coding, rate: BitRate) -> f64 {
    let table: &[(u64, f64)] = match coding {
        Coding::Serial => &REQUIRED_SERIAL,
        Coding::Ofdm { .. } => &REQUIRED_OFDM,
    };
    let rate = rate.as_bits_per_sec();
    let at = table.partition_point(|(known, _)| *known < rate).min(table.len() - 1);
    pow(10.0, table[at].1 / 10.0)
}

/// (bits per symbol of a subcarrier, code rate), by Mbit/s (IEEE 802.11-2016, table 17-4).
const OFDM: [(u64, u8, (u8, u8)); 8] = [
    (6, 1, (1, 2)),
    (9, 1, (3, 4)),
    (12, 2, (1, 2)),
    (18, 2, (3, 4)),
    (24, 4, (1, 2)),
    (36, 4, (3, 4)),
    (48, 6, (2, 3)),
    (54, 6, (3, 4)),
];

/// Q(x), the tail of the normal distribution.
fn tail(x: f64) -> f64 {
    0.5 * erfc(x * std::f64::consts::FRAC_1_SQRT_2)
}

impl Modulation {
    /// Modulation of a rate in the standard.
    pub fn of(coding: Coding, rate: BitRate) -> Option<Self> {
        match (coding, rate.as_bits_per_sec()) {
            (Coding::Serial, 1_000_000) => Some(Self::Dbpsk),
            (Coding::Serial, 2_000_000) => Some(Self::Dqpsk),
            (Coding::Serial, 5_500_000) => Some(Self::Cck5),
            (Coding::Serial, 11_000_000) => Some(Self::Cck11),
            (Coding::Serial, _) => None,
            (Coding::Ofdm { .. }, rate) => {
                let known = OFDM.iter().find(|(mbit, ..)| mbit * 1_000_000 == rate);
                known.map(|&(_, bits, code)| Self::Ofdm(bits, code))
            }
        }
    }

    /// Bit error probability at the linear signal-to-noise ratio `snr`.
    ///
    /// Barker and CCK: the bounds of IEEE 802.15.2-2003, annex E. OFDM: hard decisions of Gray-coded QAM, and the first
    /// terms of the union bound for the code of 64 states (Frenger, Orten, Ottosson, VTC 1998).
    pub fn bit_error_rate(self, snr: f64) -> f64 {
        let at = |factor: f64| tail(sqrt(factor * snr));
        match self {
            Self::Dbpsk => at(11.0),
            Self::Dqpsk => at(5.5),
            Self::Cck5 => (8.0 / 15.0 * (14.0 * at(8.0) + at(16.0))).min(0.5),
            Self::Cck11 => {
                let near = 24.0 * at(4.0) + 16.0 * at(6.0) + 174.0 * at(8.0);
                let far = 16.0 * at(10.0) + 24.0 * at(12.0) + at(16.0);
                (128.0 / 255.0 * (near + far)).min(0.5)
            }
            Self::Ofdm(bits, code) => decoded(channel_errors(bits, snr), code),
        }
    }

    /// Probability that all `bits` are received without error.
    pub fn success(self, snr: f64, bits: u64) -> f64 {
        exp(bits as f64 * log1p(-self.bit_error_rate(snr)))
    }
}

/// Bit error probability before the decoder.
fn channel_errors(bits: u8, snr: f64) -> f64 {
    match bits {
        1 => 0.5 * erfc(sqrt(snr)),
        2 => 0.5 * erfc(sqrt(snr / 2.0)),
        4 => 0.375 * erfc(sqrt(snr / 10.0)),
        _ => 7.0 / 24.0 * erfc(sqrt(snr / 42.0)),
    }
}

/// Bit error probability after the decoder, from `p` before it.
fn decoded(p: f64, code: (u8, u8)) -> f64 {
    let d = sqrt(4.0 * p * (1.0 - p));
    // Weights of the code's spectrum from its free distance on, and the length of its puncturing period.
    let (first, step, weights, period): (i32, i32, &[f64], f64) = match code {
        (1, 2) => (10, 2, &[36.0, 211.0, 1404.0, 11_633.0, 77_433.0, 502_690.0], 1.0),
        (2, 3) => (6, 1, &[3.0, 70.0, 285.0, 1_276.0, 6_160.0, 27_128.0], 2.0),
        _ => (5, 1, &[42.0, 201.0, 1_492.0, 10_469.0, 62_935.0, 379_644.0], 3.0),
    };
    let terms = (0..).zip(weights).map(|(at, weight)| weight * pow(d, f64::from(first + step * at)));
    (terms.sum::<f64>() / (2.0 * period)).min(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(mbit: f64, coding: Coding) -> Option<Modulation> {
        Modulation::of(coding, BitRate::bits_per_sec((mbit * 1e6) as u64))
    }

    const OFDM_CODING: Coding =
        Coding::Ofdm { symbol: windward_units::Duration::from_micros(4), extension: windward_units::Duration::ZERO };

    /// Within a kind of modulation each rate needs a higher ratio than the one below it, and the error rate falls with
    /// the ratio from one half to zero. (The codes of 5.5 Mbit/s gain more than their rate costs: they need less than 2
    /// Mbit/s.)
    #[test]
    fn faster_rates_need_a_better_channel() {
        let needed = |modulation: Modulation| {
            let ratios = (0..600).map(|step| pow(10.0, f64::from(step) / 100.0 - 2.0));
            ratios.into_iter().find(|&snr| modulation.success(snr, 8000) > 0.9)
        };
        let serial = Coding::Serial;
        for (rates, coding) in [
            (&[1.0, 2.0][..], serial),
            (&[5.5, 11.0], serial),
            (&[6.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0], OFDM_CODING),
        ] {
            let needed: Vec<f64> = rates.iter().map(|&rate| needed(at(rate, coding).unwrap()).unwrap()).collect();
            assert!(needed.is_sorted_by(|a, b| a < b), "{needed:?}");
        }
        for rate in OFDM {
            let modulation = at(rate.0 as f64, OFDM_CODING).unwrap();
            assert!(modulation.bit_error_rate(0.0) >= 0.4 && modulation.bit_error_rate(1e5) < 1e-12);
        }
        assert_eq!(at(3.0, Coding::Serial), None);
        assert_eq!(at(11.0, OFDM_CODING), None);
    }

    /// At 0.05 dB below the stated ratio the loss exceeds the limit, at 0.05 dB above it does not.
    #[test]
    fn required_ratios_follow_from_the_error_rates() {
        for (table, coding, bits, lost) in
            [(&REQUIRED_SERIAL[..], Coding::Serial, 8192, 0.08), (&REQUIRED_OFDM, OFDM_CODING, 8000, 0.1)]
        {
            for &(rate, decibels) in table {
                let modulation = at(rate as f64 / 1e6, coding).unwrap();
                let lost_at = |decibels: f64| 1.0 - modulation.success(pow(10.0, decibels / 10.0), bits);
                assert!(lost_at(decibels - 0.05) > lost, "{rate}: {}", lost_at(decibels - 0.05));
                assert!(lost_at(decibels + 0.05) < lost, "{rate}: {}", lost_at(decibels + 0.05));
            }
        }
        let ratio = |mbit: f64| required(Coding::Serial, BitRate::bits_per_sec((mbit * 1e6) as u64));
        assert_eq!([ratio(0.5), ratio(3.0), ratio(20.0)], [ratio(1.0), ratio(5.5), ratio(11.0)]);
    }

    /// Q(√(11 γ)) at γ = 1 is 4.5·10⁻⁴ (a table of the normal distribution: Q(3.3166) = 0.000456).
    #[test]
    fn the_slowest_rate_is_a_plain_tail() {
        assert!((Modulation::Dbpsk.bit_error_rate(1.0) / 4.555e-4 - 1.0).abs() < 2e-3);
    }
}
