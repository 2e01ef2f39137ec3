//! FAST TCP: moves the window towards the one that keeps α packets in queues.
//!
//! D. X. Wei, C. Jin, S. H. Low and S. Hegde, "FAST TCP: motivation, architecture, algorithms, performance", IEEE/ACM
//! Trans. Networking 14(6), 2006, DOI 10.1109/TNET.2006.886335. Window W and α in packets, RTTs in seconds:
//!
//! * AvgRTT ← (255·AvgRTT + RTT)/256 per sample (huang2020, Eq. 8)
//! * W ← min{2·W, (1−γ)·W + γ·((BaseRTT/AvgRTT)·W + α)}, that is W ← W − γ·v with v = W − (BaseRTT/AvgRTT)·W − α
//! * on loss: ssthresh ← max(flight/2, 2), W ← ssthresh; on timeout: the same ssthresh, W ← 1
//!
//! Fluid: dW/dt = −γ·(W − x·d − α) with x = W/(d + q), d the propagation and q the queueing delay: at rest x·q = α. The
//! price is q, the utility α·ln x. Losses, which the paper's equation leaves out, halve W (their mean:
//! `shared/losses.rs`). The unit of t is the time from one step to the next: γ is per second here, and the packet law
//! makes one step per round trip.
//!
//! `mode = "paper"`: each ACK makes the share acked/W of the step, so that a window of ACKs makes one step.
//!
//! `mode = "ns2"`: the module of Cui and Andrew (ns-2.35 `tcp-fast.cc` 1.1.3). AvgRTT's filter is as long as a third of
//! the flight where that exceeds 256. While AvgRTT − BaseRTT < 0.75 ms, every ACK adds a packet. Otherwise, in every
//! other round trip and at most every 10 ms, W ← (1−γ)·W + γ·((BaseRTT/AvgRTT)·V + α), at least 2, V being the flight
//! at the sending of the acknowledged packet. A decrease is made at once, an increase in whole packets spread over the
//! ACKs of 10 ms. Losses halve W, a timeout leaves 2.
//!
//! **Where we differ**
//! * The paper does not state the frequency of its step; one per window of ACKs, spread over them, is our reading. A
//!   full step per ACK would multiply the loop gain by W. A window of ACKs takes at most half the window.
//! * Slow start (paper mode): as Reno's, until the least of a round's first 8 samples shows α packets of the flow in
//!   queues. W and AvgRTT then move to the equilibrium for that round's rate, and samples of packets sent before are
//!   ignored: they measure the queue that slow start made.
//! * ns2 mode: the module's α = β, so that it has no dead band; a loss cancels a pending increase. Increases below one
//!   packet are not made, as in the module: the backlog may rest up to 1/γ packets below α.

use crate::backlog::{Drift, Mode, Sender, backlog_law};

params! {
    /// Parameters of [`Fast`].
    Params {
        /// Step size γ.
        gamma: f64 = 0.5, from 1e-6 to 4, note " (Wei et al.; ns-2); huang2020 uses 1.5 in ns-2";
        /// Packets α that the flow keeps in queues.
        alpha: f64 = 100, in TARGET, note " (ns-2); huang2020 uses 200";
        /// Form of the law: the paper's or the ns-2 module's.
        mode: Mode = Paper, note "the paper's";
    }
}

impl Params {
    fn drift(&self) -> Drift {
        Drift { kappa: self.gamma, exponent: 0.0, is_damped: false, backlog: self.alpha }
    }
}

/// The law and its state.
pub type Fast = Sender;

backlog_law!(alpha);

