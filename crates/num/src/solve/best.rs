//! Choice of the solution method.

use super::cg::DENSE;
use super::{facets, interior, logarithmic};
use crate::error::Error;
use crate::program::{Kind, Outcome, Program};
use crate::utility::Utility;

/// Solves `program` by the method that suits it, to `tolerance`, or past it to `target` while steps help.
///
/// The logarithmic method solves rows and smooth regions at any scale. Vertices, whose shares are linear programs,
/// flows with α = 0, and matrices too large to factor take less time in plain prices with one barrier parameter.
/// Problems that spread too far for that method are solved in logarithms: vertices without entropy by their facets,
/// which are rows, and others directly.
pub(crate) fn optimum(program: &Program, tolerance: f64, target: f64, max_iterations: usize) -> Result<Outcome, Error> {
    let has_vertices = program.blocks.iter().any(|b| matches!(b.kind, Kind::Vertices(_)));
    let is_linear = program.utilities.iter().any(Utility::is_linear);
    let plain = || interior::solve(program, tolerance, target, max_iterations.min(PLAIN));
    if !has_vertices && !is_linear && program.rows() <= DENSE {
        return logarithmic::solve(program, target, max_iterations).or_else(|error| plain().map_err(|_| error));
    }
    let cut = |error| match has_vertices && facets::can_solve(program) {
        true => facets::solve(program, tolerance, max_iterations),
        false => Err(error),
    };
    plain().or_else(cut).or_else(|_| logarithmic::solve(program, tolerance, max_iterations))
}

/// Limit of steps in plain prices; 20 to 80 usually suffice.
const PLAIN: usize = 200;
