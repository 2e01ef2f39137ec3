//! H-TCP: growth by the time since the last loss, decrease by the queueing share of the round trip.
//!
//! D. J. Leith and R. N. Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004;
//! draft-leith-tcp-htcp-06; Linux `net/ipv4/tcp_htcp.c`. Window W in packets, Δ in seconds since the last congestion
//! event ended, RTTs in seconds:
//!
//! * W < ssthresh: W ← W + acked
//! * else: W ← W + α·acked/W, α = 2(1−β)·max(f(Δ)·s, 1) packets per round trip
//! * f(Δ) = 1 while Δ ≤ Δ_L, then 1 + 10(Δ−Δ_L) + ((Δ−Δ_L)/2)²; s = base_rtt/100 ms, limited to 0.1 to 2
//! * on loss: ssthresh ← max(β·flight, 2), W ← ssthresh; on timeout: the same ssthresh, W ← 1
//! * β = base_rtt/RTTmax, limited to 0.5 to 0.8; ½ on the first event, where base_rtt ≤ 10 ms, and where the maximum
//!   throughput since the last event differs by more than a fifth from that before it; the next event then gives ½ too
//! * RTTmax grows by at most 20 ms from sample to sample, and after each event its excess over base_rtt falls to a
//!   twentieth
//! * throughput: packets acknowledged over at least a window and base_rtt; smoothed by ¼, restarted within three
//!   base_rtt of an event
//!
//! Fluid, state (W, Δ), with β = base_rtt/rtt in its bounds and λ = p·W/rtt losses per second: dW/dt = (1−p)·α(Δ)/rtt −
//! (1−β)·W·λ packets per second, dΔ/dt = 1 − Δ·λ. The equilibrium is Δ = 1/λ with p·W² = 2(1−p)·max(f(rtt/(p·W))·s, 1),
//! for any β, by design of α. Its utility has no closed form.
//!
//! **Where we differ**
//! * α is a real number at each ACK; Linux rounds f·s down and recomputes it when W has grown by a packet.
//! * Throughput, RTTmax and Δ count only ACKs that let the window grow: not those in recovery, nor of an app-limited
//!   sender.
//! * A loss leaves its share of the flight, as RFC 5681's half; in the draft and Linux of W.
//! * The papers bound β by 0.8, Linux by 102/128 = 0.797.

mod throughput;

use crate::classic::{Avoidance, Classic};
use crate::fluid::turn;
use crate::{Ack, Congestion, FluidLaw, FluidPath};
use throughput::Throughput;
use windward_units::{Duration, Packets, Time};

params! {
    /// Parameters of [`Htcp`].
    Params {
        /// Time Δ_L after a congestion event with Reno's growth, in seconds.
        delta_l: f64 = 1, in STEP;
        /// Scale growth by the round-trip time, to the same growth in packets per second.
        rtt_scaling: bool = true;
        /// Halve if the throughput has changed by more than a fifth since the last congestion event.
        bandwidth_switch: bool = true;
    }
}

impl Params {
    /// Packets per round trip, `delta` seconds after the last event, over the share 1 − β that an event takes: α/(1−β).
    #[inline]
    fn growth(&self, delta: f64, base_rtt: f64) -> f64 {
        let past = (delta - self.delta_l).max(0.0);
        let f = 1.0 + 10.0 * past + past * past / 4.0;
        let scale = if self.rtt_scaling { (base_rtt / REFERENCE_RTT).clamp(0.1, 2.0) } else { 1.0 };
        2.0 * (f * scale).max(1.0)
    }

    /// Chooses β for an event.
    fn adapt(&self, state: &mut State, base_rtt: Duration) {
        let State { path, beta, is_adaptive, .. } = state;
        let is_steady = path.throughput.is_steady() || !self.bandwidth_switch;
        let max_rtt = path.max_rtt.max(base_rtt);
        *beta = if is_steady && *is_adaptive { left(base_rtt.as_secs(), max_rtt.as_secs()) } else { 0.5 };
        *is_adaptive = is_steady;
        (path.since, path.max_rtt) = (None, base_rtt + (max_rtt - base_rtt).scale(0.95));
    }
}

/// β of a path on which round trips have taken from `base_rtt` to `max_rtt` seconds.
fn left(base_rtt: f64, max_rtt: f64) -> f64 {
    if base_rtt > LEAST_RTT { (base_rtt / max_rtt).clamp(0.5, 0.8) } else { 0.5 }
}

/// The law and its state.
pub type Htcp = Classic<Params>;

