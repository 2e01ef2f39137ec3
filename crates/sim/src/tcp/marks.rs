//! What a sender knows of queues' marks: RFC 3168 §6.1.2, and the counter of RFC 9768 §3.2.2.

use crate::ecn::{COUNT_MODULO, Codepoint, Ecn};
use crate::network::EcnMode;

/// Marks as ACKs tell of them.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    mode: EcnMode,
    /// Packets that were marked so far, as far as ACKs told.
    counted: u32,
    /// Segments that an ACK delivers, on average, in shares of 1/[`MEAN_UNIT`]; 0 before the first.
    acked: u32,
    /// The window has been reduced once for all that was sent below this.
    until: u32,
    /// The receiver does not know yet that the window was reduced.
    must_answer: bool,
}

/// The average of what ACKs deliver moves by one part in so many, and is kept in these parts (Linux's `PKTS_ACKED_WEIGHT` and
/// `PKTS_ACKED_PREC`).
const MEAN_UNIT: u32 = 64;
/// ACKs that deliver more than so many on average are joined on their way, not lost (Linux's `ACK_COMP_THRESH`).
const JOINED: u32 = 4;

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
        Self { mode, counted: 0, acked: 0, until: 0, must_answer: false }
    }

    /// Whether ACKs may tell of marks.
    #[inline]
    pub const fn is_on(&self) -> bool {
        !matches!(self.mode, EcnMode::Off)
    }

    /// What a segment says of congestion: a `new` one of this number, or a retransmission, which RFC 3168 §6.1.5 keeps from
    /// being marked, but not Linux where marks are counted.
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
            (EcnMode::Classic, Some(_)) | (EcnMode::Accurate, _) => Ecn::new(Codepoint::Capable),
            (EcnMode::Classic, None) => Ecn::default(),
        }
    }

    /// Packets that were marked so far, as far as ACKs told.
    pub const fn counted(&self) -> u32 {
        self.counted
    }

    /// What an ACK that delivers `acked` packets tells of marks.
    #[cold]
    pub fn hear(&mut self, ecn: Ecn, acked: u32) -> Told {
        if !self.mode.counts() {
            return Told { count: 0, is_any: ecn.flag() };
        }
        // It may be an old one, that others have overtaken: what it counts is in the next one that delivers something.
        if acked == 0 {
            return Told::default();
        }
        let are_joined = self.are_joined(acked);
        let least = ecn.count().wrapping_sub(self.counted) % COUNT_MODULO;
        // After lost ACKs the counter may have gone round: then all are marked that may be (RFC 9768 §3.2.2.5.2, appendix A.2.1).
        let count = if acked < COUNT_MODULO || are_joined { least } else { acked - (acked - least) % COUNT_MODULO };
        self.counted = self.counted.wrapping_add(count);
        Told { count: count.min(acked), is_any: count > 0 }
    }

    /// Whether ACKs that deliver many are nothing new, this one, of `acked`, included.
    fn are_joined(&mut self, acked: u32) -> bool {
        let acked = acked.min(u16::MAX.into()) * MEAN_UNIT;
        self.acked = if self.acked == 0 { acked } else { (self.acked * (MEAN_UNIT - 1) + acked) / MEAN_UNIT };
        self.acked > JOINED * MEAN_UNIT
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
        // Of the last three, one is a duplicate's.
        assert_eq!([hear(6, 7), hear(9, 7), hear(9, 1), hear(12, 2)], [6, 3, 0, 2]);
        assert_eq!(marks.on_send(None), Ecn::new(Codepoint::Scalable));
    }

    /// Linux's scripts tcp_accecn_delivered_2ndlargeack and tcp_accecn_delivered_largeack say the same.
    #[test]
    fn what_lost_acks_hide_is_taken_for_marked() {
        let hear = |acked: &[(u32, u32)]| {
            let mut marks = Marks::new(EcnMode::Accurate);
            let told: Vec<u32> =
                acked.iter().map(|&(count, acked)| marks.hear(Ecn::echo(false, count), acked).count).collect();
            (told, marks.counted())
        };
        // Nine are delivered and the counter stands where it stood: none or eight are marked; of ten with one more, one or nine.
        assert_eq!(hear(&[(0, 1), (0, 9)]), (vec![0, 8], 8));
        assert_eq!(hear(&[(0, 1), (1, 10)]), (vec![0, 9], 9));
        // Seven cannot hide anything, and where all ACKs deliver many none was lost.
        assert_eq!(hear(&[(0, 1), (0, 7)]), (vec![0, 0], 0));
        assert_eq!(hear(&[(0, 10), (1, 10)]), (vec![0, 1], 1));
        // An ACK that was overtaken, of a lower count, says nothing.
        assert_eq!(hear(&[(3, 4), (1, 0), (3, 1), (4, 1)]), (vec![3, 0, 0, 1], 4));
    }
}