/// BibTeX entry.
pub const BIBTEX: &str = "@article{wei2006fast,
  author = {David X. Wei and Cheng Jin and Steven H. Low and Sanjay Hegde},
  title = {{FAST} {TCP}: Motivation, Architecture, Algorithms, Performance},
  journal = {IEEE/ACM Transactions on Networking},
  volume = {14}, number = {6}, pages = {1246--1259}, year = {2006},
  doi = {10.1109/TNET.2006.886335}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use crate::{CongestionKind, Law};
    use windward_units::Packets;

    /// 100 packets in congestion avoidance.
    fn steady(alpha: f64, mode: Mode) -> Fast {
        let mut law = Fast::new(Params { alpha, mode, ..Params::default() }, Packets::new(200.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 200.0));
        near(law.cwnd().count(), 100.0, 1e-12);
        law
    }

    fn avg_rtt(law: &Fast) -> f64 {
        let mut value = f64::NAN;
        law.observe(&mut |name, observed| {
            assert_eq!(name, "avg_rtt");
            value = observed;
        });
        value
    }

    #[test]
    fn one_ack_makes_a_hundredth_of_the_step_at_a_hundred_packets() {
        // BaseRTT/AvgRTT = 100/125: v = 100 − 80 − 10 = 10, the step −γ·v = −5, an ACK's share −0.05.
        let mut law = steady(10.0, Mode::Paper);
        law.on_ack(&slow_ack(1000, 0, 100.0, 125));
        near(law.cwnd().count(), 99.95, 1e-12);
    }

    #[test]
    fn the_average_moves_by_a_256th() {
        // 125 + (381 − 125)/256 = 126 ms.
        let mut law = steady(10.0, Mode::Paper);
        law.on_ack(&slow_ack(1000, 0, 100.0, 125));
        law.on_ack(&slow_ack(1001, 0, 100.0, 381));
        near(avg_rtt(&law), 0.126, 1e-12);
    }

    #[test]
    fn a_window_of_acks_at_most_doubles_the_window() {
        // v = 100 − 80 − 1000 = −980: the step of +490 is cut to +100, one per ACK.
        let mut law = steady(1000.0, Mode::Paper);
        law.on_ack(&slow_ack(1000, 0, 100.0, 125));
        near(law.cwnd().count(), 101.0, 1e-12);
    }

    #[test]
    fn slow_start_settles_at_the_rate_it_has_found() {
        // Eight samples of 125 ms at 100 packets: 20 in queues ≥ 10, so W = 100·0.8 + 10 = 90; at 800 packets a second
        // that will take 112.5 ms. An ACK of a packet sent before tells nothing new.
        let mut law = Fast::new(Params { alpha: 10.0, ..Params::default() }, Packets::new(100.0));
        (0..8).for_each(|_| law.on_ack(&slow_ack(1000, 0, 100.0, 125)));
        near(law.cwnd().count(), 90.0, 1e-9);
        near(avg_rtt(&law), 0.1125, 1e-12);
        law.on_ack(&slow_ack(1001, 0, 100.0, 300));
        near(law.cwnd().count(), 90.0, 1e-9);
        near(avg_rtt(&law), 0.1125, 1e-12);
    }

    #[test]
    fn the_module_acts_in_every_other_round_trip() {
        let mut law = steady(10.0, Mode::Ns2);
        // At 1000 ms a round without steps begins; the first ACK more than a round trip of 125 ms later begins one
        // with.
        law.on_ack(&slow_ack(1000, 0, 100.0, 125));
        law.on_ack(&slow_ack(1125, 0, 100.0, 125));
        near(law.cwnd().count(), 100.0, 1e-12);
        // 0.5·100 + 0.5·(0.8·90 + 10) = 91, from what was in flight at its sending, 90.
        law.on_ack(&slow_ack(1126, 0, 90.0, 125));
        near(law.cwnd().count(), 91.0, 1e-12);
        // Nothing for 10 ms, then 0.5·91 + 0.5·(72 + 10) = 86.5.
        law.on_ack(&slow_ack(1135, 0, 90.0, 125));
        near(law.cwnd().count(), 91.0, 1e-12);
        law.on_ack(&slow_ack(1136, 0, 90.0, 125));
        near(law.cwnd().count(), 86.5, 1e-12);
    }

    #[test]
    fn the_module_spreads_an_increase_over_ten_milliseconds_of_acks() {
        let mut law = steady(26.0, Mode::Ns2);
        // 100 ACKs in the round of 125 ms before: 8 in 10 ms. The increase is γ·(80 + 26 − 100) = 3, one per 8/3 → 2
        // ACKs.
        (0..100).for_each(|_| law.on_ack(&slow_ack(1000, 0, 100.0, 125)));
        let windows: Vec<f64> = (0..8)
            .map(|_| {
                law.on_ack(&slow_ack(1126, 0, 100.0, 125));
                law.cwnd().count()
            })
            .collect();
        assert_eq!(windows, [100.0, 101.0, 101.0, 102.0, 102.0, 103.0, 103.0, 103.0]);
    }

    #[test]
    fn the_module_adds_a_packet_an_ack_while_there_is_no_queue() {
        let mut law = steady(10.0, Mode::Ns2);
        law.on_ack(&ack(1000, 0, 100.0));
        near(law.cwnd().count(), 101.0, 1e-12);
        law.on_congestion(&congestion(CongestionKind::Timeout, 100.0));
        near(law.cwnd().count(), 2.0, 0.0);
    }

    #[test]
    fn the_module_stages_an_increase_of_a_small_window() {
        let mut law = Fast::new(Params { alpha: 21.4, mode: Mode::Ns2, ..Params::default() }, Packets::new(3.0));
        law.on_ack(&slow_ack(1000, 0, 3.0, 125));
        // γ·(0.8·3 + 21.4 − 3) = 10.4, ten whole packets: 3 at once, the window is then above 4, and one per ACK.
        law.on_ack(&slow_ack(1126, 0, 3.0, 125));
        near(law.cwnd().count(), 6.0, 1e-12);
        law.on_ack(&slow_ack(1127, 0, 3.0, 125));
        near(law.cwnd().count(), 7.0, 1e-12);
    }

    #[test]
    fn the_module_averages_over_a_third_of_a_large_flight() {
        // A flight of 3 · 400: 125 + (525 − 125)/400 = 126 ms.
        let mut law = steady(10.0, Mode::Ns2);
        law.on_ack(&slow_ack(1000, 0, 1200.0, 125));
        law.on_ack(&slow_ack(1001, 0, 1200.0, 525));
        near(avg_rtt(&law), 0.126, 1e-12);
    }
}
