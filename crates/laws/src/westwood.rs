//! Westwood+: Reno that falls back to its measured rate instead of half.
//!
//! L. A. Grieco and S. Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP congestion
//! control", ACM SIGCOMM CCR 34(2), 2004, DOI 10.1145/997150.997155. Window W in packets, bandwidth estimate B in
//! packets a second, RTTs in seconds:
//!
//! * once per round trip of length Δ in which D packets were acknowledged: B ← a·B + (1−a)·D/Δ, the filter's a = 0.9
//! * growth as Reno's: per ACK W ← W + acked below ssthresh, else W ← W + acked/W
//! * on loss: ssthresh ← max(B·base_rtt, 2), W ← min(W, ssthresh)
//! * on timeout: the same ssthresh, W ← 1
//!
//! Fluid, with the filter settled at B = W/rtt: a loss takes W − B·base_rtt = W·q/rtt, q the queueing delay, so dW/dt =
//! (1−p)/rtt − p·W²·q/rtt² packets per second, at rest W = √((1−p)/p · rtt/q), the paper's rate √((1−p)/p)/√(rtt·q).
//! The price is p at the path's q: p = 1/(1 + x²·rtt·q), the derivative of U(x) = arctan(x·√(rtt·q))/√(rtt·q). Without
//! a queue a loss takes nothing, and it never rests.
//!
//! **Where we differ**
//! * A round trip ends with the ACK of a packet sent after the last one ended; Linux samples at least 50 ms, and
//!   smooths twice with a = 7/8.
//! * W never rises on a loss; the paper's text sets it to ssthresh only if it is larger, Linux always.
//! * Before the first round trip has ended, ssthresh is RFC 5681's half of the flight.

use crate::classic::{Avoidance, Classic};
use crate::fluid::MeanWindow;
use crate::{Ack, Congestion, FluidPath, Utility};
use windward_units::{Packets, Time};

params! {
    /// Parameters of [`Westwood`].
    Params {
        /// Share of the old bandwidth estimate that a round trip leaves, a.
        filter: f64 = 0.9, from 0 to 0.999;
    }
}

/// The law and its state.
pub type Westwood = Classic<Params>;

/// State beside the window.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Bandwidth estimate B in packets per second; zero before the first.
    bandwidth: f64,
    /// Beginning of the current round trip; `None` before the first ACK.
    began: Option<Time>,
    round: u64,
    /// Packets acknowledged in the current round trip.
    acked: f64,
}

impl Avoidance for Params {
    type State = State;

    const READS_BASE_RTT: bool = true;

    /// Counts acknowledged packets; at the end of a round trip, adds its rate to the estimate.
    #[inline]
    fn learn(&self, state: &mut State, ack: &Ack) {
        if let Some(began) = state.began {
            state.acked += ack.acked.count();
            if ack.round == state.round || ack.now <= began {
                return;
            }
            let sample = state.acked / ack.now.since(began).as_secs();
            let filter = if state.bandwidth > 0.0 { self.filter } else { 0.0 };
            state.bandwidth = filter * state.bandwidth + (1.0 - filter) * sample;
        }
        // The first ACK only begins a round trip: its packets were sent before.
        (state.began, state.round, state.acked) = (Some(ack.now), ack.round, 0.0);
    }

    fn ssthresh(&self, state: &mut State, event: &Congestion) -> f64 {
        if state.bandwidth > 0.0 { state.bandwidth * event.base_rtt.as_secs() } else { event.flight.count() / 2.0 }
    }

    fn after_loss(&self, cwnd: f64, ssthresh: f64) -> f64 {
        cwnd.min(ssthresh)
    }

    fn observe(&self, state: &State, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("bandwidth", state.bandwidth);
    }
}

