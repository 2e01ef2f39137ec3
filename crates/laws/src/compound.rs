//! Compound: Reno's window plus a window that grows fast while the queue is short.
//!
//! K. Tan, J. Song, Q. Zhang and M. Sridharan, "A Compound TCP approach for high-speed and long distance networks",
//! IEEE INFOCOM 2006, DOI 10.1109/INFOCOM.2006.188; draft-sridharan-tcpm-ctcp-02. Total window W = c + d in packets, c
//! the loss window, d the delay window; base_rtt and rtt in seconds:
//!
//! * slow start: c ← c + acked, d = 0
//! * congestion avoidance, per ACK: c ← c + acked/W
//! * once per round trip: diff = W·(1 − base_rtt/rtt); diff < γ: d ← d + max(α·W^k − 1, 0); else d ← max(d − ζ·diff, 0)
//! * on loss: W ← (1−β)·W, of which c keeps its half and d receives the rest
//! * on timeout: ssthresh ← max(flight/2, 2), c ← 1, d ← 0
//!
//! Fluid, state (W, d), p the loss probability, x = W/rtt: c' = (1−p)/rtt − p·x·c/2 and d' = (1−p)·max(α·W^k − 1,
//! 0)/rtt, or −ζ·diff/rtt where diff ≥ γ, less p·x·(β·W − c/2). It rests at W = (2(1−p)/p)^½ where that exceeds the
//! queue's limit γ·rtt/q, else at the lesser of that limit and the solution of (1−p)·max(α·W^k, 1) = β·p·W², which is
//! exact for β = ½. It maximises no utility: two signals, loss and delay, drive one window.
//!
//! **Where we differ**
//! * γ is constant, as in the INFOCOM paper; the draft can tune it.
//! * The round's RTT is its least sample, as in the Linux code that ns-2 runs. W in diff is the flight at the sending
//!   of the segment that ends the round.
//! * The window is a real number; W^k is not rounded as in Linux's fourth root.

use crate::fluid::passed;
use crate::shared::{LOSS_FLOOR, RoundTrip, half_flight, queued, slow_start};
use crate::{Ack, Congestion, CongestionKind, FluidLaw, FluidPath, Law, Needs};
use windward_units::Packets;

params! {
    /// Parameters of [`Compound`].
    Params {
        /// Growth factor α: the window gains α·W^k packets per round trip.
        alpha: f64 = 0.125, in STEP;
        /// Growth exponent k.
        k: f64 = 0.75, from 0 to 1;
        /// Share of the window that a loss takes, β.
        beta: f64 = 0.5, from 0.1 to 0.9;
        /// Packets in queues from which the delay window shrinks, γ.
        gamma: f64 = 30, in TARGET;
        /// Packets that the delay window gives up per packet in queues and round trip, ζ.
        zeta: f64 = 1, in STEP;
    }
}

impl Params {
    /// Packets that the delay window gains in a round trip with `diff` packets of a window of `cwnd` in queues;
    /// negative if it shrinks.
    fn gain(&self, cwnd: f64, diff: f64) -> f64 {
        if diff < self.gamma { self.growth(cwnd) } else { -self.zeta * diff }
    }

    fn growth(&self, cwnd: f64) -> f64 {
        (self.alpha * libm::pow(cwnd, self.k) - 1.0).max(0.0)
    }

    /// As [`Params::gain`], with a straight line from growth to decrease for queues about γ.
    fn smooth_gain(&self, cwnd: f64, diff: f64) -> f64 {
        let retreat = passed(diff, self.gamma);
        (1.0 - retreat) * self.growth(cwnd) - retreat * self.zeta * diff
    }
}

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Compound {
    params: Params,
    /// The loss window c.
    loss_window: f64,
    /// The delay window d.
    delay_window: f64,
    ssthresh: f64,
    is_slow_start: bool,
    round: RoundTrip,
    /// Loss window, delay window, ssthresh and slow start before the last event.
    before: (f64, f64, f64, bool),
}

impl Compound {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        Self {
            params,
            loss_window: initial.count(),
            delay_window: 0.0,
            ssthresh: f64::INFINITY,
            is_slow_start: true,
            round: RoundTrip::new(),
            before: (initial.count(), 0.0, f64::INFINITY, true),
        }
    }

    fn window(&self) -> f64 {
        self.loss_window + self.delay_window
    }
}

impl Law for Compound {
    const NEEDS: Needs = Needs { reads_base_rtt: true, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let ended = self.round.on_ack(ack);
        if ack.app_limited || ack.recovering {
            return;
        }
        let acked = ack.counted().count();
        if self.is_slow_start {
            self.loss_window = slow_start(self.loss_window, self.ssthresh, acked);
            self.is_slow_start = self.loss_window < self.ssthresh;
            return;
        }
        self.loss_window += acked / self.window();
        if let Some(rtt) = ended.and_then(|ended| ended.min_rtt) {
            let diff = queued(ack.flight_at_send.count(), ack.base_rtt, rtt);
            self.delay_window = (self.delay_window + self.params.gain(self.window(), diff)).max(0.0);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.before = (self.loss_window, self.delay_window, self.ssthresh, self.is_slow_start);
        self.is_slow_start = event.kind == CongestionKind::Timeout;
        if self.is_slow_start {
            self.ssthresh = half_flight(event);
            self.loss_window = 1.0;
            self.delay_window = 0.0;
        } else {
            self.ssthresh = ((1.0 - self.params.beta) * self.window()).max(LOSS_FLOOR);
            self.loss_window = (self.loss_window / 2.0).min(self.ssthresh);
            self.delay_window = self.ssthresh - self.loss_window;
        }
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.window())
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.ssthresh = ssthresh.count().max(LOSS_FLOOR);
        true
    }

