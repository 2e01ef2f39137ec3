//! ECN at the sender: RFC 3168 §6.1.2, and the ACE counter of RFC 9768 §3.2.2.

use crate::network::EcnMode;
use windward_elements::ecn::{COUNT_MODULO, Codepoint, Ecn};

/// Marks reported by ACKs.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    mode: EcnMode,
    /// Marked packets reported so far.
    counted: u32,
    /// Mean number of segments delivered per ACK, in units of 1/[`MEAN_UNIT`]; 0 before the first.
    acked: u32,
    /// The window has already been reduced for all segments below this one.
    until: u32,
    /// True if the receiver has yet to be told (CWR) that the window was reduced.
    must_answer: bool,
    /// True if a mark caused the last reduction, for which the window does not grow until it is answered.
    holds: bool,
}

/// Inverse weight of the mean of segments per ACK, and the unit of that mean (Linux's `PKTS_ACKED_WEIGHT` and
/// `PKTS_ACKED_PREC`).
const MEAN_UNIT: u32 = 64;
/// Mean number of segments per ACK above which ACKs count as merged on the path rather than lost (Linux's
/// `ACK_COMP_THRESH`).
const JOINED: u32 = 4;

/// Marks reported by one ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewMarks {
    /// Number of newly marked packets, if ACKs count them.
    pub count: u32,
    /// True if the ACK reports a mark, or repeats a recent one.
    pub is_any: bool,
}

impl Marks {
    /// Creates the state without marks.
    pub const fn new(mode: EcnMode) -> Self {
        Self { mode, counted: 0, acked: 0, until: 0, must_answer: false, holds: false }
    }

    /// True if ACKs may report marks.
    #[inline]
    pub const fn is_on(&self) -> bool {
        !matches!(self.mode, EcnMode::Off)
    }

    /// Returns the ECN fields of a segment: a `new` one of this number, or a retransmission. RFC 3168 §6.1.5 exempts
    /// retransmissions from marking; Linux does not if marks are counted.
    #[inline]
    pub fn on_send(&mut self, new: Option<u32>) -> Ecn {
        if self.is_on() { self.ecn_of(new) } else { Ecn::default() }
    }

    #[cold]
    fn ecn_of(&mut self, new: Option<u32>) -> Ecn {
        match (self.mode, new) {
            (EcnMode::Off, _) => Ecn::default(),
            (EcnMode::Scalable, _) => Ecn::new(Codepoint::Scalable),
            (EcnMode::Classic, Some(number)) if self.must_answer => {
                // The receiver repeats the mark until this segment arrives, so repetitions before its ACK carry no
                // news.
                self.must_answer = false;
                self.until = number + 1;
                Ecn::new(Codepoint::Capable).flagged()
            }
            (EcnMode::Classic, Some(_)) | (EcnMode::Accurate, _) => Ecn::new(Codepoint::Capable),
            (EcnMode::Classic, None) => Ecn::default(),
        }
    }

    /// Marked packets reported so far.
    pub const fn counted(&self) -> u32 {
        self.counted
    }

    /// Evaluates the marks reported by an ACK that delivers `acked` packets.
    #[cold]
    pub fn on_ack(&mut self, ecn: Ecn, acked: u32) -> NewMarks {
        if !self.mode.counts() {
            return NewMarks { count: 0, is_any: ecn.flag() };
        }
        // It may be an old ACK that others have overtaken. Its count is part of the next ACK that delivers data.
        if acked == 0 {
            return NewMarks::default();
        }
        let are_joined = self.are_joined(acked);
        let least = ecn.count().wrapping_sub(self.counted) % COUNT_MODULO;
        // After lost ACKs the counter may have wrapped: then as many packets count as marked as possible (RFC 9768
        // §3.2.2.5.2, appendix A.2.1).
        let count = if acked < COUNT_MODULO || are_joined { least } else { acked - (acked - least) % COUNT_MODULO };
        self.counted = self.counted.wrapping_add(count);
        NewMarks { count: count.min(acked), is_any: count > 0 }
    }

    /// True if ACKs usually deliver many segments, including this one of `acked`.
    fn are_joined(&mut self, acked: u32) -> bool {
        let acked = acked.min(u16::MAX.into()) * MEAN_UNIT;
        self.acked = if self.acked == 0 { acked } else { (self.acked * (MEAN_UNIT - 1) + acked) / MEAN_UNIT };
        self.acked > JOINED * MEAN_UNIT
    }

    /// Records a reduction of the window because of a mark, for all segments below `until`.
    #[inline]
    pub fn note_mark(&mut self, until: u32) {
        (self.until, self.holds) = (until, true);
        self.must_answer = self.mode == EcnMode::Classic;
    }

