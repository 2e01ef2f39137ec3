//! One Newton step of the logarithmic method: next μ, direction, length.

use super::iterate::{Iterate, Point};
use super::supply::Supply;
use super::system::System;

/// Changes of a step, in logarithms and in the mixtures.
struct Direction {
    price: Vec<f64>,
    /// Mean change of the prices of the paths that cross a row.
    path: Vec<f64>,
    mu: Vec<f64>,
    linear: Vec<f64>,
    linear_mu: Vec<f64>,
    changes: Vec<Option<Vec<f64>>>,
}

impl<'p> Iterate<'p> {
    /// One Newton step; false where no progress is possible.
    pub(super) fn newton_step(&mut self) -> bool {
        let error = self.error();
        let from = self.point.clone();
        loop {
            let direction = self.direction();
            let mut length = 1.0;
            for _ in 0..if self.ambition > 0.0 { FEW } else { MANY } {
                self.advance(&from, &direction, length);
                self.evaluate();
                // Near the path the error may rise, as the step lowers μ too. A very short step hardly lowers μ: it
                // must lower the error.
                let near = if length >= SHORT { self.pace.near } else { ROUNDING };
                if self.error() <= near.max((1.0 - 0.1 * length) * error) {
                    if length == 1.0 {
                        self.ambition = (self.ambition * 2.0).clamp(SLOWEST, self.pace.longest);
                    }
                    return true;
                }
                length *= 0.5;
            }
            self.point = from.clone();
            self.evaluate();
            if self.ambition == 0.0 {
                return false;
            }
            // The last attempt keeps μ and only returns to the path.
            self.ambition = if self.ambition > SLOWEST { self.ambition / 4.0 } else { 0.0 };
        }
    }

    /// Sets the iterate to `from` plus a part of the direction.
    fn advance(&mut self, from: &Point<'p>, direction: &Direction, length: f64) {
        let point = &mut self.point;
        let steps = direction.price.iter().zip(&direction.path);
        for ((to, from), (d, path)) in point.lambda.iter_mut().zip(&from.lambda).zip(steps) {
            *to = from * moved(length * d, length * path);
        }
        for ((to, from), d) in point.mu.iter_mut().zip(&from.mu).zip(&direction.mu) {
            *to = if *d == 0.0 { *from } else { from * libm::exp(length * d) };
        }
        for (k, (to, from)) in point.linear.iter_mut().zip(&from.linear).enumerate() {
            to.rate = from.rate * grown(length * direction.linear[k]);
            to.mu = from.mu * libm::exp(length * direction.linear_mu[k]);
        }
        for (block, change) in self.program.blocks.iter().zip(&direction.changes) {
            for l in block.rows.clone().filter(|_| change.is_some()) {
                point.lambda[l] = from.lambda[l] * grown((length * direction.price[l]).clamp(-LONGEST, LONGEST));
            }
        }
        let supplies = point.supplies.iter_mut().zip(&from.supplies).zip(&direction.changes);
        for ((to, from), change) in supplies {
            if let (Some(to), Supply::Mixed(from), Some(change)) = (to.mixing(), from, change) {
                to.advance(from, change, length);
            }
        }
    }

