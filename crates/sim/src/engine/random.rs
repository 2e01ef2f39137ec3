//! Random streams: one for each (seed, entity, purpose).
//!
//! A new flow or link has streams of its own and leaves the others' alone.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use windward_units::{Duration, splitmix64};

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Loss on a link.
    Loss = 1,
    /// Extra delay on a link.
    Jitter = 2,
    /// Gaps and periods of a source.
    Pattern = 3,
    /// Fading of a station's channel.
    Fading = 4,
    /// Transmissions to a station that are not decoded.
    Error = 5,
    /// Backoffs of a station.
    Backoff = 6,
    /// Choices of a node among equals.
    Forwarding = 7,
    /// Packets that a queue drops or marks early.
    Queue = 8,
    /// Packets that others overtake on a link.
    Reorder = 9,
    /// Time that a sending host takes.
    Host = 10,
}

/// An independent stream of random numbers (xoshiro256++).
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of the entity named by `key`.
    pub fn new(seed: u64, key: u64, purpose: Purpose) -> Self {
        let mixed = splitmix64(splitmix64(splitmix64(seed) ^ key) ^ purpose as u64);
        Self(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }

    /// Uniform in [0, 1).
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        // 53 bits fill the mantissa.
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Exponential with mean one.
    pub fn exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.0)
    }

    /// Normal with mean zero and deviation one.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Pareto with mean one and the given shape, above 1.
    pub fn pareto(&mut self, shape: f64) -> f64 {
        let scale = (shape - 1.0) / shape;
        scale * libm::pow(1.0 - self.uniform(), -1.0 / shape)
    }

    /// Exponential with the given mean.
    pub fn exponential_span(&mut self, mean: Duration) -> Duration {
        mean.scale(self.exponential())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_in_each_of_their_names() {
        let first = |seed, key, purpose| Stream::new(seed, key, purpose).uniform();
        let reference = first(1, 2, Purpose::Loss);
        assert_eq!(reference, first(1, 2, Purpose::Loss));
        assert_ne!(reference, first(2, 2, Purpose::Loss));
        assert_ne!(reference, first(1, 3, Purpose::Loss));
        assert_ne!(reference, first(1, 2, Purpose::Jitter));
        assert_ne!(first(1, 2, Purpose::Loss), first(2, 1, Purpose::Loss));
    }

    /// 100 000 draws: each mean within 5 standard errors of one (Pareto with shape 3 has variance 3/4·… = 0.75).
    #[test]
    fn means_are_one() {
        let mut stream = Stream::new(7, 7, Purpose::Pattern);
        let n = 100_000;
        let mut mean =
            |draw: &mut dyn FnMut(&mut Stream) -> f64| (0..n).map(|_| draw(&mut stream)).sum::<f64>() / n as f64;
        let error = 5.0 / f64::from(n as u32).sqrt();
        assert!((mean(&mut |s| 2.0 * s.uniform()) - 1.0).abs() < error);
        assert!((mean(&mut Stream::exponential) - 1.0).abs() < error);
        assert!(mean(&mut Stream::normal).abs() < error);
        assert!((mean(&mut |s| s.pareto(3.0)) - 1.0).abs() < error);
    }
}
