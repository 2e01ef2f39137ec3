//! Solvers: interior methods and cutting planes for daily work, water filling for max–min, a conic solver as reference, the papers'
//! sub-gradient iteration as their benchmark.

mod best;
pub(crate) mod conic;
mod facets;
pub(crate) mod interior;
mod logarithmic;
mod max_min;
mod newton;
pub(crate) mod options;
pub(crate) mod reference;
pub mod subgradient;

pub(crate) use best::optimum;
pub use reference::solve as solve_reference;

use crate::answer::Answer;
use crate::error::Error;
use crate::network::Problem;
use crate::program::Program;
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
