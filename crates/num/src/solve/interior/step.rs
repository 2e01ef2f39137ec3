//! One Newton step of the interior method: direction, length, multipliers, the next μ.

use super::iterate::Interior;
use super::mixing::{Change, Mixing};
use crate::dense::{self, BOUNDARY, along, complement, longest};
use crate::program::Block;
use crate::solve::cg::{DENSE, DENSE_COUPLED, Matrix};

impl Interior<'_> {
    /// One Newton step; false where no progress is possible.
    pub(super) fn newton_step(&mut self) -> bool {
        let barrier: Vec<f64> = self.slack.iter().zip(&self.lambda).map(|(s, l)| s / l).collect();
        let rows = self.surplus.iter().zip(&self.lambda).zip(&self.part);
        let mut gradient: Vec<f64> = rows.map(|((r, l), part)| self.mu * part / l - r).collect();
        for (block, mixing) in self.program.blocks.iter().zip(&self.mixings) {
            if let Some(mixing) = mixing {
                mixing.reduce(&mut gradient[block.rows.clone()]);
            }
        }
        let matrix = Matrix { program: self.program, drop: &self.drop, barrier: &barrier, hessians: &self.hessians };
        let direction = self.solve(&matrix, &gradient);
        let change = |(block, mixing): (&Block, &Option<Mixing>)| {
            mixing.as_ref().map(|mixing| mixing.change(&direction[block.rows.clone()]))
        };
        let changes: Vec<Option<Change>> = self.program.blocks.iter().zip(&self.mixings).map(change).collect();
        self.advance(&direction, &changes)
    }

    /// Solves M Δ = g: dense Cholesky where it is small, otherwise conjugate gradients.
    fn solve(&self, matrix: &Matrix<'_>, g: &[f64]) -> Vec<f64> {
        let m = g.len();
        let mut out = g.to_vec();
        if m <= if self.program.blocks.is_empty() { DENSE } else { DENSE_COUPLED } {
            let mut factor = matrix.assemble();
            dense::factor(&mut factor, m, dense::DEPENDENT);
            dense::solve(&factor, m, &mut out);
        } else {
            matrix.conjugate_gradients(self.diagonal.iter().copied(), dense::DEPENDENT, g, &mut out, FORCING);
        }
        out
    }

    /// Moves along the direction as far as positivity and the barrier function's slope allow; then updates the
    /// multipliers and μ.
    fn advance(&mut self, direction: &[f64], changes: &[Option<Change>]) -> bool {
        let slope = self.slope(direction, changes);
        let old_lambda = self.lambda.clone();
        let old_linear = self.linear.slack.clone();
        let old_mixings = self.mixings.clone();
        let linear_step = self.linear.path_sums(self.program, direction);
        let mut reach = longest(&old_lambda, direction).min(longest(&old_linear, &linear_step));
        for (mixing, change) in old_mixings.iter().flatten().zip(changes.iter().flatten()) {
            reach = reach.min(mixing.longest(change));
        }
        let mut length = (BOUNDARY * reach).min(1.0);
        let mut halvings = 0;
        loop {
            along(&mut self.lambda, &old_lambda, direction, length);
            along(&mut self.linear.slack, &old_linear, &linear_step, length);
            let old = old_mixings.iter().flatten().zip(changes.iter().flatten());
            for (mixing, (old, change)) in self.mixings.iter_mut().flatten().zip(old) {
                mixing.advance(old, change, length);
            }
            // `lower_mu` evaluates vertex blocks again, with the next μ.
            self.serve();
            if self.slope(direction, changes) <= OVERSHOOT * slope.abs() {
                break;
            }
            halvings += 1;
            if halvings > MAX_HALVINGS {
                return false;
            }
            length *= 0.5;
        }
        let shortest = length
            .min(complement(&mut self.slack, &old_lambda, direction, |l| self.mu * self.part[l]))
            .min(complement(&mut self.linear.rate, &old_linear, &linear_step, |_| self.mu));
        let old = old_mixings.iter().flatten().zip(changes.iter().flatten());
        let mixings = self.mixings.iter_mut().flatten().zip(old);
        let shortest = mixings.map(|(mixing, (old, change))| mixing.update(old, change)).fold(shortest, f64::min);
        for (block, mixing) in self.program.blocks.iter().zip(&mut self.mixings) {
            if let Some(mixing) = mixing {
                mixing.anchor(&self.lambda[block.rows.clone()]);
            }
        }
        self.lower_mu(shortest);
        true
    }

    /// Slope of the barrier function along a direction.
    fn slope(&self, direction: &[f64], changes: &[Option<Change>]) -> f64 {
        let terms = self.surplus.iter().zip(&self.lambda).zip(&self.part).zip(direction);
        let slope: f64 = terms.map(|(((surplus, l), part), d)| (surplus - self.mu * part / l) * d).sum();
        let mixings = self.mixings.iter().flatten().zip(changes.iter().flatten());
        slope + mixings.map(|(mixing, change)| mixing.slope(change)).sum::<f64>()
    }

    fn lower_mu(&mut self, length: f64) {
        let rows: f64 = self.lambda.iter().zip(&self.slack).zip(&self.part).map(|((l, s), part)| l * s / part).sum();
        let complementarity = rows
            + dense::dot(&self.linear.rate, &self.linear.slack)
            + self.mixings.iter().flatten().map(Mixing::complementarity).sum::<f64>();
        if self.is_spread {
            // With one μ for all, the rows of poor flows would be exact long before those of rich ones are even near.
            let turnovers = self.row_turnovers();
            let largest = turnovers.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
            for (part, value) in self.part.iter_mut().zip(&turnovers) {
                *part = (value / largest).clamp(f64::MIN_POSITIVE, 1.0);
            }
        }
        // A violation far above the gap says that the iterate has left the path: μ waits for it. And μ never falls
        // below what the tolerance asks for, where slacks would lose their last digits.
        let (violation, gap) = self.residuals();
        let factor = match violation > STRAY * gap {
            true => 1.0,
            false => (1.0 - length).powi(2).clamp(FASTEST, SLOWEST),
        };
        let mean = self.turnover() / self.pairs;
        let reference = if self.is_spread { mean } else { mean.min(self.least_turnover) };
        let least = SMALLEST * self.tolerance * reference;
        self.mu = (factor * complementarity / self.pairs).max(least);
        if !self.linear.flows.is_empty() || self.mixings.iter().any(Option::is_some) {
            self.evaluate();
        }
    }
}

/// Steps are halved while the slope at the end exceeds this fraction of the slope at the start.
const OVERSHOOT: f64 = 0.9;
const MAX_HALVINGS: usize = 40;
/// Ratio of violation to gap beyond which μ is kept.
const STRAY: f64 = 100.0;
/// Least μ, relative to the tolerance per pair.
const SMALLEST: f64 = 0.1;
/// Bounds of the factor by which μ falls.
const FASTEST: f64 = 0.05;
const SLOWEST: f64 = 0.8;
/// Relative accuracy of conjugate gradients.
const FORCING: f64 = 1e-3;
