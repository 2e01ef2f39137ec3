//! The coefficients of a combination.

use super::Combination;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use windward_coding::draw;
use windward_units::splitmix64;

/// Returns the coefficients of a combination in the flow named by `key`, one for each segment of the block; those
/// beyond [`Combination::columns`] are zero. The coefficient of the last column is never zero, so that each combination
/// with a new segment is independent of the earlier ones.
pub fn coefficients(key: u64, combination: &Combination) -> Vec<u8> {
    let Combination { block, id, size, columns, .. } = *combination;
    let mut random =
        Xoshiro256PlusPlus::seed_from_u64(splitmix64(key ^ splitmix64(u64::from(block) << 32 | u64::from(id))));
    let mut all = loop {
        let drawn = draw(&mut random, columns as usize);
        if drawn.last().is_some_and(|&last| last != 0) {
            break drawn;
        }
    };
    all.resize(size as usize, 0);
    all
}
