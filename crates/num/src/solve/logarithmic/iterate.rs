//! Iterate of the logarithmic method: start, derived quantities, end.

use super::pace::Pace;
use super::supply::Supply;
use crate::program::{Outcome, Program};

/// Relative error of a sum of rates: a few units in the last place.
pub(super) const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Variables, all positive, and all derived quantities.
pub(super) struct Iterate<'p> {
    pub(super) program: &'p Program,
    pub(super) tolerance: f64,
    pub(super) pace: Pace,
    /// References for violations: capacities, and for rows of blocks an inner point of the region.
    pub(super) scale: Vec<f64>,
    /// Rate of each flow that fits if it is alone, and x U′ at it.
    pub(super) most: Vec<f64>,
    pub(super) alone: Vec<f64>,
    pub(super) point: Point<'p>,
    /// Largest step in ln μ.
    pub(super) ambition: f64,
    /// Results of `evaluate` at the point: x, D = −dx/dy, rows, Σ x (y + own price).
    pub(super) rates: Vec<f64>,
    pub(super) drop: Vec<f64>,
    pub(super) rows: Vec<Row>,
    pub(super) turnover: f64,
    /// A x + s + r⁻ and c or r⁺ of each row, equal at the optimum of the barrier problem.
    pub(super) demand: Vec<f64>,
    pub(super) supply: Vec<f64>,
}

/// Variables that a step changes.
#[derive(Clone)]
pub(super) struct Point<'p> {
    pub(super) lambda: Vec<f64>,
    /// λ_l s_l = μ_l, s the slack of a row: each row has a barrier parameter of its own.
    pub(super) mu: Vec<f64>,
    pub(super) linear: Vec<Linear>,
    /// One per block.
    pub(super) supplies: Vec<Supply<'p>>,
}

/// A flow with α = 0, U = p x + μ ln x: its rate is not a function of the price but a variable of its own.
#[derive(Clone, Copy)]
pub(super) struct Linear {
    pub(super) flow: u32,
    pub(super) weight: f64,
    pub(super) rate: f64,
    pub(super) mu: f64,
    /// y.
    pub(super) price: f64,
}

/// Sums over the flows of a row.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// (A x)_l.
    pub(super) load: f64,
    /// (A D Aᵀ)_ll.
    pub(super) diagonal: f64,
    /// Least x U′ of its flows, at the rate or at the rate that fits if that is larger: with alpha < 1 a flow may end
    /// near rate 0.
    pub(super) least: f64,
}

const EMPTY: Row = Row { load: 0.0, diagonal: 0.0, least: f64::INFINITY };

impl Linear {
    /// U′.
    pub(super) fn marginal(&self) -> f64 {
        self.weight + self.mu / self.rate
    }

    /// x² U′/(μ y): −dx/dy.
    pub(super) fn drop(&self) -> f64 {
        self.rate * self.rate * self.marginal() / (self.mu * self.price)
    }
}

impl<'p> Iterate<'p> {
    /// Initial prices with every link a bottleneck: a flow's turnover x U′(x), at a rate that surely fits, is shared
    /// evenly among its rows. No row is then overloaded.
    pub(super) fn new(program: &'p Program, tolerance: f64, pace: Pace) -> Self {
        let (n, m) = (program.flows(), program.rows());
        let scale: Vec<f64> = program.typical_rates().into_iter().map(|c| if c > 0.0 { c } else { 1.0 }).collect();
        let unit = program.loads(&vec![1.0; n]);
        let mut lambda = vec![0.0; m];
        let mut total = 0.0;
        let (mut most, mut alone) = (vec![0.0; n], vec![0.0; n]);
        let mut linear = Vec::new();
        for (s, utility) in program.utilities.iter().enumerate() {
            let count = program.route(s).count();
            if count == 0 {
                continue;
            }
            most[s] = program.route(s).map(|(l, w)| scale[l] / w).fold(f64::INFINITY, f64::min);
            alone[s] = utility.turnover(most[s]);
            let fits = program.route(s).map(|(l, _)| scale[l] / unit[l]).fold(f64::INFINITY, f64::min);
            let value = (fits * utility.derivative(fits)).max(0.1 * utility.turnover(fits));
            let share = value / count as f64;
            program.route(s).for_each(|(l, w)| lambda[l] += share / (w * fits));
            total += value;
            if utility.is_linear() {
                let weight = utility.derivative(1.0);
                linear.push(Linear { flow: s as u32, weight, rate: fits, mu: weight * fits, price: weight });
            }
        }
        // Without such flows nothing has a price; any scale will do.
        let mean = if total > 0.0 { total } else { 1.0 } / m as f64;
        for (price, scale) in lambda.iter_mut().zip(&scale) {
            *price = price.max(START * mean / scale);
        }
        let mu = lambda.iter().zip(&scale).map(|(price, c)| START * price * c).collect();
        let supplies = program.blocks.iter().map(|b| Supply::new(b, &lambda[b.rows.clone()])).collect();
        let mut out = Self {
            program,
            tolerance,
            pace,
            scale,
            most,
            alone,
            point: Point { lambda, mu, linear, supplies },
            ambition: FIRST.min(pace.longest),
            rates: vec![0.0; n],
            drop: vec![0.0; n],
            rows: vec![EMPTY; m],
            turnover: 0.0,
            demand: vec![0.0; m],
            supply: program.rhs.iter().map(|b| if *b > 0.0 { *b } else { 1.0 }).collect(),
        };
        out.evaluate();
        out
    }

