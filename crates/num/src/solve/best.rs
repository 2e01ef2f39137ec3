//! The method that suits a program.

use super::{interior, logarithmic};
use crate::error::Error;
use crate::program::{Kind, Program};
use crate::utility::Utility;

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
