//! Solvers: interior methods and cutting planes (default), water filling for max–min, a conic solver as reference, the
//! papers' sub-gradient iteration as benchmark.

mod best;
mod cg;
mod clarabel;
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
use crate::certificate::Certificate;
use crate::error::Error;
use crate::network::Problem;
use crate::program::Program;
use crate::scale::Scale;
use crate::solution::{Method, Solution};
use crate::stop::Stop;
use crate::utility::Utility;
use options::Options;

/// Solves `problem` with the method that suits it: interior point, or water filling for max–min.
///
/// # Errors
/// As [`Problem::check`], and [`Error::NotConverged`].
pub fn solve(problem: &Problem, options: &Options) -> Result<Solution, Error> {
    solve_until(problem, options, &Stop::default())
}

/// Solves `problem` like [`solve`], and stops once `stop` is set.
///
/// # Errors
/// As [`solve`], and [`Error::Interrupted`].
pub fn solve_until(problem: &Problem, options: &Options, stop: &Stop) -> Result<Solution, Error> {
    problem.check()?;
    if problem.utilities.iter().any(|u| matches!(u, Utility::MaxMin { .. })) {
        return max_min::solve(problem, options, stop);
    }
    let scale = Scale::of(&problem.network, &problem.network.routes, &problem.utilities);
    let scaled = scale.apply(problem);
    let mut program = Program::new(&scaled.network, scaled.utilities.clone());
    program.stop = stop.clone();
    let mut outcome = optimum(&program, options.tolerance, options.tolerance, options.max_iterations)?;
    if program.row.is_empty() {
        // Nobody uses a link: none has a price.
        outcome.prices.fill(0.0);
    }
    let answer = Answer::new(&scaled.network, &program, &outcome);
    let certificate = Certificate::of(&scaled, &answer);
    if certificate.worst() > ACCEPTED.max(LEEWAY * options.tolerance) {
        // The method took its own errors for small ones: where an entropy outweighs all utilities.
        let (iterations, residual, tolerance) = (outcome.iterations, certificate.worst(), options.tolerance);
        return Err(Error::NotConverged { method: "interior point", iterations, residual, tolerance });
    }
    let answer = scale.undo(&problem.network, answer);
    Ok(Solution::new(answer, problem, certificate, Method::Interior, outcome.iterations))
}

/// Largest residual of the certificate for an answer.
const ACCEPTED: f64 = 1e-3;
/// Allowance of an answer relative to the tolerance of its method.
const LEEWAY: f64 = 100.0;
