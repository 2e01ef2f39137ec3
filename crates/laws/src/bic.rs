//! BIC: binary search for the window of the last loss.
//!
//! L. Xu, K. Harfoush and I. Rhee, "Binary increase congestion control (BIC) for fast long-distance networks", IEEE
//! INFOCOM 2004, DOI 10.1109/INFCOM.2004.1354672; Linux `net/ipv4/tcp_bic.c`. Window W in packets, W_max the window of
//! the last loss, growth in packets per round trip:
//!
//! * W < ssthresh: W ← W + acked; else W ← W + growth·acked/W
//! * W ≤ 14: growth 1 and a loss halves, as Reno; else
//! * below W_max, with d = ⌊(W_max − W)/4⌋: growth d, at most S_max = 16, and 4/20 where d ≤ 1
//! * from W_max on: 4/20 within 4 packets, (W − W_max)/3 below W_max + 3·S_max, then S_max
//! * until the first loss, and after a timeout until the next: growth at least W/20
//! * on loss: W_max ← W, or W·(1+β)/2 if W < W_max (fast convergence); ssthresh ← max(β·W, 2), W ← ssthresh, W being
//!   the packets in flight
//! * on timeout: the same ssthresh, W ← 1, W_max ← 0
//!
//! Fluid: in a mean field of (W, W_max) W would rest at W_max, where growth is least and few windows of a sawtooth are.
//! Instead growth is its mean over a cycle from β·W to W, g(W) = (1−β)·W/R(W) with R(W) the cycle's round trips: dW/dt
//! = [(1−p)·g(W) − p·(1−β)·W²]/rtt packets per second; up to 14 packets Reno's, and from there a straight line. At
//! equilibrium a cycle has one loss, W·R(W) = (1−p)/p. Its utility has no closed form.
//!
//! **Where we differ**
//! * W is a real number, and d is rounded down as in Linux.
//! * Packets are counted; Linux counts ACKs and divides by a smoothed ratio of packets to ACKs.
//! * A loss takes its share of the flight, as RFC 5681's half; in the paper and Linux of W.
//! * β is 0.8: the paper's decrease of 1/8 became a factor 819/1024 in Linux. The paper has S_max = 32 and S_min =
//!   0.01, searches by halves, and grows past W_max as slow start does.

use crate::classic::{Avoidance, Classic};
use crate::fluid::{MeanWindow, passed};
use crate::{Ack, Congestion, CongestionKind, FluidPath};

params! {
    /// Parameters of [`Bic`].
    Params {
        /// Share of the window that a loss leaves, β.
        beta: f64 = 0.8, from 0.5 to 0.95;
        /// Greatest growth S_max in packets per round trip.
        s_max: f64 = 16, from 1 to 1000;
        /// Window in packets up to which the law is Reno's.
        low_window: f64 = 14, from 1 to 1e6;
        /// Give way to new flows after two losses at falling windows.
        fast_convergence: bool = true;
    }
}

/// The law and its state.
pub type Bic = Classic<Params>;

impl Avoidance for Params {
    /// Window of the last loss, W_max; 0 before the first and after a timeout.
    type State = f64;

    #[inline]
    fn gain(&self, w_max: &mut f64, cwnd: f64, ack: &Ack) -> f64 {
        self.growth(*w_max, cwnd) * ack.acked.count() / cwnd
    }

    fn ssthresh(&self, w_max: &mut f64, event: &Congestion) -> f64 {
        let flight = event.flight.count();
        *w_max = match event.kind {
            CongestionKind::Timeout => 0.0,
            _ if self.fast_convergence && flight < *w_max => flight * (1.0 + self.beta) / 2.0,
            _ => flight,
        };
        (if flight <= self.low_window { 0.5 } else { self.beta }) * flight
    }

    fn observe(&self, w_max: &f64, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("w_max", *w_max);
    }
}

impl Params {
    /// Packets per round trip by which a window of `cwnd` grows.
    #[inline]
    fn growth(&self, w_max: f64, cwnd: f64) -> f64 {
        if cwnd <= self.low_window {
            return 1.0;
        }
        let growth = match w_max - cwnd {
            below if below >= 2.0 * SEARCH => (below / SEARCH).floor().min(self.s_max),
            around if around > -SEARCH => SLOWEST,
            above => (-above / (SEARCH - 1.0)).min(self.s_max),
        };
        if w_max > 0.0 { growth } else { growth.max(cwnd / LOSSLESS) }
    }

    /// Round trips that it takes from `distance` packets below W_max to W_max, the integral of 1/growth.
    fn rounds(&self, distance: f64) -> f64 {
        let slowest = distance.min(2.0 * SEARCH);
        let (mut rounds, mut climbed, mut step) = (slowest / SLOWEST, slowest, 2.0);
        while step < self.s_max && climbed < distance {
            let next = distance.min((step + 1.0) * SEARCH);
            rounds += (next - climbed) / step;
            (climbed, step) = (next, step + 1.0);
        }
        rounds + (distance - climbed) / self.s_max
    }
}

impl MeanWindow for Params {
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let (above, p) = (passed(cwnd, self.low_window), path.loss);
        let taken = 1.0 - self.beta;
        let mean = taken * cwnd / self.rounds(taken * cwnd);
        let (growth, taken) = (1.0 + (mean - 1.0) * above, 0.5 + (taken - 0.5) * above);
        ((1.0 - p) * growth - p * taken * cwnd * cwnd) / path.rtt()
    }
}

/// B: each step of the search covers a B-th of the distance, and W_max is passed slowly for as many packets.
const SEARCH: f64 = 4.0;

/// Growth about W_max in packets per round trip: B packets in 20 of them.
const SLOWEST: f64 = SEARCH / 20.0;

