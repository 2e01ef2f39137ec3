//! Bounds on the deviation that fixed point has caused so far between a law in C and the law in Rust.

use super::c::PACKET;

/// Compared figures: the window, and the figure that only one law has.
#[derive(Clone, Copy)]
pub struct Figures {
    pub cwnd: f64,
    pub own: f64,
}

/// Largest allowed differences, in the units of [`Figures`].
pub struct Bound {
    law: &'static str,
    pub cwnd: f64,
    /// Bound for Compound's loss window, which its delay window leaves, for TCP-FIT's N, and for Veno's backlog.
    part: f64,
}

/// Steps of a window that one ACK may add. A division and the products before it are cut off: one step each of the
/// quotient and, for a share of a packet, of its numerator. The shares of round-trip times are cut at 2^-30 and AvgRTT
/// at 2^-9 µs of at least 20 ms: together less than 2 steps for two packets' part of a whole window's step. Measured:
/// at most one step.
const STEP: f64 = 4.0 / PACKET;

/// A power of the window, relative to itself: see `times_exp2` and `log2_of` in fixed.h.
const POWER: f64 = 2e-7;

/// An update of TCP-FIT's N, relative to what it adds and takes: shares of 2^-30 over α of at least 1/1000.
const PULL: f64 = 2e-6;

/// H-TCP's β: an RTTmax of at least 20 ms that loses up to 2^-8 µs at each of the events of which it keeps 0.95.
const LEFT: f64 = 4e-6;

/// β of Veno: one step beside a whole number, as of Vegas.
pub const VENO_BETA: f64 = 3.0 + 1.0 / 65_536.0;

impl Bound {
    pub fn new(law: &'static str) -> Self {
        Self { law, cwnd: STEP, part: STEP }
    }

    /// An ACK of `acked` packets has moved `before` to `after`. Between events no law but Compound makes a difference
    /// of windows larger: all move towards a rest, or by shares of a packet that shrink as the window grows.
    pub fn on_ack(&mut self, before: Figures, after: Figures, acked: f64) {
        let change = after.own - before.own;
        match self.law {
            "compound" if change > 0.0 => {
                // α·W^k makes a difference larger, by k·α·W^(k−1) < α·W^k/W.
                self.cwnd += (change + 1.0) * (self.cwnd / before.cwnd + POWER);
            }
            // All of the delay window has given way: what is left is the loss window, and its difference.
            "compound" if change < 0.0 && after.own == 0.0 => self.cwnd = self.cwnd.max(self.part),
            "tcp-fit" => {
                // N + β − pull; a pull of more than 2N would turn the difference round, but leaves N at its floor.
                if change != 0.0 {
                    self.part += PULL * (2.0 + change.abs());
                }
                self.cwnd += acked * self.part / before.cwnd;
            }
            "veno" => {
                if change != 0.0 {
                    self.part = self.cwnd + POWER * (before.cwnd + after.own);
                }
                // Of two backlogs that are as good as β one may be below it: then growth is half.
                if self.is_at_beta(after) {
                    self.cwnd += acked / (2.0 * before.cwnd);
                }
            }
            // 2^ρ and ρ² of a ρ that is cut at 2^-24.
            "hybla" => self.cwnd += POWER * (after.cwnd - before.cwnd).abs(),
            // β of 1 − β, at least a fifth; ten seconds that are cut at 2^-24 in an f of at least one, and the scale.
            "htcp" => self.cwnd += 6.0 * LEFT * (after.cwnd - before.cwnd).abs(),
            _ => {}
        }
        self.cwnd += STEP;
        if self.law == "compound" {
            self.part += STEP;
        }
    }

    /// Returns true if fixed point could put Veno's backlog on the other side of β.
    fn is_at_beta(&self, figures: Figures) -> bool {
        (figures.own - VENO_BETA).abs() <= self.own(figures)
    }

    /// Largest allowed difference of the law's own figure.
    pub fn own(&self, figures: Figures) -> f64 {
        match self.law {
            "compound" => self.cwnd + self.part,
            "tcp-fit" | "veno" => self.part,
            "htcp" => LEFT,
            // A share of the window, or a rate over a round trip of at least 20 ms.
            _ => self.cwnd + POWER * (figures.cwnd + figures.own),
        }
    }

    /// An event found `flight` packets in flight and has moved `before` to `after`.
    pub fn on_congestion(&mut self, before: Figures, after: Figures, flight: f64) {
        self.cwnd = STEP
            + match self.law {
                // A share of the window is left.
                "vegas" | "compound" => self.cwnd,
                // The derivative of 2/(3N + 1) is at most 6/16.
                "tcp-fit" => 0.375 * flight * self.part,
                // What the rate fills, known to 2 steps a round trip, of which the filter adds up ten; or nothing is
                // taken.
                "westwood" if after.cwnd == before.cwnd => self.cwnd,
                "westwood" => 20.0 / PACKET,
                "veno" if self.is_at_beta(before) => 0.3 * flight,
                "htcp" => flight * LEFT,
                // Half of what is in flight.
                _ => 0.0,
            };
    }

    /// The host has set C's window to the law's. Compound's loss window takes the difference of the delay window, which
    /// is what a share of both windows and half of the loss window left.
    pub fn on_follow(&mut self) {
        self.part = self.cwnd + self.part / 2.0;
        self.cwnd = STEP;
    }
}
