//! Primal–dual interior point on the dual: min_{λ≥0} Σ max_x (U_s(x) − x Aᵀλ) + bᵀλ + h(λ).
//!
//! The rate is eliminated, x = U′⁻¹(Aᵀλ), so a Newton step solves (A D Aᵀ + N + diag(s/λ)) Δλ = −∇φ with D = −dx/dy and
//! N = ∂r/∂λ; φ = dual − μ Σ ln λ is the barrier function, whose slope along the step guards the step's length (φ is
//! convex, and any s > 0 gives a direction of descent). Two kinds of inequality join λ ≥ 0 with a pair of their own:
//! y_s ≥ p_s for linear utilities, whose multiplier is the rate, and those of vertex regions ([`Mixing`]).

use super::linear::System;
use super::mixing::{Change, Mixing};
use crate::program::{Block, Kind, Program};
use crate::{Error, Utility, dense};

/// Where the interior method ended.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// x.
    pub rates: Vec<f64>,
    /// λ of the program's rows.
    pub prices: Vec<f64>,
    /// b + r of the program's rows.
    pub capacity: Vec<f64>,
    /// u of every vertex of each block; empty for other kinds.
    pub mixtures: Vec<Vec<f64>>,
    /// Newton steps.
    pub iterations: usize,
}

/// Solves `program`; a flow without a row needs a price of its own. Stops at `tolerance`, or past it at `target` while
/// steps still help: degenerate problems leave rates within the root of the gap.
pub(crate) fn solve(program: &Program, tolerance: f64, target: f64, max_iterations: usize) -> Result<Outcome, Error> {
    let mut method = Interior::new(program, target);
    method.start();
    let mut residual = method.residual();
    let mut iterations = 0;
    while residual.worst() > target && iterations < max_iterations {
        let before = residual.worst();
        let has_moved = method.step();
        residual = method.residual();
        iterations += 1;
        if !has_moved || (residual.within(tolerance) && residual.worst() > 0.5 * before) {
            break;
        }
    }
    match residual.within(tolerance) {
        true => Ok(method.finish(iterations)),
        false => {
            Err(Error::NotConverged { method: "interior point", iterations, residual: residual.worst(), tolerance })
        }
    }
}

/// How far the iterate is from the optimum: violation and gap of the whole, and the worst row's share of the gap relative
/// to the least turnover of its flows (with large alpha the total sees only the poorest flows). The last is known only
/// once the first are small.
struct Residual {
    whole: f64,
    row: f64,
}

impl Residual {
    fn worst(&self) -> f64 {
        let worst = self.whole.max(self.row);
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    /// Rounding keeps rows from their last digits where turnovers differ by many powers of ten.
    fn within(&self, tolerance: f64) -> bool {
        self.whole <= tolerance && self.row <= ROW * tolerance
    }
}

struct Interior<'p> {
    program: &'p Program,
    tolerance: f64,
    /// Right-hand sides by whose size violations are judged.
    scale: Vec<f64>,
    /// Number of inequalities, and the barrier parameter of the next step.
    pairs: f64,
    mu: f64,
    /// Turnovers may differ by many powers of ten: some alpha is above 1.
    is_spread: bool,
    /// Least turnover of a row's flows, known once the end is near.
    least_turnover: f64,
    lambda: Vec<f64>,
    /// s, the multiplier of λ ≥ 0.
    slack: Vec<f64>,
    /// Each row's part of μ: λ_l s_l = μ ω_l on the path.
    part: Vec<f64>,
    linear: Linear,
    /// One per block, `None` where it is curved.
    mixings: Vec<Option<Mixing<'p>>>,
    /// What `evaluate` finds at λ: x, D, A x, diag(A D Aᵀ), b + r − A x, Σ x (y + own price).
    rates: Vec<f64>,
    drop: Vec<f64>,
    load: Vec<f64>,
    diagonal: Vec<f64>,
    surplus: Vec<f64>,
    turnover: f64,
    /// r and N of each block.
    block_rates: Vec<Vec<f64>>,
    hessians: Vec<Vec<f64>>,
}

/// Flows with α = 0: y − p > 0 and its multiplier, the rate.
#[derive(Default)]
struct Linear {
    flows: Vec<u32>,
    rate: Vec<f64>,
    slack: Vec<f64>,
}

