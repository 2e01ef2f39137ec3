//! CSMA with entropy inside the logarithmic method: shares e_i ∝ exp φ(a_i) at values a_i = v_iᵀλ, dφ = da/(T + τ a).
//! At τ = 0 they are the region's own, exp(a/T) (wang2013 (7)). τ starts at 1, where shares are continuous in the
//! prices, and decreases with the rows' μ.
//!
//! ln e is a variable of its own: where prices are high relative to T, φ(a) has no digits left, and Newton's method
//! moves ln e.

use crate::dense;
use crate::region::Vertices;

/// One block's part of the iterate.
#[derive(Clone)]
pub(super) struct Mixing<'p> {
    vertices: &'p Vertices,
    /// τ.
    sharpness: f64,
    /// ln e, Σ e = 1 in each group, and e.
    log_share: Vec<f64>,
    share: Vec<f64>,
    /// a, its largest of each group, and φ(a) − ln e about its mean.
    value: Vec<f64>,
    top: Vec<f64>,
    error: Vec<f64>,
    /// r = Σ π e v, ∂r/∂λ, and the change of r in a step that does not depend on λ.
    pub(super) rates: Vec<f64>,
    pub(super) slope: Vec<f64>,
    pub(super) offset: Vec<f64>,
}

impl<'p> Mixing<'p> {
    /// The smoothest shares at prices q.
    pub(super) fn new(vertices: &'p Vertices, q: &[f64]) -> Self {
        let (count, groups, k) = (vertices.len(), vertices.mass.len(), q.len());
        let mut out = Self {
            vertices,
            sharpness: START,
            log_share: vec![0.0; count],
            share: vec![0.0; count],
            value: vec![0.0; count],
            top: vec![0.0; groups],
            error: vec![0.0; count],
            rates: vec![0.0; k],
            slope: vec![0.0; k * k],
            offset: vec![0.0; k],
        };
        out.evaluate(q);
        out.log_share.iter_mut().zip(&out.error).for_each(|(log, error)| *log += error);
        out.evaluate(q);
        out
    }

    /// T + τ a: the change of a that changes ln e by 1.
    fn width(&self, i: usize) -> f64 {
        self.vertices.temperature + self.sharpness * self.value[i]
    }

    /// Computes shares, rates, and residuals of the conditions.
    pub(super) fn evaluate(&mut self, q: &[f64]) {
        let v = self.vertices;
        self.rates.fill(0.0);
        for (h, mass) in v.mass.iter().enumerate() {
            let (mut most, mut sum) = (f64::NEG_INFINITY, 0.0);
            self.top[h] = f64::MIN_POSITIVE;
            for i in v.group(h) {
                self.value[i] = v.weight(i, q).max(f64::MIN_POSITIVE);
                self.top[h] = self.top[h].max(self.value[i]);
                most = most.max(self.log_share[i]);
            }
            for i in v.group(h) {
                self.share[i] = libm::exp(self.log_share[i] - most);
                sum += self.share[i];
            }
            let shift = most + libm::log(sum);
            for i in v.group(h) {
                self.log_share[i] -= shift;
                self.share[i] /= sum;
                v.vertex(i).for_each(|(l, x)| self.rates[l] += mass * self.share[i] * x);
            }
            self.compare(h);
        }
    }

    /// φ(a) − ln e of a group.
    fn compare(&mut self, h: usize) {
        let v = self.vertices;
        let top = self.top[h];
        let width = v.temperature + self.sharpness * top;
        let rounding = ROUNDING * top / width;
        let mut mean = 0.0;
        for i in v.group(h) {
            // φ(a) − φ(top), exact for small differences and for large ones.
            let apart = self.sharpness * (self.value[i] - top) / width;
            let log = if apart > -0.5 { libm::log1p(apart) } else { libm::log(self.width(i) / width) };
            self.error[i] = log / self.sharpness - self.log_share[i];
            mean += self.share[i] * self.error[i];
        }
        for i in v.group(h) {
            let error = self.error[i] - mean;
            self.error[i] = if error.abs() > rounding { error } else { 0.0 };
        }
    }

