//! Rules of adaptive bit rates, as functions of the buffer and of past downloads.

use super::config::{AbrRule, Estimate, VideoConfig};
use super::mpc;
use std::collections::VecDeque;

/// Downloads that the harmonic mean and the error of the prediction cover.
const RECENT: usize = 5;

/// Circumstances of a choice.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Number of the chunk.
    pub chunk: u32,
    /// Buffered playing time in seconds.
    pub buffer: f64,
    /// Level of the chunk before; `None` for the first.
    pub last: Option<usize>,
}

/// Throughputs of past downloads.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The last ones in bits per second, the newest last.
    rates: VecDeque<f64>,
    /// Relative errors of the predictions of these downloads.
    errors: VecDeque<f64>,
    /// Averages with half-lives of 3 s and 8 s, and the weight of their start.
    averages: [(f64, f64); 2],
}

/// Half-lives of the averages in seconds.
const HALF_LIVES: [f64; 2] = [3.0, 8.0];

impl History {
    /// Notes a download of `bits` within `seconds`, which is positive.
    pub fn add(&mut self, bits: f64, seconds: f64) {
        let rate = bits / seconds;
        if let Some(predicted) = self.harmonic() {
            keep(&mut self.errors, (predicted - rate).abs() / rate);
        }
        keep(&mut self.rates, rate);
        for ((average, start), half_life) in self.averages.iter_mut().zip(HALF_LIVES) {
            if self.rates.len() == 1 {
                *start = 1.0;
            }
            let old = libm::exp2(-seconds / half_life);
            *average = old * *average + (1.0 - old) * rate;
            *start *= old;
        }
    }

    /// Harmonic mean of the last downloads; `None` before the first.
    pub fn harmonic(&self) -> Option<f64> {
        let inverse: f64 = self.rates.iter().map(|rate| 1.0 / rate).sum();
        (!self.rates.is_empty()).then(|| self.rates.len() as f64 / inverse)
    }

    /// The harmonic mean divided by 1 + the largest error of the last predictions.
    fn robust(&self) -> Option<f64> {
        Some(self.harmonic()? / (1.0 + self.errors.iter().copied().fold(0.0, f64::max)))
    }

    /// The lesser average.
    fn ewma(&self) -> Option<f64> {
        let [fast, slow] = self.averages.map(|(average, start)| average / (1.0 - start));
        (!self.rates.is_empty()).then(|| fast.min(slow))
    }
}

fn keep(values: &mut VecDeque<f64>, value: f64) {
    if values.len() == RECENT {
        values.pop_front();
    }
    values.push_back(value);
}

impl AbrRule {
    /// Throughput in bits per second that the rule expects; `None` if it does not look at it.
    pub fn expected(&self, history: &History) -> Option<f64> {
        match self {
            Self::Throughput { estimate: Estimate::Harmonic, .. } | Self::Mpc { is_robust: false, .. } => {
                history.harmonic()
            }
            Self::Throughput { estimate: Estimate::Ewma, .. } => history.ewma(),
            Self::Mpc { is_robust: true, .. } => history.robust(),
            Self::Buffer { .. } | Self::Bba { .. } | Self::Bola { .. } => None,
        }
    }

    /// Level of a chunk.
    pub fn level(&self, config: &VideoConfig, view: View, history: &History) -> usize {
        let Some(last) = view.last else { return 0 };
        let top = config.ladder.len() - 1;
        let rate = |level: usize| config.ladder[level].as_bits_per_sec() as f64;
        match *self {
            Self::Throughput { safety, .. } => {
                let most = self.expected(history).unwrap_or(0.0) * safety;
                (0..=top).rev().find(|&level| rate(level) <= most).unwrap_or(0)
            }
            Self::Buffer { reservoir, cushion } => {
                let share = (view.buffer - reservoir.as_secs()) / cushion.as_secs();
                libm::floor(share.clamp(0.0, 1.0) * top as f64) as usize
            }
            Self::Bba { reservoir, cushion } => {
                let share = (view.buffer - reservoir.as_secs()) / cushion.as_secs();
                if share <= 0.0 {
                    return 0;
                }
                if share >= 1.0 {
                    return top;
                }
                let mapped = rate(0) + share * (rate(top) - rate(0));
                if mapped >= rate((last + 1).min(top)) {
                    (0..=top).rev().find(|&level| rate(level) < mapped).unwrap_or(0)
                } else if mapped <= rate(last.saturating_sub(1)) {
                    (0..=top).find(|&level| rate(level) > mapped).unwrap_or(top)
                } else {
                    last
                }
            }
            Self::Bola { gamma, .. } => {
                let v = self.bola_v(config);
                let score = |level: usize| (v * (utility(config, level) + gamma) - view.buffer) / config.bits(level);
                // Of equal scores the higher level (dash.js).
                (1..=top).fold(0, |best, level| if score(level) >= score(best) { level } else { best })
            }
            Self::Mpc { horizon, .. } => {
                let predicted = self.expected(history).unwrap_or(0.0);
                mpc::level(config, view.chunk, (view.buffer, last), predicted, horizon)
            }
        }
    }

    /// Most buffered playing time in seconds at which the player asks for another chunk.
    pub fn most_buffer(&self, config: &VideoConfig) -> f64 {
        let room = config.buffer.saturating_sub(config.chunk).as_secs();
        match *self {
            Self::Bola { gamma, .. } => {
                room.min(self.bola_v(config) * (utility(config, config.ladder.len() - 1) + gamma))
            }
            _ => room,
        }
    }

    /// V of BOLA in seconds.
    fn bola_v(&self, config: &VideoConfig) -> f64 {
        let Self::Bola { gamma, buffer } = *self else { return 0.0 };
        buffer.saturating_sub(config.chunk).as_secs() / (utility(config, config.ladder.len() - 1) + gamma)
    }
}

/// Utility of a level in BOLA.
fn utility(config: &VideoConfig, level: usize) -> f64 {
    libm::log(config.bits(level) / config.bits(0))
}
