//! Properties of the solvers, checked against closed forms, a conic solver, and the optimality conditions.

mod against_clarabel;
mod closed_forms;
mod degenerate;
mod fluid_map;
mod kkt;
mod max_min;
mod random;
mod robustness;
mod routing;
mod scales;
mod wide;

use windward_num::{Options, Problem, Solution, solve};

/// Solves with the default options; the certificate must hold to 1e-9.
fn best(problem: &Problem) -> Solution {
    let solution = solve(problem, &Options::default()).expect("an optimum exists");
    assert!(solution.certificate.worst() < 1e-9, "{:?}", solution.certificate);
    solution
}

/// Every entry within a relative tolerance.
#[track_caller]
fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance * b.abs(), "{found:?} is not {expected:?} to {tolerance:e}");
    }
}
