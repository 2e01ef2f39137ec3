//! YeAH: yet another highspeed TCP, as Scalable while the queue is short and as Reno while it is long.
//!
//! A. Baiocchi, A. P. Castellani and F. Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007, as in Linux
//! (`tcp_yeah.c`). Window W in packets; once per round trip the least of its samples, rtt, gives the backlog Q = W·(1 −
//! base_rtt/rtt) and the delay rtt − base_rtt.
//!
//! * fast, while Q ≤ α and the delay is at most base_rtt/φ: W ← W + acked/min(W, 100)
//! * slow, else: W ← W + acked/W; a round trip that finds Q > α and W above W_reno takes min(Q/γ, W/2), down to W_reno
//! * W_reno: W/2 at the first slow round trip, one more with each further one; 2 again after ζ fast ones
//! * on loss: W less max(min(Q, W/2), W/8), or less W/2 after ρ slow round trips; W_reno is halved
//! * on timeout: the same ssthresh, W ← 1
//!
//! Fluid: none. What a loss takes depends on the backlog that the last round trip left, and W_reno on the past.
//!
//! **Where we differ**
//! * Q and W_reno are real numbers; Linux counts whole packets.
//! * A loss leaves its share of the flight, as RFC 5681's half; in Linux of W.
//! * The window of recovery is the host's: no round trip ends for the law meanwhile.

use crate::classic::{Avoidance, Classic};
use crate::shared::{LOSS_FLOOR, RoundTrip, queued};
use crate::{Ack, Congestion};
use windward_units::Duration;

params! {
    /// Parameters of [`Yeah`].
    Params {
        /// Packets in queues above which the law is slow and gives way, α.
        alpha: f64 = 80, in TARGET;
        /// Share 1/γ of the backlog that a slow round trip takes.
        gamma: f64 = 1, from 1 to 100;
        /// Share 1/φ of the base RTT above which the delay makes the law slow.
        phi: f64 = 8, from 1 to 1000;
        /// Slow round trips after which a loss halves the window, ρ.
        rho: f64 = 16, from 1 to 1000;
        /// Fast round trips after which W_reno is forgotten, ζ.
        zeta: f64 = 50, from 1 to 1000;
    }
}

/// The law and its state.
pub type Yeah = Classic<Params>;

/// Window up to which growth is a packet per ACK of that window (TCP_SCALABLE_AI_CNT), and least share of a loss.
const SCALABLE: f64 = 100.0;
const LEAST_CUT: f64 = 0.125;

/// Mode of the law, and what it remembers.
#[derive(Clone, Debug)]
pub struct Memory {
    trip: RoundTrip,
    /// Backlog by the last round trip.
    backlog: f64,
    /// Slow round trips since the last fast one, and fast ones since the last loss.
    slow: f64,
    fast: f64,
    /// Estimate of a competing Reno's window, W_reno.
    reno: f64,
}

impl Default for Memory {
    fn default() -> Self {
        Self { trip: RoundTrip::new(), backlog: 0.0, slow: 0.0, fast: 0.0, reno: LOSS_FLOOR }
    }
}

impl Params {
    /// Ends a round trip with the least sample `rtt`; returns the window if the law gives way.
    fn end(&self, memory: &mut Memory, cwnd: f64, rtt: Duration, base_rtt: Duration) -> Option<f64> {
        memory.backlog = queued(cwnd, base_rtt, rtt);
        let is_backlogged = memory.backlog > self.alpha;
        let delay = rtt.as_secs() - base_rtt.as_secs();
        if !is_backlogged && delay <= base_rtt.as_secs() / self.phi {
            memory.fast += 1.0;
            if memory.fast > self.zeta {
                (memory.reno, memory.fast) = (LOSS_FLOOR, 0.0);
            }
            memory.slow = 0.0;
            return None;
        }
        let yields = is_backlogged && cwnd > memory.reno;
        let left = (cwnd - (memory.backlog / self.gamma).min(cwnd / 2.0)).max(memory.reno);
        let now = if yields { left } else { cwnd };
        memory.reno = if memory.reno <= LOSS_FLOOR { (now / 2.0).max(LOSS_FLOOR) } else { memory.reno + 1.0 };
        memory.slow += 1.0;
        yields.then_some(left)
    }
}

impl Avoidance for Params {
    type State = Memory;

    const READS_BASE_RTT: bool = true;

    #[inline]
    fn gain(&self, memory: &mut Memory, cwnd: f64, ack: &Ack) -> f64 {
        let fast = if memory.slow > 0.0 { cwnd } else { cwnd.min(SCALABLE) };
        ack.counted().count() / fast
    }

