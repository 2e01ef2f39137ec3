//! Common part of both interior methods: residuals, and the loop of steps.

use crate::error::Error;
use crate::stop::Stop;

/// Residuals of an iterate: violation and gap of the whole, and the worst row's share of the gap relative to the least
/// turnover of its flows (with large alpha the total depends only on the poorest flows).
pub(super) struct Residual {
    pub whole: f64,
    pub row: f64,
    /// Allowance of a row relative to the whole: rounding limits the last digits of rows where turnovers differ by many
    /// powers of ten.
    pub leeway: f64,
}

impl Residual {
    pub(super) fn worst(&self) -> f64 {
        let worst = self.whole.max(self.row);
        if worst.is_nan() { f64::INFINITY } else { worst }
    }

    pub(super) fn within(&self, tolerance: f64) -> bool {
        self.whole <= tolerance && self.row <= self.leeway * tolerance
    }
}

/// A step-by-step method.
pub(super) trait Newton {
    /// Residual of the present iterate.
    fn residual(&mut self) -> Residual;
    /// Moves to the next iterate; false if there is none.
    fn step(&mut self) -> bool;
}

/// Runs at most `most` steps, until the residual is at `target`, or within `tolerance` and no longer halved by a step.
/// Returns the residual and the number of steps.
///
/// # Errors
/// [`Error::Interrupted`].
pub(super) fn descend(
    method: &mut impl Newton,
    tolerance: f64,
    target: f64,
    most: usize,
    stop: &Stop,
) -> Result<(Residual, usize), Error> {
    let mut residual = method.residual();
    let mut steps = 0;
    while residual.worst() > target && steps < most {
        stop.check()?;
        let before = residual.worst();
        let has_moved = method.step();
        residual = method.residual();
        steps += 1;
        if !has_moved || (residual.within(tolerance) && residual.worst() > 0.5 * before) {
            break;
        }
    }
    Ok((residual, steps))
}
