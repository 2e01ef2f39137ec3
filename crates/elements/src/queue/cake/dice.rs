//! Random numbers of CAKE, as Linux draws them.

use crate::engine::{Purpose, Stream};

/// Source of random integers.
#[derive(Debug)]
pub(super) enum Dice {
    Drawn(Stream),
    /// The sequence of the kernel's driver, for comparisons with Linux's code.
    #[cfg(test)]
    Sequence(u64),
}

impl Dice {
    pub fn new(seed: u64, key: u64) -> Self {
        Self::Drawn(Stream::new(seed, key, Purpose::Queue))
    }

    /// `get_random_u16`.
    pub fn short(&mut self) -> u64 {
        match self {
            Self::Drawn(stream) => (stream.uniform() * 65_536.0) as u64,
            #[cfg(test)]
            Self::Sequence(state) => next(state) >> 48,
        }
    }

    /// `get_random_u32`.
    pub fn word(&mut self) -> u32 {
        match self {
            Self::Drawn(stream) => (stream.uniform() * 4_294_967_296.0) as u32,
            #[cfg(test)]
            Self::Sequence(state) => (next(state) >> 32) as u32,
        }
    }
}

#[cfg(test)]
const fn next(state: &mut u64) -> u64 {
    *state = windward_units::splitmix64(*state);
    *state
}
