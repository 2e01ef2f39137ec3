//! Illinois: Reno whose growth falls, and whose decrease rises, with the queueing delay.
//!
//! S. Liu, T. Başar and R. Srikant, "TCP-Illinois: A loss- and delay-based congestion control algorithm for high-speed
//! networks", Performance Evaluation 65(6–7), 2008, DOI 10.1016/j.peva.2007.12.007. Window W in packets; d_a is the
//! mean queueing delay of the last round trip and d_m the greatest ever, in seconds. Once per round trip, from W = 15
//! on:
//!
//! * α = 10 for d_a ≤ d_m/100, else κ₁/(κ₂ + d_a), from 10 down to 0.3 at d_m (Eq. 10)
//! * β = 1/8 for d_a ≤ d_m/10, 1/2 for d_a ≥ 8·d_m/10, a line between them (Eq. 11)
//! * below 15 packets α = 1 and β = 1/2, as Reno
//! * W < ssthresh: W ← W + acked; else W ← W + α·acked/W
//! * on loss: ssthresh ← max((1 − β)·flight, 2); W ← ssthresh
//! * on timeout: the same ssthresh, W ← 1, α ← 1, β ← 1/2
//!
//! After a longer delay α is 10 again only after `theta` round trips with a short one.
//!
//! Fluid: none. d_m follows from the buffer and from what losses leave of it, which a path of constant delay does not
//! have.
//!
//! **Where we differ**
//! * α and β are real numbers; Linux counts in 1/128 and 1/64.
//! * A loss leaves its share of the flight, as RFC 5681's half; in Linux of W.
//! * Delays in [`Ack::rtt`] are not cut at 3.3 s, as in Linux.

use crate::classic::{Avoidance, Classic};
use crate::{Ack, Congestion, CongestionKind};

params! {
    /// Parameters of [`Illinois`].
    Params {
        /// Least growth in packets per round trip, at the greatest delay, α_min.
        alpha_min: f64 = 0.3, from 0.01 to 1;
        /// Greatest growth in packets per round trip, without delay, α_max.
        alpha_max: f64 = 10, from 1 to 100;
        /// Least share of the window that a loss takes, β_min.
        beta_min: f64 = 0.125, from 0.01 to 0.5;
        /// Greatest share of the window that a loss takes, β_max.
        beta_max: f64 = 0.5, from 0.5 to 0.9;
        /// Window below which the law is Reno, in packets, W_thresh.
        win_thresh: f64 = 15, from 0 to 1000;
        /// Round trips with a short delay before growth is greatest again, θ.
        theta: f64 = 5, from 1 to 100;
    }
}

/// The law and its state.
pub type Illinois = Classic<Params>;

/// Delays of the connection, and what follows from them.
#[derive(Clone, Debug)]
pub struct Delays {
    /// Least and greatest round-trip time, in seconds.
    least: f64,
    greatest: f64,
    /// Sum and number of the samples of this round trip.
    sum: f64,
    count: f64,
    round: u64,
    alpha: f64,
    beta: f64,
    /// True if the delay was long, and the number of round trips with a short one since.
    was_long: bool,
    short: f64,
}

impl Default for Delays {
    fn default() -> Self {
        let (alpha, beta) = (Params::default().alpha_max, Params::default().beta_max);
        let (least, greatest, sum, count) = (f64::INFINITY, 0.0, 0.0, 0.0);
        Self { least, greatest, sum, count, round: 0, alpha, beta, was_long: false, short: 0.0 }
    }
}

/// Shares of the greatest delay: short for growth, and for the decrease short and long (the paper's η₁, η₂ and η₃).
const SHORT: f64 = 0.01;
const SMALL: f64 = 0.1;
const LONG: f64 = 0.8;

impl Params {
    /// Growth at a mean delay of `mean`, at most `most` (`alpha` of Linux).
    fn alpha(&self, delays: &mut Delays, mean: f64, most: f64) -> f64 {
        let short = most * SHORT;
        if mean > short {
            delays.was_long = true;
            let steepness = (self.alpha_max - self.alpha_min) / self.alpha_min;
            return (most - short) * self.alpha_max / ((most - short) + (mean - short) * steepness);
        }
        if delays.was_long {
            delays.short += 1.0;
            if delays.short < self.theta {
                return delays.alpha;
            }
            (delays.short, delays.was_long) = (0.0, false);
        }
        self.alpha_max
    }

    /// Share of the window that a loss takes.
    fn beta(&self, mean: f64, most: f64) -> f64 {
        let (small, long) = (most * SMALL, most * LONG);
        if mean <= small {
            self.beta_min
        } else if mean >= long {
            self.beta_max
        } else {
            self.beta_min + (self.beta_max - self.beta_min) * (mean - small) / (long - small)
        }
    }
}

impl Avoidance for Params {
    type State = Delays;

    fn begin(&self) -> Delays {
        Delays { alpha: self.alpha_max, beta: self.beta_max, ..Delays::default() }
    }

