//! Loss detection by counting: RFC 6675 with SACK, RFC 6582 (NewReno) without.

use crate::network::{NewReno, TcpOptions};
use crate::tcp::sender::law::AckReport;
use crate::tcp::sender::phase::Phase;
use crate::tcp::sender::prr::Prr;
use crate::tcp::sender::scoreboard::{DUP_THRESH, Delivery, Segment};
use crate::tcp::sender::tcb::Tcb;
use crate::tcp::sender::turn::Turn;
use windward_elements::packet::Packet;
use windward_laws::{AnyLaw, CongestionKind};
use windward_units::{Duration, Time};

/// Segments that a delayed ACK covers.
const DELAYED: u32 = 2;

/// Variant of the recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// SACK: RFC 6675, with the rate reduction of RFC 6937.
    Sack,
    /// RFC 6582: the window limits transmissions.
    NewReno,
    /// NewReno as in Linux: rate reduction limits transmissions.
    LinuxNewReno,
}

/// State of a sender that counts duplicates.
#[derive(Clone, Debug)]
pub struct DupAck {
    variant: Variant,
    /// Without SACK: least cumulative ACK at which duplicates start another recovery. It covers more than the last
    /// segment sent before the last recovery or timeout, RFC 6582's `recover`.
    recovers_from: u32,
    /// Without SACK: true if the next partial ACK restarts the timer.
    restarts_on_partial: bool,
    /// True if this recovery has used its rescue retransmission (RFC 6675 §4 NextSeg, rule 4).
    is_rescued: bool,
    /// New segments sent by limited transmit since the first SACKed segment; each duplicate releases one.
    limited: u32,
    /// ssthresh of RFC 5681 after the last timeout.
    restart_until: f64,
    /// Time of the first expiry of a timeout, which an older timestamp may undo (RFC 3522's RetransmitTS); zero if
    /// there is none.
    timeout_at: u64,
}

/// Losses detected with one ACK.
#[derive(Clone, Copy, Default)]
struct Losses {
    count: u32,
    is_new: bool,
}

impl DupAck {
    /// State before the first segment.
    pub fn new(tcp: &TcpOptions) -> Self {
        let variant = match tcp.newreno {
            _ if tcp.sack => Variant::Sack,
            NewReno::Rfc6582 => Variant::NewReno,
            NewReno::Linux => Variant::LinuxNewReno,
        };
        Self {
            variant,
            recovers_from: 0,
            restarts_on_partial: true,
            is_rescued: false,
            limited: 0,
            restart_until: 0.0,
            timeout_at: 0,
        }
    }

    #[inline]
    fn has_sack(&self) -> bool {
        self.variant == Variant::Sack
    }

