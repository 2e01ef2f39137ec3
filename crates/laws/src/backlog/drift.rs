//! Window change of one step of the law.

use crate::FluidPath;
use crate::fluid::turn;
use crate::shared::losses::Losses;
use windward_units::Packets;

/// One step changes the window W by −κ·b·W^(1−2ρ)·(W − (d/d̄)·V − p), with b = d/d̄ for QUIC-TCP and 1 for FAST; d/d̄
/// is BaseRTT/AvgRTT, V the window behind the measured RTT, p the backlog in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Step size κ.
    pub kappa: f64,
    /// 1 − 2ρ.
    pub exponent: f64,
    /// True if the step shrinks by d/d̄.
    pub is_damped: bool,
    /// Packets p that the flow keeps in queues.
    pub backlog: f64,
}

impl Drift {
    /// κ·W^(1−2ρ).
    #[inline]
    pub(crate) fn scale(&self, cwnd: f64) -> f64 {
        if self.exponent == 0.0 { self.kappa } else { self.kappa * libm::pow(cwnd, self.exponent) }
    }

    /// Change of the window `cwnd` in one step, with `base_share` for d/d̄, `measured` for the window V, and `scale`
    /// from [`Drift::scale`].
    #[inline]
    pub(crate) fn step(&self, scale: f64, cwnd: f64, measured: f64, base_share: f64) -> f64 {
        let damping = if self.is_damped { base_share } else { 1.0 };
        -scale * damping * (cwnd - base_share * measured - self.backlog)
    }

    /// huang2020 Eq. 18: the step as a rate of change; with losses, each halves the window.
    pub(crate) fn derivative(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let base_share = 1.0 - path.queued_share();
        Losses::HALVE.change(cwnd, path.loss, |cwnd| self.step(self.scale(cwnd), cwnd, cwnd, base_share))
    }

    /// W·q/d̄ = p without losses.
    pub(crate) fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        if path.loss > 0.0 {
            return turn(|cwnd| self.derivative(cwnd, path) > 0.0);
        }
        let share = path.queued_share();
        (share > 0.0).then(|| Packets::new(self.backlog / share))
    }
}

/// Least window in packets; the ns-2 module's.
pub(super) const FLOOR: f64 = 2.0;
