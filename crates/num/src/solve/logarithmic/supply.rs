//! Supply of a block of rows at its prices: r(λ) ∈ argmax λᵀr over the region, or for vertices a mixture near it.

use super::mixing::Mixing;
use crate::program::{Block, Kind};
use crate::region::Curved;

#[derive(Clone)]
pub(super) enum Supply<'p> {
    Curved(Smooth<'p>),
    Mixed(Mixing<'p>),
}

/// r = r⁺ − r⁻ with parts ≥ 0 (r⁻ = 0 except for ellipsoids), and their derivatives.
#[derive(Clone)]
pub(super) struct Smooth<'p> {
    curved: &'p Curved,
    plus: Vec<f64>,
    minus: Vec<f64>,
    slope_plus: Vec<f64>,
    slope_minus: Vec<f64>,
}

impl<'p> Supply<'p> {
    pub(super) fn new(block: &'p Block, prices: &[f64]) -> Self {
        let k = block.rows.len();
        match &block.kind {
            Kind::Curved(curved) => {
                let (plus, minus) = (vec![0.0; k], vec![0.0; k]);
                Self::Curved(Smooth {
                    curved,
                    plus,
                    minus,
                    slope_plus: vec![0.0; k * k],
                    slope_minus: vec![0.0; k * k],
                })
            }
            Kind::Vertices(vertices) => Self::Mixed(Mixing::new(vertices, prices)),
        }
    }

    pub(super) fn evaluate(&mut self, prices: &[f64]) {
        match self {
            Self::Curved(s) => {
                s.curved.split(prices, [&mut s.plus, &mut s.minus], [&mut s.slope_plus, &mut s.slope_minus]);
            }
            Self::Mixed(mixing) => mixing.evaluate(prices),
        }
    }

    /// r⁺ and r⁻ of a row.
    pub(super) fn parts(&self, i: usize) -> (f64, f64) {
        match self {
            Self::Curved(s) => (s.plus[i], s.minus[i]),
            Self::Mixed(mixing) => (mixing.rates[i], 0.0),
        }
    }

    pub(super) fn rates(&self) -> impl Iterator<Item = f64> + '_ {
        let k = match self {
            Self::Curved(s) => s.plus.len(),
            Self::Mixed(mixing) => mixing.rates.len(),
        };
        (0..k).map(|i| self.parts(i)).map(|(plus, minus)| plus - minus)
    }

    /// ∂r⁺/∂λ and ∂r⁻/∂λ, row by row.
    pub(super) fn slopes(&self) -> (&[f64], Option<&[f64]>) {
        match self {
            Self::Curved(s) => (&s.slope_plus, Some(&s.slope_minus)),
            Self::Mixed(mixing) => (&mixing.slope, None),
        }
    }

    /// Change of r in a step that does not depend on the prices.
    pub(super) fn offset(&self, i: usize) -> f64 {
        match self {
            Self::Curved(_) => 0.0,
            Self::Mixed(mixing) => mixing.offset[i],
        }
    }

    pub(super) fn mixing(&mut self) -> Option<&mut Mixing<'p>> {
        match self {
            Self::Curved(_) => None,
            Self::Mixed(mixing) => Some(mixing),
        }
    }

    /// Distance from the supply at the prices.
    pub(super) fn error(&self) -> f64 {
        match self {
            Self::Curved(_) => 0.0,
            Self::Mixed(mixing) => mixing.error(),
        }
    }

    /// h(λ) − λᵀr.
    pub(super) fn residual(&self) -> f64 {
        match self {
            Self::Curved(_) => 0.0,
            Self::Mixed(mixing) => mixing.residual(),
        }
    }

    pub(super) fn mixture(&self) -> Vec<f64> {
        match self {
            Self::Curved(_) => Vec::new(),
            Self::Mixed(mixing) => mixing.mixture(),
        }
    }
}
