//! Distributions of sizes, drawn by their inverse from one uniform variate each.

use crate::engine::Stream;
use std::sync::Arc;

/// Distribution of a number of bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// Constant; positive.
    Fixed(u64),
    /// Exponential with this mean.
    Exponential(f64),
    /// Lognormal.
    Lognormal {
        /// Mean of the logarithm.
        mu: f64,
        /// Standard deviation of the logarithm; positive.
        sigma: f64,
    },
    /// Pareto with this shape between two bounds.
    Pareto {
        /// Shape; positive.
        shape: f64,
        /// Lower bound; positive.
        min: f64,
        /// Upper bound, above the lower one; infinite for none.
        max: f64,
    },
    /// Piecewise linear between points (bytes, share of the sizes up to these): both increase, the last share is 1.
    /// Below the first point sizes are that point's.
    Points(Arc<[(f64, f64)]>),
}

/// Web search, the points of HPCC's and HKUST's traffic generators.
pub const WEB_SEARCH: [(f64, f64); 11] = [
    (10e3, 0.15),
    (20e3, 0.2),
    (30e3, 0.3),
    (50e3, 0.4),
    (80e3, 0.53),
    (200e3, 0.6),
    (1e6, 0.7),
    (2e6, 0.8),
    (5e6, 0.9),
    (10e6, 0.97),
    (30e6, 1.0),
];

/// Data mining, the points of VL2 in HKUST's traffic generator.
pub const DATA_MINING: [(f64, f64); 12] = [
    (180.0, 0.1),
    (216.0, 0.2),
    (560.0, 0.3),
    (900.0, 0.4),
    (1100.0, 0.5),
    (1870.0, 0.6),
    (3160.0, 0.7),
    (10e3, 0.8),
    (400e3, 0.9),
    (3.16e6, 0.95),
    (100e6, 0.98),
    (1e9, 1.0),
];

impl Size {
    /// Lognormal distribution with this mean and coefficient of variation, both positive.
    pub fn lognormal(mean: f64, cv: f64) -> Self {
        let variance = libm::log1p(cv * cv);
        Self::Lognormal { mu: libm::log(mean) - 0.5 * variance, sigma: variance.sqrt() }
    }

    /// Draws a size of at least one byte.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let bytes = self.quantile(stream.uniform());
        (libm::round(bytes) as u64).max(1)
    }

    /// Bytes that a share `u` of the sizes does not exceed; 0 ≤ u < 1.
    fn quantile(&self, u: f64) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Exponential(mean) => -mean * libm::log1p(-u),
            Self::Lognormal { mu, sigma } => libm::exp(mu + sigma * normal(u)),
            Self::Pareto { shape, min, max } => {
                let end = libm::pow(min / max, *shape);
                min * libm::pow(1.0 - u * (1.0 - end), -1.0 / shape)
            }
            Self::Points(points) => {
                let at = points.partition_point(|(_, share)| *share < u);
                match at.checked_sub(1).map(|before| points[before]) {
                    None => points[0].0,
                    Some((bytes, share)) => {
                        let (next, end) = points[at.min(points.len() - 1)];
                        bytes + (next - bytes) * (u - share) / (end - share)
                    }
                }
            }
        }
    }

    /// Mean in bytes; infinite for an unbounded Pareto distribution with a shape of at most 1.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Exponential(mean) => *mean,
            Self::Lognormal { mu, sigma } => libm::exp(mu + 0.5 * sigma * sigma),
            Self::Pareto { shape, min, max } if max.is_infinite() => {
                if *shape > 1.0 {
                    shape * min / (shape - 1.0)
                } else {
                    f64::INFINITY
                }
            }
            Self::Pareto { shape, min, max } => {
                let end = libm::pow(min / max, *shape);
                // ∫ x dF over the bounds; the logarithm is the limit at shape 1.
                let sum = if (shape - 1.0).abs() < 1e-9 {
                    min * libm::log(max / min)
                } else {
                    shape / (shape - 1.0) * (min - max * end)
                };
                sum / (1.0 - end)
            }
            Self::Points(points) => {
                let inner = points.windows(2).map(|pair| (pair[1].1 - pair[0].1) * (pair[0].0 + pair[1].0) / 2.0);
                points[0].0 * points[0].1 + inner.sum::<f64>()
            }
        }
    }
}

impl Size {
    /// Mean number of segments of `segment` bytes that a size takes, the last of which is mostly short.
    pub fn mean_segments(&self, segment: f64) -> f64 {
        // The mean is exact; the room that is left in the last segment lies between 0 and 1, and so its quadrature is
        // within a few parts in 10 000.
        let rest = |bytes: f64| libm::ceil(bytes / segment) - bytes / segment;
        let room = match self {
            Self::Fixed(bytes) => rest(*bytes as f64),
            _ => {
                let draw = |at: u32| libm::round(self.quantile((f64::from(at) + 0.5) / f64::from(STRATA))).max(1.0);
                (0..STRATA).map(|at| rest(draw(at))).sum::<f64>() / f64::from(STRATA)
            }
        };
        self.mean() / segment + room
    }
}