    /// Handles the arrival of an ACK. Returns its RTT sample, if any.
    #[inline]
    pub fn on_ack(&mut self, tcb: &mut Tcb, now: Time, packet: &Packet) -> Option<Duration> {
        let una = tcb.board.una();
        let to = packet.number;
        // RFC 9293 §3.10.7.4: an ACK of data that was never sent is dropped, and an old one is ignored.
        if to < una || to > tcb.board.next() {
            return None;
        }
        let advance = to - una;
        let mut delivery = Delivery::default();
        let prior_flight = tcb.board.pipe();
        self.update_board(tcb, to, packet, &mut delivery);
        // A window update or a repeated ACK: nothing was delivered.
        if advance == 0 && delivery.count == 0 {
            return None;
        }
        let now_nanos = now.as_nanos();
        // Before this ACK may end the phase: it belongs to the slow start that it ends.
        let restarts = matches!(tcb.phase, Phase::Loss { .. })
            && !self.counts_all(tcb)
            && (!self.has_sack() || tcb.law.cwnd().count() < self.restart_until);
        tcb.rate.delivered += delivery.count;
        tcb.rate.delivered_at = now_nanos;
        let sample = sample_rtt(tcb, now_nanos, advance, packet.stamp, &delivery);
        if advance > 0 {
            // Before losses are looked for: those above a full ACK begin another recovery.
            self.leave_phase(tcb, to, packet.stamp);
            self.restart_timer(tcb, now);
        }
        let marks = tcb.new_marks(packet.ecn, delivery.count);
        let fresh = if advance == 0 { delivery.count } else { 0 };
        let lost = self.find_losses(tcb, now, fresh);
        tcb.rate.lost += lost.count;
        // RFC 3168 §6.1.2: an ECN-Echo ACK does not open the window, so the mark comes first.
        if marks.is_any {
            self.answer_marks(tcb, now, delivery.count);
        }
        if let Some(newest) = delivery.newest {
            // After a timeout an ACK skips segments that had arrived before it, which is no sign of a clear path. It
            // counts as a delayed ACK: in slow start (RFC 3465 §2.3 counts one segment, Linux all), and without SACK
            // until all losses are repaired.
            let acked = if restarts { delivery.count.min(DELAYED) } else { delivery.count };
            // Nor are the segments that it skips a rate, without SACK.
            let has_rate = acked == delivery.count || self.has_sack();
            let (marked, lost, is_duplicate) = (marks.count, lost.count, advance == 0);
            let report = AckReport { acked, marked, lost, is_duplicate, has_rate, prior_flight };
            tcb.report_ack(now, report, &newest, sample);
        }
        let pipe = tcb.board.pipe();
        if let Some(prr) = tcb.phase.prr() {
            if self.variant == Variant::LinuxNewReno {
                // A partial ACK indicates a new loss: no more is sent than was delivered.
                prr.on_ack_safely(delivery.count, pipe, false);
            } else {
                prr.on_ack(delivery.count, pipe, lost.is_new);
            }
        }
        sample
    }

    /// True if all segments that an ACK covers after a timeout count for the law: with SACK for one that decides the
    /// window in recovery, without SACK for Linux's BBR.
    fn counts_all(&self, tcb: &Tcb) -> bool {
        match self.variant {
            Variant::Sack => tcb.drives_recovery,
            Variant::NewReno => false,
            Variant::LinuxNewReno => matches!(tcb.law, AnyLaw::Bbr(_)),
        }
    }

    /// Handles the arrival of an ACK of a part of a segment: it is no duplicate, and restarts the timer (RFC 6298
    /// §5.3).
    #[cold]
    pub fn on_part(&mut self, tcb: &mut Tcb, now: Time) {
        if self.variant == Variant::LinuxNewReno || tcb.board.outstanding() == 0 {
            return;
        }
        if tcb.phase == Phase::Open {
            tcb.timer.set(now + tcb.rtt.estimator.rto());
        }
        tcb.report_part(now);
    }

    #[inline]
    fn update_board(&self, tcb: &mut Tcb, to: u32, packet: &Packet, delivery: &mut Delivery) {
        let una = tcb.board.una();
        if self.has_sack() {
            if to > una {
                tcb.board.acknowledge(to, delivery);
            }
            for block in packet.sack {
                if block.0 >= block.1 {
                    break;
                }
                tcb.board.sack(block, delivery);
            }
        } else if to > una {
            let is_partial =
                matches!(tcb.phase, Phase::Recovery { until, .. } | Phase::WindowRecovery { until } if to < until);
            tcb.board.acknowledge_counting(to, is_partial, delivery);
        } else if tcb.board.outstanding() > 0 && means_delivery(tcb) {
            tcb.board.duplicate(delivery);
        }
    }

    /// Ends recovery when everything sent before it is acknowledged.
    #[inline]
    fn leave_phase(&mut self, tcb: &mut Tcb, to: u32, stamp: u64) {
        match tcb.phase {
            Phase::Open => {}
            Phase::Reduction { until, .. } => {
                if to >= until {
                    tcb.phase = Phase::Open;
                }
            }
            Phase::Recovery { until, .. } | Phase::WindowRecovery { until } => {
                if to >= until {
                    tcb.phase = Phase::Open;
                } else if !self.has_sack() {
                    // RFC 6582 §3.2: a partial ACK indicates the next hole.
                    tcb.board.mark_first_lost();
                }
            }
            Phase::Loss { until } => {
                if self.is_spurious(tcb, stamp) {
                    // RFC 3522, RFC 4015: the original was only late.
                    tcb.board.unmark_lost();
                    tcb.undo();
                    tcb.phase = Phase::Open;
                } else if to >= until {
                    tcb.phase = Phase::Open;
                }
                self.timeout_at = 0;
            }
        }
    }