    /// Largest error of the conditions, in logarithms: load and slack against capacity, price against U′, mixtures.
    pub(super) fn error(&self) -> f64 {
        let mut worst = 0.0_f64;
        let mut see = |error: f64| worst = if error.abs() <= worst { worst } else { error.abs() };
        for (demand, supply) in self.demand.iter().zip(&self.supply) {
            see(libm::log(demand / supply));
        }
        for own in &self.point.linear {
            see(libm::log(own.marginal() / own.price));
        }
        self.point.supplies.iter().for_each(|supply| see(supply.error()));
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    /// Σ D Δy/Σ D y over the flows of each row.
    fn paths(&self, step: &[f64]) -> Vec<f64> {
        let program = self.program;
        let mut sums = vec![(0.0, 0.0); step.len()];
        for (s, d) in self.drop.iter().enumerate() {
            let (mut y, mut dy) = (0.0, 0.0);
            program.route(s).for_each(|(l, w)| {
                y += w * self.point.lambda[l];
                dy += w * step[l];
            });
            program.route(s).for_each(|(l, w)| {
                sums[l].0 += w * d * dy;
                sums[l].1 += w * d * y;
            });
        }
        sums.into_iter().map(|(dy, y)| if y > 0.0 { dy / y } else { 0.0 }).collect()
    }

    fn direction(&mut self) -> Direction {
        let accuracy = ACCURACY * self.tolerance;
        let ambition = self.ambition;
        let m = self.rows.len();
        let idle = self.turnover.max(f64::MIN_POSITIVE) / m as f64;
        let target = |l: usize| accuracy * self.rows[l].least.min(idle);
        let ahead = (0..m).map(|l| self.point.mu[l] / target(l)).fold(1.0, f64::max);
        let targets: Vec<f64> = (0..m).map(target).collect();
        // Mixtures lower their μ with the rows that are farthest behind.
        let mixings = self.point.supplies.iter_mut().filter_map(Supply::mixing);
        mixings.for_each(|mixing| mixing.lower(ambition, accuracy * ahead));
        let point = &self.point;
        let reach = |target: f64, mu: f64| libm::log(target / mu).clamp(-self.ambition, self.ambition);
        let mu: Vec<f64> = (0..m).map(|l| reach(targets[l], point.mu[l])).collect();
        let linear_mu: Vec<f64> =
            point.linear.iter().map(|own| reach(accuracy * self.alone[own.flow as usize], own.mu)).collect();
        let mut gradient: Vec<f64> = (0..m)
            .map(|l| self.demand[l] * libm::log(self.demand[l] / self.supply[l]) + self.slack(l) * mu[l])
            .collect();
        for (own, change) in point.linear.iter().zip(&linear_mu) {
            let push = own.rate * (change + own.rate * own.marginal() / own.mu * libm::log(own.marginal() / own.price));
            self.program.route(own.flow as usize).for_each(|(l, w)| gradient[l] += w * push);
        }
        for (block, supply) in self.program.blocks.iter().zip(&point.supplies) {
            for (i, l) in block.rows.clone().enumerate() {
                gradient[l] -= self.demand[l] / self.supply[l] * supply.offset(i);
            }
        }
        let system = System {
            program: self.program,
            drop: &self.drop,
            lambda: &point.lambda,
            rows: &self.rows,
            barrier: (0..m).map(|l| self.slack(l) / point.lambda[l]).collect(),
            omega: (0..m).map(|l| self.demand[l] / self.supply[l]).collect(),
            demand: &self.demand,
            supplies: &point.supplies,
        };
        let step = system.solve(&gradient, FORCING);
        let price: Vec<f64> = step.iter().zip(&point.lambda).map(|(d, l)| d / l).collect();
        // A pass over all routes, needed only where a price rises much: see `moved`.
        let path = match price.iter().any(|d| *d > SMALL) {
            true => self.paths(&step),
            false => vec![0.0; m],
        };
        let changes = (self.program.blocks.iter().zip(&point.supplies))
            .map(|(block, supply)| match supply {
                Supply::Mixed(mixing) => Some(mixing.change(&step[block.rows.clone()])),
                Supply::Curved(_) => None,
            })
            .collect();
        let linear = (point.linear.iter().zip(&linear_mu))
            .map(|(own, change)| {
                let dy: f64 = self.program.route(own.flow as usize).map(|(l, w)| w * step[l]).sum();
                let q = own.marginal();
                change + q * own.rate / own.mu * (libm::log(q / own.price) - dy / own.price)
            })
            .collect();
        Direction { price, path, mu, linear, linear_mu, changes }
    }
}

/// Factor of a price for a relative change d, with a change `path` of its paths' prices. Loads are powers of the paths'
/// prices, which an exponential follows; a price that did not count in them yet may rise by any factor.
fn moved(d: f64, path: f64) -> f64 {
    match d < SMALL {
        true => grown(d.max(-LONGEST)),
        false if path.abs() < SMALL => 1.0 + d,
        false => {
            let path = path.clamp(SMALL, LONGEST);
            1.0 + d * (libm::exp(path) - 1.0) / path
        }
    }
}

/// exp d; linear where the step is small, so that conditions linear in the prices stay met.
pub(super) fn grown(d: f64) -> f64 {
    if d.abs() < SMALL { 1.0 + d } else { libm::exp(d) }
}

/// μ at the end, relative to the tolerance.
const ACCURACY: f64 = 0.1;
/// Bounds of the largest step in ln μ.
const SLOWEST: f64 = 0.1;
/// Steps shorter than this must lower the error.
const SHORT: f64 = 0.125;
/// Size of rounding errors.
const ROUNDING: f64 = 1e-12;
/// Largest step in ln λ, in addition to that of ln μ.
const LONGEST: f64 = 10.0;
const SMALL: f64 = 0.1;
/// Halvings of a step that lowers μ, and of one that does not.
const FEW: usize = 3;
const MANY: usize = 40;
/// Relative accuracy of conjugate gradients.
const FORCING: f64 = 1e-3;
