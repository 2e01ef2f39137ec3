//! Weighted max–min fairness by progressive filling: raises all flows at x_s = p_s t until a link stops them, freezes
//! those, and continues with the others (Bertsekas, Gallager §6.5.2).
//!
//! Links with constant capacities and regions share no link, so a level is the minimum over them. For rows it is the
//! least ratio of remaining capacity to remaining weight, for a region of vertices the end of a ray ([`Walk`]), for a
//! curved region the problem of one flow of utility ln t. Prices identify the bottlenecks.

use super::best::optimum;
use super::options::Options;
use crate::answer::{Answer, Level};
use crate::certificate::Certificate;
use crate::error::Error;
use crate::network::Problem;
use crate::program::{Block, Kind, Outcome, Program};
use crate::region::{Exit, Walk};
use crate::solution::{Method, Solution};
use crate::stop;
use crate::utility::Utility;

pub(super) fn solve(problem: &Problem, options: &Options, stop: &stop::Stop) -> Result<Solution, Error> {
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
    let mut program = Program::new(&problem.network, problem.utilities.clone());
    program.stop = stop.clone();
    if program.blocks.iter().any(|b| matches!(&b.kind, Kind::Vertices(v) if v.temperature > 0.0)) {
        let what = "an entropy term: no price of fairness outweighs it; set entropy to 0".into();
        return Err(Error::Unsupported { method: "water filling", what });
    }
    let mut filling = Filling::new(problem, &program, &weights);
    while !filling.active.is_empty() {
        stop.check()?;
        filling.raise(options)?;
    }
    Ok(filling.finish())
}

struct Filling<'p> {
    problem: &'p Problem,
    program: &'p Program,
    weights: &'p [f64],
    rates: Vec<f64>,
    active: Vec<u32>,
    levels: Vec<Level>,
    /// b + r after the levels so far.
    capacity: Vec<f64>,
    /// Position of each block's load in its region; `None` for curved ones.
    walks: Vec<Option<Walk<'p>>>,
    /// Row prices of the last level.
    prices: Vec<f64>,
    iterations: usize,
}

/// The level to which some rows or a region limit all active flows, and prices with Σ λ·demand·t = 1 that prove it.
struct Stop {
    level: f64,
    prices: Vec<f64>,
}