    /// Lowers τ, by at most `ambition` in its logarithm, to a cost below `accuracy`. Then computes ∂r/∂λ.
    pub(super) fn lower(&mut self, ambition: f64, accuracy: f64) {
        let v = self.vertices;
        let k = self.rates.len();
        let reach = libm::log(accuracy.max(FINEST) / self.sharpness).clamp(-ambition, 0.0);
        self.sharpness *= libm::exp(reach);
        self.slope.fill(0.0);
        self.offset.fill(0.0);
        let mut served = vec![0.0; k];
        let mut mean = vec![0.0; k];
        let mut uneven = vec![0.0; k];
        let mut centred = vec![0.0; k];
        for (h, mass) in v.mass.iter().enumerate() {
            self.compare(h);
            served.fill(0.0);
            mean.fill(0.0);
            uneven.fill(0.0);
            let mut total = 0.0;
            for i in v.group(h) {
                let weight = self.share[i] / self.width(i);
                total += weight;
                v.vertex(i).for_each(|(l, x)| {
                    served[l] += self.share[i] * x;
                    mean[l] += weight * x;
                });
            }
            mean.iter_mut().for_each(|m| *m /= total);
            let widest = v.temperature + self.sharpness * self.top[h];
            // A covariance; centred, or its digits cancel near the end.
            for i in v.group(h).filter(|&i| self.share[i] > 0.0) {
                centred.iter_mut().zip(&served).for_each(|(c, s)| *c = -s);
                v.vertex(i).for_each(|(l, x)| centred[l] += x);
                let share = mass * self.share[i];
                let width = self.width(i);
                let excess = self.sharpness * (self.top[h] - self.value[i]) / widest / width;
                let scaled = share / width;
                for (l, c) in centred.iter().enumerate() {
                    uneven[l] += share * excess * c;
                    self.offset[l] += share * self.error[i] * c;
                    let row = &mut self.slope[l * k..(l + 1) * k];
                    row.iter_mut().zip(&mean).for_each(|(n, m)| *n -= scaled * c * m);
                    v.vertex(i).for_each(|(j, x)| row[j] += scaled * c * x);
                }
            }
            for (row, u) in self.slope.chunks_mut(k).zip(&uneven) {
                row.iter_mut().zip(&mean).for_each(|(n, m)| *n += u * m);
            }
        }
    }

    /// Change of ln e for a step in λ.
    pub(super) fn change(&self, direction: &[f64]) -> Vec<f64> {
        let v = self.vertices;
        let mut out: Vec<f64> = (0..v.len()).map(|i| v.weight(i, direction) / self.width(i) + self.error[i]).collect();
        for h in 0..v.mass.len() {
            let mean: f64 = v.group(h).map(|i| self.share[i] * out[i]).sum();
            out[v.group(h)].iter_mut().for_each(|d| *d -= mean);
        }
        out
    }

    /// Moves from `from`; `evaluate` normalises Σ e to 1.
    pub(super) fn advance(&mut self, from: &Self, change: &[f64], length: f64) {
        dense::along(&mut self.log_share, &from.log_share, change, length);
    }

    /// Largest error of a share.
    pub(super) fn error(&self) -> f64 {
        let errors = self.error.iter().zip(&self.share).map(|(error, share)| (share * error).abs());
        errors.fold(0.0, |worst, error| if error <= worst { worst } else { error })
    }

    /// h(λ) − λᵀr with the entropy's share.
    pub(super) fn residual(&self) -> f64 {
        let v = self.vertices;
        let mut gap = 0.0;
        for (h, mass) in v.mass.iter().enumerate() {
            let top = self.top[h];
            let term = |i: usize| libm::exp((self.value[i] - top) / v.temperature);
            let best = match v.temperature > 0.0 {
                true => v.temperature * libm::log(v.group(h).map(term).sum()),
                false => 0.0,
            };
            for i in v.group(h).filter(|&i| self.share[i] > 0.0) {
                gap += mass * self.share[i] * ((top - self.value[i]) + (best + v.temperature * self.log_share[i]));
            }
        }
        gap.abs()
    }

    /// u = π e.
    pub(super) fn mixture(&self) -> Vec<f64> {
        let v = self.vertices;
        let mut u = self.share.clone();
        for (h, mass) in v.mass.iter().enumerate() {
            u[v.group(h)].iter_mut().for_each(|u| *u *= mass);
        }
        u
    }
}

/// First τ.
const START: f64 = 1.0;
/// Least τ: below it, prices cannot distinguish vertices.
const FINEST: f64 = 1e-13;
/// Relative rounding error of a.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
