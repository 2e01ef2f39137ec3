//! Random streams: one for each (seed, entity, purpose).
//!
//! A new flow or link has its own streams and leaves those of others unchanged.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use windward_units::{Duration, splitmix64};

/// Purpose of a stream.
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
    /// Undecoded transmissions to a station.
    Error = 5,
    /// Backoffs of a station.
    Backoff = 6,
    /// Random choices of a node among equals.
    Forwarding = 7,
    /// Early drops and marks of a queue.
    Queue = 8,
    /// Packets on a link that others overtake.
    Reorder = 9,
    /// Processing time of a sending host.
    Host = 10,
    /// Rates that a station probes.
    Rates = 11,
    /// Arrivals of requests.
    Arrival = 12,
    /// Sizes of responses and of datagrams.
    Size = 13,
    /// Times for which users think.
    Think = 14,
    /// Shadowing and line of sight between a station and a site.
    Shadowing = 15,
}

/// An independent stream of random numbers (xoshiro256++).
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// Stream of the entity named by `key`.
    pub fn new(seed: u64, key: u64, purpose: Purpose) -> Self {
        let mixed = splitmix64(splitmix64(splitmix64(seed) ^ key) ^ purpose as u64);
        Self(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }

    /// Uniform variate in [0, 1).
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

    /// Exponential variate with mean one.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.0)
    }

    /// Normal variate with mean zero and standard deviation one.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Pareto variate with mean one and the given shape, above 1.
    #[inline]
    pub fn pareto(&mut self, shape: f64) -> f64 {
        let scale = (shape - 1.0) / shape;
        scale * libm::pow(1.0 - self.uniform(), -1.0 / shape)
    }

    /// Exponential variate with the given mean.
    #[inline]
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
