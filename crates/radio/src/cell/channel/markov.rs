//! Finite-state Markov channel: its states are the modes of the table, and outage below the first (Wang and Moayeri,
//! IEEE Transactions on Vehicular Technology 44(1), 1995). In a slot T the chain moves to a neighbour or stays:
//! P(n→n+1) = N_{n+1} T/P_n, P(n→n−1) = N_n T/P_n, with P_n = e^{−γ_n/γ̄} − e^{−γ_{n+1}/γ̄} and the level crossing rate
//! N_n = √(2πγ_n/γ̄) f e^{−γ_n/γ̄}. P is its stationary distribution: N_{n+1} T flows in both directions between n and
//! n + 1.

use super::super::amc::Table;
use super::error::{FadingError, MAX_DOPPLER_PER_SLOT, MAX_LEAVING};
use libm::{exp, sqrt};
use std::f64::consts::TAU;
use windward_elements::engine::Stream;
use windward_units::Duration;

#[derive(Debug)]
pub(super) struct Markov {
    doppler: f64,
    states: Vec<State>,
    now: usize,
    stream: Stream,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// Mean signal-to-noise ratio within the state.
    snr: f64,
    probability: f64,
    up: f64,
    down: f64,
}

pub(super) fn check(doppler: f64, mean_snr: f64, slot: Duration, table: &Table) -> Result<(), FadingError> {
    let doppler_per_slot = doppler * slot.as_secs();
    if table.modes().is_empty() {
        return Err(FadingError::NoModes);
    }
    if doppler_per_slot > MAX_DOPPLER_PER_SLOT {
        return Err(FadingError::TooFast { doppler_per_slot });
    }
    let states = states(doppler, mean_snr, slot, table);
    match states.iter().position(|state| state.up + state.down > MAX_LEAVING) {
        Some(state) => Err(FadingError::Narrow { state, leaving: states[state].up + states[state].down }),
        None => Ok(()),
    }
}

fn states(doppler: f64, mean_snr: f64, slot: Duration, table: &Table) -> Vec<State> {
    let modes = table.modes();
    // Thresholds over the mean: 0, those of the modes, infinity.
    let edge = |at: usize| match at {
        0 => 0.0,
        at => modes.get(at - 1).map_or(f64::INFINITY, |mode| mode.threshold / mean_snr),
    };
    let crossings = |at: usize| match edge(at) {
        edge if edge.is_finite() => sqrt(TAU * edge) * doppler * exp(-edge) * slot.as_secs(),
        _ => 0.0,
    };
    let state = |at: usize| {
        let (low, high) = (edge(at), edge(at + 1));
        let probability = exp(-low) - exp(-high);
        // ∫ x e^{−x} dx from low to high, over the probability.
        let moment = |x: f64| if x.is_finite() { (1.0 + x) * exp(-x) } else { 0.0 };
        State {
            snr: mean_snr * (moment(low) - moment(high)) / probability,
            probability,
            up: crossings(at + 1) / probability,
            down: crossings(at) / probability,
        }
    };
    (0..=modes.len()).map(state).collect()
}

impl Markov {
    pub(super) fn new(doppler: f64, mean_snr: f64, slot: Duration, table: &Table, mut stream: Stream) -> Self {
        let states = states(doppler, mean_snr, slot, table);
        // The first state is drawn from the stationary distribution.
        let mut left = stream.uniform();
        let first = states.iter().position(|state| {
            left -= state.probability;
            left < 0.0
        });
        Self { doppler, now: first.unwrap_or(states.len() - 1), states, stream }
    }

    /// Changes the mean: the chain keeps its state, whose probabilities change.
    pub(super) fn change_mean(&mut self, mean_snr: f64, slot: Duration, table: &Table) {
        self.states = states(self.doppler, mean_snr, slot, table);
    }

    /// Signal-to-noise ratio of the next slot, the mean of its state.
    pub(super) fn next_snr(&mut self) -> f64 {
        let State { snr, up, down, .. } = self.states[self.now];
        let draw = self.stream.uniform();
        if draw < up {
            self.now += 1;
        } else if draw < up + down {
            self.now -= 1;
        }
        snr
    }
}
