//! The method that suits a program.

use super::{facets, interior, logarithmic};
use crate::error::Error;
use crate::program::{Kind, Program};
use crate::utility::Utility;

/// The optimum of `program` by the method that suits it, to `tolerance`, or past it to `target` while steps help.
///
/// Rows and smooth regions go to the method in logarithms, which no scale stops. Vertices, whose shares are linear
/// programs, flows with α = 0, and matrices too large to factor take less time in plain prices with one barrier
/// parameter. What spreads too far for that method is solved in logarithms: vertices without entropy by their facets,
/// which are rows, or else as they are.
pub(crate) fn optimum(
    program: &Program,
    tolerance: f64,
    target: f64,
    max_iterations: usize,
) -> Result<interior::Outcome, Error> {
    let has_vertices = program.blocks.iter().any(|b| matches!(b.kind, Kind::Vertices(_)));
    let is_linear = program.utilities.iter().any(Utility::is_linear);
    let plain = || interior::solve(program, tolerance, target, max_iterations.min(PLAIN));
    if !has_vertices && !is_linear && program.rows() <= logarithmic::DENSE {
        return logarithmic::solve(program, target, max_iterations).or_else(|error| plain().map_err(|_| error));
    }
    let cut = |error| match has_vertices && facets::can_solve(program) {
        true => facets::solve(program, tolerance, max_iterations),
        false => Err(error),
    };
    plain().or_else(cut).or_else(|_| logarithmic::solve(program, tolerance, max_iterations))
}

/// Steps in plain prices; where they suffice it takes 20 to 80.
const PLAIN: usize = 200;