impl MeanWindow for Params {
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        ((1.0 - path.loss) - path.loss * cwnd * cwnd * path.queued_share()) / path.rtt()
    }

    fn rest(&self, path: &FluidPath) -> Option<Packets> {
        let taken = path.loss * path.queued_share();
        (taken > 0.0).then(|| Packets::new(((1.0 - path.loss) / taken).sqrt()))
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        let queued = path.queued_share();
        (queued > 0.0).then(|| Utility::SquareRoot { k: 1.0 / queued })
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@article{grieco2004westwood,
  author = {Luigi A. Grieco and Saverio Mascolo},
  title = {Performance Evaluation and Comparison of {W}estwood+, {N}ew {R}eno, and {V}egas {TCP} Congestion Control},
  journal = {ACM SIGCOMM Computer Communication Review},
  volume = {34}, number = {2}, pages = {25--38}, year = {2004},
  doi = {10.1145/997150.997155}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near};
    use crate::{CongestionKind, FluidLaw, Law};
    use windward_units::Duration;

    /// Two round trips of 100 ms, of 20 and 40 packets, after the ACK that begins to count.
    fn measured() -> Westwood {
        let mut law = Westwood::new(Params::default(), Packets::new(40.0));
        law.on_ack(&ack(1000, 0, 20.0));
        (0..19).for_each(|n| law.on_ack(&ack(1001 + n, 0, 20.0)));
        law.on_ack(&ack(1100, 1, 20.0));
        near(law.state.bandwidth, 200.0, 1e-9);
        (0..39).for_each(|n| law.on_ack(&ack(1101 + n, 1, 40.0)));
        law.on_ack(&ack(1200, 2, 40.0));
        law
    }

    #[test]
    fn each_round_trip_moves_the_estimate_by_a_tenth() {
        // 20 packets in 100 ms are 200 a second; then 0.9·200 + 0.1·400 = 220.
        near(measured().state.bandwidth, 220.0, 1e-9);
    }

    #[test]
    fn a_loss_leaves_what_the_path_carries() {
        // 220 packets a second · 100 ms = 22; then 1/22 an ACK.
        let mut law = measured();
        law.on_congestion(&congestion(CongestionKind::Loss, 101.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (22.0, 22.0));
        law.on_ack(&ack(1201, 2, 22.0));
        near(law.window.cwnd, 22.045_454_5, 1e-7);
        // Below what the path carries a loss takes nothing.
        law.window.cwnd = 15.0;
        law.on_congestion(&congestion(CongestionKind::Loss, 15.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (15.0, 22.0));
    }

    #[test]
    fn a_timeout_starts_again_from_one_up_to_it() {
        let mut law = measured();
        law.on_congestion(&congestion(CongestionKind::Timeout, 101.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (1.0, 22.0));
        (0..22).for_each(|_| law.on_ack(&ack(1300, 2, 22.0)));
        near(law.window.cwnd, 22.045_454_5, 1e-7);
    }

    #[test]
    fn before_the_first_estimate_it_is_reno() {
        let mut law = Westwood::new(Params::default(), Packets::new(20.0));
        law.on_ack(&ack(1000, 0, 20.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 20.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (10.0, 10.0));
    }

    #[test]
    fn the_fluid_rests_at_the_papers_rate() {
        // p = 1 %, 100 ms of which 20 ms are queue: W = √(99·5) = 22.248 6, and the paper's rate √99/√(0.1·0.02) =
        // 222.486.
        let path = FluidPath {
            base_rtt: Duration::from_millis(80),
            queue_delay: Duration::from_millis(20),
            loss: 0.01,
            marks: 0.0,
        };
        let law = Params::default();
        near(law.equilibrium(&path).unwrap().count(), 22.248_595, 1e-6);
        let mut out = [0.0];
        // At 30 packets: (0.99 − 0.01·900·0.2)/0.1 = −8.1 packets a second.
        law.derivative(&[30.0], &path, &mut out);
        near(out[0], -8.1, 1e-12);
        assert_eq!(law.equilibrium(&FluidPath { queue_delay: Duration::ZERO, ..path }), None);
    }
}
