//! E-MULTCP for files that take a minute. With q the queue, rtt − rtt_min smoothed over τ, in seconds, and θ =
//! max(γ·rtt_min, floor) the longest that is no congestion, e = (θ − q)/θ, from 1 where no queue is seen, through 0 at
//! the threshold, clipped at −1. Continuously in time, in connections a second:
//!
//! * start: dn/dt = (ln 2/τ)·n·e: doubles in τ while no queue is seen; ends where e < 0
//! * then, e ≥ 0: dn/dt = (α/n + κ·n·e)/τ
//! * e < 0: dn/dt = (ln β/τ)·n·|e|, the paper's βn at twice the threshold
//! * hold: each time that n comes back to 1 it stays there twice as long as the last time

use super::{Params, Sample};

/// Share of n added in τ where no queue is seen, once the start is over.
const RECOVERY: f64 = 0.2;
/// Seconds that n stays at 1 after it came back the first time, and at most.
const FIRST_HOLD: f64 = 4.0;
const LONGEST_HOLD: f64 = 64.0;
/// n above which an excursion was no mistake.
const FAR: f64 = 4.0;

/// n, and what it rests on.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    pub n: f64,
    /// The smoothed queue, in seconds.
    pub queue: Option<f64>,
    is_start: bool,
    last: Option<f64>,
    hold: f64,
    held_until: f64,
    is_out: bool,
}

impl Fast {
    pub fn new(params: &Params, remembered: Option<f64>) -> Self {
        let n = remembered.map_or(1.0, |n| (n / 2.0).max(1.0).min(f64::from(params.max)));
        Self {
            n,
            queue: None,
            is_start: true,
            last: None,
            hold: FIRST_HOLD,
            held_until: f64::NEG_INFINITY,
            is_out: false,
        }
    }

    pub fn update(&mut self, params: &Params, sample: &Sample) {
        let span = (sample.now - self.last.replace(sample.now).unwrap_or(sample.now)).clamp(0.0, params.tau);
        let Some(rtt) = sample.rtt.filter(|_| sample.rtt_min.is_finite()) else {
            return;
        };
        let part = span / params.tau;
        let queue = (rtt - sample.rtt_min).max(0.0);
        let smoothed = self.queue.map_or(queue, |old| old + (queue - old) * (1.0 - libm::exp(-part)));
        self.queue = Some(smoothed);
        let threshold = params.threshold(sample.rtt_min);
        let slack = ((threshold - smoothed) / threshold).clamp(-1.0, 1.0);
        let most = f64::from(params.max);
        if slack >= 0.0 {
            if sample.now < self.held_until {
                return;
            }
            let growth = if self.is_start {
                self.n * slack * core::f64::consts::LN_2
            } else {
                params.alpha / self.n + RECOVERY * self.n * slack
            };
            self.n = (self.n + growth * part).min(most);
        } else {
            self.is_start = false;
            self.n = (self.n * libm::pow(params.beta, -slack * part)).max(1.0);
        }
        if self.n >= FAR {
            self.hold = FIRST_HOLD;
        }
        if self.n >= 2.0 {
            self.is_out = true;
        } else if self.n <= 1.0 && self.is_out {
            self.is_out = false;
            self.held_until = sample.now + self.hold;
            self.hold = (2.0 * self.hold).min(LONGEST_HOLD);
        }
    }
}
