//! What a sender knows of queues' marks: RFC 3168 §6.1.2, and the counter of RFC 9768 §3.2.2.

use crate::ecn::{COUNT_MODULO, Codepoint, Ecn};
use crate::network::EcnMode;

/// Marks as ACKs tell of them.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    mode: EcnMode,
    /// The counter of the last ACK.
    counted: u32,
    /// The window has been reduced once for all that was sent below this.
    until: u32,
    /// The receiver does not know yet that the window was reduced.
    must_answer: bool,
}

/// What an ACK tells of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Packets that were marked, where ACKs count them.
    pub count: u32,
    /// There was a mark, or there was one not long ago.
    pub is_any: bool,
}

impl Marks {
    /// None yet.
    pub const fn new(mode: EcnMode) -> Self {
        Self { mode, counted: 0, until: 0, must_answer: false }
    }

    /// Whether ACKs may tell of marks.
    #[inline]
    pub const fn is_on(&self) -> bool {
        !matches!(self.mode, EcnMode::Off)
    }

    /// What a segment says of congestion: a `new` one of this number, or a retransmission, which RFC 3168 §6.1.5 keeps from
    /// being marked.
    #[inline]
    pub fn on_send(&mut self, new: Option<u32>) -> Ecn {
        if self.is_on() { self.speak(new) } else { Ecn::default() }
    }

    #[cold]
    fn speak(&mut self, new: Option<u32>) -> Ecn {
        match (self.mode, new) {
            (EcnMode::Off, _) => Ecn::default(),
            (EcnMode::Scalable, _) => Ecn::new(Codepoint::Scalable),
            (EcnMode::Classic, Some(number)) if self.must_answer => {
                // The receiver repeats the mark until it has this one: what comes before its ACK is no news.
                self.must_answer = false;
                self.until = number + 1;
                Ecn::new(Codepoint::Capable).flagged()
            }
            (EcnMode::Classic | EcnMode::Accurate, Some(_)) => Ecn::new(Codepoint::Capable),
            (EcnMode::Classic | EcnMode::Accurate, None) => Ecn::default(),
        }
    }

    /// What an ACK that delivers `acked` packets tells of marks. More than seven lost ACKs in a row hide eight marks.
    #[cold]
    pub fn hear(&mut self, ecn: Ecn, acked: u32) -> Told {
        if !self.mode.counts() {
            return Told { count: 0, is_any: ecn.flag() };
        }
        let count = ecn.count().wrapping_sub(self.counted) % COUNT_MODULO;
        self.counted = ecn.count();
        Told { count: count.min(acked), is_any: count > 0 }
    }

    /// The window was reduced, for all that was sent below `until` where a mark was the reason: the receiver need not repeat it.
    #[inline]
    pub fn note_reduction(&mut self, until: Option<u32>) {
        self.until = until.unwrap_or(self.until);
        self.must_answer = self.mode == EcnMode::Classic;
    }

    /// Whether marks that come now, when all below `una` is acknowledged, may be those that the window was reduced for.
    #[inline]
    pub const fn is_answered(&self, una: u32) -> bool {
        self.is_on() && (una < self.until || self.must_answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mark is answered by the CWR of the next new segment, and what its ACK has not covered is no news (RFC 3168 §6.1.2).
    #[test]
    fn a_classic_mark_is_answered_once() {
        let mut marks = Marks::new(EcnMode::Classic);
        let [capable, echo] = [Ecn::new(Codepoint::Capable), Ecn::echo(true, 0)];
        assert_eq!((marks.on_send(Some(9)), marks.on_send(None)), (capable, Ecn::default()));
        assert_eq!((marks.hear(echo, 2), marks.is_answered(0)), (Told { count: 0, is_any: true }, false));
        marks.note_reduction(Some(10));
        // All is acknowledged, but nothing new was sent that could say so.
        assert!(marks.is_answered(10));
        assert_eq!(
            [marks.on_send(None), marks.on_send(Some(10)), marks.on_send(Some(11))],
            [Ecn::default(), capable.flagged(), capable]
        );
        assert_eq!([marks.is_answered(10), marks.is_answered(11)], [true, false]);
    }

    #[test]
    fn a_count_goes_round_and_is_no_more_than_what_came() {
        let mut marks = Marks::new(EcnMode::Scalable);
        let mut hear = |count, acked| marks.hear(Ecn::echo(false, count), acked).count;
        assert_eq!([hear(6, 9), hear(9, 9), hear(9, 1), hear(12, 2)], [6, 3, 0, 2]);
        assert_eq!(marks.on_send(None), Ecn::new(Codepoint::Scalable));
    }
}
