//! Loss of MPDUs by the ratio of signal to noise and interference.
//!
//! The loss of a reference MPDU is interpolated between three points of link simulations over white noise. Bits fail
//! independently, so that the logarithm of an MPDU's chance of arrival, its hazard, is proportional to its length.

use crate::wifi::ppdu::{Format, Mode};
use libm::{exp, log, log10};

/// Length to which the points belong.
const REFERENCE_BYTES: f64 = 1458.0;

/// ln(−ln(1 − p)) for losses p of 50, 10 and 1 %.
const LEVELS: [f64; 3] = [-0.366_512_920_581_664_3, -2.250_367_327_312_445_3, -4.600_149_226_776_579];

/// Ratio in decibels at which 50, 10 and 1 % of MPDUs of 1458 bytes are lost over white noise, by MCS: convolutional
/// code, soft decisions (HT, VHT and control frames).
const CONVOLUTIONAL: [[f64; 3]; 10] = [
    [0.24, 0.86, 1.53],
    [3.24, 3.89, 4.54],
    [5.73, 6.37, 7.06],
    [8.89, 9.63, 10.45],
    [12.01, 12.72, 13.53],
    [16.18, 17.02, 17.96],
    [17.52, 18.31, 19.22],
    [18.75, 19.58, 20.50],
    [22.73, 23.65, 24.70],
    [24.21, 25.10, 26.10],
];

/// Ratios of the same losses with low-density parity checks (HE).
const PARITY: [[f64; 3]; 12] = [
    [-0.96, -0.67, -0.34],
    [2.05, 2.34, 2.67],
    [4.54, 4.81, 5.09],
    [7.54, 7.87, 8.24],
    [10.58, 10.89, 11.19],
    [14.77, 15.08, 15.44],
    [16.12, 16.46, 16.82],
    [17.62, 17.99, 18.38],
    [21.28, 21.64, 22.03],
    [23.07, 23.47, 23.88],
    [26.36, 26.78, 27.23],
    [28.41, 28.86, 29.30],
];

/// Hazard of a byte at `decibels`, from the three points of a code: straight lines between them, continued beyond.
fn hazard(points: &[f64; 3], decibels: f64) -> f64 {
    let first = usize::from(decibels > points[1]);
    let slope = (LEVELS[first + 1] - LEVELS[first]) / (points[first + 1] - points[first]);
    let level = LEVELS[first] + slope * (decibels - points[first]);
    // Far below the points nothing arrives.
    exp(level.min(6.0)) / REFERENCE_BYTES
}

/// Linear ratio, of each stream, from which on nothing is lost at any rate: at 40 dB less than one MPDU in 10¹⁵.
const CLEAR: f64 = 1e4;

/// Hazard of a byte of data at `mode` with the linear ratio `ratio` of signal to noise and interference. The power is
/// divided among the streams.
pub(super) fn data_hazard(mode: Mode, ratio: f64) -> f64 {
    if ratio >= CLEAR * f64::from(mode.streams()) {
        return 0.0;
    }
    let mcs = mode.mcs() as usize;
    let points = match mode.format() {
        Format::Ht | Format::Vht => &CONVOLUTIONAL[mcs],
        Format::He => &PARITY[mcs],
    };
    hazard(points, 10.0 * log10(ratio / f64::from(mode.streams())))
}

/// Hazard of a byte of a control frame at a rate in Mbit/s.
pub(super) fn control_hazard(mbit: u64, ratio: f64) -> f64 {
    if ratio >= CLEAR {
        return 0.0;
    }
    let scheme = match mbit {
        0..=9 => 0,
        10..=17 => 1,
        18..=23 => 2,
        24..=35 => 3,
        36..=47 => 4,
        48..=53 => 5,
        _ => 6,
    };
    hazard(&CONVOLUTIONAL[scheme], 10.0 * log10(ratio))
}

/// Hazard that loses a share `loss` of all MPDUs, whatever their length.
pub(super) fn hazard_of(loss: f64) -> f64 {
    -log(1.0 - loss)
}

/// Ratio in decibels at which a share `loss` of MPDUs of `bytes` is lost at `mode`.
pub fn required_ratio(mode: Mode, bytes: u64, loss: f64) -> f64 {
    let wanted = hazard_of(loss) / bytes as f64;
    let (mut low, mut high) = (-20.0, 60.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if data_hazard(mode, libm::pow(10.0, middle / 10.0)) > wanted { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wifi::ppdu::{Guard, Width};

    /// The points themselves, longer MPDUs and more streams.
    #[test]
    fn losses_are_those_of_the_points() {
        let vht = |streams, mcs| Mode::new(Format::Vht, Width::Mhz80, streams, Guard::Ns800, mcs).unwrap();
        for mcs in 0..10 {
            for (loss, decibels) in [0.5, 0.1, 0.01].into_iter().zip(CONVOLUTIONAL[mcs as usize]) {
                let found = required_ratio(vht(1, mcs), 1458, loss);
                assert!((found - decibels).abs() < 1e-6, "MCS {mcs}, {loss}: {found} for {decibels}");
            }
        }
        // Two streams need 3.01 dB more; twice the length squares the chance of arrival.
        let more = required_ratio(vht(2, 4), 1458, 0.1) - required_ratio(vht(1, 4), 1458, 0.1);
        assert!((more - 3.0103).abs() < 1e-4, "{more}");
        let doubled = required_ratio(vht(1, 4), 2916, 1.0 - 0.81);
        assert!((doubled - CONVOLUTIONAL[4][1]).abs() < 1e-6, "{doubled}");
    }

    #[test]
    fn more_signal_never_hurts() {
        let he = Mode::new(Format::He, Width::Mhz20, 1, Guard::Ns800, 11).unwrap();
        let hazards: Vec<f64> =
            (-300..600).map(|tenth| data_hazard(he, libm::pow(10.0, f64::from(tenth) / 100.0))).collect();
        assert!(hazards.is_sorted_by(|a, b| a >= b));
        assert!(hazards[0] * REFERENCE_BYTES > 400.0 && hazards[899] < 1e-12);
    }
}
