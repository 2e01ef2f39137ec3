//! Hybla: a connection with a long round trip grows like one with a short round trip.
//!
//! C. Caini and R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal of
//! Satellite Communications and Networking 22(5), 2004, DOI 10.1002/sat.799. Window W in packets, ρ = max(rtt/rtt₀, 1),
//! rtt the least srtt so far, all in seconds:
//!
//! * W < ssthresh: W ← W + (2^ρ − 1)·acked
//! * else: W ← W + ρ²·acked/W: ρ² packets per round trip, which adds ρ/rtt₀ packets per second each second at any rtt
//! * on loss: ssthresh ← max(flight/2, 2), W ← ssthresh
//! * on timeout: the same ssthresh, W ← 1
//!
//! Fluid, ρ by the propagation delay: dW/dt = [(1−p)·ρ² − p·W²/2]/rtt packets per second, at rest W = ρ·√(2(1−p)/p):
//! the rate W/rtt is that of a Reno with a round trip of rtt₀. The price is p = 2ρ²/(2ρ² + x²·rtt²), the derivative of
//! U(x) = (√2·ρ/rtt)·arctan(x·rtt/(√2·ρ)).
//!
//! **Where we differ**
//! * ρ is a real number; Linux cuts it to eighths.
//! * Packets are counted; Linux counts ACKs, so that delayed ones halve its growth.
//! * The host sets the first window; the paper's and Linux's is ρ times the standard's. ns-3's rtt₀ is 50 ms.
//! * Slow start ends at 65 535 packets, Linux's ceiling of the window; 2^ρ is at most 2^16.
//! * The paper also requires pacing, timestamps and an estimate of the path's capacity to end slow start: these are the
//!   host's.

use crate::classic::{Avoidance, Classic};
use crate::fluid::MeanWindow;
use crate::shared::slow_start;
use crate::window::Window;
use crate::{Ack, FluidPath, Utility};
use windward_units::{Duration, Packets};

params! {
    /// Parameters of [`Hybla`].
    Params {
        /// Round-trip time rtt₀ of the reference connection for growth, in seconds.
        rtt0: f64 = 0.025, from 0.001 to 10;
    }
}

impl Params {
    /// ρ of a path whose round trip takes `rtt`.
    fn rho(&self, rtt: Duration) -> f64 {
        (rtt.as_secs() / self.rtt0).max(1.0)
    }
}

/// The law and its state.
pub type Hybla = Classic<Params>;

/// State beside the window.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Least smoothed round-trip time.
    min_srtt: Duration,
    rho: f64,
    /// 2^ρ − 1.
    opening: f64,
}

impl Avoidance for Params {
    type State = State;

    fn begin(&self) -> State {
        State { min_srtt: Duration::MAX, rho: 1.0, opening: 1.0 }
    }

    #[inline]
    fn learn(&self, state: &mut State, ack: &Ack) {
        if ack.srtt < state.min_srtt && ack.srtt > Duration::ZERO {
            let rho = self.rho(ack.srtt);
            *state = State { min_srtt: ack.srtt, rho, opening: libm::exp2(rho.min(STEEPEST)) - 1.0 };
        }
    }

    #[inline]
    fn slow_start(&self, state: &State, window: &Window, ack: &Ack) -> f64 {
        let limit = window.ssthresh.min(window.cwnd.max(CEILING));
        slow_start(window.cwnd, limit, ack.counted().count() * state.opening)
    }

    #[inline]
    fn gain(&self, state: &mut State, cwnd: f64, ack: &Ack) -> f64 {
        state.rho * state.rho * ack.counted().count() / cwnd
    }

    fn observe(&self, state: &State, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("rho", state.rho);
    }
}

impl MeanWindow for Params {
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let (rho, p) = (self.rho(path.base_rtt), path.loss);
        ((1.0 - p) * rho * rho - p * cwnd * cwnd / 2.0) / path.rtt()
    }

    fn rest(&self, path: &FluidPath) -> Option<Packets> {
        let p = path.loss;
        (p > 0.0).then(|| Packets::new(self.rho(path.base_rtt) * (2.0 * (1.0 - p) / p).sqrt()))
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        let rho = self.rho(path.base_rtt);
        Some(Utility::SquareRoot { k: 2.0 * rho * rho })
    }
}

