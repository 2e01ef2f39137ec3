//! Transport block sizes of NR (3GPP TS 38.214 §5.1.3.2) in integers.
//!
//! The number of information bits N_info = N_RE·R·Q_m·v is held as a multiple of 1/2048, which every code rate of the
//! standard's tables divides. Logarithms, floors and roundings are then exact.

use super::mcs::Scheme;

/// 2048 as a shift: the unit of N_info.
const SHIFT: u32 = 11;

/// Most resource elements of a resource block that count.
const MOST_ELEMENTS: u32 = 156;

/// Runs of sizes up to 3824 bits: first, last, step (table 5.1.3.2-1).
const SMALL: [(u32, u32, u32); 17] = [
    (24, 192, 8),
    (208, 384, 16),
    (408, 576, 24),
    (608, 768, 32),
    (808, 928, 40),
    (984, 984, 1),
    (1032, 1032, 1),
    (1064, 1064, 1),
    (1128, 1128, 1),
    (1160, 1352, 32),
    (1416, 1928, 64),
    (2024, 2280, 64),
    (2408, 2856, 64),
    (2976, 2976, 1),
    (3104, 3104, 1),
    (3240, 3752, 128),
    (3824, 3824, 1),
];

/// Sizes up to 3824 bits, in order.
pub fn small_sizes() -> impl Iterator<Item = u32> {
    SMALL.iter().flat_map(|&(first, last, step)| (first..=last).step_by(step as usize))
}

/// Size in bits of a transport block on `prbs` resource blocks of `elements` resource elements each and `layers`
/// layers.
pub fn size(elements: u32, prbs: u32, scheme: Scheme, layers: u32) -> u32 {
    let elements = u64::from(elements.min(MOST_ELEMENTS)) * u64::from(prbs);
    let info = elements * u64::from(scheme.rate) * u64::from(scheme.modulation.bits()) * u64::from(layers);
    size_of(info, is_low(scheme.rate))
}

/// True if the code rate, times 2048, is at most 1/4.
const fn is_low(rate: u32) -> bool {
    rate <= 512
}

/// Code blocks of a transport block: at most 3816 bits each at a code rate of at most 1/4, else 8424.
pub fn code_blocks(size: u32, rate: u32) -> u32 {
    let with_check = size + 24;
    // A single block has no check of its own: 24 bits more.
    match is_low(rate) {
        true if size <= 3816 => 1,
        true => with_check.div_ceil(3816),
        false if size <= 8424 => 1,
        false => with_check.div_ceil(8424),
    }
}

/// Size in bits for N_info in units of 1/2048 bit.
pub fn size_of(info: u64, has_low_rate: bool) -> u32 {
    if info <= 3824 << SHIFT {
        let bits = info >> SHIFT;
        let n = bits.max(1).ilog2().saturating_sub(6).max(3);
        let quantised = ((bits >> n) << n).max(24) as u32;
        return small_sizes().find(|&size| size >= quantised).unwrap_or(3824);
    }
    let rest = info - (24 << SHIFT);
    let n = rest.ilog2() - SHIFT - 5;
    // Halves round up.
    let rounded = (rest + (1 << (n + SHIFT - 1))) >> (n + SHIFT) << n;
    let with_check = rounded.max(3840) + 24;
    let blocks = match has_low_rate {
        true => with_check.div_ceil(3816),
        false if with_check > 8424 + 24 => with_check.div_ceil(8424),
        false => 1,
    };
    (8 * blocks * with_check.div_ceil(8 * blocks) - 24) as u32
}
