//! Vegas: keeps between α and β packets in the queue.
//!
//! L. S. Brakmo and L. L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC 13(8),
//! 1995, DOI 10.1109/49.464716. Once per round trip, with the window W in packets that made this round, the round's RTT
//! and the least RTT ever, both in seconds:
//!
//! * diff = (W/base_rtt − W/rtt) · base_rtt = W·(1 − base_rtt/rtt), the packets waiting in queues
//! * congestion avoidance: diff < α: W grows by 1 over the next round trip; diff > β: W ← W − 1; else nothing
//! * slow start: W doubles every other round trip; after each one at rest, diff > γ ends it with W ← W − W/8
//! * on loss: W ← ¾·W; on timeout: ssthresh ← max(flight/2, 2), W ← 2, slow start
//!
//! Fluid: dW/dt = ±1/rtt packets per second where diff leaves [α, β], less the quarter that a loss takes (the paper has
//! no losses here; their mean: `shared/losses.rs`). Without losses it rests anywhere between, we name the middle
//! m = (α + β)/2: W = m·rtt/q. The price is the queueing delay q: U(x) = m·ln x (Low, Peterson and Wang, J. ACM 2002).
//!
//! **Where we differ**
//! * Backlog is W·q/rtt, as in the paper, ns-2 and ns-3; Linux computes W·q/base_rtt, which is larger.
//! * A round's RTT is its least sample, which hides delayed ACKs, as in Linux; ns-2 takes the mean, the paper one
//!   segment's. W is the flight at the sending of the segment that ends the round.
//! * In congestion avoidance a round with fewer than 3 samples, if the window has room for as many, does not measure
//!   the queue: W grows by 1 over the next round trip, as in Linux.
//! * ¾ on loss is the factor of ns-2 and the authors' code for a segment lost once; a loss of the retransmission
//!   appears here as a timeout. Linux halves. The finer retransmission clock of the paper belongs to the host.

use crate::fluid::{passed, turn};
use crate::shared::losses::Losses;
use crate::shared::{LOSS_FLOOR, Refusal, RoundTrip, half_flight, queued, slow_start};
use crate::window::Window;
use crate::{Ack, Congestion, CongestionKind, FluidLaw, FluidPath, Law, Needs};
use windward_units::Packets;

params! {
    /// Parameters of [`Vegas`].
    Params check is_ordered {
        /// Packets in queues below which the window grows, α.
        alpha: f64 = 2, in TARGET, note " (Vegas-2,4; ns-2: 1)";
        /// Packets in queues above which the window shrinks, β; at least `alpha`.
        beta: f64 = 4, in TARGET, note " (Vegas-2,4; ns-2: 3)";
        /// Packets in queues above which slow start ends, γ.
        gamma: f64 = 1, in TARGET;
    }
}

impl Params {
    /// Refuses a band without width.
    fn is_ordered(&self) -> Result<(), Refusal> {
        if self.alpha <= self.beta {
            Ok(())
        } else {
            Err(("beta", format!("{} is below alpha, {}", self.beta, self.alpha)))
        }
    }

    /// Change of the mean window per round trip: each loss takes a quarter of it.
    fn change(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let share = path.queued_share();
        Losses::TAKE_A_QUARTER.change(cwnd, path.loss, |cwnd| {
            let diff = cwnd * share;
            if path.loss > 0.0 {
                // Losses hold the window at the edge of the band, where its growth jumps.
                return 1.0 - passed(diff, self.alpha) - passed(diff, self.beta);
            }
            f64::from(i8::from(diff < self.alpha) - i8::from(diff > self.beta))
        })
    }

    /// Middle of the band.
    fn middle(&self) -> Packets {
        Packets::new((self.alpha + self.beta) / 2.0)
    }
}

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Vegas {
    params: Params,
    window: Window,
    growth: Growth,
    round: RoundTrip,
    /// Packets in queues as last computed, and the round-trip time in seconds that they were computed from.
    diff: f64,
    rtt: f64,
}