impl<'p> Interior<'p> {
    fn new(program: &'p Program, tolerance: f64) -> Self {
        let (n, m) = (program.flows(), program.rows());
        let flows: Vec<u32> = (0..n as u32).filter(|&s| program.utilities[s as usize].is_linear()).collect();
        let mixing = |block: &'p Block| match &block.kind {
            Kind::Vertices(v) => Some(Mixing::new(v, block.rows.len())),
            Kind::Curved(_) => None,
        };
        let mixings: Vec<Option<Mixing<'p>>> = program.blocks.iter().map(mixing).collect();
        let vertices: usize = mixings.iter().flatten().map(|x| x.mixture.len()).sum();
        Self {
            program,
            tolerance,
            pairs: (m + flows.len() + vertices) as f64,
            linear: Linear { rate: vec![0.0; flows.len()], slack: vec![0.0; flows.len()], flows },
            mixings,
            scale: program.typical_rates(),
            mu: 0.0,
            is_spread: program.utilities.iter().any(Utility::is_steep),
            least_turnover: f64::INFINITY,
            lambda: vec![0.0; m],
            slack: vec![0.0; m],
            part: vec![1.0; m],
            rates: vec![0.0; n],
            drop: vec![0.0; n],
            load: vec![0.0; m],
            diagonal: vec![0.0; m],
            surplus: vec![0.0; m],
            turnover: 0.0,
            block_rates: program.blocks.iter().map(|b| vec![0.0; b.rows.len()]).collect(),
            hessians: program.blocks.iter().map(|b| vec![0.0; b.rows.len() * b.rows.len()]).collect(),
        }
    }

    /// Prices as if every link were a bottleneck: a flow's turnover x U′(x), at a rate that surely fits, is shared evenly
    /// among its rows.
    fn start(&mut self) {
        let program = self.program;
        let unit = program.loads(&vec![1.0; program.flows()]);
        let mut total = 0.0;
        for (s, utility) in program.utilities.iter().enumerate() {
            if program.route(s).next().is_none() {
                continue;
            }
            let fits = program.route(s).map(|(l, _)| self.scale[l] / unit[l]).fold(f64::INFINITY, f64::min);
            let value = (fits * utility.derivative(fits)).max(0.1 * utility.turnover(fits));
            let share = value / program.route(s).count() as f64;
            program.route(s).for_each(|(l, _)| self.lambda[l] += share / self.scale[l]);
            total += value;
        }
        // Without such flows nothing has a price; any scale will do.
        let mean = if total > 0.0 { total } else { 1.0 } / self.pairs;
        for (price, scale) in self.lambda.iter_mut().zip(&self.scale) {
            *price = price.max(1e-3 * mean / scale);
        }
        // Linear flows need y > p.
        let weights: Vec<f64> =
            self.linear.flows.iter().map(|&s| program.utilities[s as usize].derivative(1.0)).collect();
        let prices = self.linear.path_sums(program, &self.lambda);
        let raise = prices.iter().zip(&weights).map(|(y, p)| 1.5 * p / y).fold(1.0, f64::max);
        self.lambda.iter_mut().for_each(|price| *price *= raise);
        self.mu = START * raise * mean;
        for (k, (y, p)) in prices.iter().zip(&weights).enumerate() {
            self.linear.slack[k] = raise * y - p;
            self.linear.rate[k] = self.mu / self.linear.slack[k];
        }
        for (block, mixing) in program.blocks.iter().zip(&mut self.mixings) {
            if let Some(mixing) = mixing {
                mixing.start(&self.lambda[block.rows.clone()], self.mu);
            }
        }
        self.evaluate();
        for l in 0..self.lambda.len() {
            self.slack[l] = self.surplus[l].max(0.1 * self.scale[l]);
        }
    }

    /// Everything that follows from λ, t and μ.
    fn evaluate(&mut self) {
        self.flows();
        for ((surplus, b), load) in self.surplus.iter_mut().zip(&self.program.rhs).zip(&self.load) {
            *surplus = b - load;
        }
        for (b, block) in self.program.blocks.iter().enumerate() {
            let (rates, hessian) = (&mut self.block_rates[b], &mut self.hessians[b]);
            match (&block.kind, &mut self.mixings[b]) {
                (_, Some(mixing)) => mixing.evaluate(self.mu, rates, hessian),
                (Kind::Curved(curved), _) => {
                    curved.evaluate(&self.lambda[block.rows.clone()], rates, Some(hessian));
                }
                (Kind::Vertices(_), None) => unreachable!("vertex blocks have a mixing"),
            }
            self.surplus[block.rows.clone()].iter_mut().zip(rates).for_each(|(surplus, r)| *surplus += *r);
        }
    }

    /// One pass over the routes: gather the price, ask the utility, scatter rate and slope.
    fn flows(&mut self) {
        let program = self.program;
        self.load.fill(0.0);
        self.diagonal.fill(0.0);
        self.turnover = 0.0;
        let mut next_linear = 0;
        for (s, utility) in program.utilities.iter().enumerate() {
            let y: f64 = program.route(s).map(|(l, w)| w * self.lambda[l]).sum();
            let (x, drop) = if utility.is_linear() {
                let (slack, rate) = (self.linear.slack[next_linear], self.linear.rate[next_linear]);
                next_linear += 1;
                (self.mu / slack, rate / slack)
            } else {
                utility.response(y)
            };
            self.rates[s] = x;
            self.drop[s] = drop;
            self.turnover += x * (y + utility.own_price());
            for (l, w) in program.route(s) {
                self.load[l] += w * x;
                self.diagonal[l] += w * w * drop;
            }
        }
    }

    /// b + r − A x with the multipliers as rates and mixtures: `surplus` has the barrier's in their place.
    fn primal_surplus(&self) -> Vec<f64> {
        let mut surplus = self.surplus.clone();
        for ((&s, rate), slack) in self.linear.flows.iter().zip(&self.linear.rate).zip(&self.linear.slack) {
            let excess = rate - self.mu / slack;
            self.program.route(s as usize).for_each(|(l, w)| surplus[l] -= w * excess);
        }
        for (block, mixing) in self.program.blocks.iter().zip(&self.mixings) {
            if let Some(mixing) = mixing {
                mixing.correct(&mut surplus[block.rows.clone()]);
            }
        }
        surplus
    }

    fn residual(&mut self) -> Residual {
        let (violation, gap) = self.residuals();
        let whole = if gap.is_nan() { f64::INFINITY } else { violation.max(gap) };
        let mut row = 0.0_f64;
        if whole <= FINAL * self.tolerance {
            let turnovers = self.row_turnovers();
            for ((value, price), surplus) in turnovers.iter().zip(&self.lambda).zip(self.primal_surplus()) {
                if value.is_finite() {
                    self.least_turnover = self.least_turnover.min(*value);
                    row = row.max(price * surplus.abs() / value);
                }
            }
        }
        Residual { whole, row }
    }

    /// Least x U′ of the flows of each row, at the rate or at what fits if that is more: with alpha < 1 a flow may end near
    /// rate 0.
    fn row_turnovers(&self) -> Vec<f64> {
        let program = self.program;
        let mut turnovers = vec![f64::INFINITY; self.lambda.len()];
        for (s, (utility, &x)) in program.utilities.iter().zip(&self.rates).enumerate() {
            let fits = program.route(s).map(|(l, w)| self.scale[l] / w).fold(f64::INFINITY, f64::min);
            let value = utility.turnover(fits).max(utility.turnover(x));
            program.route(s).for_each(|(l, _)| turnovers[l] = turnovers[l].min(value));
        }
        turnovers
    }

    /// Σ x U′, by which gaps are judged.
    fn turnover(&self) -> f64 {
        let mut turnover = self.turnover;
        for ((&s, rate), slack) in self.linear.flows.iter().zip(&self.linear.rate).zip(&self.linear.slack) {
            let weight = self.program.utilities[s as usize].derivative(1.0);
            turnover += (rate - self.mu / slack) * (weight + slack);
        }
        if turnover > 0.0 { turnover } else { 1.0 }
    }

    /// Largest violation relative to the capacity or of Σ u = π, and gap relative to Σ x U′.
    fn residuals(&self) -> (f64, f64) {
        let mut worst = 0.0_f64;
        let mut gap = dense::dot(&self.linear.rate, &self.linear.slack);
        for ((s, scale), price) in self.primal_surplus().iter().zip(&self.scale).zip(&self.lambda) {
            worst = worst.max(-s / scale);
            gap += price * s.abs();
        }
        for mixing in self.mixings.iter().flatten() {
            let (lost, error) = mixing.residual();
            gap += lost;
            worst = worst.max(error);
        }
        (worst, gap / self.turnover())
    }

    /// One Newton step; false where no progress is possible.
    fn step(&mut self) -> bool {
        let m = self.lambda.len();
        let barrier: Vec<f64> = self.slack.iter().zip(&self.lambda).map(|(s, l)| s / l).collect();
        let rows = self.surplus.iter().zip(&self.lambda).zip(&self.part);
        let mut gradient: Vec<f64> = rows.map(|((r, l), part)| self.mu * part / l - r).collect();
        for (block, mixing) in self.program.blocks.iter().zip(&self.mixings) {
            if let Some(mixing) = mixing {
                mixing.reduce(&mut gradient[block.rows.clone()]);
            }
        }
        let mut direction = vec![0.0; m];
        let system = System {
            program: self.program,
            drop: &self.drop,
            barrier: &barrier,
            diagonal: &self.diagonal,
            hessians: &self.hessians,
        };
        system.solve(&gradient, &mut direction, FORCING);
        let change = |(block, mixing): (&Block, &Option<Mixing>)| {
            mixing.as_ref().map(|mixing| mixing.change(&direction[block.rows.clone()]))
        };
        let changes: Vec<Option<Change>> = self.program.blocks.iter().zip(&self.mixings).map(change).collect();
        self.advance(&direction, &changes)
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
            self.evaluate();
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
        // A violation far above the gap says that the iterate has left the path: μ waits for it. And μ never falls below
        // what the tolerance asks for, where slacks would lose their last digits.
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

    fn finish(mut self, iterations: usize) -> Outcome {
        let surplus = self.primal_surplus();
        for (&s, rate) in self.linear.flows.iter().zip(&self.linear.rate) {
            self.rates[s as usize] = *rate;
        }
        let load = self.program.loads(&self.rates);
        let capacity = surplus.iter().zip(&load).map(|(s, l)| s + l).collect();
        let mixtures = self.mixings.into_iter().map(|x| x.map_or_else(Vec::new, |x| x.mixture)).collect();
        Outcome { rates: self.rates, prices: self.lambda, capacity, mixtures, iterations }
    }
}

