//! Timers of RACK-TLP: tail loss probes (RFC 8985 §7), the end of a reordering window, and the timeout.

use super::{Precedence, Purpose, RackTlp, TIMER_MARGIN, Tlp, Urgent};
use crate::tcp::sender::loss::news::{Duplicates, News};
use crate::tcp::sender::phase::Phase;
use crate::tcp::sender::scoreboard::Delivery;
use crate::tcp::sender::tcb::Tcb;
use crate::tcp::sender::turn::Turn;
use windward_laws::CongestionKind;
use windward_units::{Duration, Time};

/// Timeout of the probe before the first RTT sample (RFC 8985 §7.2).
const FIRST_PROBE: Duration = Duration::from_millis(1000);
/// Minimum time until an overdue timer expires.
const AT_ONCE: Duration = Duration::from_micros(1);

impl RackTlp {
    /// RFC 8985 §7.4: determines the outcome of the probe.
    #[inline]
    pub(super) fn check_probe(&mut self, tcb: &mut Tcb, now: Time, to: u32, news: &News, duplicates: Duplicates) {
        if let Some(end) = self.tlp.end
            && to >= end
        {
            self.end_probe(tcb, now, to > end, news, duplicates);
        }
    }

    #[cold]
    fn end_probe(&mut self, tcb: &mut Tcb, now: Time, is_beyond: bool, news: &News, duplicates: Duplicates) {
        let is_plain = !news.advances && news.sacked == 0;
        // New data repaired nothing; a reported duplicate says that the original arrived too.
        if !self.tlp.is_repeating || duplicates.is_probe {
            self.tlp.end = None;
        } else if is_beyond {
            // The probe repaired a loss, and no duplicate was reported: reduce the window at once.
            self.tlp.end = None;
            self.undo.forget();
            tcb.round.is_doubling = false;
            tcb.report(now, CongestionKind::Loss, tcb.window, 1);
        // Linux, `tcp_process_tlp_ack`: an ACK without news was sent for the probe, so the original had arrived.
        } else if is_plain {
            self.tlp.end = None;
        }
    }

    /// Returns the transmission that an expired timer demands.
    #[cold]
    pub(super) fn resolve_urgent(&mut self, tcb: &mut Tcb, urgent: Urgent) -> Turn {
        let turn = match urgent {
            Urgent::Probe => probe(tcb),
            Urgent::First => tcb.board.next_lost().map(Turn::Again),
        };
        self.urgent = self.urgent.filter(|_| turn.is_some());
        turn.unwrap_or(Turn::Idle)
    }

    /// Handles the expiry of the retransmission timer.
    pub fn on_timer(&mut self, tcb: &mut Tcb, now: Time) {
        match std::mem::take(&mut self.purpose) {
            Purpose::Timeout => self.on_timeout(tcb, now),
            purpose => self.on_short_timer(tcb, now, purpose),
        }
    }

    /// Handles the expiry of the timer, set for another purpose than the timeout.
    fn on_short_timer(&mut self, tcb: &mut Tcb, now: Time, purpose: Purpose) {
        if purpose == Purpose::Probe {
            // No second probe while one is open (RFC 8985 §7.3).
            if self.tlp.end.is_none() && probe(tcb).is_some() {
                self.urgent = Some(Urgent::Probe);
                return;
            }
        } else {
            let was_recovering = tcb.phase.is_recovery();
            let (found, _) = self.mark_overtaken(tcb, now);
            tcb.rate.lost += found;
            if found > 0 && !was_recovering {
                self.recover(tcb, now, found);
            }
            let pipe = tcb.board.pipe();
            match tcb.phase.prr() {
                // Linux, `tcp_rack_reo_timeout`: recovery that begins without an ACK counts one segment as delivered,
                // so that a first retransmission may leave.
                Some(prr) if was_recovering => prr.on_loss(found),
                Some(prr) if found > 0 => prr.on_ack_safely(1, pipe, false),
                _ => {}
            }
        }
        self.purpose = purpose;
        self.restart_timer(tcb, now);
    }

    /// Handles a timeout: stores the state for F-RTO, and marks losses.
    fn on_timeout(&mut self, tcb: &mut Tcb, now: Time) {
        let flight = tcb.window;
        let is_new = matches!(tcb.phase, Phase::Open | Phase::Reduction { .. });
        let is_again = tcb.is_timed_out();
        self.tlp.end = None;
        self.purpose = Purpose::Timeout;
        self.urgent = Some(Urgent::First);
        self.precedence = Precedence::LostFirst;
        // Linux, `tcp_enter_loss`: not in a recovery, whose own retransmissions would be taken for originals.
        self.frto.start(is_new || is_again);
        if is_new {
            if tcb.board.retransmitted() == 0 {
                self.undo.settle();
            }
            self.undo.begin(tcb.board.una(), tcb.board.retransmitted());
        }
        // Segments sent less than a round trip ago are not known to be lost.
        let lost = tcb.board.mark_timed_out(now.as_nanos().saturating_sub(self.rack.rtt()));
        tcb.time_out(now, flight, lost);
    }

