//! The window goes down because of a mark.

use super::Sender;
use crate::tcp::recovery::{Phase, Prr};
use windward_laws::{CongestionKind, Law};
use windward_units::Time;

impl Sender {
    /// Whether the window is being reduced, or was within the last round trip: it does not grow in the meantime.
    #[inline]
    pub(super) fn is_reduced(&self) -> bool {
        matches!(self.phase, Phase::Recovery { .. } | Phase::Reduction { .. })
            || self.marks.is_answered(self.board.una())
    }

    /// Whether laws halve the window, as Linux's do, and not what is in flight (RFC 5681).
    pub(super) fn halves_window(&self) -> bool {
        self.by_time.is_on || self.is_linux_newreno
    }

    /// The law hears of marks, once for a window of data, unless a loss has told it already or it answers them itself; the ACK
    /// delivered `acked` packets.
    #[cold]
    pub(super) fn answer_marks(&mut self, now: Time, acked: u32) {
        if self.phase != Phase::Open || self.law.answers_marks() || self.marks.is_answered(self.board.una()) {
            return;
        }
        // Everything until here was sent into the same congestion.
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
