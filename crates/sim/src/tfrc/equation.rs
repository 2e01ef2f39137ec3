//! The throughput equation of §3.1, and its inverse.
//!
//! X = s/(R·√(2bp/3) + t_RTO·3·√(3bp/8)·p·(1 + 32p²)), in bytes per second, with the segment size s in bytes, the
//! round-trip time R and t_RTO = 4R in seconds, b = 1 packets per ACK, and the loss event rate p.

use libm::sqrt;

/// t_RTO in round trips.
const RTO: f64 = 4.0;

/// Rate X in bytes per second for segments of `segment` bytes and a loss event rate above 0 and up to 1.
pub fn rate(segment: f64, rtt: f64, loss: f64) -> f64 {
    let steady = rtt * sqrt(2.0 * loss / 3.0);
    let timeouts = RTO * rtt * 3.0 * sqrt(3.0 * loss / 8.0) * loss * (1.0 + 32.0 * loss * loss);
    segment / (steady + timeouts)
}

/// Loss event rate at which X is `target`; 1 if X is higher for every loss event rate.
pub fn loss(segment: f64, rtt: f64, target: f64) -> f64 {
    if rate(segment, rtt, 1.0) >= target {
        return 1.0;
    }
    // Bisects the exponent, because rates differ by orders of magnitude; a loss event rate of 2^-60 occurs in no run.
    let (mut low, mut high) = (-60.0, 0.0);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if rate(segment, rtt, libm::exp2(middle)) > target { low = middle } else { high = middle }
    }
    libm::exp2(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand with s = 1000, R = 0.1 s. At p = 1 %, √(0.02/3) = 0.081650 and √(0.03/8) = 0.061237, so that the
    /// denominator is 0.0081650 + 0.4·3·0.061237·0.01·1.0032 = 0.0081650 + 0.00073720 = 0.0089022, and X = 112 332. At
    /// p = 0.1 % it is 0.0025820 + 0.4·3·0.019365·0.001·1.000032 = 0.0025820 + 0.000023239, and X = 383 849.
    #[test]
    fn two_rates_by_hand() {
        assert!((rate(1000.0, 0.1, 0.01) / 112_332.0 - 1.0).abs() < 2e-5, "{}", rate(1000.0, 0.1, 0.01));
        assert!((rate(1000.0, 0.1, 0.001) / 383_849.0 - 1.0).abs() < 2e-5, "{}", rate(1000.0, 0.1, 0.001));
    }

    #[test]
    fn the_inverse_inverts() {
        for p in [1e-9, 1e-4, 0.003, 0.02, 0.1, 0.7, 1.0] {
            assert!((loss(1460.0, 0.05, rate(1460.0, 0.05, p)) / p - 1.0).abs() < 1e-9, "{p}");
        }
        assert_eq!(loss(1460.0, 0.05, 1.0), 1.0);
    }
}
