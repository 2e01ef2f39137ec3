//! Scalable: growth by a share of the window, for the same time between losses at any rate.
//!
//! T. Kelly, "Scalable TCP: improving performance in highspeed wide area networks", ACM SIGCOMM CCR 33(2), 2003, DOI
//! 10.1145/956981.956989. Window W in packets:
//!
//! * W < ssthresh: W ← W + acked
//! * else: W ← W + acked·max(a, 1/W): by the share a per round trip, or by one packet if that is more
//! * on loss: ssthresh ← max((1−b)·flight, 2), W ← ssthresh
//! * on timeout: the same ssthresh, W ← 1
//!
//! Losses are ln(1/(1−b))/ln(1 + a) round trips apart, 13.4 of them, at any W.
//!
//! Fluid: dW/dt = W/rtt · [(1−p)·max(a, 1/W) − p·b·W] packets per second, at rest W = (a/b)·(1−p)/p, and where that is
//! below 1/a, W = √((1−p)/(b·p)). The rate x = W/rtt meets p = k/(k + x·rtt) with k = a/b, the derivative of U(x) =
//! (k/rtt)·ln(1 + x·rtt/k); below 1/a it meets p = 1/(1 + b·x²·rtt²), of the utility of a square-root law.
//!
//! **Where we differ**
//! * Below 1/a = 100 packets W grows as Reno's, as in Linux and ns-3, and loses its share b; the paper also has Reno's
//!   halving, below 16 packets.
//! * A loss takes its share of the flight, as RFC 5681's half; in the paper and Linux of W.
//! * Packets are counted; Linux up to 4.x counted ACKs, and grew by one in 50 of them to compensate for delayed ones.

use crate::classic::Classic;
use crate::{FluidPath, Response, Utility};
use windward_units::{Duration, Packets};

params! {
    /// Parameters of [`Scalable`].
    Params {
        /// Packets added per acknowledged packet, a.
        a: f64 = 0.01, from 1e-6 to 1;
        /// Share of the window that a loss takes, b.
        b: f64 = 0.125, from 0.01 to 0.9;
    }
}

/// The law and its state.
pub type Scalable = Classic<Params>;

impl Response for Params {
    #[inline]
    fn gain(&self, acked: Packets, cwnd: Packets, _rtt: Duration) -> Packets {
        acked * self.a.max(1.0 / cwnd.count())
    }

    fn cut(&self, cwnd: Packets, _rtt: Duration) -> Packets {
        cwnd * self.b
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        // The odds of a loss at W = 1/a, where both forms are a²/b.
        let is_small = path.loss * self.b > (1.0 - path.loss) * self.a * self.a;
        Some(if is_small { Utility::SquareRoot { k: 1.0 / self.b } } else { Utility::Logarithm { k: self.a / self.b } })
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@article{kelly2003scalable,
  author = {Tom Kelly},
  title = {Scalable {TCP}: Improving Performance in Highspeed Wide Area Networks},
  journal = {ACM SIGCOMM Computer Communication Review},
  volume = {33}, number = {2}, pages = {83--91}, year = {2003},
  doi = {10.1145/956981.956989}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FluidLaw;
    use crate::testing::{ack, congestion, near};
    use crate::{Ack, CongestionKind, Law};

    /// In congestion avoidance, after a loss that found `flight` packets in flight.
    fn avoiding(flight: f64) -> Scalable {
        let mut law = Scalable::new(Params::default(), Packets::new(flight));
        law.on_congestion(&congestion(CongestionKind::Loss, flight));
        law
    }

    #[test]
    fn a_large_window_grows_by_a_hundredth_of_a_packet_per_packet() {
        // 400 − 50 = 350, then 350.01 and, for an ACK of two, 350.03.
        let mut law = avoiding(400.0);
        assert_eq!((law.window.cwnd, law.window.ssthresh), (350.0, 350.0));
        law.on_ack(&ack(0, 0, 350.0));
        near(law.window.cwnd, 350.01, 1e-12);
        law.on_ack(&Ack { acked: Packets::new(2.0), ..ack(0, 0, 350.0) });
        near(law.window.cwnd, 350.03, 1e-12);
    }

    #[test]
    fn a_small_window_grows_as_renos() {
        // 40 − 5 = 35; 35 + 1/35 = 35.028 571 4.
        let mut law = avoiding(40.0);
        law.on_ack(&ack(0, 0, 35.0));
        near(law.window.cwnd, 35.028_571_4, 1e-7);
    }

    #[test]
    fn a_timeout_starts_again_from_one() {
        let mut law = avoiding(400.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 16.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (1.0, 14.0));
        (0..14).for_each(|_| law.on_ack(&ack(0, 0, 14.0)));
        near(law.window.cwnd, 14.071_428_6, 1e-7);
    }

    #[test]
    fn the_fluid_rests_at_eight_hundredths_of_the_odds() {
        let path =
            |loss| FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss, marks: 0.0 };
        let rest = |loss| Params::default().equilibrium(&path(loss)).unwrap().count();
        // 0.08·9999 = 799.92; at 1 %, √(8·99) = 28.142 495.
        near(rest(1e-4), 799.92, 1e-9);
        near(rest(1e-2), 28.142_494_6, 1e-7);
        // Twice the odds, half the rate; the price of 7999.2 packets a second at 0.1 s is 0.08/(0.08 + 799.92) = 10⁻⁴.
        let utility = |x: f64| FluidLaw::maximises(&Params::default(), &path(1e-4)).unwrap().value(x, 0.1);
        near((utility(7999.2 + 0.1) - utility(7999.2 - 0.1)) / 0.2, 1e-4, 1e-9);
        near(rest(1e-4 / 1.0001) / rest(1e-4), 1.0001, 1e-7);
    }
}
