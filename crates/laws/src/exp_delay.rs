//! Exponential map from queueing delay to rate: an error of the delay costs the same ratio on any link.
//!
//! Laws that rest at x·q = p turn an error Δ of the queueing delay into a ratio of rates that grows with the link,
//! about Δ·c/p (`docs/concepts/starvation.md`). The map from delay to rate fixes this robustness, and the range of
//! rates with it: A. Agarwal, V. Arun and S. Seshan, "Contracts: A Unified Lens on Congestion Control Robustness,
//! Fairness, Congestion, and Generality", NINeS 2026, DOI 10.4230/OASIcs.NINeS.2026.8. The law here has the map whose
//! ratio is constant. Window W in packets, RTTs, q and τ in seconds, X in packets per second:
//!
//! * AvgRTT ← AvgRTT + (RTT − AvgRTT)/W per sample, the mean of about a round trip; q = max(0, AvgRTT − BaseRTT)
//! * W ← W + γ·min{1, τ/AvgRTT}·(X·e^(−q/τ)·AvgRTT − W) per round trip, between W/2 and 2·W
//! * on loss: W ← max(flight/2, 2); on timeout: W ← 1
//!
//! Fluid: dW/dt = γ·min{1, τ/(d + q)}·(X·e^(−q/τ)·(d + q) − W), the unit of t the time from one step to the next, of
//! which the packet law makes one per round trip, less the half that a loss takes (its mean:
//! `shared/losses.rs`). At rest without losses x = X·e^(−q/τ). The price is q, the utility
//! τ·x·(1 + ln(X/x)). n flows keep a queue of q = τ·ln(n·X/c) on a link of c packets per second. Two flows whose
//! queueing delays differ by an error Δ have the rates 1 : e^(Δ/τ).
//!
//! The step's factor τ/AvgRTT keeps the loop gain: one flow's queue answers a window by 1/c, the aim X·e^(−q/τ)·RTT
//! answers the queue by −c·RTT/τ, so that a step removes γ·min{RTT/τ, 1} of the distance from rest.
//!
//! **Where we differ**
//! * The paper derives trade-offs of such maps, not this law: smoothing, step and reactions to loss are ours.
//! * There is no slow start of its own: without a queue the aim is X·d, and a window of ACKs at most doubles the
//!   window.

use crate::fluid::turn;
use crate::shared::losses::Losses;
use crate::shared::{LOSS_FLOOR, half_flight};
use crate::{Ack, Congestion, CongestionKind, FluidLaw, FluidPath, Law, Needs, TimeUnit, Utility};
use windward_units::Packets;

params! {
    /// Parameters of [`ExpDelay`].
    Params {
        /// Rate X without a queue, in packets per second; more than the flow's share of any link.
        rate: f64 = 100000, from 1 to 1e9, note " (1.2 Gbit/s of 1500 B)";
        /// Queueing delay τ over which the rate falls to 1/e, in seconds.
        tau: f64 = 0.0144, from 1e-5 to 100, note " (10 ms of error cost a ratio of 2)";
        /// Step size γ.
        gamma: f64 = 0.5, from 0.001 to 1;
    }
}

impl Params {
    /// Window at rest for a round-trip time of `rtt` seconds, of which `queued` are queueing.
    #[inline]
    fn aim(&self, queued: f64, rtt: f64) -> f64 {
        self.rate * libm::exp(-queued / self.tau) * rtt
    }

    /// Change of the window `cwnd` in one step.
    #[inline]
    fn step(&self, cwnd: f64, queued: f64, rtt: f64) -> f64 {
        self.gamma * (self.tau / rtt).min(1.0) * (self.aim(queued, rtt) - cwnd)
    }

    /// Change of the mean window per step: each loss halves it.
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let (queued, rtt) = (path.queue_delay.as_secs(), path.rtt());
        Losses::HALVE.change(cwnd, path.loss, |cwnd| self.step(cwnd, queued, rtt))
    }
}

/// The law and its state.
#[derive(Clone, Debug)]
pub struct ExpDelay {
    params: Params,
    cwnd: f64,
    /// AvgRTT in seconds; zero before the first sample.
    avg_rtt: f64,
}

impl ExpDelay {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        Self { params, cwnd: initial.count(), avg_rtt: 0.0 }
    }
}

impl Law for ExpDelay {
    const NEEDS: Needs = Needs { reads_base_rtt: true, counts_acks: false, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            let rtt = rtt.as_secs();
            let weight = if self.avg_rtt == 0.0 { 1.0 } else { 1.0 / self.cwnd.max(1.0) };
            self.avg_rtt += weight * (rtt - self.avg_rtt);
        }
        if ack.app_limited || ack.recovering || self.avg_rtt == 0.0 {
            return;
        }
        let queued = (self.avg_rtt - ack.base_rtt.as_secs()).max(0.0);
        let step = self.params.step(self.cwnd, queued, self.avg_rtt) / self.cwnd;
        self.cwnd = (self.cwnd + ack.acked.count() * step.clamp(-MOST_DOWN, MOST_UP)).max(LOSS_FLOOR);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.cwnd = if event.kind == CongestionKind::Timeout { 1.0 } else { half_flight(event).min(self.cwnd) };
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.cwnd)
    }

    fn on_idle(&mut self, cwnd: Packets) {
        self.cwnd = self.cwnd.min(cwnd.count());
    }

    fn on_undo(&mut self, before: Packets) {
        self.cwnd = self.cwnd.max(before.count());
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("avg_rtt", self.avg_rtt);
    }
}

