//! Choice of the station of largest weight.

use super::Candidate;

/// First of the eligible stations of largest weight.
#[inline]
pub(super) fn largest(
    stations: &[Candidate],
    is_eligible: impl Fn(&Candidate) -> bool,
    weight: impl Fn(&Candidate) -> f64,
) -> Option<usize> {
    let mut best = None;
    let mut most = f64::NEG_INFINITY;
    for (index, station) in stations.iter().enumerate() {
        if is_eligible(station) {
            let weight = weight(station);
            if weight > most || best.is_none() {
                (best, most) = (Some(index), weight);
            }
        }
    }
    best
}
