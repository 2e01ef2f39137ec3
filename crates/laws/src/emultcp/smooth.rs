//! The smoothed queue.

/// Its time constant, in τ.
const SMOOTHING: f64 = 0.2;

/// The smoothed queue, which was `old`, after a time of `part` τ with this one; in seconds.
pub(super) fn smooth(old: Option<f64>, queue: f64, part: f64) -> f64 {
    let queue = queue.max(0.0);
    let old = old.unwrap_or(queue);
    old + (queue - old) * (1.0 - libm::exp(-part / SMOOTHING))
}
