//! Smooth regions {r : f(r) ≤ 0}, f strictly convex (huang2020 Fig. 1(b), Lemma 2): closed forms of the support
//! function, its gradient r(q) and its Hessian ∂r/∂q.
//!
//! r ≥ 0 needs no separate constraint: a link's rate is at least its load, which its price enforces.

use crate::dense;

/// A region whose support function is twice differentiable away from 0.
#[derive(Clone, Debug)]
pub(crate) enum Curved {
    Norm(Norm),
    Ellipsoid(Ellipsoid),
}

impl Curved {
    /// Writes r(q), and optionally ∂r/∂q row-major; returns h(q). Requires q ≥ 0, q ≠ 0.
    pub(crate) fn evaluate(&self, q: &[f64], rates: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        match self {
            Self::Norm(norm) => norm.evaluate(q, rates, hessian),
            Self::Ellipsoid(ellipsoid) => ellipsoid.evaluate(q, rates, hessian),
        }
    }

    /// Writes r = r⁺ − r⁻, both parts ≥ 0, and their derivatives row-major. Requires q > 0.
    pub(crate) fn split(&self, q: &[f64], rates: [&mut [f64]; 2], slopes: [&mut [f64]; 2]) {
        let ([plus, minus], [slope_plus, slope_minus]) = (rates, slopes);
        match self {
            Self::Norm(norm) => _ = norm.evaluate(q, plus, Some(slope_plus)),
            Self::Ellipsoid(ellipsoid) => {
                let n = q.len();
                let h = quadratic(&ellipsoid.inverse, q).sqrt();
                plus.fill(0.0);
                minus.fill(0.0);
                for (i, row) in ellipsoid.inverse.chunks(n).enumerate() {
                    for (p, q) in row.iter().zip(q) {
                        plus[i] += p.max(0.0) * q / h;
                        minus[i] -= p.min(0.0) * q / h;
                    }
                }
                for i in 0..n {
                    for j in 0..n {
                        let (p, own) = (ellipsoid.inverse[i * n + j], plus[j] - minus[j]);
                        slope_plus[i * n + j] = (p.max(0.0) - plus[i] * own) / h;
                        slope_minus[i * n + j] = (-p.min(0.0) - minus[i] * own) / h;
                    }
                }
            }
        }
    }

    /// min {t ≥ 0 : r ∈ t R}, for r ≥ 0.
    pub(crate) fn gauge(&self, r: &[f64]) -> f64 {
        match self {
            Self::Norm(norm) => {
                let largest = r.iter().zip(&norm.capacity).map(|(r, c)| r / c).fold(0.0, f64::max);
                if largest == 0.0 {
                    return 0.0;
                }
                let term = |(r, c): (&f64, &f64)| libm::pow(r / c / largest, norm.exponent);
                let sum: f64 = r.iter().zip(&norm.capacity).map(term).sum();
                largest * libm::pow(sum, 1.0 / norm.exponent)
            }
            Self::Ellipsoid(ellipsoid) => quadratic(&ellipsoid.matrix, r).sqrt(),
        }
    }
}

/// ‖r/c‖_e ≤ 1: h(q) = ‖c q‖_{e*} with e* = e/(e−1).
#[derive(Clone, Debug)]
pub(crate) struct Norm {
    capacity: Vec<f64>,
    exponent: f64,
}

impl Norm {
    pub(crate) fn new(capacity: &[f64], exponent: f64) -> Self {
        Self { capacity: capacity.to_vec(), exponent }
    }

    fn evaluate(&self, q: &[f64], rates: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let n = q.len();
        let dual = self.exponent / (self.exponent - 1.0);
        let largest = q.iter().zip(&self.capacity).map(|(q, c)| q * c).fold(0.0, f64::max);
        let term = |(q, c): (&f64, &f64)| libm::pow(q * c / largest, dual);
        let sum: f64 = q.iter().zip(&self.capacity).map(term).sum();
        let h = largest * libm::pow(sum, 1.0 / dual);
        for ((r, q), c) in rates.iter_mut().zip(q).zip(&self.capacity) {
            *r = c * libm::pow(q * c / h, dual - 1.0);
        }
        if let Some(hessian) = hessian {
            for i in 0..n {
                for j in 0..n {
                    hessian[i * n + j] = -(dual - 1.0) / h * rates[i] * rates[j];
                }
                // (e*−1)/h · c² (c q/h)^{e*−2} = (e*−1) r/q; methods that use the Hessian keep q > 0.
                let own = if q[i] > 0.0 { rates[i] / q[i] } else { 0.0 };
                hessian[i * n + i] += (dual - 1.0) * own;
            }
        }
        h
    }
}

/// rᵀHr ≤ 1: h(q) = √(qᵀH⁻¹q).
#[derive(Clone, Debug)]
pub(crate) struct Ellipsoid {
    matrix: Vec<f64>,
    inverse: Vec<f64>,
}

impl Ellipsoid {
    pub(crate) fn new(matrix: &[Vec<f64>]) -> Self {
        let matrix = matrix.concat();
        let n = matrix.len().isqrt();
        let inverse = dense::inverse(&matrix, n).expect("a checked matrix is positive definite");
        Self { matrix, inverse }
    }

    fn evaluate(&self, q: &[f64], rates: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let n = q.len();
        let h = quadratic(&self.inverse, q).sqrt();
        for (r, row) in rates.iter_mut().zip(self.inverse.chunks(n)) {
            *r = dense::dot(row, q) / h;
        }
        if let Some(hessian) = hessian {
            for i in 0..n {
                for j in 0..n {
                    hessian[i * n + j] = (self.inverse[i * n + j] - rates[i] * rates[j]) / h;
                }
            }
        }
        h
    }
}

/// vᵀAv.
fn quadratic(a: &[f64], v: &[f64]) -> f64 {
    a.chunks(v.len()).zip(v).map(|(row, x)| dense::dot(row, v) * x).sum()
}
