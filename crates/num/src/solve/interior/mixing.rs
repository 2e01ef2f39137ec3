//! Vertex regions inside the interior method: h(λ) = min_t Σ_h π_h t_h subject to g_i = t_h − v_iᵀλ ≥ 0, whose
//! multipliers are the mixture u. Each vertex has the barrier max_u (−g u − T u ln u + μ ln u), with u(g) its
//! maximiser: for T = 0 the logarithmic one, u = μ/g; for T > 0 (CSMA with entropy) g may have any sign and μ only
//! keeps the start tame. After elimination of t, the block enters λ's Newton system as N = Σ d (v − v̄)(v − v̄)ᵀ with d
//! = u/(T + z), the slope of u(g).

use crate::dense;
use crate::region::Vertices;

/// One block's part of the iterate.
#[derive(Clone)]
pub(super) struct Mixing<'p> {
    vertices: &'p Vertices,
    /// T.
    temperature: f64,
    /// u, a multiplier of its own.
    pub mixture: Vec<f64>,
    /// t and g = t − v_iᵀλ.
    level: Vec<f64>,
    gap: Vec<f64>,
    /// u(g) at the present μ.
    served: Vec<f64>,
    /// d.
    give: Vec<f64>,
    /// Per group: π − Σ u(g), Σ d, Σ d v, the last with one entry for each link.
    shortage: Vec<f64>,
    total: Vec<f64>,
    weighted: Vec<f64>,
    /// Links of the block.
    links: usize,
}

/// A direction in t and g.
pub(super) struct Change {
    level: Vec<f64>,
    gap: Vec<f64>,
}

impl<'p> Mixing<'p> {
    pub(super) fn new(vertices: &'p Vertices, links: usize) -> Self {
        let (count, groups) = (vertices.len(), vertices.mass.len());
        Self {
            vertices,
            temperature: vertices.temperature,
            mixture: vec![0.0; count],
            level: vec![0.0; groups],
            gap: vec![0.0; count],
            served: vec![0.0; count],
            give: vec![0.0; count],
            shortage: vec![0.0; groups],
            total: vec![0.0; groups],
            weighted: vec![0.0; groups * links],
            links,
        }
    }

    /// Initial levels, so high that every vertex of a group has the same order of weight.
    pub(super) fn start(&mut self, q: &[f64], mu: f64) {
        let v = self.vertices;
        for (h, mass) in v.mass.iter().enumerate() {
            let top = v.group(h).map(|i| v.weight(i, q)).fold(0.0, f64::max);
            self.level[h] = top + mu * v.group(h).len() as f64 / mass;
            for i in v.group(h) {
                self.gap[i] = self.level[h] - v.weight(i, q);
                self.mixture[i] = served(self.temperature, self.gap[i], mu);
            }
        }
    }

    /// Rates Σ u(g) v: all that the length of a step depends on.
    pub(super) fn serve(&mut self, mu: f64, rates: &mut [f64]) {
        let v = self.vertices;
        for (served_now, &g) in self.served.iter_mut().zip(&self.gap) {
            *served_now = served(self.temperature, g, mu);
        }
        v.mix(&self.served, rates);
        for (h, mass) in v.mass.iter().enumerate() {
            self.shortage[h] = mass - self.served[v.group(h)].iter().sum::<f64>();
        }
    }

    /// The block's matrix N at the present gaps and multipliers.
    pub(super) fn curve(&mut self, hessian: &mut [f64]) {
        let v = self.vertices;
        let k = self.links;
        hessian.fill(0.0);
        for (i, &g) in self.gap.iter().enumerate() {
            let u = self.mixture[i];
            self.give[i] = match self.temperature > 0.0 {
                true => u / (self.temperature + self.multiplier(i).max(0.0)),
                false => u / g,
            };
        }
        let (mut mean, mut centred) = (vec![0.0; k], vec![0.0; k]);
        for h in 0..v.mass.len() {
            self.total[h] = self.give[v.group(h)].iter().sum();
            let weighted = &mut self.weighted[h * k..(h + 1) * k];
            weighted.fill(0.0);
            for i in v.group(h) {
                v.vertex(i).for_each(|(l, x)| weighted[l] += self.give[i] * x);
            }
            // With t eliminated Σ d v vᵀ becomes a covariance; centred, or its digits cancel near the end.
            mean.iter_mut().zip(&*weighted).for_each(|(m, w)| *m = -w / self.total[h]);
            for i in v.group(h) {
                centred.copy_from_slice(&mean);
                v.vertex(i).for_each(|(l, x)| centred[l] += x);
                for (row, ci) in hessian.chunks_mut(k).zip(&centred) {
                    let scaled = self.give[i] * ci;
                    row.iter_mut().zip(&centred).for_each(|(n, cj)| *n += scaled * cj);
                }
            }
        }
    }

    /// z = g + T (1 + ln u): μ/u on the central path.
    fn multiplier(&self, i: usize) -> f64 {
        self.gap[i] + self.temperature * (1.0 + libm::log(self.mixture[i]))
    }

