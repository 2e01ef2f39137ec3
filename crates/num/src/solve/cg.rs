//! The symmetric matrix M = A D Aᵀ + N + E of a Newton step, formed or by conjugate gradients that never form it.

use crate::dense;
use crate::program::Program;

/// Parts of M.
pub(super) struct Matrix<'a> {
    pub program: &'a Program,
    /// D: −dx/dy of each flow.
    pub drop: &'a [f64],
    /// E: diagonal of the barrier, positive.
    pub barrier: &'a [f64],
    /// N, one dense matrix per block of the program; none: zero.
    pub hessians: &'a [Vec<f64>],
}

impl Matrix<'_> {
    /// Lower triangle of M.
    pub(super) fn assemble(&self) -> Vec<f64> {
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

    /// out = M p.
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

    /// Solves M x = g by conjugate gradients, to `tolerance` relative in the preconditioned norm. Preconditioned by the
    /// diagonal, and by the whole block where rows are coupled; `diagonal` is that of A D Aᵀ, and pivots below
    /// `dependent` relative to theirs count as zero. Returns the number of products.
    pub(super) fn conjugate_gradients(
        &self,
        diagonal: impl Iterator<Item = f64>,
        dependent: f64,
        g: &[f64],
        x: &mut [f64],
        tolerance: f64,
    ) -> usize {
        let m = g.len();
        let inverse: Vec<f64> = diagonal.zip(self.barrier).map(|(d, e)| 1.0 / (d + e)).collect();
        let factors: Vec<Vec<f64>> = (self.program.blocks.iter().zip(self.hessians))
            .map(|(block, hessian)| {
                let k = block.rows.len();
                let mut factor = hessian.clone();
                block.rows.clone().enumerate().for_each(|(a, i)| factor[a * k + a] += 1.0 / inverse[i]);
                dense::factor(&mut factor, k, dependent);
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
pub(crate) const DENSE: usize = 100;
/// Rows up to which problems with coupled rows are factored: their blocks are ill-conditioned near the end.
pub(super) const DENSE_COUPLED: usize = 400;
/// Limit of conjugate gradient steps; an inexact step only costs another Newton step.
const MAX_PRODUCTS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Coupling, Link, Network};
    use crate::region::Region;

    /// Link 0 is wired, links 1 and 2 share a round region; one flow crosses all of them, one the last alone. By hand,
    /// M has the rows (3, 2, 2), (2, 5, 3) and (2, 3, 9), and M (1, −1, 2) = (5, 3, 17).
    #[test]
    fn both_ways_solve_a_system_by_hand() {
        let region = Region::Norm { capacity: vec![1.0, 1.0], exponent: 2.0 };
        let couplings = vec![Coupling { links: vec![1, 2], region }];
        let links = vec![Link::Wired(1.0), Link::Wireless, Link::Wireless];
        let network = Network { links, couplings, routes: vec![vec![0, 1, 2], vec![2]] };
        let program = Program::new(&network, Vec::new());
        let hessians = vec![vec![2.0, 1.0, 1.0, 3.0]];
        let matrix = Matrix { program: &program, drop: &[2.0, 3.0], barrier: &[1.0; 3], hessians: &hessians };
        let lower = matrix.assemble();
        assert_eq!((lower[0], &lower[3..5], &lower[6..9]), (3.0, &[2.0, 5.0][..], &[2.0, 3.0, 9.0][..]));
        let g = [5.0, 3.0, 17.0];
        let mut product = [0.0; 3];
        matrix.multiply(&[1.0, -1.0, 2.0], &mut product);
        assert_eq!(product, g);
        let mut found = [0.0; 3];
        let diagonal = [2.0, 2.0, 5.0];
        let products = matrix.conjugate_gradients(diagonal.into_iter(), dense::DEPENDENT, &g, &mut found, 1e-12);
        assert!(products <= 4, "a matrix of three rows takes three products but for rounding, and not {products}");
        let error = found.iter().zip([1.0, -1.0, 2.0]).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(error < 1e-9, "{found:?}");
    }
}
