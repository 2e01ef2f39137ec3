//! The law of the paper, (21) of §IV. Every τ seconds, with ave_rtt the mean of the RTT over the last τ seconds, and
//! rtt_min the least ave_rtt so far, in seconds:
//!
//! * n ← βn + α/n if ave_rtt − rtt_min > γ·rtt_min
//! * n ← n + α/n otherwise
//!
//! **Where we differ**
//! * The text of §IV-C has the condition the wrong way round; (21) has it right.
//! * n is at least 1. For β ≥ ½ the law sees to it by itself; for smaller β it does not.
//! * A period without any RTT changes nothing.
//! * rtt_min is the least *mean* (§IV-B), not the least sample; a queue that stands all the time is in it.

use super::params::Params;
use super::sample::Sample;

/// n, and the mean of the running period.
#[derive(Clone, Debug)]
pub(super) struct Paper {
    pub n: f64,
    /// Seconds above rtt_min at the last update.
    pub queue: Option<f64>,
    /// When the running period began.
    since: Option<f64>,
    sum: f64,
    count: f64,
    rtt_min: f64,
}

impl Paper {
    pub fn new() -> Self {
        Self { n: 1.0, queue: None, since: None, sum: 0.0, count: 0.0, rtt_min: f64::INFINITY }
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
            self.decide(params, self.sum / self.count);
        }
        (self.since, self.sum, self.count) = (Some(sample.now), 0.0, 0.0);
    }

    fn decide(&mut self, params: &Params, ave_rtt: f64) {
        self.rtt_min = self.rtt_min.min(ave_rtt);
        let queue = ave_rtt - self.rtt_min;
        self.queue = Some(queue);
        let kept = if queue > params.threshold(self.rtt_min) { params.beta * self.n } else { self.n };
        self.n = (kept + params.alpha / self.n).max(1.0).min(f64::from(params.max));
    }
}
