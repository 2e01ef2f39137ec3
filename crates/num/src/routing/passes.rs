//! Repeated passes until the certificate holds.

use super::answer::{Routing, certified};
use super::model::{Goal, Model, Raw};
use super::paths::Demand;
use super::problem::RoutingProblem;
use super::{levels, planes};
use crate::error::Error;
use crate::scale::Scale;
use crate::solve::options::Options;
use crate::utility::Utility;

/// Finds the best rates with Clarabel, in several passes like [`crate::solve_reference`], with the last digits by
/// cutting planes where regions are flat; level by level for max–min.
///
/// # Errors
/// As [`Problem::check`](crate::Problem::check); [`Error::NoPath`]; [`Error::Unsupported`] for [`Utility::Emultcp`],
/// which has no conic form, and for max–min beside other utilities or an entropy; [`Error::NotConverged`] if the
/// certificate does not hold to 1e-6.
pub fn solve_routing(problem: &RoutingProblem) -> Result<Routing, Error> {
    let demands = problem.check()?;
    let found = if problem.utilities.iter().any(|u| matches!(u, Utility::MaxMin { .. })) {
        levels::solve(problem, demands)?
    } else {
        let links: Vec<Vec<u32>> = demands.iter().map(|demand| demand.links.clone()).collect();
        let scale = Scale::of(&problem.network, &links, &problem.utilities);
        let scaled = RoutingProblem {
            network: scale.network(&problem.network),
            utilities: problem.utilities.iter().map(|utility| scale.utility(utility)).collect(),
            ..problem.clone()
        };
        best_of_passes(&scaled, demands)?.rescaled(scale, problem)
    };
    let worst = found.solution.certificate.worst();
    if worst <= ACCEPTED {
        return Ok(found);
    }
    let iterations = found.solution.iterations;
    Err(Error::NotConverged { method: "clarabel", iterations, residual: worst, tolerance: ACCEPTED })
}

fn best_of_passes(problem: &RoutingProblem, demands: Vec<Demand>) -> Result<Routing, Error> {
    let mut model = Model::new(problem, demands);
    let mut best: Option<Routing> = None;
    let mut failure = None;
    let mut iterations = 0;
    for tolerance in TOLERANCES {
        let raw = match model.solve(&Goal::Utilities, tolerance) {
            Ok(raw) => raw,
            Err(error) => {
                failure = Some(error);
                continue;
            }
        };
        iterations += raw.iterations;
        model.rescale(&raw.answer.rates);
        let rough = certified(&model, Raw { iterations, ..raw });
        let fine = planes::polish(&mut model, &rough);
        if let Some(fine) = &fine {
            iterations = fine.solution.iterations;
        }
        for found in [Some(rough), fine].into_iter().flatten() {
            let worst = |routing: &Routing| routing.solution.certificate.worst();
            if best.as_ref().is_none_or(|best| worst(&found) < worst(best)) {
                best = Some(found);
            }
        }
        if best.as_ref().is_some_and(|best| best.solution.certificate.worst() <= Options::default().tolerance) {
            break;
        }
    }
    best.ok_or_else(|| failure.expect("a pass that gave no answer gave an error"))
}

/// Tolerance of each pass; beyond the reach of the arithmetic the solver stops by itself.
const TOLERANCES: [f64; 4] = [1e-9, 1e-11, 1e-13, 1e-15];
/// Limit of the certificate's residuals for an answer.
const ACCEPTED: f64 = 1e-6;