/// Greatest ρ of slow start: an ACK opens the window by 65 535 packets.
const STEEPEST: f64 = 16.0;

/// Window at which slow start ends, in packets.
const CEILING: f64 = 65_535.0;

/// BibTeX entry.
pub const BIBTEX: &str = "@article{caini2004hybla,
  author = {Carlo Caini and Rosario Firrincieli},
  title = {{TCP} {H}ybla: A {TCP} Enhancement for Heterogeneous Networks},
  journal = {International Journal of Satellite Communications and Networking},
  volume = {22}, number = {5}, pages = {547--566}, year = {2004},
  doi = {10.1002/sat.799}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use crate::{CongestionKind, FluidLaw, Law};

    #[test]
    fn a_hundred_milliseconds_are_four_times_the_reference() {
        // ρ = 4: slow start by 2⁴ − 1 = 15 packets an ACK; after a loss that found 32 in flight 16 + 16/16 = 17, 17 +
        // 16/17.
        let mut law = Hybla::new(Params::default(), Packets::new(10.0));
        law.on_ack(&ack(0, 0, 10.0));
        assert_eq!((law.state.rho, law.window.cwnd), (4.0, 25.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 32.0));
        law.on_ack(&ack(0, 0, 16.0));
        near(law.window.cwnd, 17.0, 1e-12);
        law.on_ack(&ack(0, 0, 17.0));
        near(law.window.cwnd, 17.941_176_5, 1e-7);
    }

    #[test]
    fn rho_follows_the_least_smoothed_round_trip_time() {
        // 120 ms: ρ = 4.8, 2^4.8 − 1 = 26.857 618; 100 ms: 4; 110 ms changes nothing.
        let mut law = Hybla::new(Params::default(), Packets::new(10.0));
        for (rtt, rho, cwnd) in [(120, 4.8, 36.857_618), (100, 4.0, 51.857_618), (110, 4.0, 66.857_618)] {
            law.on_ack(&slow_ack(0, 0, 10.0, rtt));
            near(law.state.rho, rho, 1e-12);
            near(law.window.cwnd, cwnd, 1e-6);
        }
    }

    #[test]
    fn a_short_round_trip_is_reno() {
        // 20 ms: ρ = 1, so 10 + 1; a timeout with 12 in flight, 1 → 6, then 6 + 1/6.
        let mut law = Hybla::new(Params::default(), Packets::new(10.0));
        law.on_ack(&slow_ack(0, 0, 10.0, 20));
        assert_eq!(law.window.cwnd, 11.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 12.0));
        (0..6).for_each(|_| law.on_ack(&slow_ack(0, 0, 6.0, 20)));
        near(law.window.cwnd, 6.166_666_7, 1e-7);
    }

    #[test]
    fn slow_start_over_a_satellite_stops_at_65535() {
        // 600 ms: ρ = 24, opened by 2^16 − 1 packets an ACK.
        let mut law = Hybla::new(Params::default(), Packets::new(10.0));
        law.on_ack(&slow_ack(0, 0, 10.0, 600));
        assert_eq!(law.window.cwnd, 65_535.0);
    }

    #[test]
    fn the_fluid_rests_at_the_rate_of_a_reno_with_the_reference_round_trip() {
        // 100 ms, p = 1 %: 4·√198 = 56.284 989 packets; 562.85 a second are Reno's 14.071 247 in 25 ms.
        let path =
            FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss: 0.01, marks: 0.0 };
        let rest = Params::default().equilibrium(&path).unwrap().count();
        near(rest, 56.284_989, 1e-6);
        near(rest / 0.1, 14.071_247_3 / 0.025, 1e-5);
        // At 40 packets: (0.99·16 − 0.01·800)/0.1 = 78.4 packets a second.
        let mut out = [0.0];
        Params::default().derivative(&[40.0], &path, &mut out);
        near(out[0], 78.4, 1e-9);
    }
}
