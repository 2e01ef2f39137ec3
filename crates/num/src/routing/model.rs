//! The problem in conic form: one variable for each flow on each link that it may use.

use super::paths::Demand;
use super::problem::RoutingProblem;
use crate::answer::Answer;
use crate::error::Error;
use crate::network::{Link, Network};
use crate::program::Program;
use crate::solve::conic::{Builder, Coupled};
use std::collections::BTreeMap;

/// A checked problem, and the units of its rates.
pub(super) struct Model<'p> {
    pub problem: &'p RoutingProblem,
    /// The demands with their useful links.
    pub demands: Vec<Demand>,
    /// Unit of link rates.
    unit: f64,
    /// Unit of each flow's rate.
    own: Vec<f64>,
}

/// Objective.
pub(super) enum Goal<'a> {
    /// Σ U_s(x_s).
    Utilities,
    /// t, with x_s = w_s t for flows without a rate yet.
    Level { weights: &'a [f64], rates: &'a [Option<f64>] },
}

/// Result of one pass.
pub(super) struct Raw {
    pub answer: Answer,
    /// One rate per link of each demand.
    pub flows: Vec<Vec<f64>>,
    /// t, for the goal [`Goal::Level`].
    pub level: f64,
    pub iterations: usize,
}

impl<'p> Model<'p> {
    pub fn new(problem: &'p RoutingProblem, demands: Vec<Demand>) -> Self {
        let unit = Self::typical(&problem.network);
        Self { problem, unit, own: vec![unit; demands.len()], demands }
    }

    /// Sets the unit of every flow to its rate, which lets the solver keep more digits.
    pub fn rescale(&mut self, rates: &[f64]) {
        self.own = rates.iter().map(|x| x.max(SMALLEST * self.unit)).collect();
    }

    pub fn solve(&self, goal: &Goal<'_>, tolerance: f64) -> Result<Raw, Error> {
        let network = &self.problem.network;
        let unit = self.unit;
        let mut cone = Builder::default();
        let rates: Vec<usize> = self.demands.iter().map(|_| cone.variable(0.0)).collect();
        let level = self.pursue(goal, &rates, &mut cone)?;
        let mut loads: Vec<Vec<(usize, f64)>> = vec![Vec::new(); network.links.len()];
        let mut flows: Vec<Vec<usize>> = Vec::with_capacity(self.demands.len());
        for ((demand, &x), own) in self.demands.iter().zip(&rates).zip(&self.own) {
            let flow = self.conserve(demand, x, &mut cone);
            demand.links.iter().zip(&flow).for_each(|(&l, &f)| loads[l as usize].push((f, -own / unit)));
            flows.push(flow);
        }
        let couplings: Vec<Coupled> =
            network.couplings.iter().map(|c| cone.region(&c.region, &c.links, unit, &mut loads)).collect();
        let room = |link: &Link| if let Link::Wired(c) = link { c / unit } else { 0.0 };
        let rows: Vec<usize> =
            loads.iter().zip(&network.links).map(|(terms, link)| cone.at_least_zero(room(link), terms)).collect();

        let scale = cone.cost.iter().fold(0.0_f64, |a, c| a.max(c.abs())).max(f64::MIN_POSITIVE);
        let found = cone.solve(scale, tolerance)?;
        let capacity = |link: &Link| if let Link::Wired(c) = link { *c } else { 0.0 };
        let mut answer = Answer {
            rates: rates.iter().zip(&self.own).map(|(&x, own)| found.x[x] * own).collect(),
            prices: rows.iter().map(|&row| found.z[row].max(0.0) * scale / unit).collect(),
            link_rates: network.links.iter().map(capacity).collect(),
            mixtures: Vec::new(),
        };
        for (coupling, coupled) in network.couplings.iter().zip(&couplings) {
            let (reached, mixture) = coupled.reached(&coupling.region, &found, unit, scale);
            coupling.links.iter().zip(reached).for_each(|(&l, rate)| answer.link_rates[l as usize] = rate);
            answer.mixtures.push(mixture);
        }
        let flow = |(flow, own): (&Vec<usize>, &f64)| flow.iter().map(|&f| found.x[f] * own).collect();
        Ok(Raw {
            answer,
            flows: flows.iter().zip(&self.own).map(flow).collect(),
            level: level.map_or(0.0, |t| found.x[t] * unit),
            iterations: found.iterations,
        })
    }

    /// Adds the objective; returns the level's variable, if it is maximised.
    fn pursue(&self, goal: &Goal<'_>, rates: &[usize], cone: &mut Builder) -> Result<Option<usize>, Error> {
        match goal {
            Goal::Utilities => {
                for ((utility, &x), &own) in self.problem.utilities.iter().zip(rates).zip(&self.own) {
                    cone.utility(utility, x, own)?;
                }
                Ok(None)
            }
            Goal::Level { weights, rates: fixed } => {
                let t = cone.variable(1.0);
                for (s, (&x, own)) in rates.iter().zip(&self.own).enumerate() {
                    match fixed[s] {
                        Some(rate) => cone.zero(-rate / own, &[(x, 1.0)]),
                        None => cone.zero(0.0, &[(x, 1.0), (t, -weights[s] * self.unit / own)]),
                    }
                }
                Ok(Some(t))
            }
        }
    }

    /// Adds a flow's variables with flow conservation at every node but the ends. The sink's row follows from the
    /// others.
    fn conserve(&self, demand: &Demand, x: usize, cone: &mut Builder) -> Vec<usize> {
        let mut nodes: BTreeMap<u32, Vec<(usize, f64)>> = BTreeMap::from([(demand.source, vec![(x, -1.0)])]);
        let flow: Vec<usize> = demand.links.iter().map(|_| cone.variable(0.0)).collect();
        for (&l, &f) in demand.links.iter().zip(&flow) {
            let (from, to) = self.problem.ends[l as usize];
            nodes.entry(from).or_default().push((f, 1.0));
            nodes.entry(to).or_default().push((f, -1.0));
            cone.at_least_zero(0.0, &[(f, 1.0)]);
        }
        nodes.remove(&demand.sink);
        nodes.values().for_each(|terms| cone.zero(0.0, terms));
        flow
    }
}

impl Model<'_> {
    /// A typical rate of a link: the unit of the first pass.
    fn typical(network: &Network) -> f64 {
        let mut rates = Program::new(network, Vec::new()).typical_rates();
        rates.sort_by(f64::total_cmp);
        rates.get(rates.len() / 2).copied().filter(|unit| *unit > 0.0).unwrap_or(1.0)
    }
}

/// Least unit of a flow's rate: a linear utility may leave a flow without any.
const SMALLEST: f64 = 1e-6;
