//! Small dense systems, in place and without allocation, for the warm steps of a trajectory. Matrices are row-major, of
//! order n; of symmetric ones only the lower triangle is read.
//!
//! Not faer: these are matrices of 4 to 100 rows in vectors reused at every step, and a row that depends on others must
//! be left alone, not reported. A library's Cholesky factor stops there, or perturbs the pivot.

/// Cholesky factor L of the lower triangle of `a`, in place.
///
/// A pivot below `dependent` of its original value marks a row that depends on those before it (two bottlenecks in
/// series for the same flows): its pivot becomes infinite, so that [`solve`] returns 0 there and solves the rest.
pub(crate) fn factor(a: &mut [f64], n: usize, dependent: f64) {
    for j in 0..n {
        let (above, rest) = a.split_at_mut(j * n);
        let row_j = &mut rest[..n];
        let original = row_j[j];
        for k in 0..j {
            let row_k = &above[k * n..k * n + k + 1];
            let sum = dot(&row_j[..k], &row_k[..k]);
            row_j[k] = (row_j[k] - sum) / row_k[k];
        }
        let pivot = original - dot(&row_j[..j], &row_j[..j]);
        row_j[j] = if pivot > dependent * original { pivot.sqrt() } else { f64::INFINITY };
    }
}

/// Solves L Lᵀ x = b in place, L from [`factor`].
pub(crate) fn solve(l: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        let row = &l[i * n..i * n + n];
        b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
    }
    for i in (0..n).rev() {
        let row = &l[i * n..i * n + n];
        b[i] /= row[i];
        let x = b[i];
        for (bk, lk) in b[..i].iter_mut().zip(&row[..i]) {
            *bk -= lk * x;
        }
    }
}

/// Solves A x = b in place by elimination with row exchanges; `a` is full and is overwritten.
pub(crate) fn eliminate(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        let size = |i: &usize| a[i * n + k].abs();
        let pivot = (k..n).max_by(|i, j| size(i).total_cmp(&size(j))).unwrap_or(k);
        if pivot != k {
            let (above, below) = a.split_at_mut(pivot * n);
            above[k * n..k * n + n].swap_with_slice(&mut below[..n]);
            b.swap(k, pivot);
        }
        let (above, below) = a.split_at_mut((k + 1) * n);
        let row_k = &above[k * n..];
        for (i, row) in below.chunks_mut(n).enumerate().filter(|(_, row)| row[k] != 0.0) {
            let factor = row[k] / row_k[k];
            row[k + 1..].iter_mut().zip(&row_k[k + 1..]).for_each(|(v, p)| *v -= factor * p);
            b[k + 1 + i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - dot(&a[k * n + k + 1..(k + 1) * n], &b[k + 1..])) / a[k * n + k];
    }
}

/// The inverse of a symmetric positive definite matrix; `None` where it is not positive definite.
pub(crate) fn inverse(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut l = a.to_vec();
    factor(&mut l, n, DEPENDENT);
    let mut out = vec![0.0; n * n];
    for i in 0..n {
        if !l[i * n + i].is_finite() {
            return None;
        }
        let column = &mut out[i * n..(i + 1) * n];
        column[i] = 1.0;
        solve(&l, n, column);
    }
    Some(out)
}

/// Σ a_i b_i in four partial sums, which the compiler turns into vector instructions.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// Newton's step of a multiplier s of values v that moved by `step`: s v + Δs v + s Δv = μ.
pub(crate) fn complement(multiplier: &mut [f64], values: &[f64], step: &[f64], mu: impl Fn(usize) -> f64) -> f64 {
    let change = |(l, ((s, v), d)): (usize, ((&f64, &f64), &f64))| mu(l) / v - s - s / v * d;
    let change: Vec<f64> = multiplier.iter().zip(values).zip(step).enumerate().map(change).collect();
    shorten_and_add(multiplier, &change)
}

/// Adds the part of a change that keeps values positive; returns the part.
pub(crate) fn shorten_and_add(values: &mut [f64], change: &[f64]) -> f64 {
    let length = (BOUNDARY * longest(values, change)).min(1.0);
    values.iter_mut().zip(change).for_each(|(v, c)| *v += length * c);
    length
}

/// Largest step that keeps values from 0.
pub(crate) fn longest(values: &[f64], steps: &[f64]) -> f64 {
    let pairs = values.iter().zip(steps).filter(|(_, d)| **d < 0.0);
    pairs.map(|(v, d)| -v / d).fold(f64::INFINITY, f64::min)
}

/// to = from + length·step.
pub(crate) fn along(to: &mut [f64], from: &[f64], step: &[f64], length: f64) {
    to.iter_mut().zip(from).zip(step).for_each(|((to, from), d)| *to = from + length * d);
}

/// Index of the largest value, the first of equals.
pub(crate) fn first_max(values: impl Iterator<Item = f64>) -> usize {
    values.enumerate().fold((0, f64::NEG_INFINITY), |best, (i, v)| if v > best.1 { (i, v) } else { best }).0
}

/// Fraction of the distance to the boundary.
pub(crate) const BOUNDARY: f64 = 0.995;
/// 1e-12: rounding leaves about n·1e-16 of a dependent row's pivot.
pub(crate) const DEPENDENT: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;

    /// [[4,2],[2,3]]: inverse [[3,−2],[−2,4]]/8.
    #[test]
    fn inverse_by_hand() {
        let inv = inverse(&[4.0, 2.0, 2.0, 3.0], 2).unwrap();
        for (a, b) in inv.iter().zip([0.375, -0.25, -0.25, 0.5]) {
            assert!((a - b).abs() < 1e-15);
        }
        assert!(inverse(&[1.0, 2.0, 2.0, 1.0], 2).is_none());
    }

    /// [[0,2],[3,4]] x = (4, 18): x = (10/3, 2), with the rows exchanged.
    #[test]
    fn elimination_by_hand() {
        let mut b = [4.0, 18.0];
        eliminate(&mut [0.0, 2.0, 3.0, 4.0], &mut b);
        assert!((b[0] - 10.0 / 3.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15, "{b:?}");
    }

    /// A repeated row gets 0; the rest is solved as if it were not there.
    #[test]
    fn dependent_row_is_left_alone() {
        let mut a = [2.0, 0.0, 0.0, 2.0, 2.0, 0.0, 1.0, 1.0, 3.0];
        factor(&mut a, 3, DEPENDENT);
        let mut b = [5.0, 5.0, 5.0];
        solve(&a, 3, &mut b);
        // [[2,1],[1,3]] x = (5,5): x = (2,1).
        for (x, y) in b.iter().zip([2.0, 0.0, 1.0]) {
            assert!((x - y).abs() < 1e-14, "{b:?}");
        }
    }
}
