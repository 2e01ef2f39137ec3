//! TCP-FIT: one connection that emulates N Renos, N controlled by the queue.
//!
//! J. Wang, J. Wen, J. Zhang, Z. Xiong and Y. Han, "TCP-FIT: An improved TCP algorithm for heterogeneous networks",
//! Journal of Network and Computer Applications 71, 2016; before, at IEEE INFOCOM 2011, DOI
//! 10.1109/INFCOM.2011.5935128. Window W in packets, RTTs in seconds:
//!
//! * per ACK W ← W + acked below ssthresh, else W ← W + N·acked/W: N packets per round trip (Eq. 3)
//! * on loss: ssthresh ← max(flight·(1 − 2/(3N+1)), 2), W ← ssthresh (Eq. 3); on timeout as Reno:
//!   ssthresh ← max(flight/2, 2), W ← 1, N stays
//! * once every max(srtt, 500 ms) of congestion avoidance, RTT the mean of the samples since the last time:
//!   N ← max{1, N + β − β·N·(RTT − base_rtt)/(α·RTT)} (Eq. 8 and 41)
//! * α = min{1/10, (RTTmax − base_rtt)/(2·RTTmax)}, RTTmax the greatest srtt of the connection (§5.5)
//! * the rule of 2011 (`update = "step"`) has the same rest: N ← N + β while N·(RTT − base_rtt)/(α·RTT) < 1, N ← max{1,
//!   N − β} where it is more, with β = 1
//!
//! Fluid, in (W, N), with R = max(rtt, 500 ms) and α at its greatest: dW/dt = [(1−p)·N − p·W²·2/(3N+1)]/rtt packets per
//! second, dN/dt = β·(1 − N·q/(α·rtt))/R per second while N > 1 or growing. At rest N = max{1, α·rtt/q} (Eq. 25) and W²
//! = (1−p)/p · N(3N+1)/2. The paper's periodic sawtooth has 3N²/2 for N(3N+1)/2 (Eq. 22). The price is p at the path's
//! q: p = K/(K + x²·rtt²) with K = N(3N+1)/2, the derivative of U(x) = (√K/rtt)·arctan(x·rtt/√K). Without a queue N
//! grows without bound.
//!
//! **Where we differ**
//! * α is at least 1/1000, so that it is positive on a path without any queue so far.
//! * In Eq. 3 a loss takes its share of W; here of the flight, as RFC 5681's half, so that N = 1 is Reno.
//! * A period without samples, or of an app-limited sender or one in recovery, leaves N unchanged until the next ACK
//!   that counts.
//! * `noise`, off by default: this part of RTT − base_rtt is ignored. At N = 20 and 100 ms the law steers by α·RTT/N =
//!   0.5 ms, which real hosts' timers and bursts exceed.
//! * The paper does not specify how RTTmin is found. `base = "mean"` takes the least of the averages that §6.3 names.
//! * The paper does not specify N after a timeout, nor the smoothing of RTTmax. N stays unless `reset` is set.

use crate::fluid::passed;
use crate::shared::{LOSS_FLOOR, half_flight, slow_start};
use crate::window::Window;
use crate::{Ack, Congestion, CongestionKind, FluidLaw, FluidPath, Law, Needs, Utility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{Packets, Time};

params! {
    /// Parameters of [`TcpFit`].
    Params {
        /// Maximum share α of a Reno window in queues at rest.
        alpha: f64 = 0.1, from 0.001 to 1;
        /// Growth β of N per update; the paper recommends 5^(lg BDP − 3) with the BDP in packets.
        beta: f64 = 1, in STEP;
        /// Least time between updates of N, in seconds.
        period: f64 = 0.5, in STEP;
        /// Queueing delay to ignore, in seconds, where delay varies for other reasons; the paper has none.
        noise: f64 = 0, from 0 to 1;
        /// Update of N: proportional to its error, as in 2016 ("proportional"), or by one step, as in 2011 ("step").
        update: Update = Proportional, note "\"proportional\"";
        /// Reset N to 1 after a timeout; the paper does not specify it.
        reset: bool = false;
        /// Bound α by half of the greatest share that the queue had of the round trip (§5.5).
        adaptive: bool = true;
        /// Base round-trip time: the least sample ("sample"), or the least mean of a period ("mean").
        base: Base = Sample, note "\"sample\"";
    }
}

/// Update rule of N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Update {
    /// By β·(1 − N·q/(α·RTT)) (JNCA 2016, Eq. 41).
    #[default]
    Proportional,
    /// By β up or down (INFOCOM 2011).
    Step,
}

