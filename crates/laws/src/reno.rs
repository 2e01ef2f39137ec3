//! Reno: additive increase, multiplicative decrease.
//!
//! RFC 5681 §3.1 (slow start and congestion avoidance), RFC 3465 §2.2 (byte counting, without its limit L in slow
//! start).
//!
//! Window W in packets, per ACK of `acked` packets, n = `acked`, or 1 without byte counting:
//!
//! * W < ssthresh: W ← W + n, by at most two packets beyond ssthresh
//! * else: W ← W + n/W: with byte counting W grows by one packet per round trip, without it by one per b round trips
//!   where the receiver acknowledges every b-th packet (the b of Padhye et al., 1998)
//! * on loss: ssthresh ← max(flight/2, 2), W ← ssthresh
//! * on timeout: the same ssthresh, W ← 1
//!
//! Fluid: dW/dt = W/rtt · [(1−p)/W − p·W/2] packets per second, at rest W = √(2(1−p)/p). The rate x = W/rtt then meets
//! p = 2/(2 + (x·rtt)²), the derivative of the utility U(x) = (√2/rtt)·arctan(x·rtt/√2); for small p this is the usual
//! −2/(rtt²·x) up to a constant.
//!
//! **Where we differ**
//! * The window is a real number; RFC 5681 counts bytes.
//! * The decrease halves the flight, as in RFC 5681; ns-2 halves cwnd.

use crate::classic::Classic;
use crate::window::Window;
use crate::{FluidPath, Response, Utility};
use windward_units::{Duration, Packets};

params! {
    /// Parameters of [`Reno`].
    Params {
        /// Count acknowledged packets (RFC 3465, and Linux) instead of ACKs (RFC 5681 Eq. 3, and ns-2).
        byte_counting: bool = true;
    }
}

/// The law and its state.
pub type Reno = Classic<Params>;

impl Params {
    /// Packets that an ACK of `acked` packets counts for.
    #[inline]
    fn counted(&self, acked: Packets) -> f64 {
        if self.byte_counting { acked.count() } else { 1.0 }
    }
}

impl Response for Params {
    #[inline]
    fn gain(&self, acked: Packets, cwnd: Packets, _rtt: Duration) -> Packets {
        Packets::new(self.counted(acked) / cwnd.count())
    }

    fn cut(&self, cwnd: Packets, _rtt: Duration) -> Packets {
        cwnd * 0.5
    }

    #[inline]
    fn slow_start(&self, window: &Window, acked: Packets) -> Packets {
        Packets::new(window.cwnd + self.counted(acked).min((window.ssthresh - window.cwnd).max(OVERSHOOT)))
    }

    fn maximises(&self, _path: &FluidPath) -> Option<Utility> {
        Some(Utility::SquareRoot { k: 2.0 })
    }
}

/// Packets that one ACK may take slow start past ssthresh: those of a delayed ACK.
const OVERSHOOT: f64 = 2.0;

/// BibTeX entry.
pub const BIBTEX: &str = "@techreport{rfc5681,
  author = {Mark Allman and Vern Paxson and Ethan Blanton},
  title = {{TCP} Congestion Control},
  type = {RFC}, number = {5681}, institution = {IETF}, year = {2009},
  doi = {10.17487/RFC5681}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FluidLaw;
    use crate::testing::{ack, congestion, near};
    use crate::{Ack, CongestionKind, Law};

    fn reno(initial: f64) -> Reno {
        Reno::new(Params::default(), Packets::new(initial))
    }

    #[test]
    fn slow_start_counts_what_an_ack_is_for() {
        let mut law = reno(10.0);
        law.on_ack(&ack(0, 0, 10.0));
        assert_eq!(law.cwnd(), Packets::new(11.0));
        law.on_ack(&Ack { acked: Packets::new(5.0), ..ack(0, 0, 10.0) });
        assert_eq!(law.cwnd(), Packets::new(16.0));
        // 20 in flight ⇒ ssthresh = 10; a timeout, 1 + 4 = 5; an ACK of 100 leads to 10, not beyond; then 10 + 100/10.
        law.on_congestion(&congestion(CongestionKind::Timeout, 20.0));
        for (acked, cwnd) in [(4.0, 5.0), (100.0, 10.0), (100.0, 20.0)] {
            law.on_ack(&Ack { acked: Packets::new(acked), ..ack(0, 0, 10.0) });
            assert_eq!(law.cwnd(), Packets::new(cwnd));
        }
    }

    #[test]
    fn a_sender_that_counts_acks_grows_by_one_for_each() {
        // Two ACKs of two packets each: 10 + 1 in slow start; after a loss at 20, 10 + 1/10.
        let two = |window| Ack { acked: Packets::new(2.0), counts_acks: true, ..ack(0, 0, window) };
        let mut law = reno(10.0);
        law.on_ack(&two(10.0));
        assert_eq!(law.cwnd(), Packets::new(11.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 20.0));
        law.on_ack(&two(10.0));
        near(law.cwnd().count(), 10.1, 1e-12);
    }

    #[test]
    fn after_a_loss_it_grows_by_one_over_the_window() {
        // 20 in flight ⇒ ssthresh = cwnd = 10; then 10 + 1/10 = 10.1, and 10.1 + 2/10.1 = 10.298 019 8 for an ACK of
        // two.
        let mut law = reno(20.0);
        law.on_congestion(&congestion(CongestionKind::Loss, 20.0));
        assert_eq!(law.cwnd(), Packets::new(10.0));
        law.on_ack(&ack(0, 0, 10.0));
        near(law.cwnd().count(), 10.1, 1e-12);
        law.on_ack(&Ack { acked: Packets::new(2.0), ..ack(0, 0, 10.0) });
        near(law.cwnd().count(), 10.298_019_8, 1e-7);
    }

    #[test]
    fn a_timeout_starts_again_from_one_up_to_half() {
        let mut law = reno(12.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 12.0));
        assert_eq!(law.cwnd(), Packets::ONE);
        // 1 → 6 in five ACKs of slow start, then 6 + 1/6.
        (0..6).for_each(|_| law.on_ack(&ack(0, 0, 6.0)));
        near(law.cwnd().count(), 6.166_666_7, 1e-7);
    }

    #[test]
    fn at_one_percent_loss_the_fluid_rests_at_fourteen_packets() {
        // √(2·0.99/0.01) = √198 = 14.071 247 3. At 0.1 s: x = 140.7, U' = 2/(2 + 198) = 0.01 = p.
        let path =
            FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss: 0.01, marks: 0.0 };
        let law = Params::default();
        let rest = law.equilibrium(&path).unwrap().count();
        near(rest, 14.071_247_3, 1e-7);
        let utility = |x: f64| FluidLaw::maximises(&law, &path).unwrap().value(x, 0.1);
        let x = rest / 0.1;
        near((utility(x + 0.01) - utility(x - 0.01)) / 0.02, 0.01, 1e-8);
    }
}