/// State beside the window.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Packets per round trip by which the window grows, α.
    alpha: f64,
    /// Share of the window that the last event left.
    beta: f64,
    /// True if the next event may leave more than half.
    is_adaptive: bool,
    path: Path,
    /// State that an undo restores: that before the event that ended the last growth.
    before: Path,
}

/// State that an event resets and an undo restores (Linux: `htcp_cwnd_undo`).
#[derive(Clone, Copy, Debug, Default)]
struct Path {
    /// End of the last event, with the first ACK that lets the window grow; `None` until then.
    since: Option<Time>,
    max_rtt: Duration,
    throughput: Throughput,
}

impl Avoidance for Params {
    type State = State;

    const READS_BASE_RTT: bool = true;

    fn begin(&self) -> State {
        State { beta: 0.5, ..State::default() }
    }

    #[inline]
    fn measure(&self, state: &mut State, cwnd: f64, ack: &Ack) {
        let Path { since, max_rtt, throughput } = &mut state.path;
        let since = *since.get_or_insert_with(|| {
            throughput.restart(ack.now);
            ack.now
        });
        if let Some(rtt) = ack.rtt {
            *max_rtt = (*max_rtt).max(ack.base_rtt);
            if rtt <= *max_rtt + CREDIBLE {
                *max_rtt = (*max_rtt).max(rtt);
            }
        }
        state.alpha = (1.0 - state.beta) * self.growth(ack.now.since(since).as_secs(), ack.base_rtt.as_secs());
        throughput.on_ack(ack, cwnd - state.alpha.max(1.0), since);
    }

    #[inline]
    fn gain(&self, state: &mut State, cwnd: f64, ack: &Ack) -> f64 {
        state.alpha * ack.acked.count() / cwnd
    }

    fn ssthresh(&self, state: &mut State, event: &Congestion) -> f64 {
        // A timeout in recovery is of the event that is being repaired.
        if state.path.since.is_some() {
            state.before = state.path;
            self.adapt(state, event.base_rtt);
        }
        state.beta * event.flight.count()
    }

    fn undo(&self, state: &mut State) {
        state.path = state.before;
    }

    fn observe(&self, state: &State, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("beta", state.beta);
    }
}

/// State: window, seconds since the last congestion event.
impl FluidLaw for Params {
    fn dimension(&self) -> usize {
        2
    }

    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        let [cwnd, delta] = *state else { unreachable!("the state of H-TCP has two entries") };
        let (base_rtt, rtt, p) = (path.base_rtt.as_secs(), path.rtt(), path.loss);
        let losses = p * cwnd / rtt;
        let taken = 1.0 - left(base_rtt, rtt);
        out[0] = taken * ((1.0 - p) * self.growth(delta, base_rtt) / rtt - cwnd * losses);
        out[1] = 1.0 - delta * losses;
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        let (base_rtt, rtt, p) = (path.base_rtt.as_secs(), path.rtt(), path.loss);
        if p <= 0.0 {
            return None;
        }
        turn(|cwnd| (1.0 - p) * self.growth(rtt / (p * cwnd), base_rtt) > p * cwnd * cwnd)
    }
}

/// Round-trip time at which growth is not scaled, seconds.
const REFERENCE_RTT: f64 = 0.1;

/// Least round-trip time that is measured accurately enough to detect a queue, seconds.
const LEAST_RTT: f64 = 0.01;

/// Largest credible increase of a sample over the previous maximum.
const CREDIBLE: Duration = Duration::from_millis(20);