/// Base round-trip time RTTmin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// The host's: the least sample, or the propagation delay where it is known.
    #[default]
    Sample,
    /// The least mean of a period, which random delay does not lower.
    Mean,
}

impl Params {
    /// Queueing share of the round trip, beyond the noise.
    fn queued(&self, path: &FluidPath) -> f64 {
        if self.noise > 0.0 {
            (path.queue_delay.as_secs() - self.noise).max(0.0) / path.rtt()
        } else {
            path.queued_share()
        }
    }

    /// Change of N in an update, with `load` for N·q/(α·RTT).
    fn pull(&self, load: f64) -> f64 {
        self.beta
            * match self.update {
                Update::Proportional => 1.0 - load,
                Update::Step if load < 1.0 => 1.0,
                Update::Step if load > 1.0 => -1.0,
                Update::Step => 0.0,
            }
    }

    /// Change of N in the fluid: a straight line connects the two steps.
    fn smooth_pull(&self, load: f64) -> f64 {
        match self.update {
            Update::Proportional => self.beta * (1.0 - load),
            Update::Step => self.beta * (1.0 - 2.0 * passed(load, 1.0)),
        }
    }

    /// N at the equilibrium of Eq. 8, on a path with the queueing share `queued` of the round trip (Eq. 25).
    fn connections(&self, queued: f64) -> f64 {
        (self.alpha / queued).max(1.0)
    }
}

/// Share of the window that a loss takes; (21) in the paper prints 3N − 1, which would take all at N = 1.
fn decrease(n: f64) -> f64 {
    2.0 / (3.0 * n + 1.0)
}

/// The law and its state.
#[derive(Clone, Debug)]
pub struct TcpFit {
    params: Params,
    window: Window,
    /// Number of emulated Reno connections.
    n: f64,
    /// Maximum smoothed round-trip time, seconds.
    max_rtt: f64,
    /// Beginning of the current period; `None` outside congestion avoidance.
    began: Option<Time>,
    /// Sum of the period's samples in seconds, and their number.
    rtts: (f64, u32),
    /// Their mean of the last period, seconds.
    rtt: f64,
    /// Least such mean, seconds.
    least_mean: f64,
}

impl TcpFit {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        let window = Window::new(initial);
        Self { params, window, n: 1.0, max_rtt: 0.0, began: None, rtts: (0.0, 0), rtt: 0.0, least_mean: f64::INFINITY }
    }

    /// Ends the period if it is over, and updates N (Eq. 41).
    #[inline]
    fn steer(&mut self, ack: &Ack) {
        let began = *self.began.get_or_insert(ack.now);
        let (sum, samples) = self.rtts;
        let period = ack.srtt.as_secs().max(self.params.period);
        if ack.now.since(began).as_secs() < period || samples == 0 {
            return;
        }
        let rtt = sum / f64::from(samples);
        self.least_mean = self.least_mean.min(rtt);
        let base_rtt = match self.params.base {
            Base::Sample => ack.base_rtt.as_secs(),
            Base::Mean => self.least_mean,
        };
        let seen = if self.params.adaptive { (self.max_rtt - base_rtt) / (2.0 * self.max_rtt) } else { f64::INFINITY };
        let alpha = seen.min(self.params.alpha).max(LEAST_ALPHA);
        let queued = (rtt - base_rtt - self.params.noise).max(0.0) / rtt;
        self.n = (self.n + self.params.pull(queued / alpha * self.n)).max(1.0);
        (self.began, self.rtts, self.rtt) = (Some(ack.now), (0.0, 0), rtt);
    }
}

