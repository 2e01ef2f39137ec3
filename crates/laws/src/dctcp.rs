//! Data Center TCP: reduces the window in proportion to the share of marked packets.
//!
//! M. Alizadeh and others, "Data center TCP (DCTCP)", SIGCOMM 2010, DOI 10.1145/1851182.1851192; RFC 8257 §3.3. Window
//! W in packets:
//!
//! * once a window of data: α ← (1−g)·α + g·F, F the share of the packets acknowledged in it that were marked
//! * on marks, once a window of data: W ← max(W·(1 − α/2), 2), and W stays so until a packet sent since is acknowledged
//! * all else as Reno: growth, losses, timeouts
//!
//! With a queue that marks above K packets and a flow that fills the link, W grows to W* = rate·rtt + K, one round
//! trip's packets are marked, α²·(1 − α/4) = (2W* + 1)/(W* + 1)², for small α √(2/W*), and the queue oscillates by
//! W*·α/2 (Alizadeh and others 2010, (4) to (8)).
//!
//! Fluid, for independent marks of probability p, and losses of probability ℓ: α is p. Given m = p·W marks per round
//! trip, 1/m round trips pass from one reduction's end to the next mark, in which W grows: a reduction each 1 + 1/m
//! round trips, dW/dt = (1/rtt)·{(1−ℓ)·[(1−p) − m·p·W/2]/(1 + m) − ℓ·W²/2}. At rest W = √(2(1−p))/p without losses;
//! without marks it is Reno's.
//!
//! **Where we differ**
//! * The receiver counts marks (RFC 9768, `ecn = "accurate"`), and need not turn its ECE on and off with them (RFC 8257
//!   §3.2).
//! * F counts packets, not bytes.
//! * W does not grow in the round trip after a reduction, as in Linux; RFC 8257 leaves that open. It falls at once, as
//!   in the paper. Linux lets it fall over a round trip, in which packets sent after the reduction are still marked,
//!   and reduces twice.
//! * The fluid form sets α to p at once; the packet law needs some 16 round trips.

use crate::fluid::turn;
use crate::shared::marks::Share;
use crate::shared::{half_flight, slow_start};
use crate::window::Window;
use crate::{Ack, Congestion, CongestionKind, FluidLaw, FluidPath, Law, Needs};
use windward_units::{Packets, Time};

params! {
    /// Parameters of [`Dctcp`].
    Params {
        /// Weight of a window's marks in their mean share, g.
        g: f64 = 0.0625, from 1e-6 to 1, note " (1/16, RFC 8257 §4.2)";
    }
}

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Dctcp {
    params: Params,
    window: Window,
    share: Share,
    round: u64,
    /// Time of the last response to marks; packets sent earlier cause no second response.
    reduced: Time,
}

impl Dctcp {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        Self { params, window: Window::new(initial), share: Share::new(), round: 0, reduced: Time::ZERO }
    }
}

impl Dctcp {
    fn reduce(&mut self, now: Time) {
        self.window.reduce(CongestionKind::Mark, self.share.reduced(self.window.cwnd));
        self.reduced = now;
    }
}

impl Law for Dctcp {
    const NEEDS: Needs = Needs { counts_marks: true, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.share.count(ack);
        if ack.round != self.round {
            self.round = ack.round;
            self.share.end(self.params.g);
        }
        if ack.sent_at < self.reduced {
            return;
        }
        if ack.marked > Packets::ZERO {
            return self.reduce(ack.now);
        }
        if ack.app_limited || ack.recovering {
            return;
        }
        let acked = ack.counted().count();
        if self.window.is_slow_start() {
            self.window.cwnd = slow_start(self.window.cwnd, self.window.ssthresh, acked);
        } else {
            self.window.cwnd += acked / self.window.cwnd;
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.kind == CongestionKind::Mark {
            return self.reduce(event.now);
        }
        self.window.reduce(event.kind, half_flight(event));
        self.reduced = event.now;
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
        sink("alpha", self.share.alpha);
    }
}

impl FluidLaw for Params {
    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        out[0] = change(state[0], path);
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        turn(|cwnd| change(cwnd, path) > 0.0)
    }
}

