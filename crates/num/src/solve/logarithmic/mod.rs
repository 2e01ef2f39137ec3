//! Newton's method on the optimality conditions in logarithms, along a path of barrier parameters.
//!
//! With barrier μ_l on each price the conditions of min_{λ≥0} Σ max_x (U_s(x) − x Aᵀλ) + bᵀλ + h(λ) are A x + s = c or
//! r, s_l = μ_l/λ_l, x = U′⁻¹(Aᵀλ). Rates are powers of prices, (y/p)^{−1/α}: where alphas and capacities differ,
//! prices and turnovers spread over dozens of powers of ten. ln(A x + s) = ln c as an equation in ln λ is independent
//! of scales, and nearly linear. One flow on one link is solved in one step for any alpha, whereas Newton's method on A
//! x + s = c raises too low a price only by 1 + α. Its Jacobian, A D Aᵀ + N + diag(s/λ) between two diagonal matrices,
//! is regular everywhere, so that Newton's direction lowers every norm of the errors. A price that does not yet count
//! in its paths' prices rises by addition, not by a power: loads are powers of the paths' prices.
//!
//! Each row has its own μ_l, which ends where λ_l s_l is a small part of the turnover of the row's poorest flow.

mod iterate;
mod mixing;
mod pace;
mod residual;
mod step;
mod supply;
mod system;

use super::newton::{Newton, Residual, descend};
use crate::error::Error;
use crate::program::{Outcome, Program};
use iterate::Iterate;
use pace::PACES;

/// Solves `program`; a flow without a row needs a price of its own. Stops at `tolerance`, or past it while steps still
/// help.
///
/// Starts with long steps along the path. If the iterate strays from the path and stalls, restarts with shorter steps,
/// closer to it.
pub(crate) fn solve(program: &Program, tolerance: f64, max_iterations: usize) -> Result<Outcome, Error> {
    let mut iterations = 0;
    let mut least = f64::INFINITY;
    for pace in PACES {
        let mut method = Iterate::new(program, tolerance, pace);
        let most = pace.steps.min(max_iterations - iterations);
        let (residual, steps) = descend(&mut method, tolerance, tolerance, most, &program.stop)?;
        iterations += steps;
        if residual.within(tolerance) {
            return Ok(method.finish(iterations));
        }
        least = least.min(residual.worst());
    }
    Err(Error::NotConverged { method: "interior point", iterations, residual: least, tolerance })
}

impl Newton for Iterate<'_> {
    fn residual(&mut self) -> Residual {
        self.distance()
    }

    fn step(&mut self) -> bool {
        self.newton_step()
    }
}