impl Law for TcpFit {
    const NEEDS: Needs = Needs { reads_base_rtt: true, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.max_rtt = self.max_rtt.max(ack.srtt.as_secs());
        let is_slow_start = self.window.is_slow_start();
        if let (Some(rtt), false) = (ack.rtt, is_slow_start) {
            self.rtts = (self.rtts.0 + rtt.as_secs(), self.rtts.1 + 1);
        }
        if ack.app_limited || ack.recovering {
            return;
        }
        let acked = ack.counted().count();
        if is_slow_start {
            self.window.cwnd = slow_start(self.window.cwnd, self.window.ssthresh, acked);
        } else {
            self.steer(ack);
            self.window.cwnd += self.n * acked / self.window.cwnd;
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            self.window.reduce(event.kind, half_flight(event));
            (self.began, self.rtts) = (None, (0.0, 0));
            self.n = if self.params.reset { 1.0 } else { self.n };
        } else {
            self.window.reduce(event.kind, (event.flight.count() * (1.0 - decrease(self.n))).max(LOSS_FLOOR));
        }
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.window.cwnd)
    }

    fn on_idle(&mut self, cwnd: Packets) {
        self.window.restart(cwnd);
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.window.remember(ssthresh)
    }

    fn on_undo(&mut self, before: Packets) {
        self.window.undo(before);
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("ssthresh", self.window.ssthresh);
        sink("n", self.n);
        sink("rtt", self.rtt);
    }
}

impl FluidLaw for Params {
    fn dimension(&self) -> usize {
        2
    }

    fn start(&self, cwnd: Packets, out: &mut [f64]) {
        out.copy_from_slice(&[cwnd.count(), 1.0]);
    }

    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        let (cwnd, n, p, rtt) = (state[0], state[1], path.loss, path.rtt());
        out[0] = ((1.0 - p) * n - p * cwnd * cwnd * decrease(n)) / rtt;
        out[1] = self.smooth_pull(n * self.queued(path) / self.alpha) / rtt.max(self.period);
        if n <= 1.0 {
            out[1] = out[1].max(0.0);
        }
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        let (n, p) = (self.connections(self.queued(path)), path.loss);
        (n.is_finite() && p > 0.0).then(|| Packets::new(((1.0 - p) / p * n / decrease(n)).sqrt()))
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        let n = self.connections(self.queued(path));
        let k = n / decrease(n);
        k.is_finite().then_some(Utility::SquareRoot { k })
    }
}

/// Least α of the packet law.
const LEAST_ALPHA: f64 = 1e-3;

