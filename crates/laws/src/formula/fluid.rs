//! The fluid form of a formula.

use super::quantity::Quantity;
use super::rational::Rational;
use super::{Formulated, MOST_DOWN, MOST_UP, Params, Programs};
use crate::fluid::turn;
use crate::{FluidPath, MeanWindow};
use windward_units::Packets;

/// A formula as a differential equation.
#[derive(Debug)]
pub(crate) struct Fluid(&'static Programs);

impl Params {
    /// The formula as a differential equation; `None` if it reads what a path does not show.
    pub(crate) fn fluid(self) -> Option<Fluid> {
        let programs = self.programs().ok()?;
        let has_memory = [&programs.step, &programs.loss].iter().any(|formula| formula.tree.reads(Quantity::is_memory));
        (!has_memory).then_some(Fluid(programs))
    }
}

impl Fluid {
    fn value(formula: &Formulated, cwnd: f64, path: &FluidPath) -> f64 {
        formula.program.run(|quantity| read(quantity, cwnd, path).expect("formulas with memory have no fluid form"))
    }

    /// Packets that an ACK adds.
    fn gain(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let step = Self::value(&self.0.step, cwnd, path);
        if step.is_finite() { step.clamp(-MOST_DOWN, MOST_UP) } else { 0.0 }
    }

    /// Packets that a loss takes.
    fn cut(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let after = Self::value(&self.0.loss, cwnd, path);
        if after.is_finite() { cwnd - after.min(cwnd) } else { cwnd / 2.0 }
    }

    /// Window of the step's root at which growth turns to decrease, where the step is a rational function of the
    /// window.
    pub(super) fn root(&self, path: &FluidPath) -> Option<f64> {
        let rational = Rational::of(&self.0.step.tree, &|quantity| match quantity {
            Quantity::Window | Quantity::Flight => Some(Rational::variable()),
            // The rate is W/rtt.
            Quantity::Rate => Rational::variable().over(&Rational::constant(path.rtt())),
            quantity => read(quantity, f64::NAN, path).map(Rational::constant),
        })?;
        let falls =
            |cwnd: f64| self.gain(cwnd * (1.0 - NEAR), path) > 0.0 && self.gain(cwnd * (1.0 + NEAR), path) < 0.0;
        let mut roots = rational.roots().into_iter().filter(|&root| root > 0.0 && falls(root));
        let root = roots.next()?;
        roots.next().is_none().then_some(root)
    }
}

impl MeanWindow for Fluid {
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let change = (1.0 - path.loss) * self.gain(cwnd, path) - path.loss * self.cut(cwnd, path);
        cwnd / path.rtt() * change
    }

    fn rest(&self, path: &FluidPath) -> Option<Packets> {
        let closed = if path.loss == 0.0 { self.root(path) } else { None };
        closed.map(Packets::new).or_else(|| turn(|cwnd| self.slope(cwnd, path) > 0.0))
    }
}

/// A quantity on a path in equilibrium; `None` for what depends on more.
fn read(quantity: Quantity, cwnd: f64, path: &FluidPath) -> Option<f64> {
    if quantity.is_memory() {
        return None;
    }
    Some(match quantity {
        Quantity::Window | Quantity::Flight => cwnd,
        Quantity::Acked => 1.0,
        Quantity::Base => path.base_rtt.as_secs(),
        Quantity::Share => 1.0 - path.queued_share(),
        Quantity::Rate => cwnd / path.rtt(),
        Quantity::Lost => path.loss,
        _ => path.rtt(),
    })
}

/// Distance from a root, as a share of it, at which the signs of the step must differ.
const NEAR: f64 = 1e-6;
