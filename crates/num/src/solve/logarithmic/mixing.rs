//! Vertex regions inside the logarithmic method: h(λ) = min_t Σ_h π_h t_h subject to t_h − v_iᵀλ + T ln e_i = γ_i ≥ 0, whose
//! multipliers are the shares e of each group, Σ e_i = 1; the mixture is u = π e. T is CSMA's weight of entropy, else 0.
//!
//! As λ s = μ for rows, e γ = μ_i for every vertex; ln e, γ and t are variables of their own: near the end the difference
//! t − vᵀλ has no digits left.

use crate::dense;
use crate::region::Vertices;

/// One block's part of the iterate.
#[derive(Clone)]
pub(super) struct Mixing<'p> {
    vertices: &'p Vertices,
    /// ln e, γ and μ_i.
    log_share: Vec<f64>,
    gap: Vec<f64>,
    mu: Vec<f64>,
    /// t of each group.
    level: Vec<f64>,
    /// e and its sum in each group; t − vᵀλ + T ln e − γ.
    share: Vec<f64>,
    sum: Vec<f64>,
    error: Vec<f64>,
    /// r = Σ π e v, ∂r/∂λ, and what a step adds to r whatever λ does.
    pub(super) rates: Vec<f64>,
    pub(super) slope: Vec<f64>,
    pub(super) offset: Vec<f64>,
}

/// A direction in ln e, γ and t.
pub(super) struct Change {
    log_share: Vec<f64>,
    gap: Vec<f64>,
    level: Vec<f64>,
}

impl<'p> Mixing<'p> {
    /// Equal shares, at levels so high that γ is of the size of t.
    pub(super) fn new(vertices: &'p Vertices, q: &[f64]) -> Self {
        let (count, groups, k) = (vertices.len(), vertices.mass.len(), q.len());
        let mut out = Self {
            vertices,
            log_share: vec![0.0; count],
            gap: vec![0.0; count],
            mu: vec![0.0; count],
            level: vec![0.0; groups],
            share: vec![0.0; count],
            sum: vec![0.0; groups],
            error: vec![0.0; count],
            rates: vec![0.0; k],
            slope: vec![0.0; k * k],
            offset: vec![0.0; k],
        };
        for h in 0..groups {
            let top = vertices.group(h).map(|i| vertices.weight(i, q)).fold(f64::MIN_POSITIVE, f64::max);
            let size = vertices.group(h).len() as f64;
            out.level[h] = (1.0 + START) * top + vertices.temperature * libm::log(size);
            for i in vertices.group(h) {
                out.log_share[i] = -libm::log(size);
                out.gap[i] = (1.0 + START) * top - vertices.weight(i, q);
                out.mu[i] = out.gap[i] / size;
            }
        }
        out
    }

    /// Shares, rates, and how far the conditions are from met.
    pub(super) fn evaluate(&mut self, q: &[f64]) {
        let v = self.vertices;
        self.rates.fill(0.0);
        for (h, mass) in v.mass.iter().enumerate() {
            self.sum[h] = 0.0;
            for i in v.group(h) {
                let e = libm::exp(self.log_share[i]);
                self.share[i] = e;
                self.sum[h] += e;
                v.vertex(i).for_each(|(l, x)| self.rates[l] += mass * e * x);
                let wanted = self.level[h] - v.weight(i, q) + v.temperature * self.log_share[i];
                self.error[i] = wanted - self.gap[i];
            }
        }
    }

    /// Lowers μ_i, by at most `ambition` in its logarithm, to where it costs less than `accuracy`. Then ∂r/∂λ.
    pub(super) fn lower(&mut self, ambition: f64, accuracy: f64) {
        let v = self.vertices;
        let k = self.rates.len();
        self.slope.fill(0.0);
        self.offset.fill(0.0);
        let mut mean = vec![0.0; k];
        let mut centred = vec![0.0; k];
        // Groups that cost next to nothing need not be exact.
        let price = dense::dot(&v.mass, &self.level) / v.mass.iter().sum::<f64>();
        for (h, mass) in v.mass.iter().enumerate() {
            let target = accuracy.clamp(FINEST, START) * self.level[h].max(price) / v.group(h).len() as f64;
            mean.fill(0.0);
            let mut total = 0.0;
            for i in v.group(h) {
                self.mu[i] *= libm::exp(libm::log(target / self.mu[i]).clamp(-ambition, ambition));
                let weight = self.share[i] * self.slope(i);
                total += weight;
                v.vertex(i).for_each(|(l, x)| mean[l] += weight * x);
            }
            mean.iter_mut().for_each(|m| *m /= total);
            let level = self.level_step(h, |i| self.lack(i));
            // A covariance; centred, or its digits cancel near the end.
            for i in v.group(h) {
                centred.iter_mut().zip(&mean).for_each(|(c, m)| *c = -m);
                v.vertex(i).for_each(|(l, x)| centred[l] += x);
                let weight = mass * self.share[i] * self.slope(i);
                for (row, ci) in self.slope.chunks_mut(k).zip(&centred) {
                    let scaled = weight * ci;
                    row.iter_mut().zip(&centred).for_each(|(n, cj)| *n += scaled * cj);
                }
                let own = weight * (self.lack(i) - level);
                v.vertex(i).for_each(|(l, x)| self.offset[l] += own * x);
            }
        }
    }

    /// −d ln e/dγ.
    fn slope(&self, i: usize) -> f64 {
        1.0 / (self.gap[i] + self.vertices.temperature)
    }