    /// Computes all quantities derived from the point.
    pub(super) fn evaluate(&mut self) {
        self.flows();
        for (l, demand) in self.demand.iter_mut().enumerate() {
            *demand = self.rows[l].load + self.point.mu[l] / self.point.lambda[l];
        }
        for (block, supply) in self.program.blocks.iter().zip(&mut self.point.supplies) {
            supply.evaluate(&self.point.lambda[block.rows.clone()]);
            for (i, l) in block.rows.clone().enumerate() {
                let (plus, minus) = supply.parts(i);
                self.supply[l] = plus.max(f64::MIN_POSITIVE);
                self.demand[l] += minus - self.program.rhs[l];
            }
        }
    }

    /// One pass over the routes: gathers the price, evaluates the utility, scatters rate and slope.
    fn flows(&mut self) {
        let program = self.program;
        let lambda = &self.point.lambda;
        self.rows.fill(EMPTY);
        self.turnover = 0.0;
        let mut linear = self.point.linear.iter_mut();
        for (s, utility) in program.utilities.iter().enumerate() {
            let y: f64 = program.route(s).map(|(l, w)| w * lambda[l]).sum();
            let (x, drop) = match utility.is_linear() {
                true => {
                    let own = linear.next().expect("every linear flow has an entry");
                    own.price = y;
                    (own.rate, own.drop())
                }
                false => utility.response(y),
            };
            let turnover = x * (y + utility.own_price());
            // A link of a cell may carry more than `scale`, where with large alpha the turnover is far less.
            let least = if x < self.most[s] { turnover.max(self.alone[s]) } else { turnover };
            self.rates[s] = x;
            self.drop[s] = drop;
            self.turnover += turnover;
            for (l, w) in program.route(s) {
                let row = &mut self.rows[l];
                row.load += w * x;
                row.diagonal += w * w * drop;
                row.least = row.least.min(least);
            }
        }
    }

    /// s_l = μ_l/λ_l.
    pub(super) fn slack(&self, l: usize) -> f64 {
        self.point.mu[l] / self.point.lambda[l]
    }

    pub(super) fn finish(self, iterations: usize) -> Outcome {
        let mut capacity = self.program.rhs.clone();
        for (block, supply) in self.program.blocks.iter().zip(&self.point.supplies) {
            supply.rates().zip(&mut capacity[block.rows.clone()]).for_each(|(r, c)| *c += r);
        }
        // A coupled link's rate is its load where rounding alone tells them apart.
        for l in self.program.coupling_rows.iter().flat_map(Clone::clone) {
            let load = self.rows[l].load;
            if (capacity[l] - load).abs() <= ROUNDING * self.supply[l] {
                capacity[l] = load;
            }
        }
        let mixtures = self.point.supplies.iter().map(Supply::mixture).collect();
        Outcome { rates: self.rates, prices: self.point.lambda, capacity, mixtures, iterations }
    }
}

/// First slack, in capacities.
const START: f64 = 0.1;
/// First step in ln μ.
const FIRST: f64 = 3.0;
