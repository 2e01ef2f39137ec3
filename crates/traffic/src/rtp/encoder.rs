//! The encoder: sizes of frames.

use windward_units::Duration;

/// Sizes of frames that follow a bit rate at once.
#[derive(Clone, Debug)]
pub struct Encoder {
    frame: f64,
    spread: f64,
    /// Bytes of earlier frames that were rounded away.
    rest: f64,
}

impl Encoder {
    /// An encoder of one frame every `frame`, with sizes spread by `spread` around the mean.
    pub fn new(frame: Duration, spread: f64) -> Self {
        Self { frame: frame.as_secs(), spread, rest: 0.0 }
    }

    /// Bytes of the next frame at a bit rate, with a uniform variate `u` from 0 to below 1; at least 1. The sizes are
    /// those of a Laplace distribution, and its draws below a tenth of the mean count as that.
    pub fn next(&mut self, rate: f64, u: f64) -> u32 {
        let mean = rate * self.frame / 8.0;
        let factor = if self.spread > 0.0 { (1.0 + self.spread * laplace(u)).max(0.1) } else { 1.0 };
        let exact = mean * factor + self.rest;
        let whole = libm::floor(exact).max(1.0);
        self.rest = exact - whole;
        whole as u32
    }
}

/// Quantile of the Laplace distribution of scale 1.
fn laplace(u: f64) -> f64 {
    let off = u - 0.5;
    let tail = (1.0 - 2.0 * off.abs()).max(f64::MIN_POSITIVE);
    -libm::log(tail) * off.signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 Mbit/s at 30 frames a second: 4166.67 bytes a frame, of which a third of all frames have one more than the
    /// rest.
    #[test]
    fn remainders_are_carried() {
        let mut encoder = Encoder::new(Duration::from_nanos(1_000_000_000 / 30), 0.0);
        let sizes: Vec<u32> = (0..30).map(|_| encoder.next(1e6, 0.5)).collect();
        assert!(sizes.iter().all(|&size| size == 4166 || size == 4167), "{sizes:?}");
        assert!(sizes.iter().sum::<u32>().abs_diff(125_000) <= 1);
    }

    /// ln 2 at the quartiles, and a mean of one.
    #[test]
    fn sizes_have_the_distribution_of_laplace() {
        assert_eq!(laplace(0.5), 0.0);
        for (u, expected) in [(0.25, -std::f64::consts::LN_2), (0.75, std::f64::consts::LN_2)] {
            assert!((laplace(u) - expected).abs() < 1e-12);
        }
        let mut encoder = Encoder::new(Duration::from_millis(40), 0.15);
        let n = 100_000;
        let sum: f64 = (0..n).map(|at| f64::from(encoder.next(2e6, (f64::from(at) + 0.5) / f64::from(n)))).sum();
        // 10 000 bytes a frame; the cut at a tenth adds 0.15·e^−6/2 of the mean, 0.02 %.
        assert!((sum / f64::from(n) / 1e4 - 1.000_186).abs() < 5e-5, "{}", sum / f64::from(n));
    }
}
