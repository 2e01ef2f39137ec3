//! Residuals of the logarithmic method's iterate.

use super::iterate::{Iterate, ROUNDING};
use crate::solve::newton::Residual;

impl Iterate<'_> {
    /// Violation relative to the capacity, gap relative to Σ x U′.
    pub(super) fn distance(&self) -> Residual {
        let point = &self.point;
        let mut capacity = self.program.rhs.clone();
        let (mut violation, mut gap, mut row) = (0.0_f64, 0.0, 0.0_f64);
        for (block, supply) in self.program.blocks.iter().zip(&point.supplies) {
            supply.rates().zip(&mut capacity[block.rows.clone()]).for_each(|(r, c)| *c += r);
            gap += supply.residual();
        }
        for (l, at) in self.rows.iter().enumerate() {
            let surplus = capacity[l] - at.load;
            let lost = point.lambda[l] * surplus.abs();
            violation = violation.max(-surplus / self.scale[l]);
            gap += lost;
            // Load and capacity agree to their last digits: they cannot agree better.
            if surplus.abs() > ROUNDING * self.supply[l] {
                row = row.max(lost / at.least);
            }
        }
        for own in &point.linear {
            gap += own.rate * (own.price - own.weight).abs();
        }
        let turnover = if self.turnover > 0.0 { self.turnover } else { 1.0 };
        let whole = violation.max(gap / turnover);
        Residual { whole: if gap.is_nan() { f64::INFINITY } else { whole }, row, leeway: ROW }
    }
}

/// Allowance of a row relative to the whole.
const ROW: f64 = 10.0;