impl FluidLaw for Params {
    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        out[0] = self.slope(state[0], path);
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        if path.loss > 0.0 {
            return turn(|cwnd| self.slope(cwnd, path) > 0.0);
        }
        Some(Packets::new(self.aim(path.queue_delay.as_secs(), path.rtt())))
    }

    fn time_unit(&self) -> TimeUnit {
        TimeUnit::Steps
    }

    fn adds_losses(&self) -> bool {
        true
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        (path.loss == 0.0).then_some(Utility::Entropy { peak: self.rate, scale: self.tau })
    }
}

/// Largest increase per window of ACKs, as a share of the window.
const MOST_UP: f64 = 1.0;

/// Largest decrease per window of ACKs, as a share of the window, that of a loss.
const MOST_DOWN: f64 = 0.5;

/// BibTeX entry.
pub const BIBTEX: &str = "@inproceedings{agarwal2026contracts,
  author = {Anup Agarwal and Venkat Arun and Srinivasan Seshan},
  title = {Contracts: A Unified Lens on Congestion Control Robustness, Fairness, Congestion, and Generality},
  booktitle = {1st New Ideas in Networked Systems (NINeS 2026)},
  series = {Open Access Series in Informatics}, volume = {139}, pages = {8:1--8:30}, year = {2026},
  doi = {10.4230/OASIcs.NINeS.2026.8}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use windward_units::Duration;

    /// X = 1000 packets/s, halved by each 50 ms of queue: τ = 50 ms/ln 2 = 72.1348 ms.
    const HALVED: Params = Params { rate: 1000.0, tau: 0.072_134_752, gamma: 0.5 };

    #[test]
    fn an_ack_makes_its_share_of_a_step() {
        // 50 ms of queue: 500 packets/s, 75 packets in 150 ms. The step at 100 is ½·(72.1348/150)·(75 − 100) =
        // −6.011 23, an ACK's share a hundredth of it.
        let mut law = ExpDelay::new(HALVED, Packets::new(100.0));
        law.on_ack(&slow_ack(1000, 0, 100.0, 150));
        near(law.cwnd().count(), 100.0 - 0.060_112_3, 1e-7);
    }

    #[test]
    fn without_a_queue_it_doubles_at_most() {
        // The aim of 100 000 packets/s in 100 ms is 10 000 packets. ½·0.144·(10 000 − 10) = 719.28 packets per window
        // are cut to 10, one per ACK.
        let mut law = ExpDelay::new(Params::default(), Packets::new(10.0));
        law.on_ack(&ack(1000, 0, 10.0));
        near(law.cwnd().count(), 11.0, 1e-12);
    }

    #[test]
    fn a_long_queue_takes_half_at_most() {
        // 200 ms of queue: X·e^(−200/14.4) = 0.093 packets/s. ½·(14.4/300)·W is less than a half: 2.4 % of the window,
        // and an ACK's share is its 100th part.
        let mut law = ExpDelay::new(Params::default(), Packets::new(100.0));
        law.on_ack(&slow_ack(1000, 0, 100.0, 300));
        near(law.cwnd().count(), 100.0 - 0.024, 1e-4);
        // With γ = 1 and τ of 1 s a step is as long as its aim, but for the cut to a half.
        let params = Params { tau: 1.0, gamma: 1.0, rate: 1.0 };
        let mut law = ExpDelay::new(params, Packets::new(100.0));
        law.on_ack(&slow_ack(1000, 0, 100.0, 300));
        near(law.cwnd().count(), 99.5, 1e-12);
    }

    #[test]
    fn the_average_is_that_of_a_window() {
        // 150 ms, then 150 + (250 − 150)/100 ms, with a window of 100 packets but for a tenth.
        let mut law = ExpDelay::new(HALVED, Packets::new(100.0));
        law.on_ack(&slow_ack(1000, 0, 100.0, 150));
        law.on_ack(&slow_ack(1001, 0, 100.0, 250));
        let mut average = f64::NAN;
        law.observe(&mut |_, value| average = value);
        near(average, 0.151, 1e-6);
    }

    #[test]
    fn losses_halve_and_timeouts_leave_one() {
        let mut law = ExpDelay::new(HALVED, Packets::new(100.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 80.0));
        assert_eq!(law.cwnd(), Packets::new(40.0));
        law.on_undo(Packets::new(100.0));
        assert_eq!(law.cwnd(), Packets::new(100.0));
        law.on_congestion(&congestion(CongestionKind::Timeout, 80.0));
        assert_eq!(law.cwnd(), Packets::ONE);
    }

    #[test]
    fn the_fluid_rests_where_the_map_says() {
        // 50 ms of queue on 100 ms: 75 packets, and there the slope is nothing; at 100 it is that of the packet law.
        let path = FluidPath {
            base_rtt: Duration::from_millis(100),
            queue_delay: Duration::from_millis(50),
            loss: 0.0,
            marks: 0.0,
        };
        near(HALVED.equilibrium(&path).unwrap().count(), 75.0, 1e-6);
        let mut out = [f64::NAN];
        HALVED.derivative(&[100.0], &path, &mut out);
        near(out[0], -6.011_23, 1e-5);
    }
}
