//! Newton system of the logarithmic method, (A D Aᵀ + E − N⁻ + Ω N⁺) Δλ = g with E = diag(s/λ) and Ω =
//! diag(demand/supply): dense where it is small, otherwise by conjugate gradients with Ω = 1.

use super::iterate::Row;
use super::supply::Supply;
use crate::dense;
use crate::program::Program;
use crate::solve::cg::{DENSE, DENSE_COUPLED, Matrix};

/// Parts of the matrix.
pub(super) struct System<'a, 'p> {
    pub program: &'p Program,
    /// D: −dx/dy of each flow.
    pub drop: &'a [f64],
    pub lambda: &'a [f64],
    pub rows: &'a [Row],
    /// E.
    pub barrier: Vec<f64>,
    /// Ω.
    pub omega: Vec<f64>,
    pub demand: &'a [f64],
    /// N, one dense matrix per block of the program.
    pub supplies: &'a [Supply<'p>],
}

impl System<'_, '_> {
    /// Δλ; CG stops at `tolerance` relative in the preconditioned norm.
    pub(super) fn solve(&self, g: &[f64], tolerance: f64) -> Vec<f64> {
        let m = g.len();
        let mut out = g.to_vec();
        match self.supplies.is_empty() {
            true if m <= DENSE => {
                let mut matrix = self.matrix(&[]).assemble();
                dense::factor(&mut matrix, m, DEPENDENT);
                dense::solve(&matrix, m, &mut out);
            }
            false if m <= DENSE_COUPLED => {
                let mut matrix = self.elasticities();
                out.iter_mut().zip(self.demand).for_each(|(g, d)| *g /= d);
                dense::eliminate(&mut matrix, &mut out);
                out.iter_mut().zip(self.lambda).for_each(|(d, l)| *d *= l);
            }
            _ => {
                let hessians: Vec<Vec<f64>> = self.supplies.iter().map(Self::hessian).collect();
                let diagonal = self.rows.iter().map(|row| row.diagonal);
                self.matrix(&hessians).conjugate_gradients(diagonal, DEPENDENT, g, &mut out, tolerance);
            }
        }
        out
    }

    /// A D Aᵀ + E, and N of the blocks if given.
    fn matrix<'b>(&'b self, hessians: &'b [Vec<f64>]) -> Matrix<'b> {
        Matrix { program: self.program, drop: self.drop, barrier: &self.barrier, hessians }
    }

    /// The whole matrix in logarithms: row l over the demand of l, column n times λ_n.
    fn elasticities(&self) -> Vec<f64> {
        let m = self.lambda.len();
        let mut matrix = self.matrix(&[]).assemble();
        for i in 0..m {
            for j in 0..i {
                matrix[j * m + i] = matrix[i * m + j];
            }
        }
        for (block, supply) in self.program.blocks.iter().zip(self.supplies) {
            let k = block.rows.len();
            let (plus, minus) = supply.slopes();
            for (a, i) in block.rows.clone().enumerate() {
                let omega = self.omega[i];
                for (b, j) in block.rows.clone().enumerate() {
                    matrix[i * m + j] += omega * plus[a * k + b] - minus.map_or(0.0, |minus| minus[a * k + b]);
                }
            }
        }
        for (row, demand) in matrix.chunks_mut(m).zip(self.demand) {
            row.iter_mut().zip(self.lambda).for_each(|(v, l)| *v *= l / demand);
        }
        matrix
    }

    /// N of a block with Ω = 1: symmetric, as conjugate gradients require.
    fn hessian(supply: &Supply) -> Vec<f64> {
        let (plus, minus) = supply.slopes();
        let mut out = plus.to_vec();
        if let Some(minus) = minus {
            out.iter_mut().zip(minus).for_each(|(n, minus)| *n -= minus);
        }
        out
    }
}

/// Rounding relative to a pivot: rows may depend on others except for their slack.
const DEPENDENT: f64 = 1e-15;
