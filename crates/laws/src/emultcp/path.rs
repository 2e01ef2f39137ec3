//! Measurements of a path, from which the fast law decides.
//!
//! * q: rtt − rtt_min, smoothed over 0.2 τ; x: the rate, smoothed alike; X: its maximum of 20 τ.
//! * e: the slack (θ − q)/θ, from −1 to 1, with the threshold θ = max(γ·rtt_min, floor).
//! * m: the unused share max(1 − x/(0.95·X), (t/9 s)²), with t the time since the last queue. A path that carried more
//!   is filled at once, and one that was never full is tried ever faster.

use super::constants::GROWTH;
use super::least::Least;
use super::params::Params;
use super::sample::Sample;
use super::smooth::smoothed;

/// State of a path at an update.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// Base RTT in seconds.
    pub rtt_min: f64,
    /// e.
    pub slack: f64,
    /// x in bit/s.
    pub rate: f64,
    /// X in bit/s.
    pub peak: f64,
    /// m.
    pub unused: f64,
}

/// Filters of the measurements.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    /// q in seconds; `None` before the first RTT.
    pub queue: Option<f64>,
    /// Time of the last queue, or of the transfer's beginning.
    pub queued_at: f64,
    rate: f64,
    peak: Least,
    least: Least,
    /// Least RTT of the host, and the time at which it was found.
    ever: (f64, f64),
}

impl Meter {
    pub fn new() -> Self {
        Self {
            queue: None,
            queued_at: f64::NAN,
            rate: 0.0,
            peak: Least::default(),
            least: Least::default(),
            ever: (f64::INFINITY, f64::NAN),
        }
    }

    /// The least RTT of the last `window` seconds, or of all if that is 0: the host's least, and the least mean of a
    /// sample once that is older. A mean has the standing queue of a full path in it.
    fn rtt_min(&mut self, window: f64, sample: &Sample, rtt: f64) -> f64 {
        if window <= 0.0 {
            return sample.rtt_min;
        }
        let mean = self.least.see(sample.now, rtt, window);
        if sample.rtt_min < self.ever.0 || rtt <= self.ever.0 {
            self.ever = (sample.rtt_min, sample.now);
        }
        if sample.now - self.ever.1 <= window { sample.rtt_min } else { f64::max(sample.rtt_min, mean) }
    }

    /// Takes a sample with this RTT after a `part` of τ.
    pub fn measure(&mut self, params: &Params, sample: &Sample, rtt: f64, part: f64) -> Path {
        let rtt_min = self.rtt_min(params.min_rtt_window, sample, rtt);
        let queue = (rtt - rtt_min).max(0.0);
        let queue = smoothed(self.queue.unwrap_or(queue), queue, part, GROWTH.smoothing);
        self.queue = Some(queue);
        let threshold = params.threshold(rtt_min);
        self.rate = smoothed(self.rate, sample.rate, part, GROWTH.smoothing);
        let peak = self.peak.see_most(sample.now, self.rate, GROWTH.memory * params.tau);
        let unfilled = (sample.now - self.queued_at) / GROWTH.unfilled;
        Path {
            rtt_min,
            slack: ((threshold - queue) / threshold).clamp(-1.0, 1.0),
            rate: self.rate,
            peak,
            // A maximum with NaN, which 0/0 is, is the other number.
            unused: f64::max(1.0 - self.rate / (GROWTH.full_share * peak), unfilled * unfilled).clamp(0.0, 1.0),
        }
    }
}

impl Path {
    /// True if the queue is longer than θ.
    pub fn has_queue(&self) -> bool {
        self.slack < 0.0
    }
}
