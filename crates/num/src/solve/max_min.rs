//! Weighted max–min fairness by progressive filling: raise all flows at x_s = p_s t until some link stops them, freeze
//! those, go on with the others (Bertsekas, Gallager §6.5.2).
//!
//! With constant capacities each level is the least ratio of remaining capacity to remaining weight. Where a region
//! answers prices, a level is the problem of one flow of utility ln t with the routes' summed weights as coefficients;
//! its prices name the bottlenecks.

use super::best::optimum;
use super::interior;
use super::options::Options;
use crate::answer::{Answer, Level, Mixture};
use crate::certificate::Certificate;
use crate::error::Error;
use crate::network::{Link, Problem};
use crate::program::{Block, Kind, Program};
use crate::solution::{Method, Solution};
use crate::utility::Utility;

pub(super) fn solve(problem: &Problem, options: &Options) -> Result<Solution, Error> {
    let mut weights = Vec::with_capacity(problem.utilities.len());
    for utility in &problem.utilities {
        match utility {
            Utility::MaxMin { weight } => weights.push(*weight),
            _ => {
                let what =
                    "a mixture of max_min and other utilities: max-min compares flows, it has no value to add".into();
                return Err(Error::Unsupported { method: "water filling", what });
            }
        }
    }
    let program = Program::new(&problem.network, problem.utilities.clone());
    if program.blocks.iter().any(|b| matches!(&b.kind, Kind::Vertices(v) if v.temperature > 0.0)) {
        let what = "an entropy term: no price of fairness outweighs it; set entropy to 0".into();
        return Err(Error::Unsupported { method: "water filling", what });
    }
    let mut filling = Filling::new(problem, program, &weights);
    while !filling.active.is_empty() {
        filling.raise(options)?;
    }
    Ok(filling.finish())
}

struct Filling<'p> {
    problem: &'p Problem,
    program: Program,
    weights: &'p [f64],
    rates: Vec<f64>,
    active: Vec<u32>,
    levels: Vec<Level>,
    /// b + r and mixtures as the levels so far left them.
    capacity: Vec<f64>,
    mixtures: Vec<Vec<f64>>,
    /// The last level's answer, with the rates of the links.
    last: Option<Answer>,
    iterations: usize,
}

impl<'p> Filling<'p> {
    fn new(problem: &'p Problem, program: Program, weights: &'p [f64]) -> Self {
        Self {
            active: (0..weights.len() as u32).collect(),
            rates: vec![0.0; weights.len()],
            capacity: program.typical_rates(),
            mixtures: program.blocks.iter().map(|b| equal_shares(&b.kind)).collect(),
            problem,
            program,
            weights,
            levels: Vec::new(),
            last: None,
            iterations: 0,
        }
    }

    /// One level: the highest common t, and the flows that stop there.
    fn raise(&mut self, options: &Options) -> Result<(), Error> {
        let rows = self.program.rows();
        let mut demand = vec![0.0; rows];
        let mut is_active = vec![false; self.rates.len()];
        for &s in &self.active {
            is_active[s as usize] = true;
            let weight = self.weights[s as usize];
            self.program.route(s as usize).for_each(|(l, w)| demand[l] += w * weight);
        }
        let frozen: Vec<f64> = self.rates.iter().zip(&is_active).map(|(x, a)| if *a { 0.0 } else { *x }).collect();
        let used = self.program.loads(&frozen);
        let outcome = match self.program.blocks.is_empty() {
            true => fill_rows(&self.program.rhs, &used, &demand),
            false => self.fill_blocks(&used, &demand, options)?,
        };
        let level = outcome.rates[0];
        // A bottleneck's share of the turnover Σ λ·demand·t = 1 is far above the method's tolerance.
        let mut is_bottleneck: Vec<bool> =
            outcome.prices.iter().zip(&demand).map(|(price, d)| price * d * level > SHARE).collect();
        for block in &self.program.blocks {
            // A strictly convex region holds back all of its links or none (huang2020 App. E), however small a price.
            if matches!(block.kind, Kind::Curved(_)) && block.rows.clone().any(|l| is_bottleneck[l]) {
                is_bottleneck[block.rows.clone()].fill(true);
            }
        }
        let (stopped, active): (Vec<u32>, Vec<u32>) =
            self.active.iter().partition(|&&s| self.program.route(s as usize).any(|(l, _)| is_bottleneck[l]));
        self.active = active;
        for s in (0..self.rates.len()).filter(|&s| is_active[s]) {
            self.rates[s] = self.weights[s] * level;
        }
        if stopped.is_empty() {
            let (iterations, tolerance) = (outcome.iterations, options.tolerance);
            return Err(Error::NotConverged { method: "water filling", iterations, residual: SHARE, tolerance });
        }
        self.iterations += outcome.iterations.max(1);
        let placed = interior::Outcome {
            rates: self.rates.clone(),
            capacity: self.capacity.clone(),
            mixtures: self.mixtures.clone(),
            ..outcome
        };
        let answer = Answer::new(&self.problem.network, &self.program, &placed);
        self.levels.push(Level { level, flows: stopped, prices: answer.prices.clone() });
        self.last = Some(answer);
        Ok(())
    }