    #[inline]
    fn give_way(&self, memory: &mut Memory, cwnd: f64, ack: &Ack) -> Option<f64> {
        let ended = memory.trip.on_ack(ack)?;
        // Linux: of two samples both may be of delayed ACKs.
        let rtt = ended.min_rtt.filter(|_| ended.samples > 2)?;
        self.end(memory, cwnd, rtt, ack.base_rtt)
    }

    fn ssthresh(&self, memory: &mut Memory, event: &Congestion) -> f64 {
        let flight = event.flight.count();
        let half = (flight / 2.0).max(LOSS_FLOOR);
        let taken = if memory.slow < self.rho { memory.backlog.min(half).max(flight * LEAST_CUT) } else { half };
        memory.fast = 0.0;
        memory.reno = (memory.reno / 2.0).max(LOSS_FLOOR);
        flight - taken
    }

    fn observe(&self, memory: &Memory, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("backlog", memory.backlog);
        sink("slow_rounds", memory.slow);
        sink("w_reno", memory.reno);
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@inproceedings{baiocchi2007yeah,
  author = {Andrea Baiocchi and Angelo P. Castellani and Francesco Vacirca},
  title = {{YeAH-TCP}: Yet Another Highspeed {TCP}},
  booktitle = {PFLDnet}, year = {2007}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{congestion, near, slow_ack};
    use crate::{CongestionKind, Law};
    use windward_units::Packets;

    /// In congestion avoidance with a window of 400 packets and a base RTT of 100 ms.
    fn avoiding() -> Yeah {
        let mut law = Yeah::new(Params::default(), Packets::new(800.0));
        law.state.slow = 16.0;
        law.on_congestion(&congestion(CongestionKind::Loss, 800.0));
        law.state = Memory::default();
        near(law.window.cwnd, 400.0, 1e-12);
        law
    }

    /// A round trip of three ACKs at `rtt` ms.
    fn round(law: &mut Yeah, number: u64, rtt: u64) {
        (0..2).for_each(|_| law.on_ack(&slow_ack(0, number - 1, 400.0, rtt)));
        law.on_ack(&slow_ack(0, number, 400.0, rtt));
    }

    /// Fast: a hundredth of a packet for each. The delay of 13 ms is above an eighth of 100 ms, so that the next are
    /// Reno's; the backlog of 46 packets does not give way.
    #[test]
    fn it_is_scalable_then_reno() {
        let mut law = avoiding();
        round(&mut law, 1, 110);
        near(law.window.cwnd, 400.03, 1e-9);
        round(&mut law, 2, 113);
        near(law.window.cwnd, 400.06, 1e-9);
        near(law.state.backlog, 400.06 * 13.0 / 113.0, 1e-6);
        near(law.state.reno, 200.03, 1e-6);
        law.on_ack(&slow_ack(0, 2, 400.0, 113));
        near(law.window.cwnd, 400.06 + 1.0 / 400.06, 1e-9);
    }

    /// 400.03·30/130 = 92.3 packets in the queue, above 80: all of them are given up.
    #[test]
    fn a_backlog_gives_way() {
        let mut law = avoiding();
        round(&mut law, 1, 130);
        let left = 400.03 * (1.0 - 30.0 / 130.0);
        near(law.window.cwnd, left, 1e-6);
        near(law.window.ssthresh, left, 1e-6);
        near(law.state.reno, left / 2.0, 1e-6);
        assert!(!law.window.is_slow_start());
    }

    /// A loss takes the backlog of 36.4 packets, but at least an eighth; after 16 slow round trips the half.
    #[test]
    fn a_loss_takes_the_backlog() {
        let after = |rtt, slow, flight| {
            let mut law = avoiding();
            round(&mut law, 1, rtt);
            law.state.slow = slow;
            law.on_congestion(&congestion(CongestionKind::Loss, flight));
            law.window.cwnd
        };
        near(after(110, 0.0, 200.0), 200.0 - 400.03 / 11.0, 1e-6);
        near(after(100, 0.0, 200.0), 175.0, 1e-9);
        near(after(110, 16.0, 200.0), 100.0, 1e-9);
    }

    /// Slow round trips raise W_reno by one each; 51 fast ones forget it.
    #[test]
    fn renos_window_is_estimated() {
        let mut law = avoiding();
        (1..=5).for_each(|number| round(&mut law, number, 113));
        assert!((204.0..205.0).contains(&law.state.reno), "{}", law.state.reno);
        (6..=55).for_each(|number| round(&mut law, number, 100));
        assert!(law.state.reno > 200.0);
        round(&mut law, 56, 100);
        near(law.state.reno, 2.0, 1e-12);
    }
}