    /// Sets the timer after an ACK, unless the ACK brought no news that postpones the timeout.
    pub(super) fn set_timer_after(&mut self, tcb: &mut Tcb, now: Time, news: &News, sacked: &Delivery) {
        // A SACK of segments sent after the retransmission of the first one must not postpone its timeout.
        let puts_off = news.advances
            || (tcb.board.outstanding() > 0
                && sacked.oldest_clean.is_some_and(|sent_at| sent_at < tcb.board.head_sent_at()));
        if puts_off && !self.set_probe(tcb, now, true) {
            self.restart_timer(tcb, now);
        }
    }

    /// Starts the timeout: from now, or, if a shorter timer was set meanwhile, from the transmission of the first
    /// segment.
    fn restart_timer(&mut self, tcb: &mut Tcb, now: Time) {
        let purpose = std::mem::take(&mut self.purpose);
        if tcb.board.outstanding() == 0 {
            return tcb.timer.cancel();
        }
        let deadline = match purpose {
            Purpose::Timeout => now + tcb.rtt.estimator.rto(),
            Purpose::Probe | Purpose::Reordering => timeout_of_first(tcb).max(now + AT_ONCE),
        };
        tcb.timer.set(deadline);
    }

    /// RFC 8985 §7.2: sets the timer for a probe while no loss is being repaired, no later than the timeout, which
    /// counts from now if `is_put_off`. Returns true if it was set.
    fn set_probe(&mut self, tcb: &mut Tcb, now: Time, is_put_off: bool) -> bool {
        let is_calm = match tcb.phase {
            Phase::Open => tcb.board.is_calm(),
            Phase::Reduction { .. } => true,
            Phase::Recovery { .. } | Phase::WindowRecovery { .. } | Phase::Loss { .. } => false,
        };
        if !is_calm || tcb.board.outstanding() == 0 {
            return false;
        }
        let srtt = tcb.rtt.estimator.srtt();
        let wait = match tcb.board.outstanding() {
            _ if srtt == Duration::ZERO => FIRST_PROBE,
            // RFC 8985 §7.2: the receiver may delay its ACK of a single segment.
            1 => srtt * 2 + self.ack_delay,
            _ => srtt * 2 + TIMER_MARGIN,
        };
        let timeout = if is_put_off { now + tcb.rtt.estimator.rto() } else { timeout_of_first(tcb) };
        let deadline = now + wait;
        self.purpose = Purpose::Probe;
        tcb.timer.set(if timeout > now { deadline.min(timeout) } else { deadline });
        true
    }

    /// Sets the timer after a transmission: a new segment, the first unacknowledged one, or a probe. `was_empty` is
    /// true if nothing was in flight before.
    pub(super) fn set_timer_after_send(&mut self, tcb: &mut Tcb, now: Time, is_new: bool, was_empty: bool) {
        if let Some(urgent) = self.urgent.take()
            && urgent == Urgent::Probe
        {
            return self.note_probe(tcb, now, is_new);
        }
        if is_new {
            if was_empty || self.purpose == Purpose::Probe {
                self.restart_timer(tcb, now);
            }
            self.set_probe(tcb, now, false);
        } else if self.purpose != Purpose::Reordering {
            self.purpose = Purpose::Timeout;
            self.restart_timer(tcb, now);
        }
    }

    /// RFC 8985 §7.3: records the transmission of the probe.
    #[cold]
    fn note_probe(&mut self, tcb: &mut Tcb, now: Time, is_new: bool) {
        self.tlp = Tlp { end: Some(tcb.board.next()), is_repeating: !is_new };
        self.purpose = Purpose::Timeout;
        tcb.counts.probes += 1;
        self.restart_timer(tcb, now);
    }
}

/// RFC 8985 §7.3: probes with a new segment, or else with the last one.
fn probe(tcb: &Tcb) -> Option<Turn> {
    if tcb.has_new() {
        return Some(Turn::New(tcb.board.next()));
    }
    let last = tcb.board.next().checked_sub(1)?;
    tcb.board.is_under_way(last).then_some(Turn::Again(last))
}

fn timeout_of_first(tcb: &Tcb) -> Time {
    Time::from_nanos(tcb.board.head_sent_at()) + tcb.rtt.estimator.rto()
}
