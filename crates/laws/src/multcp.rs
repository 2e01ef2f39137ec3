//! MulTCP: one connection with the share of N.
//!
//! J. Crowcroft and P. Oechslin, "Differentiated end-to-end Internet services using a weighted proportional fair
//! sharing TCP", ACM SIGCOMM CCR 28(3), 1998, DOI 10.1145/293927.293930. Window W in packets:
//!
//! * W < ssthresh: W ← W + acked, and W ← W + 2·acked up to the window that N connections reach in the same time,
//!   W₀·N^(ln 3/ln 1.5) from a window of W₀: 3^k = N·2^k after k = ln N/ln 1.5 round trips
//! * else: W ← W + N·acked/W: N packets per round trip
//! * on loss, which halves one of N windows: ssthresh ← max(flight·(1 − 1/(2N)), 2), W ← ssthresh
//! * on timeout as Reno: ssthresh ← max(flight/2, 2), W ← 1
//!
//! Fluid: dW/dt = W/rtt · [(1−p)·N/W − p·W/(2N)] packets per second, at rest W = N·√(2(1−p)/p), N times Reno's. The
//! price is p = 2N²/(2N² + x²·rtt²), the derivative of U(x) = (√2·N/rtt)·arctan(x·rtt/(√2·N)).
//!
//! A sawtooth with one loss in 1/p packets has W = √(N·(4N−1)/(2p)): at small N less than N times Reno's √(3/(2p)), at
//! large N 1.15 times as much, because a loss halves the mean of the N windows and not the greatest.
//!
//! **Where we differ**
//! * A loss takes its share of the flight, as RFC 5681's half; in the paper of W.
//! * The paper leaves the timeout open.

use crate::classic::Classic;
use crate::window::Window;
use crate::{FluidPath, Response, Utility};
use windward_units::{Duration, Packets};

params! {
    /// Parameters of [`Multcp`].
    Params {
        /// Number N of emulated connections.
        connections: f64 = 2, from 1 to 1000;
    }
}

impl Params {
    /// Window up to which slow start from `cwnd` trebles it each round trip.
    fn trebles_to(&self, cwnd: f64) -> f64 {
        cwnd * libm::pow(self.connections, libm::log(3.0) / libm::log(1.5))
    }
}

/// The law and its state.
pub type Multcp = Classic<Params>;

impl Response for Params {
    #[inline]
    fn gain(&self, acked: Packets, cwnd: Packets, _rtt: Duration) -> Packets {
        acked * (self.connections / cwnd.count())
    }

    fn cut(&self, cwnd: Packets, _rtt: Duration) -> Packets {
        Packets::new(cwnd.count() / (2.0 * self.connections))
    }

    fn cut_by_timeout(&self, cwnd: Packets, _rtt: Duration) -> Packets {
        cwnd * 0.5
    }

    fn slow_start(&self, window: &Window, acked: Packets) -> Packets {
        let acked = acked.count();
        let extra = acked.min((self.trebles_to(window.began) - window.cwnd).max(0.0));
        Packets::new(window.doubled(acked + extra))
    }

    fn maximises(&self, _path: &FluidPath) -> Option<Utility> {
        Some(Utility::SquareRoot { k: 2.0 * self.connections * self.connections })
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@article{crowcroft1998multcp,
  author = {Jon Crowcroft and Philippe Oechslin},
  title = {Differentiated End-to-End {I}nternet Services Using a Weighted Proportional Fair Sharing {TCP}},
  journal = {ACM SIGCOMM Computer Communication Review},
  volume = {28}, number = {3}, pages = {53--69}, year = {1998},
  doi = {10.1145/293927.293930}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near};
    use crate::{Ack, CongestionKind, FluidLaw, Law};

    fn multcp(connections: f64, initial: f64) -> Multcp {
        Multcp::new(Params { connections }, Packets::new(initial))
    }

    #[test]
    fn it_grows_by_n_packets_a_round_trip_and_loses_one_of_two_n_parts() {
        // N = 5: 40·(1 − 1/10) = 36; then 36 + 5/36 = 36.138 888 9 and 36.138 888 9 + 10/36.138 888 9 = 36.415 599.
        let mut law = multcp(5.0, 40.0);
        law.on_congestion(&congestion(CongestionKind::Loss, 40.0));
        near(law.window.cwnd, 36.0, 1e-12);
        law.on_ack(&ack(0, 0, 36.0));
        near(law.window.cwnd, 36.138_888_9, 1e-7);
        law.on_ack(&Ack { acked: Packets::new(2.0), ..ack(0, 0, 36.0) });
        near(law.window.cwnd, 36.415_599, 1e-6);
    }

    #[test]
    fn slow_start_trebles_until_n_connections_would_be_no_further() {
        // N = 1.5: k = 1 round trip, from 10 to 10·1.5^(ln 3/ln 1.5) = 30 packets; doubling from there.
        let mut law = multcp(1.5, 10.0);
        law.on_ack(&Ack { acked: Packets::new(10.0), ..ack(0, 0, 10.0) });
        near(law.window.cwnd, 30.0, 1e-9);
        law.on_ack(&Ack { acked: Packets::new(30.0), ..ack(0, 0, 30.0) });
        near(law.window.cwnd, 60.0, 1e-9);
    }

    #[test]
    fn one_connection_is_reno() {
        let mut law = multcp(1.0, 20.0);
        law.on_ack(&ack(0, 0, 20.0));
        assert_eq!(law.window.cwnd, 21.0);
        law.on_congestion(&congestion(CongestionKind::Loss, 20.0));
        assert_eq!(law.window.cwnd, 10.0);
        law.on_ack(&ack(0, 0, 10.0));
        near(law.window.cwnd, 10.1, 1e-12);
    }

    #[test]
    fn a_timeout_starts_again_from_one_up_to_half() {
        // N = 1.5: an ACK of one packet leads from 1 to 3, where trebling ends; then 4, 5, 6 and 6 + 1.5/6.
        let mut law = multcp(1.5, 12.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 12.0));
        for cwnd in [1.0, 3.0, 4.0, 5.0, 6.0, 6.25] {
            near(law.window.cwnd, cwnd, 1e-12);
            law.on_ack(&ack(0, 0, 6.0));
        }
    }

    #[test]
    fn the_fluid_rests_at_n_times_renos_window() {
        // At 1 % Reno rests at √198 = 14.071 247 3 packets, three of it at 42.213 742.
        let path =
            FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss: 0.01, marks: 0.0 };
        near(Params { connections: 3.0 }.equilibrium(&path).unwrap().count(), 42.213_741_9, 1e-6);
    }
}
