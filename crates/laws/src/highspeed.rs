//! HighSpeed: Reno with growth that rises and decrease that falls with the window.
//!
//! RFC 3649 §5 and Appendix B. Window w in packets; w₀ = 38 and w₁ = 83 000 packets correspond to loss rates of 10⁻³
//! and 10⁻⁷:
//!
//! * w < ssthresh: w ← w + acked
//! * else: w ← w + a(w)·acked/w, on loss ssthresh ← max(flight·(1 − b(flight)), 2), w ← ssthresh
//! * on timeout: the same ssthresh, w ← 1
//! * up to w₀ a = 1 and b = ½, Reno's
//! * above, b(w) = ½ − 0.4·ln(w/w₀)/ln(w₁/w₀) and a(w) = w²·p(w)·2·b(w)/(2 − b(w)) with p(w) = 0.078/w^1.2
//!
//! so that a sawtooth at loss rate p has the mean window 0.12/p^0.835. As in Linux and ns-3, the law uses the table of
//! Appendix B. Between two of its windows it takes the upper one's a, an integer, and b, in 256ths; beyond the last, 89
//! 053, the last one's.
//!
//! Fluid, with the equations instead of the table: dw/dt = w/rtt · [(1−p)·a(w)/w − p·b(w)·w] packets per second. At
//! equilibrium w^1.2 = 0.078·2/(2 − b(w)) · (1−p)/p, which is above the sawtooth's mean, as Reno's √2 is above √(3/2).
//! Its utility has no closed form.
//!
//! **Where we differ**
//! * No limited slow start (RFC 3742), which RFC 3649 §3 recommends beside it.
//! * b is that of the window at the loss; Linux keeps the row of the last ACK of congestion avoidance.
//! * A loss takes its share of the flight, as RFC 5681's half; in RFC 3649 and Linux of the window.

use crate::classic::{Avoidance, Classic};
use crate::fluid::MeanWindow;
use crate::{Ack, Congestion, FluidPath};

params! {
    /// Parameters of [`HighSpeed`]: none, the table holds for RFC 3649's own values.
    Params {
    }
}

/// The law and its state.
pub type HighSpeed = Classic<Params>;

impl Avoidance for Params {
    /// Table row of the last window.
    type State = usize;

    #[inline]
    fn gain(&self, last: &mut usize, cwnd: f64, ack: &Ack) -> f64 {
        *last = row(cwnd, *last);
        growth(*last) * ack.counted().count() / cwnd
    }

    fn ssthresh(&self, last: &mut usize, event: &Congestion) -> f64 {
        *last = row(event.flight.count(), *last);
        event.flight.count() * (1.0 - decrease(*last))
    }

    fn observe(&self, last: &usize, cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("growth", growth(row(cwnd, *last)));
    }
}

/// First row of a window not below `cwnd`, or the last; the search begins at `near`.
#[inline]
fn row(cwnd: f64, near: usize) -> usize {
    let mut row = near;
    while row < LAST && cwnd > f64::from(WINDOWS[row]) {
        row += 1;
    }
    while row > 0 && cwnd <= f64::from(WINDOWS[row - 1]) {
        row -= 1;
    }
    row
}

/// Growth of row `row`, in packets per round trip.
fn growth(row: usize) -> f64 {
    row as f64 + 1.0
}

/// Share of the window that a loss in row `row` takes.
fn decrease(row: usize) -> f64 {
    (256.0 * share(f64::from(WINDOWS[row]))).floor() / 256.0
}

/// b(w), for a window from w₀ on.
fn share(cwnd: f64) -> f64 {
    0.5 - 0.4 * libm::log(cwnd / LOW) / libm::log(HIGH / LOW)
}

/// a(w) and b(w): 1 and ½ up to w₀, and beyond the table those of its last window.
fn equations(cwnd: f64) -> (f64, f64) {
    let cwnd = cwnd.clamp(LOW, f64::from(WINDOWS[LAST]));
    let b = share(cwnd);
    ((0.078 * libm::pow(cwnd, 0.8) * 2.0 * b / (2.0 - b)).max(1.0), b)
}

impl MeanWindow for Params {
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let ((a, b), p) = (equations(cwnd), path.loss);
        ((1.0 - p) * a - p * b * cwnd * cwnd) / path.rtt()
    }
}

/// w₀ and w₁ of §5.
const LOW: f64 = 38.0;
const HIGH: f64 = 83_000.0;