    /// By how much γ is too small for e γ = μ_i, and for its definition.
    fn lack(&self, i: usize) -> f64 {
        self.mu[i] / self.share[i] - self.gap[i] - self.error[i]
    }

    /// Δt that brings Σ e to 1, where ln e would change by `gain` times its slope without it.
    fn level_step(&self, h: usize, gain: impl Fn(usize) -> f64) -> f64 {
        let (mut total, mut sum) = (0.0, 0.0);
        for i in self.vertices.group(h) {
            let weight = self.share[i] * self.slope(i);
            total += weight;
            sum += weight * gain(i);
        }
        (sum + self.sum[h] * libm::log(self.sum[h])) / total
    }

    /// The change of ln e, γ and t that goes with a step in λ.
    pub(super) fn change(&self, direction: &[f64]) -> Change {
        let v = self.vertices;
        let mut out = Change { log_share: vec![0.0; v.len()], gap: vec![0.0; v.len()], level: vec![0.0; v.mass.len()] };
        for h in 0..v.mass.len() {
            let gain = |i: usize| v.weight(i, direction) + self.lack(i);
            let level = self.level_step(h, gain);
            out.level[h] = level;
            for i in v.group(h) {
                let step = (gain(i) - level) * self.slope(i);
                out.log_share[i] = step;
                out.gap[i] = level - v.weight(i, direction) + v.temperature * step + self.error[i];
            }
        }
        out
    }

    /// Fastest relative fall of a γ, or of an e that follows e γ.
    pub(super) fn fastest(&self, change: &Change) -> f64 {
        let mut rate = 0.0_f64;
        for i in 0..self.gap.len() {
            rate = rate.max(-change.gap[i] / self.gap[i]);
            if self.vertices.temperature <= self.gap[i] {
                rate = rate.max(-change.log_share[i]);
            }
        }
        rate
    }

    /// Moves from `from`, to prices q. What the step left of the definition of γ is made up for by raising t.
    pub(super) fn advance(&mut self, from: &Self, change: &Change, length: f64, q: &[f64]) {
        let v = self.vertices;
        for h in 0..self.level.len() {
            self.level[h] = (from.level[h] + length * change.level[h]).max(LEAST * from.level[h]);
            let mut raise = 0.0_f64;
            for i in v.group(h) {
                let step = length * change.log_share[i];
                // e γ is bilinear, T ln e is not.
                let step = match v.temperature > from.gap[i] {
                    true => step.clamp(-LONGEST, LONGEST),
                    false => libm::log((1.0 + step).max(LEAST)),
                };
                self.log_share[i] = from.log_share[i] + step;
                let moved = (from.gap[i] + length * change.gap[i]).max(LEAST * from.gap[i]);
                let cost = v.temperature * self.log_share[i];
                let exact = self.level[h] - v.weight(i, q) + cost;
                let is_rounding = (exact - moved).abs() <= SMALL * (self.level[h] - cost);
                self.gap[i] = if is_rounding { moved } else { exact };
                raise = raise.max(LEAST * moved - self.gap[i]);
            }
            if raise > 0.0 {
                self.level[h] += raise;
                v.group(h).for_each(|i| self.gap[i] += raise);
            }
        }
    }

    /// Largest error of ln e γ, and of the logarithm of Σ e.
    pub(super) fn error(&self) -> f64 {
        let sums = self.sum.iter().map(|sum| libm::log(*sum).abs());
        let product = |i: usize| CENTRAL * (self.log_share[i] + libm::log(self.gap[i] / self.mu[i])).abs();
        let products = (0..self.gap.len()).map(product);
        sums.chain(products).fold(0.0, |worst, error| if error <= worst { worst } else { error })
    }

    /// h(λ) − λᵀr, with the entropy's share, and the largest relative error of Σ u = π.
    pub(super) fn residual(&self, q: &[f64]) -> (f64, f64) {
        let v = self.vertices;
        let temperature = v.temperature;
        let (mut gap, mut worst) = (0.0, 0.0_f64);
        for (h, mass) in v.mass.iter().enumerate() {
            let top = v.group(h).map(|i| v.weight(i, q)).fold(0.0, f64::max);
            let term = |i: usize| libm::exp((v.weight(i, q) - top) / temperature);
            let best = match temperature > 0.0 {
                true => top + temperature * libm::log(v.group(h).map(term).sum()),
                false => top,
            };
            for i in v.group(h) {
                let cost = temperature * self.log_share[i];
                gap += mass * self.share[i] * (best - v.weight(i, q) + cost);
            }
            gap += (mass * (1.0 - self.sum[h]) * best).abs();
            worst = worst.max((self.sum[h] - 1.0).abs());
        }
        (gap.abs(), worst)
    }

    /// u = π e.
    pub(super) fn mixture(&self) -> Vec<f64> {
        let v = self.vertices;
        let mut u = self.share.clone();
        for (h, mass) in v.mass.iter().enumerate() {
            u[v.group(h)].iter_mut().for_each(|u| *u *= mass / self.sum[h]);
        }
        u
    }
}

/// First γ of the best vertex, in its weight.
const START: f64 = 0.3;
/// Least μ, in t: below, prices cannot tell vertices apart.
const FINEST: f64 = 1e-13;
/// What rounding leaves of t − vᵀλ, in t.
const SMALL: f64 = 1e-14;
/// Largest step in ln e.
const LONGEST: f64 = 10.0;
/// Least part that a step leaves of e and γ.
const LEAST: f64 = 0.05;
/// What an error of e γ counts: the path is wide.
const CENTRAL: f64 = 0.08;
