//! Prague: a scalable law for queues with frequent, early marks.
//!
//! K. De Schepper, O. Tilmans, B. Briscoe and V. Goel, "Prague Congestion Control",
//! draft-briscoe-iccrg-prague-congestion-control-04, §2.4; the requirements are RFC 9331 §4. Window W in packets, a
//! *virtual round trip* of max(rtt, `rtt_target`):
//!
//! * once per virtual round trip, from the first mark on: α ← (1−g)·α + g·F, F the share of marked packets
//! * per ACK of `acked` packets with `marked` marks: W ← W + (acked − marked)/W·(rtt/virtual rtt)², also while W is
//!   reduced
//! * on a mark, once per virtual round trip: W ← max(W·(1 − α/2), 2)
//! * paced at W/rtt, twice that in slow start, which ends with the first mark
//! * on loss and timeout as Reno
//!
//! Fluid, for independent marks of probability p, and losses of probability ℓ: α is p. With m marks per virtual round
//! trip R = max(rtt, `rtt_target`), m = p·W·R/rtt, 1/m of them pass before the next response to a mark: dW/dt =
//! (1−ℓ)·[(1/rtt)·(1−p)·(rtt/R)² − (1/R)·(p·W/2)·m/(1 + m)] − (1/rtt)·ℓ·W²/2. At rest W = (1+√3)/p for small p, R = rtt
//! and no losses; the draft's W = 2/p is for evenly spaced marks. Without marks it is Reno's where R = rtt. With R >
//! rtt a flow on marks has the rate, not the window, of one with the round trip R.
//!
//! **Where we differ**
//! * W is a real number; Linux stores its fraction separately.
//! * A loss halves the flight even if a mark has reduced W in the same round trip.
//! * No bursts, and none of Linux's other forms of RTT independence, which change with time.
//! * The fluid form sets α to p at once; the packet law needs some 16 round trips.

use crate::fluid::turn;
use crate::shared::marks::Share;
use crate::shared::{half_flight, slow_start};
use crate::window::Window;
use crate::{Ack, Congestion, CongestionKind, FluidLaw, FluidPath, Law, Needs};
use windward_units::{Duration, PacketRate, Packets, Time};

params! {
    /// Parameters of [`Prague`].
    Params {
        /// Weight of a round trip's marks in their mean share, g.
        g: f64 = 0.0625, from 1e-6 to 1, note " (1/16, §2.4.2)";
        /// Minimum virtual round trip in seconds: flows with shorter round trips have the rate of one with this round
        /// trip.
        rtt_target: f64 = 0, from 0 to 10, note ", none; Linux has 0.025";
    }
}

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Prague {
    params: Params,
    target: Duration,
    window: Window,
    share: Share,
    has_marks: bool,
    /// Beginning of α's virtual round trip, and of the one with the last response to a mark.
    round_began: Time,
    reduced: Option<Time>,
    srtt: Duration,
}

impl Prague {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        Self {
            params,
            target: Duration::from_secs(params.rtt_target),
            window: Window::new(initial),
            share: Share::new(),
            has_marks: false,
            round_began: Time::ZERO,
            reduced: None,
            srtt: Duration::ZERO,
        }
    }

    /// True if a virtual round trip that began at `began` is over on arrival of `ack`.
    #[inline]
    fn is_over(&self, began: Time, ack: &Ack) -> bool {
        ack.sent_at >= began && ack.now.since(began) >= self.target
    }

    fn reduce(&mut self, now: Time) {
        self.window.reduce(CongestionKind::Mark, self.share.reduced(self.window.cwnd));
        self.reduced = Some(now);
    }
}

impl Law for Prague {
    const NEEDS: Needs = Needs { counts_marks: true, counts_acks: false, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.srtt = ack.srtt;
        self.share.count(ack);
        if self.is_over(self.round_began, ack) {
            self.round_began = ack.now;
            self.has_marks |= ack.marked > Packets::ZERO;
            // Before the first mark α stays what makes that one halve.
            self.share.end(if self.has_marks { self.params.g } else { 0.0 });
        }
        if !ack.app_limited && !ack.recovering {
            let fresh = (ack.acked - ack.marked).count().max(0.0);
            if self.window.is_slow_start() {
                self.window.cwnd = slow_start(self.window.cwnd, self.window.ssthresh, fresh);
            } else {
                let scale = if self.srtt < self.target { self.srtt.ratio(self.target) } else { 1.0 };
                self.window.cwnd += fresh / self.window.cwnd * scale * scale;
            }
        }
        if ack.marked > Packets::ZERO {
            self.has_marks = true;
            if self.reduced.is_none_or(|since| self.is_over(since, ack)) {
                self.reduce(ack.now);
            }
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.kind == CongestionKind::Mark {
            return self.reduce(event.now);
        }
        self.window.reduce(event.kind, half_flight(event));
        self.reduced = Some(event.now);
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.window.cwnd)
    }

    #[inline]
    fn pacing_rate(&self) -> Option<PacketRate> {
        let gain = if self.window.is_slow_start() { 2.0 } else { 1.0 };
        (self.srtt > Duration::ZERO).then(|| Packets::new(gain * self.window.cwnd) / self.srtt)
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
        sink("alpha", self.share.alpha);
    }
}

