//! Answers, which go out in the non-HT format.

use super::mode::{Mode, REFERENCE_RATES};

/// Bytes of a BlockAck request.
pub const BAR_BYTES: u64 = 24;

/// Bytes of a compressed BlockAck with a bitmap for `window` MPDUs: 64, 256, 512 or 1024.
pub const fn block_ack_bytes(window: u64) -> u64 {
    match window {
        0..=64 => 32,
        65..=256 => 56,
        257..=512 => 88,
        _ => 152,
    }
}

/// Rate of an answer in Mbit/s: the fastest basic rate that is no faster than the data's modulation and code in the
/// non-HT format, else the slowest one (IEEE 802.11-2020, §10.6.6.5).
pub fn answer_rate(mode: Mode, basic: &[u64]) -> u64 {
    answer_rate_of(usize::from(mode.mcs()), basic)
}

/// Rate of an answer to data at an MCS, which counts per stream.
pub(crate) fn answer_rate_of(mcs: usize, basic: &[u64]) -> u64 {
    let slowest = basic.iter().copied().min().unwrap_or(6);
    basic.iter().copied().filter(|&rate| rate <= REFERENCE_RATES[mcs]).max().unwrap_or(slowest)
}