/// BibTeX entry.
pub const BIBTEX: &str = "@inproceedings{leith2004htcp,
  author = {Douglas J. Leith and Robert N. Shorten},
  title = {{H-TCP}: {TCP} for High-Speed and Long-Distance Networks},
  booktitle = {Proc. PFLDnet}, year = {2004},
  note = {Measured in Li, Leith and Shorten, IEEE/ACM Transactions on Networking 15(5), 2007, doi: 10.1109/TNET.2007.896240}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use crate::{CongestionKind, Law};

    /// In congestion avoidance at 50.02 packets, 100 ms, β = ½; the last event ended at 0 ms, and one ACK has come
    /// since.
    fn avoiding() -> Htcp {
        let mut law = Htcp::new(Params::default(), Packets::new(100.0));
        law.on_ack(&ack(0, 0, 100.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 100.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh, law.state.beta), (50.0, 50.0, 0.5));
        law.on_ack(&ack(0, 0, 50.0));
        near(law.window.cwnd, 50.02, 1e-12);
        law
    }

    #[test]
    fn growth_waits_a_second_and_then_rises_by_ten_and_more() {
        // Δ = 1 s: f = 1; 3 s: 1 + 20 + 1 = 22; of α = 2·½·f packets a round trip 1/50.02, and 1/50.039 992, per ACK:
        // 50.02 + 0.019 992 = 50.039 992, and + 22/50.039 992 = 0.439 648.
        let mut law = avoiding();
        law.on_ack(&ack(1000, 0, 50.0));
        near(law.window.cwnd, 50.039_992, 1e-7);
        law.on_ack(&ack(3000, 0, 50.0));
        near(law.window.cwnd, 50.479_640, 1e-6);
    }

    #[test]
    fn growth_is_scaled_by_the_round_trip_time() {
        // 20 ms: 0.2·22 = 4.4 packets; 5 ms: 0.1·22; 1 s: 2·22; and never below Reno's at β = ½.
        let growth = |delta, base_rtt| Params::default().growth(delta, base_rtt) / 2.0;
        near(growth(3.0, 0.02), 4.4, 1e-12);
        near(growth(3.0, 0.005), 2.2, 1e-12);
        near(growth(3.0, 1.0), 44.0, 1e-12);
        near(growth(0.0, 0.02), 1.0, 1e-12);
        near(Params { rtt_scaling: false, ..Params::default() }.growth(3.0, 0.02) / 2.0, 22.0, 1e-12);
    }

    #[test]
    fn the_second_loss_of_a_steady_flow_leaves_base_rtt_over_rtt_max() {
        let mut law = Htcp::new(Params { bandwidth_switch: false, ..Params::default() }, Packets::new(100.0));
        for (at, rtt) in [(0, 100), (10, 118), (20, 133), (30, 170)] {
            law.on_ack(&slow_ack(at, 0, 100.0, rtt));
        }
        // 170 ms are more than 20 above 133, and are not believed.
        assert_eq!(law.state.path.max_rtt, Duration::from_millis(133));
        law.on_congestion(&congestion(CongestionKind::Loss, 100.0));
        assert_eq!(law.state.beta, 0.5);
        // 100 + 0.95·33 = 131.35 ms.
        assert_eq!(law.state.path.max_rtt, Duration::from_micros(131_350));
        // No ACK has let the window grow since: a timeout is of the same event.
        law.on_congestion(&congestion(CongestionKind::Timeout, 50.0));
        assert_eq!((law.state.beta, law.window.ssthresh), (0.5, 25.0));
        law.on_ack(&ack(40, 0, 100.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 100.0));
        near(law.state.beta, 100.0 / 131.35, 1e-12);
        near(law.window.cwnd, 76.132_470, 1e-6);
        // And β's bounds.
        assert_eq!((left(0.1, 0.1), left(0.1, 0.3), left(0.01, 0.011)), (0.8, 0.5, 0.5));
    }

    #[test]
    fn a_timeout_starts_again_from_one_up_to_what_a_loss_leaves() {
        let mut law = avoiding();
        // The second event, without a queue: β is at its bound, 0.8·10 = 8.
        law.on_congestion(&congestion(CongestionKind::Timeout, 10.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (1.0, 8.0));
    }

    #[test]
    fn the_fluid_rests_at_a_root_that_is_checked_by_hand() {
        // 100 ms, p = 10⁻⁴: Δ = 1000/W. At W = 282: Δ = 3.546, past = 2.546: f = 1 + 25.46 + 1.62 = 28.08, so p·W² =
        // 7.95 < 56; at 480: Δ = 2.083 33: f = 1 + 10.8333 + 0.2934 = 12.1267, 24.25 > 23.04; at 490: 2.040 8: 11.679,
        // 23.36 < 24.01.
        let path =
            FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss: 1e-4, marks: 0.0 };
        let law = Params::default();
        let rest = law.equilibrium(&path).unwrap().count();
        assert!(480.0 < rest && rest < 490.0, "{rest}");
        let mut out = [0.0; 2];
        law.derivative(&[rest, 1000.0 / rest], &path, &mut out);
        near(out[0], 0.0, 1e-9);
        near(out[1], 0.0, 1e-12);
        // (480, 2.083 33): 0.2·(0.9999·24.253 47/0.1 − 480·0.48) = 2.422 09; at Δ = 0: 0.2·(19.998 − 230.4).
        law.derivative(&[480.0, 1000.0 / 480.0], &path, &mut out);
        near(out[0], 2.422_09, 1e-4);
        law.derivative(&[480.0, 0.0], &path, &mut out);
        near(out[0], -42.0804, 1e-9);
        near(out[1], 1.0, 1e-12);
    }
}