    /// Records a reduction of the window because of a loss or a timeout, of which CWR on the next new segment tells the
    /// receiver too (RFC 3168 §6.1.2). Retransmissions carry no CWR (§6.1.5), so the receiver may repeat an earlier
    /// mark until they have filled its gaps. The window does not wait for that: after a timeout slow start goes on.
    #[inline]
    pub fn note_loss(&mut self) {
        self.must_answer = self.mode == EcnMode::Classic;
        self.holds = false;
    }

    /// True if marks that arrive now, with everything below `una` acknowledged, may belong to the last reduction.
    #[inline]
    pub const fn is_answered(&self, una: u32) -> bool {
        self.is_on() && (una < self.until || self.must_answer)
    }

    /// True if the window must not grow with everything below `una` acknowledged, because a mark reduced it.
    #[inline]
    pub const fn holds_window(&self, una: u32) -> bool {
        self.holds && self.is_answered(una)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mark is answered by CWR on the next new segment; repetitions before the ACK of that segment carry no news (RFC
    /// 3168 §6.1.2).
    #[test]
    fn a_classic_mark_is_answered_once() {
        let mut marks = Marks::new(EcnMode::Classic);
        let [capable, echo] = [Ecn::new(Codepoint::Capable), Ecn::echo(true, 0)];
        assert_eq!((marks.on_send(Some(9)), marks.on_send(None)), (capable, Ecn::default()));
        assert_eq!((marks.on_ack(echo, 2), marks.is_answered(0)), (NewMarks { count: 0, is_any: true }, false));
        marks.note_mark(10);
        // All data is acknowledged, but no new segment has carried CWR.
        assert!(marks.is_answered(10));
        assert_eq!(
            [marks.on_send(None), marks.on_send(Some(10)), marks.on_send(Some(11))],
            [Ecn::default(), capable.flagged(), capable]
        );
        assert_eq!([marks.is_answered(10), marks.is_answered(11)], [true, false]);
    }

    /// A loss or a timeout is answered by CWR as well. Echoes in the meantime carry no news and do not hold the window.
    #[test]
    fn a_loss_is_answered_and_holds_nothing() {
        let mut marks = Marks::new(EcnMode::Classic);
        marks.note_mark(10);
        assert_eq!((marks.is_answered(5), marks.holds_window(5)), (true, true));
        marks.note_loss();
        assert_eq!((marks.is_answered(12), marks.holds_window(12)), (true, false));
        assert_eq!(marks.on_send(None), Ecn::default());
        assert_eq!(marks.on_send(Some(12)), Ecn::new(Codepoint::Capable).flagged());
        assert_eq!([marks.is_answered(12), marks.is_answered(13)], [true, false]);
        assert!(!Marks::new(EcnMode::Accurate).holds_window(0));
    }

    #[test]
    fn a_count_goes_round_and_is_no_more_than_what_came() {
        let mut marks = Marks::new(EcnMode::Scalable);
        let mut hear = |count, acked| marks.on_ack(Ecn::echo(false, count), acked).count;
        // One of the last three is a duplicate ACK.
        assert_eq!([hear(6, 7), hear(9, 7), hear(9, 1), hear(12, 2)], [6, 3, 0, 2]);
        assert_eq!(marks.on_send(None), Ecn::new(Codepoint::Scalable));
    }

    /// Same values as in Linux's scripts tcp_accecn_delivered_2ndlargeack and tcp_accecn_delivered_largeack.
    #[test]
    fn what_lost_acks_hide_is_taken_for_marked() {
        let hear = |acked: &[(u32, u32)]| {
            let mut marks = Marks::new(EcnMode::Accurate);
            let told: Vec<u32> =
                acked.iter().map(|&(count, acked)| marks.on_ack(Ecn::echo(false, count), acked).count).collect();
            (told, marks.counted())
        };
        // Nine are delivered and the counter is unchanged: none or eight are marked. Of ten with one more mark, one or
        // nine are.
        assert_eq!(hear(&[(0, 1), (0, 9)]), (vec![0, 8], 8));
        assert_eq!(hear(&[(0, 1), (1, 10)]), (vec![0, 9], 9));
        // Seven cannot hide a wrap, and if all ACKs deliver many segments none was lost.
        assert_eq!(hear(&[(0, 1), (0, 7)]), (vec![0, 0], 0));
        assert_eq!(hear(&[(0, 10), (1, 10)]), (vec![0, 1], 1));
        // An ACK that was overtaken, with a lower count, is ignored.
        assert_eq!(hear(&[(3, 4), (1, 0), (3, 1), (4, 1)]), (vec![3, 0, 0, 1], 4));
    }
}