    #[inline]
    fn learn(&self, delays: &mut Delays, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            let rtt = rtt.as_secs();
            delays.least = delays.least.min(rtt);
            delays.greatest = delays.greatest.max(rtt);
            delays.sum += rtt;
            delays.count += 1.0;
        }
    }

    #[inline]
    fn measure(&self, delays: &mut Delays, cwnd: f64, ack: &Ack) {
        if ack.round == delays.round {
            return;
        }
        delays.round = ack.round;
        if cwnd < self.win_thresh {
            (delays.alpha, delays.beta) = (1.0, self.beta_max);
        } else if delays.count > 0.0 {
            let most = delays.greatest - delays.least;
            let mean = (delays.sum / delays.count - delays.least).max(0.0);
            delays.alpha = self.alpha(delays, mean, most);
            delays.beta = self.beta(mean, most);
        }
        (delays.sum, delays.count) = (0.0, 0.0);
    }

    #[inline]
    fn gain(&self, delays: &mut Delays, cwnd: f64, ack: &Ack) -> f64 {
        delays.alpha * ack.counted().count() / cwnd
    }

    fn ssthresh(&self, delays: &mut Delays, event: &Congestion) -> f64 {
        let left = (1.0 - delays.beta) * event.flight.count();
        if event.kind == CongestionKind::Timeout {
            let Delays { least, greatest, round, .. } = *delays;
            let reno = (1.0, self.beta_max);
            *delays = Delays { least, greatest, round, alpha: reno.0, beta: reno.1, ..Delays::default() };
        }
        left
    }

    fn observe(&self, delays: &Delays, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("alpha", delays.alpha);
        sink("beta", delays.beta);
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@article{liu2008illinois,
  author = {Shao Liu and Tamer Ba{\\c{s}}ar and R. Srikant},
  title = {{TCP-Illinois}: A Loss- and Delay-Based Congestion Control Algorithm for High-Speed Networks},
  journal = {Performance Evaluation},
  volume = {65}, number = {6--7}, pages = {417--440}, year = {2008},
  doi = {10.1016/j.peva.2007.12.007}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;
    use crate::testing::{ack, congestion, near, slow_ack};
    use windward_units::Packets;

    /// In congestion avoidance with a window of 100 packets (half of 200), and a greatest delay of 100 ms.
    fn avoiding() -> Illinois {
        let mut law = Illinois::new(Params::default(), Packets::new(200.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 200.0));
        near(law.window.cwnd, 100.0, 1e-12);
        (law.state.least, law.state.greatest) = (0.1, 0.2);
        law
    }

    /// A round trip whose samples are all `rtt` ms.
    fn round(law: &mut Illinois, number: u64, rtt: u64) {
        law.on_ack(&slow_ack(0, number, 100.0, rtt));
        (law.state.sum, law.state.count) = (0.0, 0.0);
    }

    /// Linux's comment: κ₁ = 99·0.3·10/9.7 = 30.619 ms and κ₂ = 99·0.3/9.7 − 1 = 2.0619 ms. At 50 ms α = 30.619/52.062
    /// = 0.588 12, at 100 ms 0.3, at 1 ms 10. β: at 10 ms 1/8, at 45 ms 1/8 + 3/8·35/70 = 0.3125, from 80 ms on 1/2.
    #[test]
    fn both_curves_by_hand() {
        let of = |rtt| {
            let mut law = avoiding();
            round(&mut law, 1, rtt);
            (law.state.alpha, law.state.beta)
        };
        for (rtt, alpha, beta) in [(101, 10.0, 0.125), (150, 0.588_12, 0.339_286), (200, 0.3, 0.5)] {
            let (a, b) = of(rtt);
            near(a, alpha, 1e-5);
            near(b, beta, 1e-6);
        }
        near(of(110).1, 0.125, 1e-12);
        near(of(145).1, 0.3125, 1e-12);
        near(of(180).1, 0.5, 1e-12);
    }

    /// 100 + 10/100 without delay; at 150 ms 100.1 + 0.588 12/100.1.
    #[test]
    fn growth_is_alpha_a_round_trip() {
        let mut law = avoiding();
        round(&mut law, 1, 100);
        near(law.window.cwnd, 100.1, 1e-12);
        round(&mut law, 2, 150);
        near(law.window.cwnd, 100.1 + 0.588_12 / 100.1, 1e-7);
    }

    /// After a long delay four short round trips keep α, and the fifth raises it to 10.
    #[test]
    fn growth_returns_after_five_round_trips() {
        let mut law = avoiding();
        round(&mut law, 1, 150);
        for number in 2..=5 {
            round(&mut law, number, 100);
            near(law.state.alpha, 0.588_12, 1e-5);
        }
        round(&mut law, 6, 100);
        near(law.state.alpha, 10.0, 1e-12);
    }

    /// Delay 45 ms: β = 0.3125, so 80 of the flight leave 55. A timeout makes it Reno until the next round trip.
    #[test]
    fn a_loss_takes_its_share() {
        let mut law = avoiding();
        round(&mut law, 1, 145);
        law.on_congestion(&congestion(CongestionKind::Loss, 80.0));
        near(law.window.cwnd, 55.0, 1e-12);
        law.on_congestion(&congestion(CongestionKind::Timeout, 40.0));
        near(law.window.ssthresh, 27.5, 1e-12);
        assert_eq!((law.window.cwnd, law.state.alpha, law.state.beta), (1.0, 1.0, 0.5));
    }

    #[test]
    fn a_small_window_is_renos() {
        let mut law = Illinois::new(Params::default(), Packets::new(20.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 20.0));
        law.on_ack(&ack(0, 1, 10.0));
        near(law.window.cwnd, 10.1, 1e-12);
        law.on_congestion(&congestion(CongestionKind::Loss, 10.0));
        near(law.window.cwnd, 5.0, 1e-12);
    }
}
