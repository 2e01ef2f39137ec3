//! Marks of queues, as ACKs tell of them: RFC 3168 §6.1.2, and the counter of RFC 9768 §3.2.2.

use super::{Sender, Turn};
use crate::ecn::{COUNT_MODULO, Codepoint, Ecn};
use crate::network::EcnMode;
use crate::tcp::recovery::{Phase, Prr};
use windward_laws::CongestionKind;
use windward_units::Time;

/// What a sender knows of marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    mode: EcnMode,
    /// The counter of the last ACK.
    counted: u32,
    /// The window has been reduced once for all that was sent below this.
    until: u32,
    /// The receiver does not know yet that the window was reduced.
    must_answer: bool,
}

impl Marks {
    /// None yet.
    pub(super) const fn new(mode: EcnMode) -> Self {
        Self { mode, counted: 0, until: 0, must_answer: false }
    }

    /// Whether ACKs may tell of marks.
    #[inline]
    pub(super) const fn is_on(&self) -> bool {
        !matches!(self.mode, EcnMode::Off)
    }

    /// What a segment says of congestion. RFC 3168 §6.1.5 keeps retransmissions from being marked.
    #[inline]
    pub(super) fn on_send(&mut self, turn: Turn) -> Ecn {
        if self.is_on() { self.speak(turn) } else { Ecn::default() }
    }

    #[cold]
    fn speak(&mut self, turn: Turn) -> Ecn {
        match (self.mode, turn) {
            (EcnMode::Off, _) => Ecn::default(),
            (EcnMode::Scalable, _) => Ecn::new(Codepoint::Scalable),
            (EcnMode::Classic, Turn::New(number)) if self.must_answer => {
                // The receiver repeats the mark until it has this one: what comes before its ACK is no news.
                self.must_answer = false;
                self.until = number + 1;
                Ecn::new(Codepoint::Capable).flagged()
            }
            (EcnMode::Classic | EcnMode::Accurate, Turn::New(_)) => Ecn::new(Codepoint::Capable),
            (EcnMode::Classic | EcnMode::Accurate, _) => Ecn::default(),
        }
    }

    /// The window was reduced: the receiver need not repeat a mark.
    #[inline]
    pub(super) const fn note_reduction(&mut self) {
        self.must_answer = matches!(self.mode, EcnMode::Classic);
    }
}

/// What an ACK tells of marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    /// Packets that were marked, where ACKs count them.
    pub count: u32,
    /// There was a mark, or there was one not long ago.
    pub is_any: bool,
}

impl Sender {
    /// What an ACK that delivers `acked` packets tells of marks. More than seven lost ACKs in a row hide eight marks.
    #[cold]
    pub(super) fn hear_marks(&mut self, ecn: Ecn, acked: u32) -> Told {
        let marks = &mut self.marks;
        if !marks.mode.counts() {
            return Told { count: 0, is_any: ecn.flag() };
        }
        let count = ecn.count().wrapping_sub(marks.counted) % COUNT_MODULO;
        marks.counted = ecn.count();
        Told { count: count.min(acked), is_any: count > 0 }
    }

    /// Whether the window is being reduced, or was within the last round trip: it does not grow in the meantime.
    #[inline]
    pub(super) fn is_reduced(&self) -> bool {
        matches!(self.phase, Phase::Recovery { .. } | Phase::Reduction { .. })
            || (self.marks.is_on() && self.has_answered())
    }

    /// Whether marks that come now may be those that the window was reduced for.
    #[inline]
    fn has_answered(&self) -> bool {
        self.board.una() < self.marks.until || self.marks.must_answer
    }

    /// The law hears of marks, once for a window of data, unless a loss has told it already; the ACK delivered `acked` packets.
    #[cold]
    pub(super) fn answer_marks(&mut self, now: Time, acked: u32) {
        if self.phase != Phase::Open || self.has_answered() {
            return;
        }
        // Everything until here was sent into the same congestion.
        let until = self.board.next();
        self.marks.until = until;
        self.marks.note_reduction();
        self.is_doubling = false;
        let flight = self.board.outstanding() + acked;
        self.report(now, CongestionKind::Mark, flight, 0);
        if self.has_sack {
            self.phase = Phase::Reduction { until, prr: Prr::new(flight, self.window) };
        }
    }
}
