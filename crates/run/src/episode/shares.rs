//! Deliveries beside the optimum: the certificate of an episode.
//!
//! In a stretch of time T with constant capacities the proportionally fair rates x* of n flows satisfy, for the mean
//! rates x of any control, `Σ x/x* <= n + Σ B/(T x*)`, where B is what each flow had on its way when the stretch began.
//! With `log z <= z - 1`, `T Σ log(x/x*) <= Σ B/x*`. A flow that gets nothing counts as if it got a packet, which is
//! added to B.

use windward_units::Time;

/// Best rates from a time on.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Beginning in simulated time.
    pub from: Time,
    /// Rate of each flow in bits per second, 0 for flows that do not send; empty without an optimum.
    pub rates: Vec<f64>,
}

/// A flow in a stretch of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    /// Bits that have arrived.
    pub bits: f64,
    /// Bits on their way at the beginning, at most.
    pub waiting: f64,
    /// Bits of a packet.
    pub packet: f64,
    /// True if the flow sends no more.
    pub is_over: bool,
}

/// Sums over time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    /// Seconds for which there is a certificate.
    pub certified_s: f64,
    /// ∫ Σ log(x/x*) dt over these.
    pub utility_s: f64,
    /// Σ B/x*, for one stretch after the other.
    pub slack_s: f64,
}

impl Sums {
    /// Adds a stretch of `length` seconds in which the best rates were `best`, or nothing if there is no certificate.
    /// `is_first` adds what was on its way when it began.
    pub fn add(&mut self, length: f64, best: &[f64], flows: &[Delivery], is_first: bool) {
        let is_certified = !best.is_empty() && best.iter().zip(flows).all(|(best, flow)| *best <= 0.0 || !flow.is_over);
        if !is_certified || length <= 0.0 {
            return;
        }
        self.certified_s += length;
        for (best, flow) in best.iter().zip(flows).filter(|(best, _)| **best > 0.0) {
            self.utility_s += length * log_share(flow, length, *best);
            let added = (flow.packet - flow.bits).max(0.0) + if is_first { flow.waiting } else { 0.0 };
            self.slack_s += added / best;
        }
    }
}

/// `log(x/x*)` of a flow, with at least a packet.
pub(super) fn log_share(flow: &Delivery, length: f64, best: f64) -> f64 {
    libm::log(flow.bits.max(flow.packet) / (length * best))
}

/// Index of the piece that holds just after `now`; `None` before the first.
pub(super) fn piece_at(pieces: &[Piece], now: Time) -> Option<usize> {
    pieces.partition_point(|piece| piece.from <= now).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: f64 = 12_000.0;

    fn delivery(bits: f64, waiting: f64) -> Delivery {
        Delivery { bits, waiting, packet: PACKET, is_over: false }
    }

    #[test]
    fn the_utility_of_the_optimum_itself_is_zero() {
        let mut sums = Sums::default();
        sums.add(2.0, &[1e6, 0.0, 3e6], &[delivery(2e6, 0.0), delivery(0.0, 0.0), delivery(6e6, 0.0)], true);
        assert_eq!(sums, Sums { certified_s: 2.0, utility_s: 0.0, slack_s: 0.0 });
    }

    #[test]
    fn a_queue_and_a_silent_interval_are_slack() {
        let mut sums = Sums::default();
        sums.add(1.0, &[1e6], &[delivery(0.0, 5e5)], true);
        assert!((sums.slack_s - 0.512).abs() < 1e-12, "{sums:?}");
        assert!((sums.utility_s - libm::log(0.012)).abs() < 1e-12);
        sums.add(1.0, &[1e6], &[delivery(1e6, 5e5)], false);
        assert!((sums.slack_s - 0.512).abs() < 1e-12);
    }

    #[test]
    fn a_flow_that_is_over_ends_the_certificate() {
        let mut sums = Sums::default();
        sums.add(1.0, &[1e6], &[Delivery { is_over: true, ..delivery(0.0, 0.0) }], true);
        sums.add(1.0, &[], &[delivery(0.0, 0.0)], true);
        assert_eq!(sums, Sums::default());
    }

    #[test]
    fn pieces_begin_at_their_times() {
        let at = |nanos| Piece { from: Time::from_nanos(nanos), rates: Vec::new() };
        let pieces = [at(0), at(10)];
        assert_eq!([0, 9, 10].map(|now| piece_at(&pieces, Time::from_nanos(now))), [Some(0), Some(0), Some(1)]);
        assert_eq!(piece_at(&pieces[1..], Time::ZERO), None);
    }
}