impl<'p> Filling<'p> {
    fn new(problem: &'p Problem, program: &'p Program, weights: &'p [f64]) -> Self {
        let walk = |block: &'p Block| match &block.kind {
            Kind::Vertices(vertices) => Some(Walk::new(vertices, block.rows.len())),
            Kind::Curved(_) => None,
        };
        Self {
            active: (0..weights.len() as u32).collect(),
            rates: vec![0.0; weights.len()],
            capacity: program.typical_rates(),
            walks: program.blocks.iter().map(walk).collect(),
            prices: vec![0.0; program.rows()],
            problem,
            program,
            weights,
            levels: Vec::new(),
            iterations: 0,
        }
    }

    /// One level: the highest common t, and the flows frozen at it.
    fn raise(&mut self, options: &Options) -> Result<(), Error> {
        let program = self.program;
        let mut demand = vec![0.0; program.rows()];
        for &s in &self.active {
            let weight = self.weights[s as usize];
            program.route(s as usize).for_each(|(l, w)| demand[l] += w * weight);
        }
        let mut is_active = vec![false; self.rates.len()];
        self.active.iter().for_each(|&s| is_active[s as usize] = true);
        let frozen: Vec<f64> = self.rates.iter().zip(&is_active).map(|(x, a)| if *a { 0.0 } else { *x }).collect();
        let used = program.loads(&frozen);
        let before = self.levels.last().map_or(0.0, |level| level.level);
        let mut stop = self.fill_rows(&used, &demand);
        for block in program.blocks.iter().filter(|b| matches!(b.kind, Kind::Curved(_)) && is_open(b, &demand)) {
            let own = self.fill_curved(block, &used, &demand, options)?;
            if own.level < stop.level {
                stop = own;
            }
        }
        let mut ended = None;
        let mut walked = self.walks.clone();
        for _ in 0..2 {
            // Regions that have gone further than others let them start again.
            for (b, block) in program.blocks.iter().enumerate().filter(|(_, block)| is_open(block, &demand)) {
                let Some(walk) = self.walks[b].as_ref().filter(|_| ended != Some(b)) else { continue };
                let mut walk = walk.clone();
                // A walk continues from the last level.
                let exit = walk.advance(&demand[block.rows.clone()], (stop.level - before).max(0.0));
                let Exit { length, prices } = exit.ok_or_else(|| self.stuck(options))?;
                self.iterations += 1;
                if let Some(prices) = prices {
                    let level = before + length;
                    stop = Stop { level, prices: vec![0.0; program.rows()] };
                    stop.prices[block.rows.clone()].iter_mut().zip(prices).for_each(|(to, price)| *to = price / level);
                    ended = Some(b);
                }
                walked[b] = Some(walk);
            }
        }
        self.walks = walked;
        self.settle(stop, options)
    }

    /// Freezes the flows that a stop limits.
    fn settle(&mut self, stop: Stop, options: &Options) -> Result<(), Error> {
        let program = self.program;
        let Stop { level, prices } = stop;
        let mut is_bottleneck: Vec<bool> = prices.iter().map(|price| *price > 0.0).collect();
        for block in &program.blocks {
            // A strictly convex region holds back all of its links or none (huang2020 App. E), however small a price.
            if matches!(block.kind, Kind::Curved(_)) && block.rows.clone().any(|l| is_bottleneck[l]) {
                is_bottleneck[block.rows.clone()].fill(true);
            }
        }
        for &s in &self.active {
            self.rates[s as usize] = self.weights[s as usize] * level;
        }
        let (stopped, active): (Vec<u32>, Vec<u32>) =
            self.active.iter().partition(|&&s| program.route(s as usize).any(|(l, _)| is_bottleneck[l]));
        if stopped.is_empty() {
            return Err(self.stuck(options));
        }
        self.active = active;
        self.iterations += 1;
        self.levels.push(Level { level, flows: stopped, prices: program.link_prices(&prices) });
        self.prices = prices;
        Ok(())
    }

    fn stuck(&self, options: &Options) -> Error {
        let (iterations, tolerance) = (self.iterations, options.tolerance);
        Error::NotConverged { method: "water filling", iterations, residual: f64::INFINITY, tolerance }
    }

    /// t = min (b − used)/demand over rows with a constant capacity.
    fn fill_rows(&self, used: &[f64], demand: &[f64]) -> Stop {
        let program = self.program;
        let mut is_constant = vec![true; program.rows()];
        program.blocks.iter().for_each(|b| is_constant[b.rows.clone()].fill(false));
        let touched = (0..program.rows()).filter(|&l| is_constant[l] && demand[l] > 0.0);
        let ratio = |l: usize| (program.rhs[l] - used[l]) / demand[l];
        let tightest = touched.min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)));
        let mut prices = vec![0.0; program.rows()];
        let level = tightest.map_or(f64::INFINITY, ratio);
        if let Some(l) = tightest {
            prices[l] = 1.0 / (demand[l] * level);
        }
        Stop { level, prices }
    }

    /// The level as the problem of one flow with utility ln t.
    fn fill_curved(&mut self, block: &Block, used: &[f64], demand: &[f64], options: &Options) -> Result<Stop, Error> {
        let rows = block.rows.clone();
        let touched: Vec<u32> = (0..rows.len() as u32).filter(|&i| demand[rows.start + i as usize] > 0.0).collect();
        let own = Block { rows: 0..rows.len(), kind: block.kind.clone() };
        let stage = Program {
            start: vec![0, touched.len() as u32],
            weight: touched.iter().map(|&i| demand[rows.start + i as usize]).collect(),
            row: touched,
            utilities: vec![Utility::ProportionalFair { weight: 1.0 }],
            rhs: used[rows.clone()].iter().map(|u| -u).collect(),
            coupling_rows: std::iter::once(own.rows.clone()).collect(),
            blocks: vec![own],
            places: Vec::new(),
            stop: self.program.stop.clone(),
        };
        let outcome = optimum(&stage, options.tolerance, options.tolerance, options.max_iterations)?;
        self.iterations += outcome.iterations;
        let mut prices = vec![0.0; self.program.rows()];
        for (i, l) in rows.enumerate() {
            prices[l] = outcome.prices[i];
            self.capacity[l] = outcome.capacity[i] + used[l];
        }
        Ok(Stop { level: outcome.rates[0], prices })
    }

    fn finish(self) -> Solution {
        let (network, program) = (&self.problem.network, self.program);
        let mut capacity = self.capacity;
        let mut mixtures = Vec::with_capacity(program.blocks.len());
        for (block, walk) in program.blocks.iter().zip(&self.walks) {
            let mut mixture = Vec::new();
            if let (Some(walk), Kind::Vertices(vertices)) = (walk, &block.kind) {
                mixture = walk.mixture();
                vertices.mix(&mixture, &mut capacity[block.rows.clone()]);
            }
            mixtures.push(mixture);
        }
        let outcome =
            Outcome { rates: self.rates, prices: self.prices, capacity, mixtures, iterations: self.iterations };
        let answer = Answer::new(network, program, &outcome);
        Solution {
            certificate: Certificate::of_levels(self.problem, self.weights, &answer, &self.levels),
            path_prices: network.path_prices(&answer.prices),
            rates: answer.rates,
            prices: answer.prices,
            link_rates: answer.link_rates,
            mixtures: answer.mixtures,
            objective: None,
            levels: self.levels,
            method: Method::WaterFilling,
            iterations: outcome.iterations,
        }
    }
}

/// True if active flows cross it.
fn is_open(block: &Block, demand: &[f64]) -> bool {
    block.rows.clone().any(|l| demand[l] > 0.0)
}