    /// The level as the problem of one flow with utility ln t. Rows and blocks that no active flow crosses are no part of
    /// it; frozen flows give up [`MARGIN`] of their load, or links that they fill alone would leave no interior.
    fn fill_blocks(&mut self, used: &[f64], demand: &[f64], options: &Options) -> Result<interior::Outcome, Error> {
        let touched: Vec<u32> = (0..demand.len() as u32).filter(|&l| demand[l as usize] > 0.0).collect();
        let is_open = |block: &Block| block.rows.clone().any(|l| demand[l] > 0.0);
        let mut rhs: Vec<f64> = (self.program.rhs.iter().zip(used).zip(demand))
            .map(|((b, u), d)| if *d > 0.0 { b - u } else { 1.0 })
            .collect();
        for block in self.program.blocks.iter().filter(|b| is_open(b)) {
            block.rows.clone().for_each(|l| rhs[l] = -used[l] * (1.0 - MARGIN));
        }
        let stage = Program {
            start: vec![0, touched.len() as u32],
            weight: touched.iter().map(|&l| demand[l as usize]).collect(),
            row: touched,
            utilities: vec![Utility::ProportionalFair { weight: 1.0 }],
            rhs,
            blocks: self.program.blocks.iter().filter(|b| is_open(b)).cloned().collect(),
            ..self.program.clone()
        };
        let (tolerance, target, steps) = (LEVEL * options.tolerance, options.tolerance, options.max_iterations);
        // A single flow: there is nothing to spread but capacities.
        let mut outcome =
            interior::solve(&stage, tolerance, target, steps).or_else(|_| optimum(&stage, tolerance, target, steps))?;
        let mut found = std::mem::take(&mut outcome.mixtures).into_iter();
        let mut is_priced: Vec<bool> = demand.iter().map(|d| *d > 0.0).collect();
        for (block, mixture) in self.program.blocks.iter().zip(&mut self.mixtures).filter(|(b, _)| is_open(b)) {
            *mixture = found.next().expect("every open block has a mixture");
            for l in block.rows.clone() {
                is_priced[l] = true;
                self.capacity[l] = outcome.capacity[l] + used[l] * (1.0 - MARGIN);
            }
        }
        for (price, _) in outcome.prices.iter_mut().zip(&is_priced).filter(|(_, priced)| !**priced) {
            *price = 0.0;
        }
        Ok(outcome)
    }

    fn finish(self) -> Solution {
        let network = &self.problem.network;
        let none = || Answer {
            rates: Vec::new(),
            prices: vec![0.0; network.links.len()],
            link_rates: network.links.iter().map(|l| if let Link::Wired(c) = l { *c } else { 0.0 }).collect(),
            mixtures: vec![Mixture::Direct; network.couplings.len()],
        };
        let answer = self.last.unwrap_or_else(none);
        Solution {
            certificate: Certificate::of_levels(self.problem, self.weights, &answer, &self.levels),
            path_prices: network.path_prices(&answer.prices),
            rates: self.rates,
            prices: answer.prices,
            link_rates: answer.link_rates,
            mixtures: answer.mixtures,
            objective: None,
            levels: self.levels,
            method: Method::WaterFilling,
            iterations: self.iterations,
        }
    }
}

/// The mixture of [`Program::typical_rates`], for blocks that no flow crosses.
fn equal_shares(kind: &Kind) -> Vec<f64> {
    match kind {
        Kind::Curved(_) => Vec::new(),
        Kind::Vertices(v) => {
            let share = |h: usize| v.mass[h] / v.group(h).len() as f64;
            (0..v.mass.len()).flat_map(|h| v.group(h).map(move |_| share(h))).collect()
        }
    }
}

/// t = min (b − used)/demand; the price of the first bottleneck, so that Σ λ demand t = 1.
fn fill_rows(rhs: &[f64], used: &[f64], demand: &[f64]) -> interior::Outcome {
    let ratio = |l: usize| (rhs[l] - used[l]) / demand[l];
    let touched = (0..rhs.len()).filter(|&l| demand[l] > 0.0);
    let (level, tightest) =
        touched.map(|l| (ratio(l), l)).fold((f64::INFINITY, 0), |a, b| if b.0 < a.0 { b } else { a });
    let mut prices = vec![0.0; rhs.len()];
    prices[tightest] = 1.0 / (demand[tightest] * level);
    interior::Outcome { rates: vec![level], prices, capacity: rhs.to_vec(), mixtures: Vec::new(), iterations: 0 }
}

/// A row whose price is more than this share of the turnover is a bottleneck.
const SHARE: f64 = 1e-6;
/// How much less exact than asked a level may be where frozen links leave next to no interior.
const LEVEL: f64 = 10.0;
/// Relative; below the tolerance of the answer.
const MARGIN: f64 = 1e-10;
