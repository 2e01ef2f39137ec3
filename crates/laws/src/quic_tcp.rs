//! QUIC-TCP: FAST's equilibrium, reached by a family of laws with a proof of convergence.
//!
//! H. Huang, Z. Sun and X. Wang, "End-to-end TCP congestion control for mobile applications", IEEE Access 8, 2020,
//! DOI 10.1109/ACCESS.2020.3024707. Window W and backlog p in packets, RTTs in seconds:
//!
//! * AvgRTT ← (255·AvgRTT + RTT)/256 per sample (Eq. 8)
//! * W ← W − κ·(BaseRTT/AvgRTT)·W^(1−2ρ)·v with v = W − (BaseRTT/AvgRTT)·W − p (Eq. 9)
//! * on loss: ssthresh ← max(flight/2, 2), W ← ssthresh; on timeout: the same ssthresh, W ← 1
//!
//! Fluid (Eq. 18): dW/dt = −κ·(d/d̄)·W^(1−2ρ)·(W − x·d − p) with d̄ = d + q and x = W/d̄, d the propagation and q the
//! queueing delay (the overbar of d̄ is missing in the published equation). At rest x·q = p. The price is q, the
//! utility p·ln x. The unit of t is the time from one step to the next: κ is per second here, and the packet law makes
//! one step per round trip. Losses, which the paper's equation leaves out, halve W (`shared/losses.rs`). ρ = 1 is Mo
//! and Walrand's law, ρ = ½ FAST's except for the factor d/d̄.
//!
//! `mode = "paper"` and `mode = "ns2"` as [`fast`](crate::fast); the ns-2 form of the step is W −
//! κ·(BaseRTT/AvgRTT)·W^(1−2ρ)·(W − (BaseRTT/AvgRTT)·V − p), the difference of the paper's module from FAST's.
//!
//! **Where we differ**
//! * As [`fast`](crate::fast): one step per window of ACKs, spread over them; slow start until the queue shows p
//!   packets; a window of ACKs adds at most the window and takes at most half of it.
//! * W^(1−2ρ) is that of the round trip's first ACK.
//! * κ defaults to ½; the paper's ns-2 runs use 1.5. A step moves W by κ·(d/d̄)·W^(1−2ρ) times its distance from rest:
//!   up to 1 is stable at any window. For ρ < ½ choose κ smaller, for ρ > ½ larger, as W^(2ρ−1).

use crate::Lyapunov;
use crate::backlog::{Drift, Mode, Sender, backlog_law};
use windward_units::Packets;

params! {
    /// Parameters of [`QuicTcp`].
    Params {
        /// Exponent ρ: a small one settles fast at large windows, a large one tolerates more of κ.
        rho: f64 = 0.5, from 0 to 1;
        /// Step size κ, in packets^(2ρ−1).
        kappa: f64 = 0.5, in STEP;
        /// Packets p that the flow keeps in queues.
        backlog: f64 = 200, in TARGET;
        /// Form of the law: the paper's or the ns-2 module's.
        mode: Mode = Paper, note "the paper's";
    }
}

impl Params {
    fn drift(&self) -> Drift {
        Drift { kappa: self.kappa, exponent: 1.0 - 2.0 * self.rho, is_damped: true, backlog: self.backlog }
    }
}

/// The law and its state.
pub type QuicTcp = Sender;

backlog_law!(backlog
    fn lyapunov(&self) -> Option<Lyapunov> {
        Some(Lyapunov { rho: self.rho, backlog: Packets::new(self.backlog) })
    }
);

/// BibTeX entry.
pub const BIBTEX: &str = "@article{huang2020quictcp,
  author = {Haichang Huang and Zhiyang Sun and Xin Wang},
  title = {End-to-End {TCP} Congestion Control for Mobile Applications},
  journal = {IEEE Access}, volume = {8}, year = {2020},
  doi = {10.1109/ACCESS.2020.3024707}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{congestion, near, slow_ack};
    use crate::{CongestionKind, FluidLaw, FluidPath, Law};
    use windward_units::Duration;

    /// The window after one ACK at 100 packets, BaseRTT/AvgRTT = 100/125 and p = 10, so that v = 100 − 80 − 10 = 10.
    fn after_one_ack(rho: f64, kappa: f64) -> f64 {
        let mut law = QuicTcp::new(Params { rho, kappa, backlog: 10.0, mode: Mode::Paper }, Packets::new(200.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 200.0));
        law.on_ack(&slow_ack(1000, 0, 100.0, 125));
        law.cwnd().count()
    }

    #[test]
    fn rho_chooses_the_power_of_the_window() {
        // The ACK's share is a hundredth of −κ·0.8·100^(1−2ρ)·10.
        near(after_one_ack(0.0, 0.001), 100.0 - 0.008, 1e-9); // 100^1: −0.8
        near(after_one_ack(0.25, 0.05), 100.0 - 0.04, 1e-9); // 100^½ = 10: −4
        near(after_one_ack(0.5, 0.5), 100.0 - 0.04, 1e-9); // 100^0 = 1: −4
        near(after_one_ack(0.75, 5.0), 100.0 - 0.04, 1e-9); // 100^−½ = 0.1: −4
        near(after_one_ack(1.0, 50.0), 100.0 - 0.04, 1e-9); // 100^−1 = 0.01: −4
    }

    #[test]
    fn a_step_too_far_takes_half_the_window_at_most() {
        // ρ = 0, κ = 0.5: −0.5·0.8·100·10 = −400; cut to −50, half a packet an ACK.
        near(after_one_ack(0.0, 0.5), 99.5, 1e-12);
    }

    #[test]
    fn the_module_takes_the_flight_at_sending() {
        // κ = 1, ρ = ½, V = 90: 100 − 0.8·(100 − 72 − 10) = 85.6.
        let params = Params { rho: 0.5, kappa: 1.0, backlog: 10.0, mode: Mode::Ns2 };
        let mut law = QuicTcp::new(params, Packets::new(100.0));
        law.on_ack(&slow_ack(1000, 0, 90.0, 125));
        law.on_ack(&slow_ack(1126, 0, 90.0, 125));
        near(law.cwnd().count(), 85.6, 1e-9);
    }

    #[test]
    fn the_fluid_is_equation_18_with_its_bar() {
        // d = 100 ms, q = 25 ms, W = 100, p = 10, ρ = ¼, κ = 0.05: −0.05·0.8·10·(100 − 80 − 10) = −4 packets/s.
        let law = Params { rho: 0.25, kappa: 0.05, backlog: 10.0, mode: Mode::Paper };
        let path = FluidPath {
            base_rtt: Duration::from_millis(100),
            queue_delay: Duration::from_millis(25),
            loss: 0.0,
            marks: 0.0,
        };
        let mut out = [0.0];
        law.derivative(&[100.0], &path, &mut out);
        near(out[0], -4.0, 1e-12);
        // x·q = W·q/d̄ = 10 ⇒ W = 50.
        near(law.equilibrium(&path).unwrap().count(), 50.0, 1e-12);
    }
}
