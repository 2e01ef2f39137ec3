//! Names of random streams: every entity has a key of its own, so that adding one leaves the others' luck alone.

/// The key of a named entity of a kind: FNV-1a over both, then mixed.
pub(crate) fn key(kind: &str, name: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = kind.bytes().chain([0]).chain(name.bytes());
    mix(bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME)))
}

/// A number uniform in [0, 1), the same for the same seed, entity and purpose.
pub(crate) fn uniform(seed: u64, entity: u64, purpose: &str) -> f64 {
    const MANTISSA: f64 = (1_u64 << 53) as f64;
    let bits = mix(mix(seed) ^ entity ^ key("purpose", purpose));
    (bits >> 11) as f64 / MANTISSA
}

/// The output function of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014),
/// after one step from `state`.
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_is_splitmix64() {
        // The first two outputs of the published generator from seed 1234567.
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
        assert_eq!(mix(1_234_567_u64.wrapping_add(0x9e37_79b9_7f4a_7c15)), 3_203_168_211_198_807_973);
    }

    #[test]
    fn kind_and_name_do_not_run_into_each_other() {
        assert_ne!(key("flow", "a"), key("link", "a"));
        assert_ne!(key("ab", "c"), key("a", "bc"));
    }

    #[test]
    fn draws_are_spread_evenly() {
        // Mean of 4000 uniform draws: 0.5 with deviation 1/sqrt(12·4000) = 0.0046; five deviations are allowed.
        let draws = (1..=40)
            .flat_map(|seed| (0..100).map(move |flow| uniform(seed, key("flow", &format!("f-{flow}")), "start")));
        let draws: Vec<f64> = draws.collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 0.5).abs() < 0.023, "{mean}");
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
    }
}
