//! Iterate of the interior method: start, derived quantities, end.

use super::mixing::Mixing;
use crate::program::{Block, Kind, Outcome, Program};
use crate::utility::Utility;

/// Prices with their multipliers, and all derived quantities.
pub(super) struct Interior<'p> {
    pub(super) program: &'p Program,
    pub(super) tolerance: f64,
    /// Right-hand sides as references for violations.
    pub(super) scale: Vec<f64>,
    /// Number of inequalities, and the barrier parameter of the next step.
    pub(super) pairs: f64,
    pub(super) mu: f64,
    /// True if turnovers may differ by many powers of ten: some alpha is above 1.
    pub(super) is_spread: bool,
    /// Least turnover of a row's flows, computed only near the end.
    pub(super) least_turnover: f64,
    pub(super) lambda: Vec<f64>,
    /// s, the multiplier of λ ≥ 0.
    pub(super) slack: Vec<f64>,
    /// Each row's part of μ: λ_l s_l = μ ω_l on the path.
    pub(super) part: Vec<f64>,
    pub(super) linear: Linear,
    /// One per block, `None` where it is curved.
    pub(super) mixings: Vec<Option<Mixing<'p>>>,
    /// Results of `evaluate` at λ: x, D, A x, diag(A D Aᵀ), b + r − A x, Σ x (y + own price).
    pub(super) rates: Vec<f64>,
    pub(super) drop: Vec<f64>,
    pub(super) load: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) surplus: Vec<f64>,
    pub(super) turnover: f64,
    /// r and N of each block.
    pub(super) block_rates: Vec<Vec<f64>>,
    pub(super) hessians: Vec<Vec<f64>>,
}

/// Flows with α = 0: y − p > 0 and its multiplier, the rate.
#[derive(Default)]
pub(super) struct Linear {
    pub(super) flows: Vec<u32>,
    pub(super) rate: Vec<f64>,
    pub(super) slack: Vec<f64>,
}

impl<'p> Interior<'p> {
    pub(super) fn new(program: &'p Program, tolerance: f64) -> Self {
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

    /// Initial prices with every link a bottleneck: a flow's turnover x U′(x), at a rate that surely fits, is shared
    /// evenly among its rows.
    pub(super) fn start(&mut self) {
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

    /// Computes all quantities derived from λ, t and μ.
    pub(super) fn evaluate(&mut self) {
        self.serve();
        for (mixing, hessian) in self.mixings.iter_mut().zip(&mut self.hessians) {
            if let Some(mixing) = mixing {
                mixing.curve(hessian);
            }
        }
    }

    /// As `evaluate`, without the matrices N of vertex blocks.
    pub(super) fn serve(&mut self) {
        self.flows();
        for ((surplus, b), load) in self.surplus.iter_mut().zip(&self.program.rhs).zip(&self.load) {
            *surplus = b - load;
        }
        for (b, block) in self.program.blocks.iter().enumerate() {
            let (rates, hessian) = (&mut self.block_rates[b], &mut self.hessians[b]);
            match (&block.kind, &mut self.mixings[b]) {
                (_, Some(mixing)) => mixing.serve(self.mu, rates),
                (Kind::Curved(curved), _) => {
                    curved.evaluate(&self.lambda[block.rows.clone()], rates, Some(hessian));
                }
                (Kind::Vertices(_), None) => unreachable!("vertex blocks have a mixing"),
            }
            self.surplus[block.rows.clone()].iter_mut().zip(rates).for_each(|(surplus, r)| *surplus += *r);
        }
    }

    /// One pass over the routes: gathers the price, evaluates the utility, scatters rate and slope.
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

    pub(super) fn finish(mut self, iterations: usize) -> Outcome {
        let surplus = self.primal_surplus();
        for (&s, rate) in self.linear.flows.iter().zip(&self.linear.rate) {
            self.rates[s as usize] = *rate;
        }
        let load = self.program.loads(&self.rates);
        let mut capacity: Vec<f64> = surplus.iter().zip(&load).map(|(s, l)| s + l).collect();
        for l in self.program.blocks.iter().flat_map(|b| b.rows.clone()) {
            // Rounding alone tells them apart.
            if surplus[l].abs() <= ROUNDING * capacity[l] {
                capacity[l] = load[l];
            }
        }
        let mixtures = self.mixings.into_iter().map(|x| x.map_or_else(Vec::new, |x| x.mixture)).collect();
        Outcome { rates: self.rates, prices: self.lambda, capacity, mixtures, iterations }
    }
}

impl Linear {
    /// Aᵀ`rows` of the linear flows.
    pub(super) fn path_sums(&self, program: &Program, rows: &[f64]) -> Vec<f64> {
        self.flows.iter().map(|&s| program.route(s as usize).map(|(l, w)| w * rows[l]).sum()).collect()
    }
}

/// Relative error of a sum of rates: a few units in the last place.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// First μ, in mean turnover per pair.
const START: f64 = 0.1;
