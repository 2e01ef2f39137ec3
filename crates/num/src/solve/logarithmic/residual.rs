//! How far an iterate of the logarithmic method is from the optimum.

use super::iterate::{Iterate, ROUNDING};

/// How far the iterate is from the optimum: violation and gap of the whole, and the worst row's share of the gap relative
/// to the least turnover of its flows (with large alpha the total sees only the poorest flows).
pub(super) struct Residual {
    whole: f64,
    row: f64,
}

impl Residual {
    pub(super) fn worst(&self) -> f64 {
        let worst = self.whole.max(self.row);
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    /// Rounding keeps rows from their last digits where turnovers differ by many powers of ten.
    pub(super) fn within(&self, tolerance: f64) -> bool {
        self.whole <= tolerance && self.row <= ROW * tolerance
    }
}

impl Iterate<'_> {
    /// Violation relative to the capacity, gap relative to Σ x U′.
    pub(super) fn residual(&self) -> Residual {
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
        Residual { whole: if gap.is_nan() { f64::INFINITY } else { whole }, row }
    }
}

/// How much less exact a row may be than the whole.
const ROW: f64 = 10.0;
