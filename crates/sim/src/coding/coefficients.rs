//! The coefficients of a combination.

use super::Combination;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use windward_coding::draw;
use windward_units::splitmix64;

/// The coefficients of a combination in the flow named by `key`: as many as the block has segments, those beyond
/// [`Combination::columns`] zero. The last of the columns is in it for sure, so that each combination that brings a new segment is
/// independent of those before.
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
