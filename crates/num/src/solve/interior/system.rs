//! Newton system (A D Aᵀ + N + E) Δ = g of the interior method: dense Cholesky where it is small, otherwise conjugate
//! gradients that never form the matrix.

use crate::dense;
use crate::program::Program;

/// Parts of the matrix.
pub(super) struct System<'a> {
    pub program: &'a Program,
    /// D: −dx/dy of each flow.
    pub drop: &'a [f64],
    /// E: diagonal of the barrier, positive.
    pub barrier: &'a [f64],
    /// diag(A D Aᵀ).
    pub diagonal: &'a [f64],
    /// N, one dense matrix per block of the program.
    pub hessians: &'a [Vec<f64>],
}

impl System<'_> {
    /// Solves into `out`; CG stops at `tolerance` relative in the preconditioned norm. Returns products done.
    pub(super) fn solve(&self, g: &[f64], out: &mut [f64], tolerance: f64) -> usize {
        let m = self.barrier.len();
        let blocks = self.program.blocks.len();
        if m <= if blocks == 0 { DENSE } else { DENSE_COUPLED } {
            let mut matrix = self.assemble();
            dense::factor(&mut matrix, m, dense::DEPENDENT);
            out.copy_from_slice(g);
            dense::solve(&matrix, m, out);
            return 0;
        }
        self.conjugate_gradients(g, out, tolerance)
    }

    fn assemble(&self) -> Vec<f64> {
        let m = self.barrier.len();
        let mut matrix = vec![0.0; m * m];
        for (s, d) in self.drop.iter().enumerate() {
            for (i, wi) in self.program.route(s) {
                for (j, wj) in self.program.route(s).filter(|&(j, _)| j <= i) {
                    matrix[i * m + j] += d * wi * wj;
                }
            }
        }
        for (block, hessian) in self.program.blocks.iter().zip(self.hessians) {
            let k = block.rows.len();
            for (a, i) in block.rows.clone().enumerate() {
                for (b, j) in block.rows.clone().enumerate() {
                    matrix[i * m + j] += hessian[a * k + b];
                }
            }
        }
        for (i, e) in self.barrier.iter().enumerate() {
            matrix[i * m + i] += e;
        }
        matrix
    }

    /// out = (A D Aᵀ + N + E) p.
    fn multiply(&self, p: &[f64], out: &mut [f64]) {
        for ((o, e), p) in out.iter_mut().zip(self.barrier).zip(p) {
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
        for (block, hessian) in program.blocks.iter().zip(self.hessians) {
            let k = block.rows.len();
            let inside = &p[block.rows.clone()];
            for (o, row) in out[block.rows.clone()].iter_mut().zip(hessian.chunks(k)) {
                *o += dense::dot(row, inside);
            }
        }
    }

    /// Preconditioned by the diagonal, and by the whole block where rows are coupled.
    fn conjugate_gradients(&self, g: &[f64], x: &mut [f64], tolerance: f64) -> usize {
        let m = g.len();
        let inverse: Vec<f64> = self.diagonal.iter().zip(self.barrier).map(|(d, e)| 1.0 / (d + e)).collect();
        let factors: Vec<Vec<f64>> = (self.program.blocks.iter().zip(self.hessians))
            .map(|(block, hessian)| {
                let k = block.rows.len();
                let mut factor = hessian.clone();
                block.rows.clone().enumerate().for_each(|(a, i)| factor[a * k + a] += 1.0 / inverse[i]);
                dense::factor(&mut factor, k, dense::DEPENDENT);
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
            self.multiply(&p, &mut product);
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
        count
    }
}

/// Rows up to which a dense factor is cheaper than conjugate gradients, with four links per flow.
const DENSE: usize = 100;
/// Rows up to which problems with coupled rows are factored: their blocks are ill-conditioned near the end.
const DENSE_COUPLED: usize = 400;
/// Limit of conjugate gradient steps; an inexact step only costs another Newton step.
const MAX_PRODUCTS: usize = 500;
