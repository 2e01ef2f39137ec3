//! Keys of random streams: every entity has its own, so that adding one does not change the draws of others.

use windward_units::splitmix64;

/// Key of a named entity of a kind: FNV-1a over both, then mixed.
pub(crate) fn key(kind: &str, name: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = kind.bytes().chain([0]).chain(name.bytes());
    splitmix64(bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME)))
}

/// A number uniform in [0, 1), the same for the same seed, entity and purpose.
pub(crate) fn uniform(seed: u64, entity: u64, purpose: &str) -> f64 {
    const MANTISSA: f64 = (1_u64 << 53) as f64;
    let bits = splitmix64(splitmix64(seed) ^ entity ^ key("purpose", purpose));
    (bits >> 11) as f64 / MANTISSA
}

#[cfg(test)]
mod tests {
    use super::*;

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