    fn on_undo(&mut self, before: Packets) {
        let (loss_window, delay_window, ssthresh, is_slow_start) = self.before;
        let grown = self.window();
        (self.loss_window, self.delay_window) = (loss_window, delay_window);
        // The windows of an earlier event, where this one only followed it, or what has grown since.
        self.loss_window += (before.count().max(grown) - self.window()).max(0.0);
        (self.ssthresh, self.is_slow_start) = (ssthresh, is_slow_start);
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("ssthresh", self.ssthresh);
        sink("loss_window", self.loss_window);
        sink("delay_window", self.delay_window);
    }
}

/// State: window, delay window.
impl FluidLaw for Params {
    fn dimension(&self) -> usize {
        2
    }

    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        let [cwnd, delay_window] = *state else { unreachable!("the state of Compound has two entries") };
        let (loss_window, rtt) = (cwnd - delay_window, path.rtt());
        let losses = path.loss * cwnd / rtt;
        let gain = self.smooth_gain(cwnd, cwnd * path.queued_share());
        let kept = if gain > 0.0 { 1.0 - path.loss } else { 1.0 };
        // An empty delay window has nothing to give.
        let gain = if delay_window > 0.0 { gain } else { gain.max(0.0) };
        out[1] = kept * gain / rtt - losses * (self.beta * cwnd - loss_window / 2.0);
        out[0] = out[1] + (1.0 - path.loss) / rtt - losses * loss_window / 2.0;
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        if path.loss <= 0.0 {
            return None;
        }
        let odds = (1.0 - path.loss) / path.loss;
        let slow = (2.0 * odds).sqrt();
        let fast = libm::pow(self.alpha * odds / self.beta, 1.0 / (2.0 - self.k));
        let queue = path.queued_share();
        Some(Packets::new(if queue > 0.0 { fast.min(self.gamma / queue) } else { fast }.max(slow)))
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@inproceedings{tan2006compound,
  author = {Kun Tan and Jingmin Song and Qian Zhang and Murari Sridharan},
  title = {A Compound {TCP} Approach for High-Speed and Long Distance Networks},
  booktitle = {Proc. IEEE INFOCOM}, year = {2006},
  doi = {10.1109/INFOCOM.2006.188}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use windward_units::Duration;

    fn steady(loss_window: f64, delay_window: f64) -> Compound {
        let mut law = Compound::new(Params::default(), Packets::new(loss_window));
        (law.delay_window, law.is_slow_start) = (delay_window, false);
        law
    }

    #[test]
    fn a_round_without_queue_adds_an_eighth_of_w_to_three_quarters() {
        // c = 100 + 1/100; d = 100.01^0.75/8 − 1 = 31.625 148/8 − 1 = 2.953 143 5.
        let mut law = steady(100.0, 0.0);
        law.on_ack(&ack(100, 1, 100.0));
        near(law.loss_window, 100.01, 1e-12);
        near(law.delay_window, 2.953_143_5, 1e-6);
    }

    #[test]
    fn small_windows_grow_as_renos() {
        // 15^0.75/8 = 0.953 < 1.
        let mut law = steady(15.0, 0.0);
        law.on_ack(&ack(100, 1, 15.0));
        assert_eq!(law.delay_window, 0.0);
    }

    #[test]
    fn thirty_packets_in_queues_take_the_delay_window() {
        // diff = 200·(1 − 100/125) = 40 ≥ 30: d = 70 − 40 = 30; once more: max(30 − 40, 0) = 0.
        let mut law = steady(130.0, 70.0);
        law.on_ack(&slow_ack(100, 1, 200.0, 125));
        near(law.delay_window, 30.0, 1e-12);
        law.on_ack(&slow_ack(200, 2, 200.0, 125));
        near(law.delay_window, 0.0, 1e-12);
    }

    #[test]
    fn a_loss_halves_the_sum() {
        // W = 100 + 60 → 80; c = 50, d = 80 − 50 = 30.
        let mut law = steady(100.0, 60.0);
        law.on_congestion(&congestion(CongestionKind::Loss, 160.0));
        assert_eq!((law.loss_window, law.delay_window), (50.0, 30.0));
    }

    #[test]
    fn a_timeout_forgets_the_delay_window() {
        let mut law = steady(100.0, 60.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 160.0));
        assert_eq!((law.window(), law.ssthresh), (1.0, 80.0));
        (0..81).for_each(|_| law.on_ack(&ack(0, 0, 80.0)));
        // 79 ACKs of slow start, then 1/80 and 1/80.0125.
        near(law.window(), 80.024_998, 1e-6);
    }

    #[test]
    fn the_fluid_rests_at_the_response_function_of_its_paper() {
        // p = 10⁻⁴: W^1.25 = 2·(1/8)·9999 = 2499.75 ⇒ W = 522.78, where diff has no queue to see.
        let path = |queue_ms| FluidPath {
            base_rtt: Duration::from_millis(100),
            queue_delay: Duration::from_millis(queue_ms),
            loss: 1e-4,
            marks: 0.0,
        };
        let rest = |queue_ms| Params::default().equilibrium(&path(queue_ms)).unwrap().count();
        near(rest(0), 522.78, 0.01);
        // With 10 ms of queue, γ·d̄/q = 30·110/10 = 330; with 100 ms, 60 < √(2·9999) = 141.41, Reno's own.
        near(rest(10), 330.0, 1e-9);
        near(rest(100), 141.41, 0.01);
    }
}
