//! One number from another, for naming streams of random numbers.

/// One step of SplitMix64 from `state` (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): a
/// bijection under which neighbours end up far apart.
pub const fn splitmix64(state: u64) -> u64 {
    let z = state.wrapping_add(GAMMA);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// By which the state of the generator grows in each step: the golden ratio of 2^64.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_outputs_are_the_published_ones() {
        // From seed 1234567.
        assert_eq!(splitmix64(1_234_567), 6_457_827_717_110_365_317);
        assert_eq!(splitmix64(1_234_567_u64.wrapping_add(GAMMA)), 3_203_168_211_198_807_973);
    }
}
