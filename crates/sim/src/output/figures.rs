//! Percentiles and shares.

/// Percentile of sorted values by the nearest rank; NaN without values.
pub fn nearest_rank(sorted: &[f64], percent: usize) -> f64 {
    match (sorted.len() * percent).div_ceil(100) {
        0 => f64::NAN,
        rank => sorted[rank - 1],
    }
}

/// A part of a whole; NaN if there is none.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { f64::NAN } else { part as f64 / whole as f64 }
}
