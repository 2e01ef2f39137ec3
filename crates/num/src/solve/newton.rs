//! What both interior methods share: how far an iterate is from the optimum, and steps until that is near enough.

use crate::error::Error;
use crate::stop::Stop;

/// How far an iterate is from the optimum: violation and gap of the whole, and the worst row's share of the gap relative
/// to the least turnover of its flows (with large alpha the total sees only the poorest flows).
pub(super) struct Residual {
    pub whole: f64,
    pub row: f64,
    /// How much less exact a row may be than the whole: rounding keeps rows from their last digits where turnovers differ by
    /// many powers of ten.
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

/// A method that goes step by step.
pub(super) trait Newton {
    /// Of the present iterate.
    fn residual(&mut self) -> Residual;
    /// To the next; whether there is one.
    fn step(&mut self) -> bool;
}

/// At most `most` steps, until the residual is at `target`, or within `tolerance` and no longer halved by a step. Returns the
/// residual and the steps.
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
