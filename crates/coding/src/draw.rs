//! Coefficients by chance.

use rand::rand_core::Rng;

/// `packets` coefficients, uniform among the vectors that are not zero. k such vectors are independent with a
/// probability of ∏ (1 − 256⁻ⁱ), i = 1 … k, over 1 − 256⁻ᵏ for each: 0.996 whatever k is.
pub fn draw(random: &mut impl Rng, packets: usize) -> Vec<u8> {
    let mut coefficients = vec![0; packets];
    while packets > 0 && coefficients.iter().all(|&c| c == 0) {
        random.fill_bytes(&mut coefficients);
    }
    coefficients
}
