//! Rates of backlog-controlled sources (seferoglu2014 (5)).
//!
//! max Σ_s [M_s ln x_s − U_s x_s] subject to Σ_s x_s ≤ R has the solution x_s = M_s/(U_s + μ), with μ ≥ 0 the
//! multiplier of the limit: 0 if the limit is not reached.

/// Halvings of the bracket of μ: more than a double's mantissa has bits.
const HALVINGS: u32 = 60;

/// Rate x of a source among `all` that share the limit, each with its (M, U); in the unit of the limit.
pub fn rate((m, backlog): (f64, f64), all: &[(f64, f64)], limit: f64) -> f64 {
    let total = |mu: f64| all.iter().map(|(m, backlog)| m / (backlog + mu)).sum::<f64>();
    if total(0.0) <= limit {
        return m / backlog;
    }
    // At μ = ΣM/R every source on its own would get at most its share of R.
    let (mut low, mut high) = (0.0, all.iter().map(|(m, _)| m).sum::<f64>() / limit);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if total(middle) > limit { low = middle } else { high = middle }
    }
    m / (backlog + high)
}

#[cfg(test)]
mod tests {
    use super::rate;

    /// M = 50, U = (1, 10), R = 10: 50/(1 + μ) + 50/(10 + μ) = 10 has μ = (−1 + √181)/2 = 6.2268, x = (6.919, 3.081).
    #[test]
    fn the_limit_is_shared_by_one_multiplier() {
        let all = [(50.0, 1.0), (50.0, 10.0)];
        let rates = all.map(|source| rate(source, &all, 10.0));
        assert!((rates[0] - 6.9185).abs() < 1e-3 && (rates[1] - 3.0815).abs() < 1e-3, "{rates:?}");
    }

    /// A single source with an empty queue gets all; at U = 50 it gets one packet per slot, and twice as much at twice
    /// M.
    #[test]
    fn without_a_limit_the_backlog_decides() {
        assert!((rate((50.0, 0.0), &[(50.0, 0.0)], 5.0) - 5.0).abs() < 1e-9);
        assert!((rate((50.0, 50.0), &[(50.0, 50.0)], 5.0) - 1.0).abs() < 1e-9);
        let all = [(50.0, 50.0), (100.0, 50.0)];
        assert!((rate(all[1], &all, 5.0) - 2.0).abs() < 1e-9);
    }
}