impl Params {
    /// Growth and mean reductions of a window of `cwnd` packets, packets per second.
    fn change(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let (rtt, p) = (path.rtt(), path.marks);
        let long = rtt.max(self.rtt_target);
        let marks = p * cwnd * long / rtt;
        let by_marks = (1.0 - p) * rtt / (long * long) - p * cwnd / 2.0 * marks / (1.0 + marks) / long;
        (1.0 - path.loss) * by_marks - path.loss * cwnd * cwnd / 2.0 / rtt
    }
}

impl FluidLaw for Params {
    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        out[0] = self.change(state[0], path);
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        turn(|cwnd| self.change(cwnd, path) > 0.0)
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@techreport{rfc9331,
  author = {Koen De Schepper and Bob Briscoe},
  title = {The Explicit Congestion Notification ({ECN}) Protocol for Low Latency, Low Loss, and Scalable Throughput ({L4S})},
  type = {RFC}, number = {9331}, institution = {IETF}, year = {2023},
  doi = {10.17487/RFC9331}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near};

    fn prague(initial: f64, rtt_target: f64) -> Prague {
        Prague::new(Params { rtt_target, ..Params::default() }, Packets::new(initial))
    }

    /// `ack` at `now` ms of 10 packets sent 100 ms before, with `marked` marks.
    fn of_ten(now: u64, marked: f64) -> Ack {
        Ack { acked: Packets::new(10.0), marked: Packets::new(marked), ..ack(now, 0, 40.0) }
    }

    /// Slow start to 50; the first mark of α = 1 halves 59 (nine of ten unmarked) to 29.5. Ten more unmarked packets
    /// add 10/29.5 although the window has just been reduced, while further marks of the same round trip take nothing.
    #[test]
    fn it_grows_while_it_is_reduced() {
        let mut law = prague(40.0, 0.0);
        law.on_ack(&of_ten(100, 0.0));
        assert_eq!(law.window.cwnd, 50.0);
        law.on_ack(&of_ten(110, 1.0));
        assert_eq!(law.window.cwnd, 29.5);
        law.on_ack(&of_ten(120, 0.0));
        near(law.window.cwnd, 29.5 + 10.0 / 29.5, 1e-12);
        let before = law.window.cwnd;
        law.on_ack(&of_ten(130, 5.0));
        near(law.window.cwnd, before + 5.0 / before, 1e-12);
    }

    /// The first round trip ends with the first ACK; the second with that at 200 ms, whose ten packets and those at 150
    /// and 110 ms had 5 marks of 30: α = 15/16 + 1/96 = 0.947 916 7. A mark on packets sent at 110 ms, after the
    /// reduction, causes the next one at 210 ms: by half of α.
    #[test]
    fn a_mark_is_answered_once_a_round_trip() {
        let mut law = prague(40.0, 0.0);
        [(100, 0.0), (110, 1.0), (150, 4.0), (200, 0.0)]
            .iter()
            .for_each(|&(now, marked)| law.on_ack(&of_ten(now, marked)));
        near(law.share.alpha, 0.947_916_7, 1e-7);
        let before = law.window.cwnd;
        law.on_ack(&of_ten(210, 2.0));
        near(law.window.cwnd, (before + 8.0 / before) * (1.0 - 0.947_916_7 / 2.0), 1e-5);
    }

    /// Round trips of 100 ms extended to 400: a sixteenth of the growth, and no second response within 400 ms.
    #[test]
    fn a_short_round_trip_may_count_as_a_longer_one() {
        let mut law = prague(40.0, 0.4);
        law.on_ack(&of_ten(100, 1.0));
        assert_eq!(law.window.cwnd, 24.5);
        law.on_ack(&of_ten(300, 5.0));
        near(law.window.cwnd, 24.5 + 5.0 / 24.5 / 16.0, 1e-12);
        let before = law.window.cwnd;
        law.on_ack(&of_ten(510, 5.0));
        assert!(law.window.cwnd < 0.8 * before);
    }

    #[test]
    fn it_paces_at_its_window_and_halves_on_loss() {
        let mut law = prague(40.0, 0.0);
        assert_eq!(law.pacing_rate(), None);
        law.on_ack(&of_ten(100, 0.0));
        near(law.pacing_rate().unwrap().as_per_sec(), 1000.0, 1e-9);
        law.on_congestion(&congestion(CongestionKind::Loss, 50.0));
        near(law.pacing_rate().unwrap().as_per_sec(), 250.0, 1e-9);
        law.on_congestion(&congestion(CongestionKind::Timeout, 50.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (1.0, 25.0));
    }

    /// m²/2/(1 + m) = 1 − p: at p = 0.001 m = 0.999 + √(0.999² + 1.998) = 2.729 896, W = 2729.9. A virtual round trip
    /// four times as long has four times as many marks, W = 2729.9/4.
    #[test]
    fn the_fluid_rests_with_three_marks_a_round_trip() {
        let path =
            FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss: 0.0, marks: 1e-3 };
        let rest = |rtt_target| Params { rtt_target, ..Params::default() }.equilibrium(&path).unwrap().count();
        near(rest(0.0), 2729.896, 1e-3);
        near(rest(0.4), 2729.896 / 4.0, 1e-3);
    }

    /// √(2·0.99/0.01) = 14.071 248 packets, as Reno; with marks besides less.
    #[test]
    fn the_fluid_takes_losses_as_reno() {
        let rest = |loss, marks| {
            let path = FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss, marks };
            Params::default().equilibrium(&path).map(Packets::count)
        };
        near(rest(0.01, 0.0).unwrap(), 14.071_248, 1e-6);
        assert!(rest(0.01, 0.1).unwrap() < 14.0);
        assert_eq!(rest(0.0, 0.0), None);
    }
}