/// Window growth during the current round trip.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Growth {
    None,
    Linear,
    Double,
}

impl Vegas {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        Self {
            params,
            window: Window::new(initial),
            growth: Growth::Double,
            round: RoundTrip::new(),
            diff: 0.0,
            rtt: 0.0,
        }
    }

    fn decide(&mut self, samples: u32) {
        if self.window.is_slow_start() {
            self.growth = match self.growth {
                Growth::Double => Growth::None,
                _ if self.diff <= self.params.gamma => Growth::Double,
                _ => {
                    self.leave_slow_start(self.window.cwnd * 7.0 / 8.0);
                    Growth::None
                }
            };
        } else {
            self.growth = Growth::None;
            // In whole packets: a window of 2.9 never brings three samples.
            if f64::from(samples) < self.window.cwnd.trunc().min(3.0) {
                self.growth = Growth::Linear;
            } else if self.diff > self.params.beta {
                self.window.cwnd = (self.window.cwnd - 1.0).max(LOSS_FLOOR);
            } else if self.diff < self.params.alpha {
                self.growth = Growth::Linear;
            }
        }
    }

    fn leave_slow_start(&mut self, cwnd: f64) {
        (self.window.cwnd, self.window.ssthresh) = (cwnd.max(LOSS_FLOOR), LOSS_FLOOR);
    }
}

impl Law for Vegas {
    const NEEDS: Needs = Needs { reads_base_rtt: true, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let ended = self.round.on_ack(ack);
        if ack.app_limited || ack.recovering {
            return;
        }
        if let Some(ended) = ended
            && let Some(rtt) = ended.min_rtt
        {
            self.rtt = rtt.as_secs();
            self.diff = queued(ack.flight_at_send.count(), ack.base_rtt, rtt);
            self.decide(ended.samples);
        }
        let acked = ack.counted().count();
        match self.growth {
            Growth::None => {}
            Growth::Linear => self.window.cwnd += acked / self.window.cwnd,
            Growth::Double => self.window.cwnd = slow_start(self.window.cwnd, self.window.ssthresh, acked),
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            self.window.set(LOSS_FLOOR, half_flight(event));
            self.growth = Growth::Double;
        } else {
            self.window.set((self.window.cwnd * 3.0 / 4.0).max(LOSS_FLOOR), LOSS_FLOOR);
            self.growth = Growth::None;
        }
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.window.cwnd)
    }

    fn on_idle(&mut self, cwnd: Packets) {
        self.window.restart(cwnd);
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.window.remember(ssthresh)
    }

    fn on_undo(&mut self, before: Packets) {
        self.window.undo(before);
        if !self.window.is_slow_start() {
            self.window.ssthresh = LOSS_FLOOR;
        }
        // Until the next round trip decides.
        self.growth = Growth::None;
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("ssthresh", self.window.ssthresh);
        sink("diff", self.diff);
        sink("rtt", self.rtt);
    }
}