/// Packets of the window to one of growth before the first loss: 5 % a round trip.
const LOSSLESS: f64 = 20.0;

/// BibTeX entry.
pub const BIBTEX: &str = "@inproceedings{xu2004bic,
  author = {Lisong Xu and Khaled Harfoush and Injong Rhee},
  title = {Binary Increase Congestion Control ({BIC}) for Fast Long-Distance Networks},
  booktitle = {Proc. IEEE INFOCOM}, year = {2004},
  doi = {10.1109/INFCOM.2004.1354672}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near};
    use crate::{FluidLaw, Law};
    use windward_units::{Duration, Packets};

    /// In congestion avoidance at 160 packets, after a loss at 200.
    fn avoiding() -> Bic {
        let mut law = Bic::new(Params::default(), Packets::new(200.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 200.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh, law.state), (160.0, 160.0, 200.0));
        law
    }

    #[test]
    fn it_searches_for_the_window_of_the_last_loss() {
        // 40 packets below W_max by 10 a round trip: 160 + 10/160 = 160.0625; 39.9375/4 is cut to 9: + 9/160.0625.
        let mut law = avoiding();
        law.on_ack(&ack(0, 0, 160.0));
        near(law.window.cwnd, 160.062_5, 1e-12);
        law.on_ack(&ack(0, 0, 160.0));
        near(law.window.cwnd, 160.118_728, 1e-6);
        // At 120, 80/4 = 20 is more than 16; at 192.5, 7.5/4 is 1: a packet in five round trips.
        for (cwnd, growth) in [(120.0, 16.0), (132.0, 16.0), (133.0, 16.0), (192.0, 2.0), (192.5, 0.2)] {
            law.window.cwnd = cwnd;
            near(Params::default().growth(law.state, law.window.cwnd), growth, 1e-12);
        }
    }

    #[test]
    fn beyond_it_grows_slowly_then_faster_to_sixteen() {
        let mut law = avoiding();
        for (cwnd, growth) in [(200.0, 0.2), (203.9, 0.2), (206.0, 2.0), (230.0, 10.0), (248.0, 16.0), (500.0, 16.0)] {
            law.window.cwnd = cwnd;
            near(Params::default().growth(law.state, law.window.cwnd), growth, 1e-12);
        }
        // Without a loss yet by a twentieth of the window: 25 packets.
        law.state = 0.0;
        near(Params::default().growth(law.state, law.window.cwnd), 25.0, 1e-12);
    }

    #[test]
    fn a_loss_below_the_last_gives_way() {
        // 180 < 200: W_max = 180·0.9 = 162, W = 144. Then 190 > 162 is W_max itself.
        let mut law = avoiding();
        law.on_congestion(&congestion(CongestionKind::Loss, 180.0));
        near(law.state, 162.0, 1e-12);
        near(law.window.cwnd, 144.0, 1e-12);
        law.on_congestion(&congestion(CongestionKind::Loss, 190.0));
        near(law.state, 190.0, 1e-12);
    }

    #[test]
    fn up_to_fourteen_packets_it_is_reno() {
        // 14 → 7, 7 + 1/7 = 7.142 857 1.
        let mut law = avoiding();
        law.on_congestion(&congestion(CongestionKind::Loss, 14.0));
        assert_eq!(law.window.cwnd, 7.0);
        law.on_ack(&ack(0, 0, 7.0));
        near(law.window.cwnd, 7.142_857_1, 1e-7);
    }

    #[test]
    fn a_timeout_starts_again_from_one_and_forgets() {
        let mut law = avoiding();
        law.on_congestion(&congestion(CongestionKind::Timeout, 160.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh, law.state), (1.0, 128.0, 0.0));
    }

    #[test]
    fn the_way_back_to_four_hundred_packets_takes_fifty_round_trips() {
        // From 320: 12 packets by 16 a round trip, 4 each by k = 16, 15, …, 2 about 398 − 4k, and the last 8 in 40
        // round trips: 0.75·326 + Σ 4/k·(398 − 4k) + 40·396 = 244.5 + 3790.1 − 240 + 15 840 = 19 634.6 ACKs, less up to
        // one at each of the 16 changes of pace, which comes within an ACK.
        let mut law = Bic::new(Params::default(), Packets::new(400.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 400.0));
        let mut acks = 0.0;
        while law.window.cwnd < 400.0 {
            law.on_ack(&ack(0, 0, 400.0));
            acks += 1.0;
        }
        near(acks, 19_634.6, 16.0);
    }

    #[test]
    fn the_fluid_rests_where_a_cycle_has_one_loss() {
        // From 320 to 400 packets: 12 by 16 a round trip, 4 each by 16, 15, …, 2, and 8 in 40 round trips:
        // 0.75 + 4·(H₁₆ − 1) + 40 = 0.75 + 4·2.380 729 + 40 = 50.272 916.
        let law = Params::default();
        near(law.rounds(80.0), 50.272_916, 1e-6);
        near(law.rounds(8.0), 40.0, 1e-12);
        near(law.rounds(12.0), 42.0, 1e-12);
        // W·R = 400·50.272 916 = 20 109.166 are the packets per loss.
        let path =
            |loss| FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss, marks: 0.0 };
        near(law.equilibrium(&path(1.0 / 20_110.166_5)).unwrap().count(), 400.0, 1e-4);
        // At 2 % it is Reno's √98; at 1 % it stands on the step from Reno's growth to its own.
        near(law.equilibrium(&path(0.02)).unwrap().count(), 98.0_f64.sqrt(), 1e-9);
        near(law.equilibrium(&path(0.01)).unwrap().count(), 14.0, 0.014);
    }
}
