//! Law of the paper, (21) of §IV. Every τ seconds, with ave_rtt the mean of the RTT over the last τ seconds, and
//! rtt_min the least ave_rtt so far, in seconds:
//!
//! * n ← βn + α/n if ave_rtt − rtt_min > γ·rtt_min
//! * n ← n + α/n otherwise
//!
//! MULTFRC, its predecessor over TFRC connections (M. Chen and A. Zakhor, INFOCOM 2004), increases likewise and
//! decreases by steps (§IV-C: IIAD): n ← n − β if ave_rtt − rtt_min > γ·rtt_min. With α = β = 1 and γ = 0.2 [not in the
//! text].
//!
//! **Where we differ**
//! * The text of §IV-C has the condition reversed; (21) has it right.
//! * n is at least 1. For β ≥ ½ that holds anyway; for smaller β the law would go below.
//! * A period without any RTT changes nothing.
//! * rtt_min is the least *mean* (§IV-B), not the least sample, and includes a permanent queue. With a `min_rtt_window`
//!   it is that of the last seconds (§IV-B has all), so that a longer path is eventually recognised.

use super::least::Least;
use super::params::{Kind, Params};
use super::sample::Sample;

/// n, and the mean of the current period.
#[derive(Clone, Debug)]
pub(super) struct Paper {
    pub n: f64,
    /// Seconds above rtt_min at the last update.
    pub queue: Option<f64>,
    /// Beginning of the current period.
    since: Option<f64>,
    sum: f64,
    count: f64,
    rtt_min: f64,
    least: Least,
}

impl Paper {
    pub fn new() -> Self {
        Self { n: 1.0, queue: None, since: None, sum: 0.0, count: 0.0, rtt_min: f64::INFINITY, least: Least::default() }
    }

    pub fn update(&mut self, params: &Params, sample: &Sample) {
        let since = *self.since.get_or_insert(sample.now);
        if let Some(rtt) = sample.rtt {
            self.sum += rtt;
            self.count += 1.0;
        }
        if sample.now - since < params.tau {
            return;
        }
        if self.count > 0.0 {
            self.decide(params, sample.now, self.sum / self.count);
        }
        (self.since, self.sum, self.count) = (Some(sample.now), 0.0, 0.0);
    }

    /// Begins rtt_min and the current period anew.
    pub fn forget_path(&mut self) {
        self.least = Least::default();
        (self.since, self.sum, self.count, self.queue) = (None, 0.0, 0.0, None);
    }

    fn decide(&mut self, params: &Params, now: f64, ave_rtt: f64) {
        self.rtt_min = self.least.see(now, ave_rtt, params.min_rtt_window);
        let queue = ave_rtt - self.rtt_min;
        self.queue = Some(queue);
        let is_congested = queue > params.threshold(self.rtt_min);
        let growth = params.alpha / self.n;
        let n = match (is_congested, params.law) {
            (true, Kind::Additive) => self.n - params.beta,
            (true, _) => params.beta * self.n + growth,
            (false, _) => self.n + growth,
        };
        self.n = n.max(1.0).min(f64::from(params.max));
    }
}
