//! Primal–dual interior point on the dual: min_{λ≥0} Σ max_x (U_s(x) − x Aᵀλ) + bᵀλ + h(λ).
//!
//! The rate is eliminated, x = U′⁻¹(Aᵀλ), so a Newton step solves (A D Aᵀ + N + diag(s/λ)) Δλ = −∇φ with D = −dx/dy and
//! N = ∂r/∂λ; φ = dual − μ Σ ln λ is the barrier function, whose slope along the step guards the step's length (φ is
//! convex, and any s > 0 gives a direction of descent). Two kinds of inequality join λ ≥ 0 with a pair of their own:
//! y_s ≥ p_s for linear utilities, whose multiplier is the rate, and those of vertex regions ([`Mixing`]).

mod iterate;
mod mixing;
mod residual;
mod step;

use super::newton::{Newton, Residual, descend};
use crate::error::Error;
use crate::program::{Outcome, Program};
use iterate::Interior;

/// Solves `program`; a flow without a row needs a price of its own. Stops at `tolerance`, or past it at `target` while
/// steps still help: degenerate problems leave rates within the root of the gap.
pub(crate) fn solve(program: &Program, tolerance: f64, target: f64, max_iterations: usize) -> Result<Outcome, Error> {
    let mut method = Interior::new(program, target);
    method.start();
    let (residual, iterations) = descend(&mut method, tolerance, target, max_iterations, &program.stop)?;
    match residual.within(tolerance) {
        true => Ok(method.finish(iterations)),
        false => {
            Err(Error::NotConverged { method: "interior point", iterations, residual: residual.worst(), tolerance })
        }
    }
}

impl Newton for Interior<'_> {
    fn residual(&mut self) -> Residual {
        self.distance()
    }

    fn step(&mut self) -> bool {
        self.newton_step()
    }
}
