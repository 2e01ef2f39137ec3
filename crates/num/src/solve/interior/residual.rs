//! Residuals of the interior method's iterate.

use super::iterate::Interior;
use crate::dense;
use crate::solve::newton::Residual;

impl Interior<'_> {
    /// b + r − A x with the multipliers as rates and mixtures; `surplus` uses the barrier's instead.
    pub(super) fn primal_surplus(&self) -> Vec<f64> {
        let mut surplus = self.surplus.clone();
        for ((&s, rate), slack) in self.linear.flows.iter().zip(&self.linear.rate).zip(&self.linear.slack) {
            let excess = rate - self.mu / slack;
            self.program.route(s as usize).for_each(|(l, w)| surplus[l] -= w * excess);
        }
        for (block, mixing) in self.program.blocks.iter().zip(&self.mixings) {
            if let Some(mixing) = mixing {
                mixing.correct(&mut surplus[block.rows.clone()]);
            }
        }
        surplus
    }

    pub(super) fn distance(&mut self) -> Residual {
        let (violation, gap) = self.residuals();
        let whole = if gap.is_nan() { f64::INFINITY } else { violation.max(gap) };
        let mut row = 0.0_f64;
        if whole <= FINAL * self.tolerance {
            let turnovers = self.row_turnovers();
            for ((value, price), surplus) in turnovers.iter().zip(&self.lambda).zip(self.primal_surplus()) {
                if value.is_finite() {
                    self.least_turnover = self.least_turnover.min(*value);
                    row = row.max(price * surplus.abs() / value);
                }
            }
        }
        Residual { whole, row, leeway: ROW }
    }

    /// Least x U′ of the flows of each row, at the rate or at the rate that fits if that is larger: with alpha < 1 a
    /// flow may end near rate 0.
    pub(super) fn row_turnovers(&self) -> Vec<f64> {
        let program = self.program;
        let mut turnovers = vec![f64::INFINITY; self.lambda.len()];
        for (s, (utility, &x)) in program.utilities.iter().zip(&self.rates).enumerate() {
            let fits = program.route(s).map(|(l, w)| self.scale[l] / w).fold(f64::INFINITY, f64::min);
            // A link of a cell may carry more than `scale`, where with large alpha the turnover is far less.
            let value = if x < fits { utility.turnover(fits).max(utility.turnover(x)) } else { utility.turnover(x) };
            program.route(s).for_each(|(l, _)| turnovers[l] = turnovers[l].min(value));
        }
        turnovers
    }

    /// Σ x U′, the reference for gaps.
    pub(super) fn turnover(&self) -> f64 {
        let mut turnover = self.turnover;
        for ((&s, rate), slack) in self.linear.flows.iter().zip(&self.linear.rate).zip(&self.linear.slack) {
            let weight = self.program.utilities[s as usize].derivative(1.0);
            turnover += (rate - self.mu / slack) * (weight + slack);
        }
        if turnover > 0.0 { turnover } else { 1.0 }
    }

    /// Largest violation relative to the capacity or of Σ u = π, and gap relative to Σ x U′.
    pub(super) fn residuals(&self) -> (f64, f64) {
        let mut worst = 0.0_f64;
        let mut gap = dense::dot(&self.linear.rate, &self.linear.slack);
        for ((s, scale), price) in self.primal_surplus().iter().zip(&self.scale).zip(&self.lambda) {
            worst = worst.max(-s / scale);
            gap += price * s.abs();
        }
        for mixing in self.mixings.iter().flatten() {
            let (lost, error) = mixing.residual();
            gap += lost;
            worst = worst.max(error);
        }
        (worst, gap / self.turnover())
    }
}

/// Allowance of a row relative to the whole.
const ROW: f64 = 1e2;
/// Multiple of the tolerance below which rows are checked.
const FINAL: f64 = 1e3;