/// Strata of a quadrature over a distribution.
const STRATA: u32 = 1 << 13;

/// Quantile of the standard normal distribution, by Newton's method with Halley's correction from a logistic start.
fn normal(u: f64) -> f64 {
    let u = u.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
    // Below the middle, so that the tail keeps its precision.
    let (p, sign) = if u < 0.5 { (u, 1.0) } else { (1.0 - u, -1.0) };
    // Abramowitz and Stegun 26.2.23: within 4.5e-4.
    let t = (-2.0 * libm::log(p)).sqrt();
    let start =
        (2.515_517 + t * (0.802_853 + t * 0.010_328)) / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)));
    let mut x = start - t;
    for _ in 0..2 {
        let error = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2) - p;
        let step = error * (2.0 * std::f64::consts::PI).sqrt() * libm::exp(0.5 * x * x);
        x -= step / (1.0 + 0.5 * x * step);
    }
    sign * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Purpose;

    #[test]
    fn quantiles_of_the_normal_distribution() {
        // Tables: 0.975 → 1.959964, 0.999 → 3.090232, 1e-9 → −5.997807.
        for (u, x) in [(0.5, 0.0), (0.975, 1.959_964), (0.999, 3.090_232), (1e-9, -5.997_807)] {
            assert!((normal(u) - x).abs() < 1e-6, "{u}: {}", normal(u));
        }
    }

    #[test]
    fn quantiles_and_means_by_hand() {
        let points = |points: &[(f64, f64)]| Size::Points(points.into());
        let search = points(&WEB_SEARCH);
        // Half-way between 20 and 30 kB; at most 10 kB are 10 kB.
        assert!((search.quantile(0.25) - 25e3).abs() < 1e-6 && search.quantile(0.1) == 10e3);
        let pareto = Size::Pareto { shape: 2.0, min: 1000.0, max: f64::INFINITY };
        assert!((pareto.quantile(0.75) - 2000.0).abs() < 1e-9 && pareto.mean() == 2000.0);
        // Between 1 and 2 with shape 1: ln 2/(1 − ½).
        let bounded = Size::Pareto { shape: 1.0, min: 1.0, max: 2.0 };
        assert!((bounded.mean() - 2.0 * std::f64::consts::LN_2).abs() < 1e-9);
        assert!((bounded.quantile(0.5) - 4.0 / 3.0).abs() < 1e-9);
        let lognormal = Size::lognormal(5000.0, 2.0);
        assert!((lognormal.mean() - 5000.0).abs() < 1e-6);
        // Median = mean/√(1 + cv²).
        assert!((lognormal.quantile(0.5) - 5000.0 / 5f64.sqrt()).abs() < 1e-6);
    }

    /// Published means of the two workloads: 1.711 MB (with sizes spread evenly below the first point) and 12.66 MB.
    #[test]
    fn workloads_have_their_published_means() {
        let mean = |points: &[(f64, f64)]| Size::Points(points.into()).mean();
        assert!((mean(&WEB_SEARCH) / 1.711e6 - 1.0).abs() < 1e-3, "{}", mean(&WEB_SEARCH));
        assert!((mean(&DATA_MINING) / 12.66e6 - 1.0).abs() < 1e-3, "{}", mean(&DATA_MINING));
    }

    /// 100 B take a segment, 2000 B two. Exponential sizes of mean m take Σ P(S > 1448·k) = 1/(1 − exp(−1448/m)).
    #[test]
    fn short_sizes_take_whole_segments() {
        assert_eq!([100, 1448, 2000].map(|bytes| Size::Fixed(bytes).mean_segments(1448.0)), [1.0, 1.0, 2.0]);
        for mean in [100.0, 1448.0, 50e3] {
            let exact = 1.0 / (1.0 - libm::exp(-1448.0 / mean));
            let found = Size::Exponential(mean).mean_segments(1448.0);
            assert!((found / exact - 1.0).abs() < 2e-3, "{mean}: {found}, not {exact}");
        }
    }

    /// 100 000 draws: the mean within five standard errors.
    #[test]
    fn draws_have_the_mean() {
        let mut stream = Stream::new(1, 1, Purpose::Size);
        for (size, cv) in [
            (Size::Exponential(1e5), 1.0),
            (Size::lognormal(1e5, 1.5), 1.5),
            (Size::Pareto { shape: 2.5, min: 1e4, max: f64::INFINITY }, 1.0 / 1.25f64.sqrt()),
            (Size::Points(WEB_SEARCH.into()), 2.32),
        ] {
            let n = 100_000;
            let mean = (0..n).map(|_| size.draw(&mut stream) as f64).sum::<f64>() / f64::from(n);
            assert!((mean / size.mean() - 1.0).abs() < 5.0 * cv / f64::from(n).sqrt(), "{size:?}: {mean}");
        }
    }
}
