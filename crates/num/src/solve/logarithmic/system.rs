//! Newton system of the logarithmic method, (A D Aᵀ + E − N⁻ + Ω N⁺) Δλ = g with E = diag(s/λ) and Ω =
//! diag(demand/supply): dense where it is small, otherwise conjugate gradients that never form the matrix.

use super::iterate::Row;
use super::supply::Supply;
use crate::dense;
use crate::program::Program;

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
                let mut matrix = self.assemble();
                dense::factor(&mut matrix, m, DEPENDENT);
                dense::solve(&matrix, m, &mut out);
            }
            false if m <= DENSE_COUPLED => {
                let mut matrix = self.elasticities();
                out.iter_mut().zip(self.demand).for_each(|(g, d)| *g /= d);
                dense::eliminate(&mut matrix, &mut out);
                out.iter_mut().zip(self.lambda).for_each(|(d, l)| *d *= l);
            }
            _ => self.conjugate_gradients(g, &mut out, tolerance),
        }
        out
    }

    /// Lower triangle of A D Aᵀ + E.
    fn assemble(&self) -> Vec<f64> {
        let m = self.lambda.len();
        let mut matrix = vec![0.0; m * m];
        for (s, d) in self.drop.iter().enumerate() {
            for (i, wi) in self.program.route(s) {
                for (j, wj) in self.program.route(s).filter(|&(j, _)| j <= i) {
                    matrix[i * m + j] += d * wi * wj;
                }
            }
        }
        for i in 0..m {
            matrix[i * m + i] += self.barrier[i];
        }
        matrix
    }

    /// The whole matrix in logarithms: row l over the demand of l, column n times λ_n.
    fn elasticities(&self) -> Vec<f64> {
        let m = self.lambda.len();
        let mut matrix = self.assemble();
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

    /// out = M p.
    fn multiply(&self, hessians: &[Vec<f64>], p: &[f64], out: &mut [f64]) {
        for ((o, e), p) in out.iter_mut().zip(&self.barrier).zip(p) {
            *o = e * p;
        }
        let program = self.program;
        if program.weight.is_empty() {
            for (s, d) in self.drop.iter().enumerate() {
                let rows = &program.row[program.start[s] as usize..program.start[s + 1] as usize];
                let gathered: f64 = rows.iter().map(|&l| p[l as usize]).sum();
                let scaled = d * gathered;
                for &l in rows {
                    out[l as usize] += scaled;
                }
            }
        } else {
            for (s, d) in self.drop.iter().enumerate() {
                let gathered: f64 = program.route(s).map(|(l, w)| w * p[l]).sum();
                program.route(s).for_each(|(l, w)| out[l] += d * gathered * w);
            }
        }
        for (block, hessian) in program.blocks.iter().zip(hessians) {
            let k = block.rows.len();
            let inside = &p[block.rows.clone()];
            for (o, row) in out[block.rows.clone()].iter_mut().zip(hessian.chunks(k)) {
                *o += dense::dot(row, inside);
            }
        }
    }

    /// Preconditioned by the diagonal, and by the whole block where rows are coupled.
    fn conjugate_gradients(&self, g: &[f64], x: &mut [f64], tolerance: f64) {
        let m = g.len();
        let inverse: Vec<f64> = self.rows.iter().zip(&self.barrier).map(|(row, e)| 1.0 / (row.diagonal + e)).collect();
        let hessians: Vec<Vec<f64>> = self.supplies.iter().map(Self::hessian).collect();
        let factors: Vec<Vec<f64>> = (self.program.blocks.iter().zip(&hessians))
            .map(|(block, hessian)| {
                let k = block.rows.len();
                let mut factor = hessian.clone();
                block.rows.clone().enumerate().for_each(|(a, i)| factor[a * k + a] += 1.0 / inverse[i]);
                dense::factor(&mut factor, k, DEPENDENT);
                factor
            })
            .collect();
        let precondition = |r: &[f64], z: &mut [f64]| {
            z.iter_mut().zip(r).zip(&inverse).for_each(|((z, r), i)| *z = r * i);
            for (block, factor) in self.program.blocks.iter().zip(&factors) {
                z[block.rows.clone()].copy_from_slice(&r[block.rows.clone()]);
                dense::solve(factor, block.rows.len(), &mut z[block.rows.clone()]);
            }
        };
        x.fill(0.0);
        let mut r = g.to_vec();
        let mut z = vec![0.0; m];
        precondition(&r, &mut z);
        let mut p = z.clone();
        let mut product = vec![0.0; m];
        let mut rz = dense::dot(&r, &z);
        let stop = tolerance * tolerance * rz;
        let mut count = 0;
        while count < MAX_PRODUCTS && rz > stop && !self.program.stop.is_set() {
            self.multiply(&hessians, &p, &mut product);
            count += 1;
            let step = rz / dense::dot(&p, &product);
            for i in 0..m {
                x[i] += step * p[i];
                r[i] -= step * product[i];
            }
            precondition(&r, &mut z);
            let next = dense::dot(&r, &z);
            let momentum = next / rz;
            rz = next;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + momentum * *p);
        }
    }
}

/// Rows up to which a dense factor is cheaper than conjugate gradients, with four links per flow.
pub(crate) const DENSE: usize = 100;
/// Rows up to which problems with coupled rows are factored: their blocks are ill-conditioned near the end.
const DENSE_COUPLED: usize = 400;
/// Limit of conjugate gradient steps; an inexact step only costs another Newton step.
const MAX_PRODUCTS: usize = 500;
/// Rounding relative to a pivot: rows may depend on others except for their slack.
const DEPENDENT: f64 = 1e-15;
