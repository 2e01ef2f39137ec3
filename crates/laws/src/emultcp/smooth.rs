//! Exponential smoothing over time.

/// `old` after a `part` of τ in which `new` was measured, with a time constant in τ.
pub(super) fn smoothed(old: f64, new: f64, part: f64, constant: f64) -> f64 {
    old + (new - old) * (1.0 - libm::exp(-part / constant))
}