    /// Eifel detection (RFC 3522): the first ACK after a timeout echoes a stamp older than the retransmission.
    fn is_spurious(&self, tcb: &Tcb, stamp: u64) -> bool {
        tcb.has_stamps && self.timeout_at > 0 && stamp < self.timeout_at
    }

    #[inline]
    fn restart_timer(&mut self, tcb: &mut Tcb, now: Time) {
        if tcb.board.outstanding() == 0 {
            tcb.timer.cancel();
            return;
        }
        // RFC 6582 §4: in recovery without SACK only the first partial ACK restarts the timer; in Linux each does.
        if !self.has_sack() && tcb.phase.is_recovery() {
            if !self.restarts_on_partial {
                return;
            }
            self.restarts_on_partial = self.variant == Variant::LinuxNewReno;
        }
        tcb.timer.set(now + tcb.rtt.estimator.rto());
    }

    /// Marks lost segments, and enters recovery at the first loss in a window; `fresh` segments are SACKed by this ACK.
    #[inline]
    fn find_losses(&mut self, tcb: &mut Tcb, now: Time, fresh: u32) -> Losses {
        if tcb.board.sacked() == 0 {
            self.limited = 0;
            return Losses::default();
        }
        let mut count = 0;
        // After a timeout all is marked lost already, and a lost retransmission shows in no SACK.
        if self.has_sack() && !matches!(tcb.phase, Phase::Loss { .. }) {
            count = tcb.board.mark_lost();
        }
        let is_reduced = matches!(tcb.phase, Phase::Reduction { .. });
        let is_new = (is_reduced || tcb.phase == Phase::Open)
            && if self.has_sack() {
                tcb.board.is_first_lost()
            } else {
                // RFC 6582 §3.2 step 2: ignores duplicates caused by retransmissions.
                tcb.board.sacked() >= DUP_THRESH && tcb.board.una() >= self.recovers_from
            };
        if is_new {
            count += self.enter_recovery(tcb, now, count, fresh);
        }
        Losses { count, is_new }
    }

    #[cold]
    fn enter_recovery(&mut self, tcb: &mut Tcb, now: Time, mut lost: u32, fresh: u32) -> u32 {
        // RFC 5681 §3.2 step 2: FlightSize includes SACKed segments and excludes those of limited transmit. Each
        // earlier duplicate released one of these while new segments were available.
        let earlier = tcb.board.sacked() - fresh;
        let outstanding = tcb.board.outstanding();
        let flight = outstanding - if tcb.has_new() { earlier } else { earlier.min(self.limited) };
        self.limited = 0;
        let mut newly = 0;
        if !self.has_sack() {
            newly = tcb.board.mark_first_lost();
            lost += newly;
        }
        let until = tcb.board.next();
        let phase = match (tcb.phase, self.variant) {
            // A mark has already reported this congestion to the law.
            (Phase::Reduction { prr, .. }, _) => Phase::Recovery { until, prr },
            (_, Variant::Sack) => {
                tcb.report(now, CongestionKind::Loss, flight, lost);
                Phase::Recovery { until, prr: Prr::new(outstanding, tcb.window) }
            }
            (_, Variant::NewReno) => {
                tcb.report(now, CongestionKind::Loss, flight, lost);
                Phase::WindowRecovery { until }
            }
            (_, Variant::LinuxNewReno) => {
                let window = tcb.window;
                tcb.report(now, CongestionKind::Loss, window, lost);
                Phase::Recovery { until, prr: Prr::new(window, tcb.window) }
            }
        };
        tcb.marks.note_loss();
        self.recovers_from = until.saturating_add(1);
        self.restarts_on_partial = true;
        self.is_rescued = false;
        tcb.round.is_doubling = false;
        tcb.phase = phase;
        tcb.counts.recoveries += 1;
        newly
    }