impl Linear {
    /// Aᵀ`rows` of the linear flows.
    fn path_sums(&self, program: &Program, rows: &[f64]) -> Vec<f64> {
        self.flows.iter().map(|&s| program.route(s as usize).map(|(l, w)| w * rows[l]).sum()).collect()
    }
}

/// Newton's step of a multiplier s of values v that moved by `step`: s v + Δs v + s Δv = μ.
fn complement(multiplier: &mut [f64], values: &[f64], step: &[f64], mu: impl Fn(usize) -> f64) -> f64 {
    let change = |(l, ((s, v), d)): (usize, ((&f64, &f64), &f64))| mu(l) / v - s - s / v * d;
    let change: Vec<f64> = multiplier.iter().zip(values).zip(step).enumerate().map(change).collect();
    shorten_and_add(multiplier, &change)
}

/// Adds as much of a change as keeps values positive; returns the part.
pub(super) fn shorten_and_add(values: &mut [f64], change: &[f64]) -> f64 {
    let length = (BOUNDARY * longest(values, change)).min(1.0);
    values.iter_mut().zip(change).for_each(|(v, c)| *v += length * c);
    length
}

/// Largest step that keeps values from 0.
pub(super) fn longest(values: &[f64], steps: &[f64]) -> f64 {
    let pairs = values.iter().zip(steps).filter(|(_, d)| **d < 0.0);
    pairs.map(|(v, d)| -v / d).fold(f64::INFINITY, f64::min)
}

/// to = from + length·step.
pub(super) fn along(to: &mut [f64], from: &[f64], step: &[f64], length: f64) {
    to.iter_mut().zip(from).zip(step).for_each(|((to, from), d)| *to = from + length * d);
}

/// First μ, in mean turnover per pair.
const START: f64 = 0.1;
/// Part of the way to the boundary.
const BOUNDARY: f64 = 0.995;
/// A step is halved while the slope at its end is above this part of the slope at its start.
const OVERSHOOT: f64 = 0.9;
const MAX_HALVINGS: usize = 40;
/// Violation over gap beyond which μ is kept.
const STRAY: f64 = 100.0;
/// How much less exact a row may be than the whole.
const ROW: f64 = 1e3;
/// Rows are looked at when the whole is this near to the tolerance.
const FINAL: f64 = 1e3;
/// Least μ, in what the tolerance allows per pair.
const SMALLEST: f64 = 0.1;
/// Bounds of the factor by which μ falls.
const FASTEST: f64 = 0.05;
const SLOWEST: f64 = 0.8;
/// Relative accuracy of conjugate gradients.
const FORCING: f64 = 1e-3;
