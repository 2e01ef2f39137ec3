//! Reference solutions by a general conic solver (Clarabel): slower, and independent of the other methods.
//!
//! Rates are scaled to the median capacity and the objective to its largest coefficient.

use super::conic::{Builder, Coupled};
use crate::answer::Answer;
use crate::error::Error;
use crate::network::{Link, Problem};
use crate::program::Program;
use crate::solution::{Method, Solution};

/// Solves `problem` with Clarabel several times. Each pass measures every rate in the rate found before, which lets the
/// solver keep more digits, and has a smaller tolerance than the last. Returns the answer with the best certificate: an
/// objective within 1e-12 leaves rates within its root.
///
/// # Errors
/// As [`Problem::check`]; [`Error::Unsupported`] for [`Utility::MaxMin`](crate::Utility::MaxMin) and
/// [`Utility::Emultcp`](crate::Utility::Emultcp), which have no conic form; [`Error::NotConverged`].
pub fn solve(problem: &Problem) -> Result<Solution, Error> {
    problem.check()?;
    let program = Program::new(&problem.network, problem.utilities.clone());
    let mut typical = program.typical_rates();
    typical.sort_by(f64::total_cmp);
    let unit = typical.get(typical.len() / 2).copied().filter(|u| *u > 0.0).unwrap_or(1.0);
    let mut flows = vec![unit; problem.utilities.len()];
    let mut best: Option<Solution> = None;
    let mut failure = None;
    for tolerance in TOLERANCES {
        match solve_scaled(problem, &Units { rate: unit, flows: flows.clone() }, tolerance) {
            Ok((answer, steps)) => {
                flows = answer.rates.iter().map(|x| x.max(SMALLEST * unit)).collect();
                let found = Solution::certified(answer, problem, Method::Reference, steps);
                if best.as_ref().is_none_or(|best| found.certificate.worst() < best.certificate.worst()) {
                    best = Some(found);
                }
            }
            Err(error) => failure = Some(error),
        }
    }
    best.ok_or_else(|| failure.expect("a pass that gave no answer gave an error"))
}

/// Units of link rates and of each flow's rate.
struct Units {
    rate: f64,
    flows: Vec<f64>,
}

fn solve_scaled(problem: &Problem, units: &Units, tolerance: f64) -> Result<(Answer, usize), Error> {
    let network = &problem.network;
    let unit = units.rate;
    let mut cone = Builder::default();
    let rates: Vec<usize> = problem.utilities.iter().map(|_| cone.variable(0.0)).collect();
    for ((utility, &x), &own) in problem.utilities.iter().zip(&rates).zip(&units.flows) {
        cone.utility(utility, x, own)?;
    }
    let mut loads: Vec<Vec<(usize, f64)>> = vec![Vec::new(); network.links.len()];
    for ((route, &x), own) in network.routes.iter().zip(&rates).zip(&units.flows) {
        route.iter().for_each(|&l| loads[l as usize].push((x, -own / unit)));
    }
    let mut room = vec![0.0; network.links.len()];
    for (l, link) in network.links.iter().enumerate() {
        if let Link::Wired(c) = link {
            room[l] = c / unit;
        }
    }
    let couplings: Vec<Coupled> =
        network.couplings.iter().map(|c| cone.region(&c.region, &c.links, unit, &mut loads)).collect();
    let link_rows: Vec<usize> = loads.iter().zip(&room).map(|(terms, c)| cone.at_least_zero(*c, terms)).collect();

    let scale = cone.cost.iter().fold(0.0_f64, |a, c| a.max(c.abs())).max(f64::MIN_POSITIVE);
    let found = cone.solve(scale, tolerance)?;
    let mut answer = Answer {
        rates: rates.iter().zip(&units.flows).map(|(&x, own)| found.x[x] * own).collect(),
        prices: link_rows.iter().map(|&row| found.z[row].max(0.0) * scale / unit).collect(),
        link_rates: network.links.iter().map(|l| if let Link::Wired(c) = l { *c } else { 0.0 }).collect(),
        mixtures: Vec::new(),
    };
    for (coupling, coupled) in network.couplings.iter().zip(&couplings) {
        let (rates, mixture) = coupled.reached(&coupling.region, &found, unit, scale);
        coupling.links.iter().zip(rates).for_each(|(&l, rate)| answer.link_rates[l as usize] = rate);
        answer.mixtures.push(mixture);
    }
    Ok((answer, found.iterations))
}

/// Least unit of a flow's rate: a linear utility may leave a flow without any.
const SMALLEST: f64 = 1e-6;
/// Tolerance of each pass. Beyond the reach of the arithmetic the solver stops by itself.
const TOLERANCES: [f64; 5] = [1e-9, 1e-11, 1e-13, 1e-14, 1e-16];