/// Growth and mean reductions of a window of `cwnd` packets, packets a second.
fn change(cwnd: f64, path: &FluidPath) -> f64 {
    let marks = path.marks * cwnd;
    let by_marks = ((1.0 - path.marks) - marks * marks / 2.0) / (1.0 + marks);
    ((1.0 - path.loss) * by_marks - path.loss * cwnd * cwnd / 2.0) / path.rtt()
}

/// BibTeX entry.
pub const BIBTEX: &str = "@techreport{rfc8257,
  author = {Stephen Bensley and Dave Thaler and Praveen Balasubramanian and Lars Eggert and Glenn Judd},
  title = {Data Center {TCP} ({DCTCP}): {TCP} Congestion Control for Data Centers},
  type = {RFC}, number = {8257}, institution = {IETF}, year = {2017},
  doi = {10.17487/RFC8257}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near};
    use windward_units::Duration;

    fn marked(round: u64, acked: f64, marked: f64) -> Ack {
        Ack { acked: Packets::new(acked), marked: Packets::new(marked), ..ack(0, round, 10.0) }
    }

    /// α = 1: half at 200 ms. Packets sent before, acknowledged at 250 ms, cause no second response; those sent then,
    /// at 300 ms, do.
    #[test]
    fn marks_of_one_round_trip_are_answered_once() {
        let mut law = Dctcp::new(Params::default(), Packets::new(40.0));
        let windows = [200, 250, 300].map(|now| {
            law.on_ack(&Ack { marked: Packets::ONE, ..ack(now, 0, 40.0) });
            law.window.cwnd
        });
        assert_eq!(windows, [20.0, 20.0, 10.0]);
    }

    /// α = 1; a window without marks leaves 15/16, one with a quarter marked 15/16·15/16 + 1/64 = 0.894 531 25.
    #[test]
    fn alpha_follows_the_share_of_marks() {
        let mut law = Dctcp::new(Params::default(), Packets::new(10.0));
        law.on_ack(&marked(1, 10.0, 0.0));
        assert_eq!(law.share.alpha, 0.9375);
        // The ACK that ends a window is of it.
        law.on_ack(&marked(1, 6.0, 3.0));
        law.on_ack(&marked(2, 10.0, 1.0));
        near(law.share.alpha, 0.894_531_25, 1e-12);
    }

    /// With α = 0.2 marks leave 0.9 of the window, 45 of 50; then a packet a round trip.
    #[test]
    fn marks_take_half_of_alpha() {
        let mut law = Dctcp::new(Params::default(), Packets::new(50.0));
        law.share.alpha = 0.2;
        law.on_congestion(&congestion(CongestionKind::Mark, 50.0));
        near(law.window.cwnd, 45.0, 1e-12);
        law.on_ack(&ack(0, 0, 45.0));
        near(law.window.cwnd, 45.0 + 1.0 / 45.0, 1e-12);
    }

    #[test]
    fn losses_are_renos() {
        let mut law = Dctcp::new(Params::default(), Packets::new(50.0));
        law.share.alpha = 0.2;
        law.on_congestion(&congestion(CongestionKind::Loss, 50.0));
        assert_eq!(law.window.cwnd, 25.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 20.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (1.0, 10.0));
    }

    /// Marks alone: √(2·0.999)/0.001 = 1413.506 packets. Losses alone, as Reno: √(2·0.99/0.01) = 14.071 248. Both, at
    /// W = 10, m = 1: 0.99·(0.9 − 0.5)/2 = 0.198 packets a round trip by marks, and −0.01·50 by losses.
    #[test]
    fn the_fluid_tells_marks_from_losses() {
        let path =
            |loss, marks| FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss, marks };
        let rest = |loss, marks| Params::default().equilibrium(&path(loss, marks)).map(Packets::count);
        near(rest(0.0, 1e-3).unwrap(), 1413.506, 1e-3);
        near(rest(0.01, 0.0).unwrap(), 14.071_248, 1e-6);
        assert_eq!(rest(0.0, 0.0), None);
        let mut out = [0.0];
        Params::default().derivative(&[10.0], &path(0.01, 0.1), &mut out);
        near(out[0] * 0.1, -0.302, 1e-12);
    }
}
