//! Detection of losses, and of reductions that were spurious.

use super::{Precedence, Purpose, RackTlp, TIMER_MARGIN};
use crate::tcp::sender::loss::frto::Verdict;
use crate::tcp::sender::loss::news::News;
use crate::tcp::sender::phase::Phase;
use crate::tcp::sender::prr::Prr;
use crate::tcp::sender::tcb::Tcb;
use windward_laws::CongestionKind;
use windward_units::{Duration, Time};

impl RackTlp {
    /// Evaluates the ACK for undo of the last reduction, and for losses. Returns the number of losses found, and true
    /// if the timer waits for the end of a reordering window.
    pub(super) fn evaluate(&mut self, tcb: &mut Tcb, now: Time, news: &News) -> (u32, bool) {
        self.leave_phase(tcb, news);
        match tcb.phase {
            Phase::Recovery { .. } | Phase::WindowRecovery { .. } => {
                if news.advances && self.is_late_in_recovery(tcb, news) {
                    return (0, false);
                }
                if self.undo.is_all_duplicate() {
                    self.rack.count_recovery(true);
                    self.take_back(tcb, false);
                }
                let found = self.detect(tcb, now);
                // Undone just now: what is lost all the same begins another recovery.
                if tcb.phase == Phase::Open {
                    self.recover(tcb, now, found.0);
                }
                found
            }
            Phase::Loss { until } => {
                self.judge_timeout(tcb, until, news);
                let repeated = tcb.board.retransmitted();
                let found = self.detect(tcb, now);
                let is_repetition_lost = tcb.board.retransmitted() < repeated;
                // RACK also finds a lost retransmission. Recovery repairs it at once; slow start alone would wait for
                // another timeout.
                if tcb.phase == Phase::Open || is_repetition_lost {
                    self.recover(tcb, now, found.0);
                }
                found
            }
            Phase::Open | Phase::Reduction { .. } => {
                if tcb.phase == Phase::Open && self.undo.is_all_duplicate() {
                    self.rack.count_recovery(true);
                    self.take_back(tcb, false);
                }
                let found = self.detect(tcb, now);
                self.recover(tcb, now, found.0);
                if tcb.phase == Phase::Open && tcb.board.retransmitted() == 0 {
                    self.undo.settle();
                }
                found
            }
        }
    }

    /// Ends recovery, or the reduction after a mark, once everything sent before is acknowledged.
    fn leave_phase(&mut self, tcb: &mut Tcb, news: &News) {
        match tcb.phase {
            Phase::Recovery { until, .. } if tcb.board.una() >= until => self.finish(tcb, news),
            Phase::Reduction { until, .. } if tcb.board.una() >= until => tcb.phase = Phase::Open,
            _ => {}
        }
    }

    /// Ends the reduction, with everything sent before acknowledged. Undoes it if it was spurious.
    fn finish(&mut self, tcb: &mut Tcb, news: &News) {
        let undo = &self.undo;
        if undo.is_all_duplicate() || undo.is_delayed(news.stamp) {
            self.take_back(tcb, false);
        } else {
            self.rack.count_recovery(false);
        }
        tcb.phase = Phase::Open;
    }

    /// Handles a partial ACK in recovery that was sent for an original, which was late rather than lost. Returns true
    /// if loss detection must pause.
    fn is_late_in_recovery(&mut self, tcb: &mut Tcb, news: &News) -> bool {
        if !self.undo.is_delayed(news.stamp) {
            return false;
        }
        self.rack.note_reordering(tcb.board.fack().saturating_sub(news.una));
        if tcb.board.retransmitted() > 0 {
            // Retransmissions are still in flight: send new segments only, until their ACKs can be distinguished.
            self.precedence = Precedence::NewOnly;
            return true;
        }
        self.take_back(tcb, true);
        false
    }

