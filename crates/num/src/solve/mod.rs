//! Solvers: interior methods for daily work, water filling for max–min, a conic solver as reference, the papers'
//! sub-gradient iteration as their benchmark.

pub(crate) mod interior;
mod logarithmic;
mod max_min;
pub(crate) mod options;
pub(crate) mod reference;
pub mod subgradient;

pub use reference::solve as solve_reference;

use crate::answer::Answer;
use crate::error::Error;
use crate::network::Problem;
use crate::program::{Kind, Program};
use crate::solution::{Method, Solution};
use crate::utility::Utility;
use options::Options;

/// Solves `problem` with the method that suits it: interior point, or water filling for max–min.
///
/// # Errors
/// As [`Problem::check`], and [`Error::NotConverged`].
pub fn solve(problem: &Problem, options: &Options) -> Result<Solution, Error> {
    problem.check()?;
    if problem.utilities.iter().any(|u| matches!(u, Utility::MaxMin { .. })) {
        return max_min::solve(problem, options);
    }
    let program = Program::new(&problem.network, problem.utilities.clone());
    let mut outcome = optimum(&program, options.tolerance, options.tolerance, options.max_iterations)?;
    if program.row.is_empty() {
        // Nobody uses a link: none has a price.
        outcome.prices.fill(0.0);
    }
    let answer = Answer::new(&problem.network, &program, &outcome);
    Ok(Solution::certified(answer, problem, Method::Interior, outcome.iterations))
}

/// The optimum of `program` by the method that suits it, to `tolerance`, or past it to `target` while steps help.
///
/// Rows and smooth regions go to the method in logarithms, which no scale stops. Vertices, whose shares are linear
/// programs, flows with α = 0, and matrices too large to factor take less time in plain prices with one barrier
/// parameter: what spreads too far for that method is then solved in logarithms.
pub(crate) fn optimum(
    program: &Program,
    tolerance: f64,
    target: f64,
    max_iterations: usize,
) -> Result<interior::Outcome, Error> {
    let has_vertices = program.blocks.iter().any(|b| matches!(b.kind, Kind::Vertices(_)));
    let is_linear = program.utilities.iter().any(Utility::is_linear);
    let plain = || interior::solve(program, tolerance, target, max_iterations);
    if !has_vertices && !is_linear && program.rows() <= logarithmic::DENSE {
        return logarithmic::solve(program, target, max_iterations).or_else(|error| plain().map_err(|_| error));
    }
    plain().or_else(|_| logarithmic::solve(program, tolerance, max_iterations.saturating_mul(PATIENCE)))
}

/// Vertices over many powers of ten need hundreds of steps in logarithms.
const PATIENCE: usize = 10;