    /// Reports marks to the law: it computes from the flight size (RFC 5681), in Linux from the window.
    #[cold]
    fn answer_marks(&self, tcb: &mut Tcb, now: Time, acked: u32) {
        let flight = match self.variant {
            Variant::LinuxNewReno => tcb.window,
            Variant::Sack | Variant::NewReno => tcb.board.outstanding() + acked,
        };
        tcb.answer_marks(now, flight, self.has_sack());
    }

    /// Segment to send in recovery without new data: RFC 6675 §4 NextSeg, rules 3 and 4.
    pub fn last_resort(&mut self, tcb: &Tcb) -> Option<u32> {
        if !self.has_sack() || !tcb.phase.is_recovery() {
            return None;
        }
        tcb.board.next_unsure().or_else(|| {
            let number = if self.is_rescued { None } else { tcb.board.rescue() };
            self.is_rescued |= number.is_some();
            number
        })
    }

    /// Records the transmission of a segment.
    #[inline]
    pub fn on_send(&mut self, tcb: &mut Tcb, now: Time, turn: Turn, segment: Segment) {
        if let Turn::Again(number) = turn {
            tcb.board.resend(number, segment);
            tcb.counts.retransmits += 1;
        } else {
            let is_limited = tcb.board.sacked() > 0 && !tcb.phase.is_recovery();
            self.limited += u32::from(is_limited);
            tcb.board.send(segment);
        }
        // RFC 6675 §6: retransmitting the first segment restarts the timer, which might otherwise expire before that
        // segment's ACK. Without SACK each partial ACK causes a retransmission, but only the first may restart the
        // timer (RFC 6582 §4).
        let restarts = self.has_sack() || self.restarts_on_partial;
        if !tcb.timer.is_set() || (restarts && turn == Turn::Again(tcb.board.una())) {
            tcb.timer.set(now + tcb.rtt.estimator.rto());
        }
    }

    /// Handles a timeout.
    pub fn on_timer(&mut self, tcb: &mut Tcb, now: Time) {
        let flight = match self.variant {
            Variant::LinuxNewReno => tcb.window,
            Variant::Sack | Variant::NewReno => tcb.board.pipe().max(1),
        };
        let is_first = !tcb.is_timed_out();
        let lost = tcb.board.mark_all_lost(self.has_sack());
        if is_first {
            self.restart_until = (f64::from(flight) / 2.0).max(2.0);
            // During recovery, a late ACK does not show that there was no loss. RFC 3522 §3.2: further expiries do not
            // overwrite RetransmitTS.
            let is_repairing = !matches!(tcb.phase, Phase::Open | Phase::Reduction { .. });
            self.timeout_at = if is_repairing { 0 } else { now.as_nanos() };
        }
        self.recovers_from = tcb.board.next().saturating_add(1);
        tcb.time_out(now, flight, lost);
    }
}

/// True if a duplicate indicates a delivery, without SACK. After a timeout everything in flight counts as lost, so its
/// arrivals are no deliveries. Duplicates count again once a segment beyond it is sent, as in Linux.
fn means_delivery(tcb: &Tcb) -> bool {
    !matches!(tcb.phase, Phase::Loss { until } if tcb.board.next() <= until)
}

/// Takes the RTT samples. The estimator of the timeout uses the oldest segment that this ACK delivers, which includes
/// the receiver's delay. The law uses the newest, which does not. Both obey Karn's rule, unless a timestamp
/// distinguishes transmissions.
#[inline]
fn sample_rtt(tcb: &mut Tcb, now: u64, advance: u32, stamp: u64, delivery: &Delivery) -> Option<Duration> {
    let since = |then: u64| Duration::from_nanos(now - then);
    let stamped = (tcb.has_stamps && advance > 0).then(|| since(stamp));
    // Segments that an ACK of retransmissions SACKs may have waited as well, for SACKs that were lost.
    let is_clean = !delivery.has_repeated;
    let clean = |sent_at: Option<u64>| sent_at.filter(|_| is_clean).map(since).or(stamped);
    if advance > 0
        && let Some(rtt) = clean(delivery.oldest_clean)
    {
        tcb.rtt.estimator.sample(rtt, tcb.board.una(), tcb.board.next());
    }
    let sample = clean(delivery.newest_clean)?;
    tcb.rtt.note(sample);
    Some(sample)
}