impl FluidLaw for Params {
    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        out[0] = self.change(state[0], path) / path.rtt();
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        if path.loss > 0.0 {
            return turn(|cwnd| self.change(cwnd, path) > 0.0);
        }
        let share = path.queued_share();
        (share > 0.0).then(|| Packets::new(self.middle().count() / share))
    }

    fn adds_losses(&self) -> bool {
        true
    }

    fn backlog(&self) -> Option<Packets> {
        Some(self.middle())
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@article{brakmo1995vegas,
  author = {Lawrence S. Brakmo and Larry L. Peterson},
  title = {{TCP} {V}egas: End to End Congestion Avoidance on a Global {I}nternet},
  journal = {IEEE Journal on Selected Areas in Communications},
  volume = {13}, number = {8}, pages = {1465--1480}, year = {1995},
  doi = {10.1109/49.464716}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};

    /// In congestion avoidance with a window of 12 packets (¾ of 16).
    fn steady() -> Vegas {
        let mut law = Vegas::new(Params::default(), Packets::new(16.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 16.0));
        near(law.window.cwnd, 12.0, 1e-12);
        law
    }

    /// A round trip of four ACKs in which `window` packets saw `rtt` ms; the last one ends it.
    fn round(law: &mut Vegas, number: u64, window: f64, rtt: u64) {
        (0..3).for_each(|_| law.on_ack(&slow_ack(number * 100, number - 1, window, rtt)));
        law.on_ack(&slow_ack(number * 100, number, window, rtt));
    }

    #[test]
    fn a_short_queue_adds_a_packet_a_round_trip() {
        // diff = 12·(1 − 100/110) = 1.09 < 2: from the ACK that ends the round on, 1/W per ACK: 12 + 1/12.
        let mut law = steady();
        round(&mut law, 1, 12.0, 110);
        near(law.diff, 1.090_909, 1e-6);
        near(law.window.cwnd, 12.083_333, 1e-6);
    }

    #[test]
    fn a_queue_between_alpha_and_beta_is_left_alone() {
        // 12·(1 − 100/133) = 2.98.
        let mut law = steady();
        round(&mut law, 1, 12.0, 133);
        near(law.window.cwnd, 12.0, 1e-12);
    }

    #[test]
    fn a_long_queue_takes_a_packet() {
        // 12·(1 − 100/160) = 4.5 > 4.
        let mut law = steady();
        round(&mut law, 1, 12.0, 160);
        near(law.window.cwnd, 11.0, 1e-12);
    }

    #[test]
    fn slow_start_doubles_every_other_round_trip() {
        let mut law = Vegas::new(Params::default(), Packets::new(4.0));
        // Round 0: three ACKs of growth; the fourth ends it and begins a round at rest; its end begins growth again.
        round(&mut law, 1, 4.0, 100);
        near(law.window.cwnd, 7.0, 1e-12);
        round(&mut law, 2, 7.0, 100);
        near(law.window.cwnd, 8.0, 1e-12);
        // Growth (three ACKs), rest, and then diff = 11·(1 − 100/120) = 1.83 > 1: 11·7/8 = 9.625.
        round(&mut law, 3, 8.0, 100);
        near(law.window.cwnd, 11.0, 1e-12);
        round(&mut law, 4, 11.0, 120);
        near(law.window.cwnd, 9.625, 1e-12);
        assert_eq!(law.window.ssthresh, 2.0);
    }

    #[test]
    fn two_samples_of_a_large_window_say_nothing_of_the_queue() {
        // diff = 12·(1 − 100/160) = 4.5 > 4 would take a packet; with two samples W grows, 1/W per ACK.
        let mut law = steady();
        law.on_ack(&slow_ack(100, 0, 12.0, 160));
        law.on_ack(&slow_ack(100, 1, 12.0, 160));
        near(law.window.cwnd, 12.083_333, 1e-6);
    }

    #[test]
    fn a_window_between_two_and_three_is_not_stuck() {
        // ¾ of 3.6. Two packets are all that it lets out: two samples decide. diff = 2·(1 − 100/110) = 0.18 < 2:
        // 2.7 + 1/2.7.
        let mut law = Vegas::new(Params::default(), Packets::new(3.6));
        law.on_congestion(&congestion(CongestionKind::Loss, 3.0));
        law.on_ack(&slow_ack(100, 0, 2.0, 110));
        law.on_ack(&slow_ack(100, 1, 2.0, 110));
        near(law.window.cwnd, 3.070_370, 1e-6);
    }

    #[test]
    fn a_timeout_starts_again_from_two() {
        let mut law = steady();
        law.on_congestion(&congestion(CongestionKind::Timeout, 12.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (2.0, 6.0));
        (0..5).for_each(|_| law.on_ack(&ack(0, 0, 2.0)));
        near(law.window.cwnd, 6.0, 1e-12);
    }
}
