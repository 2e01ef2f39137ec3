//! Rayleigh fading by an autoregressive process: h_k = −Σ a_i h_{k−i} + w_k, with a and the variance of w from the
//! Yule–Walker equations for the correlation J0(2πfT k), solved by Levinson and Durbin's recursion (Baddour and
//! Beaulieu, IEEE Transactions on Wireless Communications 4(4), 2005). The spectrum has no power beyond f, so for slots
//! that are short against 1/f the equations are nearly singular. As the authors propose, white noise of ε = 1e-7 is
//! added to the correlation at lag 0. Up to the order the correlation is exact to ε; beyond, it decays.

use libm::{j0, sqrt};
use std::f64::consts::TAU;
use windward_elements::engine::Stream;

/// White noise added to the correlation at lag 0.
const NOISE: f64 = 1e-7;

#[derive(Debug)]
pub(super) struct Autoregressive {
    /// −a_1 … −a_p.
    weights: Vec<f64>,
    deviation: f64,
    /// The last p values as (re, im), in a ring.
    past: Vec<[f64; 2]>,
    newest: usize,
    stream: Stream,
}

impl Autoregressive {
    /// `doppler_per_slot` is fT. The process starts in its stationary state: its first p values are drawn in turn from
    /// the predictors of increasing order.
    pub(super) fn new(doppler_per_slot: f64, order: usize, mut stream: Stream) -> Self {
        let correlation = |lag: usize| j0(TAU * doppler_per_slot * lag as f64) + if lag == 0 { NOISE } else { 0.0 };
        let mut weights: Vec<f64> = Vec::with_capacity(order);
        let mut variance = correlation(0);
        let mut past: Vec<[f64; 2]> = Vec::with_capacity(order);
        for step in 0..order {
            let predicted = predict(&weights, past.iter().rev());
            past.push(draw(predicted, sqrt(variance / 2.0), &mut stream));
            // Reflection coefficient of the next order.
            let rest: f64 = weights.iter().enumerate().map(|(i, w)| w * correlation(step - i)).sum();
            let reflection = (correlation(step + 1) - rest) / variance;
            let old = weights.clone();
            for (i, weight) in weights.iter_mut().enumerate() {
                *weight -= reflection * old[step - 1 - i];
            }
            weights.push(reflection);
            variance *= 1.0 - reflection * reflection;
        }
        Self { weights, deviation: sqrt(variance / 2.0), newest: order - 1, past, stream }
    }

    /// h of the next slot.
    pub(super) fn next_gain(&mut self) -> [f64; 2] {
        // From the newest back to the beginning of the ring, then from its end.
        let (late, early) = self.past.split_at(self.newest + 1);
        let predicted = predict(&self.weights, late.iter().rev().chain(early.iter().rev()));
        let gain = draw(predicted, self.deviation, &mut self.stream);
        self.newest = (self.newest + 1) % self.past.len();
        self.past[self.newest] = gain;
        gain
    }
}

/// Σ weight_i · value_i, the newest value first.
fn predict<'a>(weights: &[f64], values: impl Iterator<Item = &'a [f64; 2]>) -> [f64; 2] {
    weights.iter().zip(values).fold([0.0; 2], |[re, im], (w, value)| [re + w * value[0], im + w * value[1]])
}

fn draw([re, im]: [f64; 2], deviation: f64, stream: &mut Stream) -> [f64; 2] {
    [re + deviation * stream.normal(), im + deviation * stream.normal()]
}
