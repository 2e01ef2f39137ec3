//! Veno: Reno that treats a loss as random while the queue is short.
//!
//! C. P. Fu and S. C. Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC
//! 21(2), 2003, DOI 10.1109/JSAC.2002.807336. Window W in packets, RTTs in seconds, N = W·(1 − base_rtt/rtt) packets in
//! queues, by the latest sample of an ACK that lets W grow:
//!
//! * W < ssthresh: W ← W + acked
//! * else: W ← W + acked/W while N < β, and half as much from there on
//! * on loss: ssthresh ← max(γ·flight, 2) while N < β, else max(flight/2, 2); W ← ssthresh
//! * on timeout: the same ssthresh, W ← 1
//!
//! Fluid: dW/dt = [(1−p) − (1−γ)·p·W²]/rtt packets per second where N = W·q/rtt < β, else [(1−p) − p·W²]/(2·rtt); about
//! β a straight line leads from one to the other. It rests at W = √((1−p)/((1−γ)·p)) where that leaves N < β, at W =
//! √((1−p)/p) where that leaves N > β, else with β packets in the queue, W = β·rtt/q. It maximises no utility: two
//! signals, loss and delay, drive one window.
//!
//! **Where we differ**
//! * Above β growth is half of Reno's at every ACK; the paper and Linux add a whole packet every other round trip.
//! * N is a real number; Linux counts halves, and treats its first two ACKs as Reno would.
//! * A loss leaves its share of the flight, as RFC 5681's half; in the paper and Linux of W.
//! * On a timeout the paper halves; Linux, and we, apply the factor of a loss.

use crate::classic::{Avoidance, Classic};
use crate::fluid::{MeanWindow, passed};
use crate::shared::queued;
use crate::{Ack, Congestion, FluidPath};

params! {
    /// Parameters of [`Veno`].
    Params {
        /// Packets in queues from which a loss means congestion, β.
        beta: f64 = 3, in TARGET;
        /// Share of the window that a random loss leaves, γ.
        gamma: f64 = 0.8, from 0.5 to 0.95;
    }
}

/// The law and its state.
pub type Veno = Classic<Params>;

impl Avoidance for Params {
    /// Packets in queues, N, by the latest sample.
    type State = f64;

    const READS_BASE_RTT: bool = true;

    #[inline]
    fn measure(&self, backlog: &mut f64, cwnd: f64, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            *backlog = queued(cwnd, ack.base_rtt, rtt);
        }
    }

    #[inline]
    fn gain(&self, backlog: &mut f64, cwnd: f64, ack: &Ack) -> f64 {
        let growth = if *backlog < self.beta { 1.0 } else { 0.5 };
        growth * ack.counted().count() / cwnd
    }

    fn ssthresh(&self, backlog: &mut f64, event: &Congestion) -> f64 {
        let left = if *backlog < self.beta { self.gamma } else { 0.5 };
        left * event.flight.count()
    }

    fn observe(&self, backlog: &f64, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("backlog", *backlog);
    }
}

impl MeanWindow for Params {
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let congested = passed(cwnd * path.queued_share(), self.beta);
        let (growth, taken) = (1.0 - 0.5 * congested, 1.0 - self.gamma + (self.gamma - 0.5) * congested);
        ((1.0 - path.loss) * growth - path.loss * taken * cwnd * cwnd) / path.rtt()
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@article{fu2003veno,
  author = {Cheng Peng Fu and Soung C. Liew},
  title = {{TCP} {V}eno: {TCP} Enhancement for Transmission over Wireless Access Networks},
  journal = {IEEE Journal on Selected Areas in Communications},
  volume = {21}, number = {2}, pages = {216--228}, year = {2003},
  doi = {10.1109/JSAC.2002.807336}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use crate::{CongestionKind, FluidLaw, Law};
    use windward_units::{Duration, Packets};

    /// In congestion avoidance with a window of 32 packets (four fifths of 40).
    fn avoiding() -> Veno {
        let mut law = Veno::new(Params::default(), Packets::new(40.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 40.0));
        near(law.window.cwnd, 32.0, 1e-12);
        law
    }

    #[test]
    fn a_short_queue_lets_it_grow_as_reno() {
        // N = 32·(1 − 100/110) = 2.909 < 3: 32 + 1/32. Then 32.031 25·(1 − 100/111) = 3.174: half of 1/32.031 25 more.
        let mut law = avoiding();
        law.on_ack(&slow_ack(0, 0, 32.0, 110));
        near(law.state, 2.909_090_9, 1e-7);
        near(law.window.cwnd, 32.031_25, 1e-12);
        law.on_ack(&slow_ack(0, 0, 32.0, 111));
        near(law.state, 3.174_268, 1e-6);
        near(law.window.cwnd, 32.046_859_8, 1e-7);
    }

    #[test]
    fn a_loss_over_a_short_queue_takes_a_fifth_and_over_a_long_one_half() {
        for (rtt, left) in [(110, 24.0), (111, 15.0)] {
            let mut law = avoiding();
            law.on_ack(&slow_ack(0, 0, 32.0, rtt));
            law.on_congestion(&congestion(CongestionKind::Loss, 30.0));
            near(law.window.cwnd, left, 1e-12);
            near(law.window.ssthresh, left, 1e-12);
        }
    }

    #[test]
    fn a_timeout_starts_again_from_one_up_to_what_a_loss_leaves() {
        let mut law = avoiding();
        law.on_ack(&slow_ack(0, 0, 32.0, 120));
        law.on_congestion(&congestion(CongestionKind::Timeout, 12.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (1.0, 6.0));
        (0..6).for_each(|_| law.on_ack(&ack(0, 0, 6.0)));
        near(law.window.cwnd, 6.166_666_7, 1e-7);
    }

    #[test]
    fn the_fluid_rests_in_one_of_three_places() {
        // p = 1 %: √(99/0.2) = 22.248 6 while that keeps less than 3 packets in the queue, q/rtt < 0.1348; √99 = 9.949
        // 9 where that keeps more, q/rtt > 0.3015; between them 3·rtt/q, to the width of the line.
        let rest = |queue_ms| {
            let (base_rtt, queue_delay) = (Duration::from_millis(100 - queue_ms), Duration::from_millis(queue_ms));
            Params::default().equilibrium(&FluidPath { base_rtt, queue_delay, loss: 0.01, marks: 0.0 }).unwrap().count()
        };
        near(rest(0), 22.248_595, 1e-6);
        near(rest(13), 22.248_595, 1e-6);
        near(rest(20), 15.0, 0.015);
        near(rest(31), 9.949_874, 1e-6);
        let path = FluidPath {
            base_rtt: Duration::from_millis(90),
            queue_delay: Duration::from_millis(10),
            loss: 0.01,
            marks: 0.0,
        };
        let mut out = [0.0];
        // At 30 packets 3 are in the queue and half of the line is passed: (0.99·0.75 − 0.01·0.35·900)/0.1 = −24.075
        // packets a second; at 20 packets (0.99 − 0.01·0.2·400)/0.1 = 1.9.
        Params::default().derivative(&[30.0], &path, &mut out);
        near(out[0], -24.075, 1e-6);
        Params::default().derivative(&[20.0], &path, &mut out);
        near(out[0], 1.9, 1e-9);
    }
}