/// The windows of Appendix B: up to the nth a is n.
const WINDOWS: [u32; 72] = [
    38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778, 4177, 4596, 5036,
    5497, 5979, 6483, 7009, 7558, 8130, 8726, 9346, 9991, 10661, 11358, 12082, 12834, 13614, 14424, 15265, 16137,
    17042, 17981, 18955, 19965, 21013, 22101, 23230, 24402, 25618, 26881, 28193, 29557, 30975, 32450, 33986, 35586,
    37253, 38992, 40808, 42707, 44694, 46776, 48961, 51258, 53677, 56230, 58932, 61799, 64851, 68113, 71617, 75401,
    79517, 84035, 89053,
];

/// Last row of the table.
const LAST: usize = WINDOWS.len() - 1;

/// BibTeX entry.
pub const BIBTEX: &str = "@techreport{rfc3649,
  author = {Sally Floyd},
  title = {{HighSpeed} {TCP} for Large Congestion Windows},
  type = {RFC}, number = {3649}, institution = {IETF}, year = {2003},
  doi = {10.17487/RFC3649}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near};
    use crate::{CongestionKind, FluidLaw, Law};
    use windward_units::{Duration, Packets};

    /// In congestion avoidance, after a loss that found `flight` packets in flight.
    fn avoiding(flight: f64) -> HighSpeed {
        let mut law = HighSpeed::new(Params {}, Packets::new(flight));
        law.on_congestion(&congestion(CongestionKind::Loss, flight));
        law
    }

    #[test]
    fn the_table_is_that_of_the_rfc() {
        // Appendix B gives b with two digits; of every eighth row, and of the last.
        let b = [0.50, 0.32, 0.26, 0.22, 0.20, 0.17, 0.15, 0.13, 0.12, 0.10];
        for (row, b) in (0..72).step_by(8).chain([71]).zip(b) {
            near(share(f64::from(WINDOWS[row])), b, 0.005);
        }
        // Its windows are where the equations make a(w) a whole number; 0.078 has two digits, half a percent.
        for (row, &cwnd) in WINDOWS.iter().enumerate().skip(1) {
            let (a, _) = equations(f64::from(cwnd));
            near(a / growth(row), 1.0, 0.005);
        }
    }

    #[test]
    fn up_to_thirty_eight_packets_it_is_reno() {
        // 38 → 19; 19 + 1/19 = 19.052 631 6.
        let mut law = avoiding(38.0);
        assert_eq!((law.window.cwnd, law.window.ssthresh), (19.0, 19.0));
        law.on_ack(&ack(0, 0, 19.0));
        near(law.window.cwnd, 19.052_631_6, 1e-7);
    }

    #[test]
    fn a_thousand_packets_grow_by_eight_and_lose_a_third() {
        // 1000 is between 851 and 1058, whose b = 0.5 − 0.4·ln(1058/38)/ln(83 000/38) = 0.327, 83 parts of 256:
        // 1000·173/256 = 675.78, which is between 663 and 851: seven packets a round trip.
        let mut law = avoiding(1000.0);
        near(law.window.cwnd, 675.781_25, 1e-9);
        law.on_ack(&ack(0, 0, 675.0));
        near(law.window.cwnd, 675.791_608, 1e-6);
        law.window.cwnd = 1000.0;
        law.on_ack(&ack(0, 0, 1000.0));
        near(law.window.cwnd, 1000.008, 1e-9);
        // Back to Reno in one step, and beyond the last row by 72.
        for (cwnd, after) in [(20.0, 20.05), (100_000.0, 100_000.000_72)] {
            law.window.cwnd = cwnd;
            law.window.ssthresh = 2.0;
            law.on_ack(&ack(0, 0, cwnd));
            near(law.window.cwnd, after, 1e-9);
        }
    }

    #[test]
    fn a_timeout_starts_again_from_one() {
        // 100 is between 38 and 118: b = 112/256, 56.25 stay.
        let mut law = avoiding(1000.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 100.0));
        assert_eq!((law.window.cwnd, law.window.ssthresh), (1.0, 56.25));
    }

    #[test]
    fn the_fluid_rests_above_the_response_function_by_what_the_sawtooth_is_below_its_mean() {
        let rest = |loss| {
            let path =
                FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss, marks: 0.0 };
            Params {}.equilibrium(&path).unwrap().count()
        };
        // §5: 263 packets at 10⁻⁴, 1795 at 10⁻⁵, 12 279 at 10⁻⁶, times (2/(2 − b))^(1/1.2). 0.078 and 1.2
        // have two digits: 3 % at 10⁻⁶.
        for (loss, mean) in [(1e-4, 263.0), (1e-5, 1795.0), (1e-6, 12_279.0)] {
            let at = rest(loss);
            near(at / (mean * libm::pow(2.0 / (2.0 - share(at)), 1.0 / 1.2)), 1.0, 0.03);
        }
        // At 1 % it is Reno's √198.
        near(rest(0.01), 14.071_247_3, 1e-6);
    }
}
