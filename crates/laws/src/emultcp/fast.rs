//! E-MULTCP for files that take a minute.
//!
//! With q the queue rtt − rtt_min, smoothed over 0.2 τ, and θ = max(γ·rtt_min, floor) the longest that is none, both in
//! seconds, the slack is e = (θ − q)/θ: 1 where no queue is seen, 0 at the threshold, −1 at twice the threshold and
//! beyond. In connections a second:
//!
//! * start: dn/dt = (ln 2/τ)·n·min(2e, 1) while e ≥ 0: doubles in τ while less than half the threshold is seen, which
//!   delayed ACKs and timers alone can make. The start ends when a queue has taken away a tenth of the most there were.
//! * after it: dn/dt = (α/n + κ·n)·e/τ while e ≥ 0, κ = 0.04. The term α/n is the paper's; κ·n finds the way back from a
//!   decrease within seconds at any n.
//! * at any time: dn/dt = (ln β/τ)·n·|e| while e < 0, the paper's βn per τ at twice the threshold.
//! * blindness: for 2·settle seconds after a connection opened no queue lowers n: its slow start makes one. It stops
//!   growth all the same.
//! * hold: where the second connection closes within 15 s, n is 1 and stays there, for 32 s the first time and 64 s each
//!   time after. A second connection that only makes a queue was a mistake: the
//!   server's law fills the link alone (BBR), or others do.
//! * window: where it is given, the least RTT is that of the last so many seconds, so that a path that has become longer is
//!   known in the end.
//! * memory: a transfer begins with half of what the last one from the same host ended with.
//!
//! n changes with the evidence instead of by whole steps at the end of a long period, because a minute has three of the
//! paper's periods.

use super::least::Least;
use super::params::Params;
use super::sample::Sample;
use core::f64::consts::LN_2;

/// Time constant of the smoothed queue, in τ.
const SMOOTHING: f64 = 0.2;
/// κ, the share of n added in τ without a queue.
const RECOVERY: f64 = 0.04;
/// Below this share of the most connections there were, the start is over.
const START_KEEPS: f64 = 0.9;
/// Blindness after a connection opened, in settling times.
const BLINDNESS: f64 = 2.0;
/// Seconds that n stays at 1 after it came back, at first and at most.
const FIRST_HOLD: f64 = 32.0;
const LONGEST_HOLD: f64 = 64.0;
/// An excursion from n = 1 that lasts so many seconds was no mistake.
const LONG_EXCURSION: f64 = 15.0;
/// How far below the number of connections n falls before one closes.
pub(super) const CLOSING: f64 = 0.5;

/// n, and what it rests on.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    pub n: f64,
    /// The smoothed queue, in seconds.
    pub queue: Option<f64>,
    last: Option<f64>,
    is_start: bool,
    most: f64,
    connections: u32,
    blind_until: f64,
    excursion: Option<f64>,
    hold: f64,
    held_until: f64,
    least: Least,
}

impl Fast {
    pub fn new(params: &Params, remembered: Option<f64>) -> Self {
        // A maximum with NaN is the other number.
        let n = f64::max(remembered.unwrap_or(1.0) / 2.0, 1.0).min(f64::from(params.max));
        Self {
            n,
            queue: None,
            last: None,
            is_start: true,
            most: n,
            connections: 0,
            blind_until: f64::NEG_INFINITY,
            excursion: None,
            hold: FIRST_HOLD,
            held_until: f64::NEG_INFINITY,
            least: Least::default(),
        }
    }

    pub fn update(&mut self, params: &Params, sample: &Sample) {
        let last = self.last.replace(sample.now).unwrap_or(sample.now);
        if sample.connections > self.connections {
            self.blind_until = sample.now + BLINDNESS * params.settle;
        }
        self.connections = sample.connections;
        let Some(rtt) = sample.rtt.filter(|_| sample.rtt_min.is_finite()) else {
            return;
        };
        // A host that was asleep has not seen what happened meanwhile.
        let part = ((sample.now - last) / params.tau).clamp(0.0, 1.0);
        let rtt_min = match params.window > 0.0 {
            // The host's is the least ever.
            true => f64::max(sample.rtt_min, self.least.see(sample.now, rtt, params.window)),
            false => sample.rtt_min,
        };
        let slack = self.slack(rtt - rtt_min, params.threshold(rtt_min), part);
        if slack >= 0.0 {
            if sample.now >= self.held_until {
                self.grow(params, slack, part);
            }
        } else if sample.now >= self.blind_until {
            self.shrink(params, -slack * part);
        }
        self.watch_excursion(sample.now);
    }

    /// e.
    fn slack(&mut self, queue: f64, threshold: f64, part: f64) -> f64 {
        let old = self.queue.unwrap_or(queue.max(0.0));
        let smoothed = old + (queue.max(0.0) - old) * (1.0 - libm::exp(-part / SMOOTHING));
        self.queue = Some(smoothed);
        ((threshold - smoothed) / threshold).clamp(-1.0, 1.0)
    }

    fn grow(&mut self, params: &Params, slack: f64, part: f64) {
        let growth = if self.is_start {
            LN_2 * self.n * (2.0 * slack).min(1.0)
        } else {
            (params.alpha / self.n + RECOVERY * self.n) * slack
        };
        self.n = (self.n + growth * part).min(f64::from(params.max));
        self.most = self.most.max(self.n);
    }

    fn shrink(&mut self, params: &Params, amount: f64) {
        self.n = (self.n * libm::pow(params.beta, amount)).max(1.0);
        self.is_start &= self.n > (START_KEEPS * self.most).max(1.0);
    }

    fn watch_excursion(&mut self, now: f64) {
        match self.excursion {
            None if self.n >= 2.0 => self.excursion = Some(now),
            Some(since) if now - since > LONG_EXCURSION => self.hold = FIRST_HOLD,
            _ => {}
        }
        // Here the second connection closes, and with it what showed that it was too many.
        if self.n < 2.0 - CLOSING
            && let Some(since) = self.excursion.take()
            && now - since <= LONG_EXCURSION
        {
            self.n = 1.0;
            self.held_until = now + self.hold;
            self.hold = (2.0 * self.hold).min(LONGEST_HOLD);
        }
    }
}