    /// Moves t's share of the right-hand side into λ's.
    pub(super) fn reduce(&self, gradient: &mut [f64]) {
        let groups = self.weighted.chunks_exact(self.links);
        for ((weighted, total), shortage) in groups.zip(&self.total).zip(&self.shortage) {
            gradient.iter_mut().zip(weighted).for_each(|(g, w)| *g -= w * shortage / total);
        }
    }

    /// Change of t and g for a step in λ. Gaps move by this change instead of being computed anew from t and λ: near
    /// the end the difference would keep no digit.
    pub(super) fn change(&self, direction: &[f64]) -> Change {
        let v = self.vertices;
        let groups = self.weighted.chunks_exact(self.links);
        let level: Vec<f64> = (groups.zip(&self.total).zip(&self.shortage))
            .map(|((weighted, total), shortage)| (dense::dot(weighted, direction) - shortage) / total)
            .collect();
        let mut gap = Vec::with_capacity(v.len());
        for (h, level) in level.iter().enumerate() {
            gap.extend(v.group(h).map(|i| level - v.weight(i, direction)));
        }
        Change { level, gap }
    }

    /// Largest step that keeps g positive where it must be.
    pub(super) fn longest(&self, change: &Change) -> f64 {
        match self.temperature > 0.0 {
            true => f64::INFINITY,
            false => dense::longest(&self.gap, &change.gap),
        }
    }

    pub(super) fn advance(&mut self, from: &Self, change: &Change, length: f64) {
        dense::along(&mut self.level, &from.level, &change.level, length);
        dense::along(&mut self.gap, &from.gap, &change.gap, length);
    }

    /// Recomputes the gaps at prices q that are not small differences, because moving accumulates rounding errors.
    pub(super) fn anchor(&mut self, q: &[f64]) {
        let v = self.vertices;
        for h in 0..v.mass.len() {
            for i in v.group(h) {
                let fresh = self.level[h] - v.weight(i, q);
                if fresh > SMALL * self.level[h].abs() {
                    self.gap[i] = fresh;
                }
            }
        }
    }

    /// Slope of the barrier function in t along a change.
    pub(super) fn slope(&self, change: &Change) -> f64 {
        dense::dot(&self.shortage, &change.level)
    }

    /// Newton's step in u, from the iterate `from` before the change; returns its length.
    pub(super) fn update(&mut self, from: &Self, change: &Change) -> f64 {
        let steps = from.served.iter().zip(&from.mixture).zip(&from.give).zip(&change.gap);
        let steps: Vec<f64> = steps.map(|(((target, u), d), gap)| target - u - d * gap).collect();
        dense::shorten_and_add(&mut self.mixture, &steps)
    }

    /// Σ u z, the barrier's share of the gap.
    pub(super) fn complementarity(&self) -> f64 {
        let term = |i: usize| self.mixture[i] * self.multiplier(i).max(0.0);
        match self.temperature > 0.0 {
            true => (0..self.mixture.len()).map(term).sum(),
            false => dense::dot(&self.mixture, &self.gap),
        }
    }

    /// The gap between h's terms and the mixture's value, and the largest relative error of Σ u = π.
    pub(super) fn residual(&self) -> (f64, f64) {
        let v = self.vertices;
        let error = |h: usize| (self.mixture[v.group(h)].iter().sum::<f64>() / v.mass[h] - 1.0).abs();
        let worst = (0..v.mass.len()).map(error).fold(0.0, f64::max);
        let gap = match self.temperature > 0.0 {
            // T u° + g u + T u ln u with u° = exp(−g/T − 1), the maximiser without barrier.
            true => (self.mixture.iter().enumerate())
                .map(|(i, u)| {
                    let best = libm::exp(-self.gap[i] / self.temperature - 1.0);
                    self.temperature * (best - u) + u * self.multiplier(i)
                })
                .sum(),
            false => self.complementarity(),
        };
        (gap, worst)
    }

    /// Adds (u − u(g)) v: the service of the multipliers beyond that of `evaluate`.
    pub(super) fn correct(&self, surplus: &mut [f64]) {
        for (i, (u, served)) in self.mixture.iter().zip(&self.served).enumerate() {
            self.vertices.vertex(i).for_each(|(l, x)| surplus[l] += (u - served) * x);
        }
    }
}

/// The u > 0 with T (1 + ln u) + g = μ/u.
fn served(temperature: f64, g: f64, mu: f64) -> f64 {
    if temperature == 0.0 {
        return mu / g;
    }
    // In v = ln u the equation is increasing and concave: from the left Newton's steps never pass the root.
    let mut v = -1.0 - g / temperature;
    if g > 0.0 {
        v = v.max(libm::log(mu / (g + temperature)));
    }
    for _ in 0..MAX_STEPS {
        let barrier = mu * libm::exp(-v);
        let step = (temperature * (1.0 + v) + g - barrier) / (temperature + barrier);
        v -= step;
        if step.abs() <= 1e-15 * v.abs().max(1.0) {
            break;
        }
    }
    libm::exp(v)
}

/// Part of t above which t − v_iᵀλ keeps eight digits or more.
const SMALL: f64 = 1e-8;
/// Newton's method needs fewer than ten.
const MAX_STEPS: usize = 60;
