//! Window reduction in response to ECN marks.

use super::Sender;
use super::recovery::{Phase, Prr};
use windward_laws::{CongestionKind, Law};
use windward_units::Time;

impl Sender {
    /// True if the window is being reduced, or was within the last round trip: it does not grow in the meantime.
    #[inline]
    pub(super) fn is_reduced(&self) -> bool {
        matches!(self.phase, Phase::Recovery { .. } | Phase::Reduction { .. })
            || self.marks.is_answered(self.board.una())
    }

    /// True if laws reduce the window, as in Linux, rather than the flight size (RFC 5681).
    pub(super) fn halves_window(&self) -> bool {
        self.by_time.is_on || self.is_linux_newreno
    }

    /// Reports marks to the law, once per window of data, unless a loss was reported already or the law handles marks
    /// itself. The ACK delivered `acked` packets.
    #[cold]
    pub(super) fn answer_marks(&mut self, now: Time, acked: u32) {
        if self.phase != Phase::Open || self.law.answers_marks() || self.marks.is_answered(self.board.una()) {
            return;
        }
        // All segments up to here were sent into the same congestion.
        let until = self.board.next();
        self.marks.note_reduction(Some(until));
        self.is_doubling = false;
        let flight = if self.halves_window() { self.window } else { self.board.outstanding() + acked };
        self.report(now, CongestionKind::Mark, flight, 0);
        if self.has_sack {
            self.phase = Phase::Reduction { until, prr: Prr::new(flight, self.window) };
        }
    }
}