/// BibTeX entry.
pub const BIBTEX: &str = "@article{wang2016tcpfit,
  author = {Jingyuan Wang and Jiangtao Wen and Jun Zhang and Zhang Xiong and Yuxing Han},
  title = {{TCP-FIT}: An improved {TCP} algorithm for heterogeneous networks},
  journal = {Journal of Network and Computer Applications},
  volume = {71}, pages = {167--180}, year = {2016},
  note = {Extends the paper at IEEE INFOCOM 2011, doi: 10.1109/INFCOM.2011.5935128}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use windward_units::Duration;

    /// In congestion avoidance at 40 packets, N as given, having seen 200 ms on a path of 100 ms: α = 0.1.
    fn avoiding(n: f64) -> TcpFit {
        let mut law = TcpFit::new(Params::default(), Packets::new(40.0));
        law.on_ack(&slow_ack(0, 0, 40.0, 200));
        (law.window.cwnd, law.window.ssthresh, law.n) = (40.0, 40.0, n);
        law
    }

    #[test]
    fn it_grows_as_n_renos() {
        // 4/40 packets an ACK.
        let mut law = avoiding(4.0);
        law.on_ack(&ack(1, 0, 40.0));
        near(law.window.cwnd, 40.1, 1e-12);
    }

    #[test]
    fn a_loss_takes_two_parts_of_three_n_and_one() {
        // N = 1: ½ of 40. N = 3: 2/10, so 32 stay. A timeout halves whatever N is.
        for (n, left) in [(1.0, 20.0), (3.0, 32.0)] {
            let mut law = avoiding(n);
            law.on_congestion(&congestion(CongestionKind::Loss, 40.0));
            near(law.window.cwnd, left, 1e-12);
            near(law.window.ssthresh, left, 1e-12);
        }
        let mut law = avoiding(3.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 40.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh, law.n), (1.0, 20.0, 3.0));
    }

    #[test]
    fn n_moves_once_in_half_a_second_towards_a_tenth_of_a_reno_window_in_the_queue() {
        // Samples of 100 and 104 ms: RTT = 102 ms, q/(α·RTT) = 2/10.2. N = 4 ← 4 + 1 − 8/10.2 = 4.215 686.
        let mut law = avoiding(4.0);
        law.on_ack(&ack(1, 0, 40.0));
        law.on_ack(&slow_ack(500, 0, 40.0, 104));
        assert_eq!(law.n, 4.0);
        law.on_ack(&slow_ack(501, 0, 40.0, 102));
        near(law.n, 4.215_686_27, 1e-8);
        // The next period knows its own samples alone: 103 ms, 3/10.3. N = 4.215 686 ← 5.215 686 − 1.227 870 = 3.987
        // 816.
        law.on_ack(&slow_ack(1001, 0, 40.0, 103));
        near(law.n, 3.987_816_49, 1e-8);
        // N never falls below one: 100 of 200 ms at N = 4 would leave −15.
        law.on_ack(&slow_ack(1501, 0, 40.0, 200));
        assert_eq!(law.n, 1.0);
    }

    #[test]
    fn noise_is_no_queue() {
        // As above, of which 1 ms is noise: RTT = 102 ms, 1/10.2. N = 4 ← 4 + 1 − 4/10.2 = 4.607 843.
        let mut law = avoiding(4.0);
        law.params.noise = 0.001;
        law.on_ack(&ack(1, 0, 40.0));
        law.on_ack(&slow_ack(500, 0, 40.0, 104));
        law.on_ack(&slow_ack(501, 0, 40.0, 102));
        near(law.n, 4.607_843_14, 1e-8);
        // And of 2 ms of queue 1 ms: N rests at 10 for 5.
        let path = FluidPath {
            base_rtt: Duration::from_millis(98),
            queue_delay: Duration::from_millis(2),
            loss: 0.01,
            marks: 0.0,
        };
        let rest = Params { noise: 0.001, ..Params::default() }.equilibrium(&path).unwrap().count();
        near(rest, (99.0_f64 * 10.0 * 31.0 / 2.0).sqrt(), 1e-9);
    }

    #[test]
    fn the_rule_of_2011_goes_by_one_up_and_down() {
        // 2 of 102 ms: N·q/(α·RTT) = 4·2/10.2 < 1, so 5; 5·2/10.2 < 1, so 6; 6·2/10.2 > 1, so 5 again. 4 of 104 ms: 4,
        // 3, 2, then 2·4/10.4 < 1: 3.
        let mut law = avoiding(4.0);
        law.params.update = Update::Step;
        law.on_ack(&slow_ack(1, 0, 40.0, 102));
        for (half, rtt, n) in [(1, 102, 5.0), (2, 102, 6.0), (3, 102, 5.0), (4, 104, 4.0), (5, 104, 3.0), (6, 104, 2.0)]
        {
            law.on_ack(&slow_ack(500 * half + 1, 0, 40.0, rtt));
            assert_eq!(law.n, n);
        }
        law.on_ack(&slow_ack(3501, 0, 40.0, 104));
        assert_eq!(law.n, 3.0);
        // A fluid at rest: N = 5 on 98 + 2 ms, as of the other rule.
        let path = FluidPath {
            base_rtt: Duration::from_millis(98),
            queue_delay: Duration::from_millis(2),
            loss: 0.01,
            marks: 0.0,
        };
        let mut out = [0.0; 2];
        for (n, slope) in [(4.0, 2.0), (5.0, 0.0), (6.0, -2.0)] {
            law.params.derivative(&[62.9, n], &path, &mut out);
            near(out[1], slope, 1e-9);
        }
    }

    #[test]
    fn a_path_that_has_shown_no_queue_lets_n_grow() {
        // RTTmax = base_rtt: α would be 0, and is 1/1000 of no queue at all: N + 1. A period of no samples leaves N,
        // and the next ACK that brings one moves it.
        let mut law = TcpFit::new(Params::default(), Packets::new(40.0));
        law.window.ssthresh = 40.0;
        law.on_ack(&ack(0, 0, 40.0));
        law.on_ack(&ack(500, 0, 40.0));
        assert_eq!(law.n, 2.0);
        law.on_ack(&Ack { rtt: None, ..ack(1001, 0, 40.0) });
        assert_eq!(law.n, 2.0);
        law.on_ack(&ack(1002, 0, 40.0));
        assert_eq!(law.n, 3.0);
        // Slow start after a timeout ends the period; the next begins with congestion avoidance.
        law.on_congestion(&congestion(CongestionKind::Timeout, 4.0));
        assert_eq!((law.n, law.began), (3.0, None));
        law.params.reset = true;
        law.on_congestion(&congestion(CongestionKind::Timeout, 4.0));
        assert_eq!(law.n, 1.0);
    }

    #[test]
    fn alpha_shrinks_where_the_buffer_is_short() {
        // Never more than 104 ms seen: α = 4/208. At RTT = 102 ms the queue asks for N = α·RTT/q = 0.98, so 1 stays 1;
        // α = 0.1 would have raised it.
        let mut law = TcpFit::new(Params::default(), Packets::new(40.0));
        law.window.ssthresh = 40.0;
        law.on_ack(&slow_ack(0, 0, 40.0, 104));
        law.on_ack(&slow_ack(500, 0, 40.0, 100));
        assert_eq!(law.n, 1.0);
    }

    #[test]
    fn alpha_stays_where_it_is_not_adaptive() {
        // As above: q/(α·RTT) = 2/10.2 with α = 0.1, so 1 ← 2 − 0.196 078.
        let mut law = TcpFit::new(Params { adaptive: false, ..Params::default() }, Packets::new(40.0));
        law.window.ssthresh = 40.0;
        law.on_ack(&slow_ack(0, 0, 40.0, 104));
        law.on_ack(&slow_ack(500, 0, 40.0, 100));
        near(law.n, 2.0 - 2.0 / 10.2, 1e-12);
    }

    #[test]
    fn a_mean_base_does_not_fall_with_a_single_sample() {
        // Periods of 100 and 104 ms, 102 and 106 ms: the first mean, 102 ms, is the base, and N = 4 ← 5 although a
        // sample was 2 ms shorter. The second mean is 104 ms: q/(α·RTT) = 2/10.4, N = 5 ← 6 − 10/10.4.
        let mut law = avoiding(4.0);
        law.params.base = Base::Mean;
        law.on_ack(&ack(1, 0, 40.0));
        law.on_ack(&slow_ack(501, 0, 40.0, 104));
        near(law.n, 5.0, 1e-12);
        law.on_ack(&slow_ack(601, 0, 40.0, 102));
        law.on_ack(&slow_ack(1001, 0, 40.0, 106));
        near(law.n, 6.0 - 10.0 / 10.4, 1e-12);
    }

    #[test]
    fn the_fluid_rests_where_the_paper_says() {
        // 100 ms of which 2 ms are queue: N = 0.1/0.02 = 5; p = 1 %: W² = 99·5·16/2 = 3960.
        let path = FluidPath {
            base_rtt: Duration::from_millis(98),
            queue_delay: Duration::from_millis(2),
            loss: 0.01,
            marks: 0.0,
        };
        let law = Params::default();
        near(law.equilibrium(&path).unwrap().count(), 62.928_530_9, 1e-6);
        let mut out = [0.0; 2];
        law.derivative(&[3960f64.sqrt(), 5.0], &path, &mut out);
        near(out[0], 0.0, 1e-9);
        near(out[1], 0.0, 1e-12);
        // At (100, 1): (0.99 − 0.01·10 000/2)/0.1 = −490.1 packets/s; N by (1 − 0.2)/0.5 = 1.6 a second.
        law.derivative(&[100.0, 1.0], &path, &mut out);
        near(out[0], -490.1, 1e-9);
        near(out[1], 1.6, 1e-12);
        assert_eq!(law.equilibrium(&FluidPath { queue_delay: Duration::ZERO, ..path }), None);
    }
}