    /// Evaluates an ACK after a timeout: F-RTO (RFC 5682 §3.1), timestamps and duplicates.
    fn judge_timeout(&mut self, tcb: &mut Tcb, until: u32, news: &News) {
        if news.advances && (self.undo.is_all_duplicate() || self.undo.is_delayed(news.stamp)) {
            return self.take_back(tcb, true);
        }
        match self.frto.judge(news, until, tcb.board.una(), tcb.board.next()) {
            Verdict::Spurious => self.take_back(tcb, true),
            Verdict::SendNew => {
                tcb.phase = Phase::Loss { until: tcb.board.next() };
                if tcb.has_new() {
                    self.precedence = Precedence::NewFirst;
                } else {
                    self.frto.give_up();
                }
            }
            Verdict::Unknown if tcb.board.una() >= until => self.finish(tcb, news),
            Verdict::Unknown => {}
        }
    }

    /// Undoes a spurious reduction; `unmarks` clears all losses.
    fn take_back(&mut self, tcb: &mut Tcb, unmarks: bool) {
        if unmarks {
            tcb.board.unmark_lost();
        }
        if self.undo.is_possible() {
            tcb.undo();
        }
        self.undo.forget();
        // The marks are gone: this ACK must look for losses again.
        self.rack.has_advanced = true;
        tcb.phase = Phase::Open;
    }

    /// Looks for losses if segments were delivered since the last check. Returns their number, and true if the timer
    /// was set for another check.
    fn detect(&mut self, tcb: &mut Tcb, now: Time) -> (u32, bool) {
        if !std::mem::take(&mut self.rack.has_advanced) {
            return (0, false);
        }
        let (found, wait) = self.mark_overtaken(tcb, now);
        let watches = wait.is_some();
        if let Some(wait) = wait {
            self.purpose = Purpose::Reordering;
            // No later than the timeout, whose place in the timer it takes.
            tcb.timer.set(now + (wait + TIMER_MARGIN).min(tcb.rtt.estimator.rto()));
        }
        (found, watches)
    }

    /// RFC 8985 §6.2 step 5: returns the number of lost segments, and the time that remains for the last of the others.
    pub(super) fn mark_overtaken(&mut self, tcb: &mut Tcb, now: Time) -> (u32, Option<Duration>) {
        let is_recovering = !matches!(tcb.phase, Phase::Open | Phase::Reduction { .. });
        let Self { rack, .. } = self;
        let (board, srtt) = (&mut tcb.board, tcb.rtt.estimator.srtt());
        let span = rack.rtt() + rack.reordering_window(is_recovering, board.sacked(), srtt);
        let now = now.as_nanos();
        let (found, last) = board.mark_overtaken(now, span, |sent_at, number| rack.is_overtaken(sent_at, number));
        (found, last.map(|sent_at| Duration::from_nanos((sent_at + span).saturating_sub(now))))
    }

    /// Enters recovery if segments are lost, unless it has begun.
    pub(super) fn recover(&mut self, tcb: &mut Tcb, now: Time, found: u32) {
        if tcb.board.lost() == 0 {
            return;
        }
        let (until, una) = (tcb.board.next(), tcb.board.una());
        if tcb.phase == Phase::Open && tcb.board.retransmitted() == 0 {
            self.undo.settle();
        }
        let prr = match tcb.phase {
            // A mark has already reported this congestion to the law, and marks are never spurious.
            Phase::Reduction { prr, .. } => {
                self.undo.forget();
                prr
            }
            _ => {
                self.undo.begin(una, tcb.board.retransmitted());
                tcb.window_before = tcb.law.cwnd();
                let window = tcb.window;
                tcb.report(now, CongestionKind::Loss, window, found);
                Prr::new(window, tcb.window)
            }
        };
        tcb.marks.note_loss();
        tcb.round.is_doubling = false;
        // Recovery repairs the tail itself: an open probe is not judged any more.
        self.tlp.end = None;
        tcb.phase = Phase::Recovery { until, prr };
        tcb.counts.recoveries += 1;
    }
}
