//! Loss detection by time and undo, as in Linux: RACK-TLP (RFC 8985), F-RTO (RFC 5682), D-SACK (RFC 2883).
//!
//! The order is that of Linux's `tcp_ack`: deliveries, RTT sample, outcome of the probe, undo of reductions and loss
//! detection, the timer, the law.

use super::state::{ByTime, Order, Purpose, Urgent};
use crate::packet::Packet;
use crate::tcp::sender::acknowledge::Heard;
use crate::tcp::sender::ecn::Told;
use crate::tcp::sender::recovery::{Phase, Prr};
use crate::tcp::sender::scoreboard::Delivery;
use crate::tcp::sender::{Sender, Turn};
use windward_laws::{CongestionKind, Law};
use windward_units::{Duration, Time};

/// Margin that Linux adds to its short timers (`TCP_TIMEOUT_MIN`).
const TIMER_MARGIN: Duration = Duration::from_millis(2);
/// Timeout of the probe before the first RTT sample (RFC 8985 §7.2).
const FIRST_PROBE: Duration = Duration::from_millis(1000);
/// Minimum time until an overdue timer expires.
const AT_ONCE: Duration = Duration::from_micros(1);

/// Information in one ACK.
#[derive(Clone, Copy)]
struct News {
    /// True if the cumulative ACK advanced.
    advances: bool,
    /// First unacknowledged segment before this ACK.
    una: u32,
    /// Number of newly SACKed segments.
    sacked: u32,
    /// True if a duplicate was reported.
    has_duplicate: bool,
    /// Lowest delivered segment that was sent only once.
    lowest_clean: Option<u32>,
    /// Echoed timestamp, on connections with timestamps.
    stamp: Option<u64>,
}

/// Information in a reported duplicate.
#[derive(Clone, Copy, Default)]
struct Duplicates {
    count: u32,
    /// True if it is the probe's duplicate: the original arrived too.
    is_probe: bool,
}

impl Sender {
    /// Handles the arrival of an ACK. Returns its RTT sample, if any.
    pub(in crate::tcp::sender) fn on_ack_by_time(&mut self, now: Time, packet: &Packet) -> Option<Duration> {
        let to = packet.number;
        if to > self.board.next() {
            return None;
        }
        let nanos = now.as_nanos();
        self.by_time.order = Order::LostFirst;
        let (una, fack) = (self.board.una(), self.board.fack());
        let stamp = self.has_stamps.then_some(packet.stamp);
        let prior_flight = self.board.pipe();
        let was_calm = self.phase == Phase::Open && self.board.is_calm();
        let duplicates = self.hear_duplicate(packet);
        let repeats_until = self.by_time.rack.latest_repeat(nanos);
        let mut sacked = Delivery { repeats_until, ..Delivery::default() };
        // The timestamp belongs to the cumulative ACK; that of a SACKed segment is unknown.
        let mut acked = Delivery { repeats_until: repeats_until.min(stamp.unwrap_or(u64::MAX)), ..sacked };
        let advances = to > una;
        if advances {
            self.board.acknowledge(to, &mut acked);
        }
        for block in packet.sack.into_iter().skip(usize::from(duplicates.count > 0)).take_while(|(from, to)| from < to)
        {
            self.board.sack(block, &mut sacked);
        }
        let count = acked.count + sacked.count;
        if count > 0 {
            self.delivered_at = nanos;
        }
        self.delivered += count;
        let sample = self.sample_by_time(now, advances, stamp, &acked, &sacked);
        let newest = acked.newest.into_iter().chain(sacked.newest).max_by_key(|segment| segment.sent_at);
        let lowest_clean = acked.lowest_clean.into_iter().chain(sacked.lowest_clean).min();
        let news =
            News { advances, una, sacked: sacked.count, has_duplicate: duplicates.count > 0, lowest_clean, stamp };
        // SACKed segments are processed first.
        let highest = acked.highest.or(sacked.highest);
        if let Some((latest, (_, sent_at))) = acked.latest.max(sacked.latest).zip(highest) {
            self.by_time.rack.advance(nanos, latest, sent_at);
        }
        if let Some(lowest) = lowest_clean.filter(|lowest| *lowest < fack) {
            self.note_reordering(lowest);
        }
        if let Some(newest) = &newest {
            self.by_time.rack.adapt(newest.delivered, self.delivered);
        }
        self.hear_probe(now, to, &news, duplicates);
        let told = if self.marks.is_on() { self.marks.hear(packet.ecn, count) } else { Told::default() };
        let is_plain = was_calm && advances && sacked.count == 0 && duplicates.count == 0;
        let (lost, watches) = if is_plain { (0, false) } else { self.judge(now, &news) };
        self.lost += lost;
        if !watches {
            self.set_timer_after(now, &news, &sacked);
        }
        // Precedes the report of the ACK to the law: the window must not grow on marks that reduce it.
        if told.is_any {
            self.answer_marks(now, count);
        }
        if let Some(newest) = newest {
            let is_duplicate = !advances && !self.by_time.rack.is_far();
            let heard = Heard { acked: count, marked: told.count, lost, is_duplicate, prior_flight };
            self.tell_law(now, heard, &newest, sample);
        }
        let pipe = self.board.pipe();
        if let Some(prr) = self.phase.prr() {
            prr.on_ack_safely(count + duplicates.count, pipe, advances && lost == 0);
        }
        sample
    }

    /// RFC 2883 §4: the first block reports a duplicate if it lies below the ACK or within the second block.
    #[inline]
    fn hear_duplicate(&mut self, packet: &Packet) -> Duplicates {
        let [first, second, _] = packet.sack;
        let is_within = second.0 <= first.0 && first.1 <= second.1;
        if first.0 >= first.1 || !(first.0 < packet.number || is_within) {
            return Duplicates::default();
        }
        self.take_duplicate(first)
    }

    #[cold]
    fn take_duplicate(&mut self, block: (u32, u32)) -> Duplicates {
        let count = block.1 - block.0;
        self.counts.duplicates += u64::from(count);
        // More duplicates than retransmissions: the network duplicates packets (RFC 3708 §3).
        if self.counts.duplicates > self.counts.retransmits {
            return Duplicates::default();
        }
        let is_probe = self.by_time.probe == Some(block.1);
        if !is_probe {
            self.by_time.rack.note_duplicate();
        }
        for number in block.0..block.1 {
            if number < self.board.una() || self.board.is_repeated(number) {
                self.by_time.undo.report(number);
            }
        }
        Duplicates { count, is_probe }
    }

    /// Takes RTT samples as Linux does: the oldest segment that the cumulative ACK covers unless it covers
    /// retransmissions, else the oldest newly SACKed one, else the timestamp. The law gets the newest.
    #[inline]
    fn sample_by_time(
        &mut self,
        now: Time,
        advances: bool,
        stamp: Option<u64>,
        acked: &Delivery,
        sacked: &Delivery,
    ) -> Option<Duration> {
        let since = |then: u64| Duration::from_nanos(now.as_nanos() - then);
        let stamped = stamp.filter(|_| advances).map(since);
        let oldest = acked.oldest_clean.or(sacked.oldest_clean).map(since).or(stamped)?;
        self.rtt.sample(oldest, self.board.una(), self.board.next());
        let newest = sacked.newest_clean.or(acked.newest_clean).map(since).or(stamped)?;
        self.by_time.rack.sample(newest);
        self.note_rtt(newest);
        Some(newest)
    }

    #[cold]
    fn note_reordering(&mut self, lowest: u32) {
        if !matches!(self.phase, Phase::Loss { .. }) || self.by_time.undo.is_possible() {
            self.by_time.rack.note_reordering(self.board.fack().saturating_sub(lowest));
        }
    }

    /// RFC 8985 §7.4: determines the outcome of the probe.
    #[inline]
    fn hear_probe(&mut self, now: Time, to: u32, news: &News, duplicates: Duplicates) {
        if let Some(end) = self.by_time.probe
            && to >= end
        {
            self.end_probe(now, to > end, news, duplicates);
        }
    }

    #[cold]
    fn end_probe(&mut self, now: Time, is_beyond: bool, news: &News, duplicates: Duplicates) {
        let is_plain = !news.advances && news.sacked == 0;
        if !self.by_time.is_repeating || duplicates.is_probe {
            self.by_time.probe = None;
        } else if is_beyond {
            // The probe repaired a loss, and no duplicate was reported: reduce the window at once.
            self.by_time.probe = None;
            self.by_time.undo.forget();
            self.is_doubling = false;
            self.report(now, CongestionKind::Loss, self.window, 1);
        } else if is_plain {
            self.by_time.probe = None;
        }
    }

    /// Evaluates the ACK for undo of the last reduction, and for losses. Returns the number of losses found, and true
    /// if the timer waits for the end of a reordering window.
    fn judge(&mut self, now: Time, news: &News) -> (u32, bool) {
        self.leave_phase_by_time(news);
        match self.phase {
            Phase::Recovery { .. } => {
                if news.advances && self.is_late_in_recovery(news) {
                    return (0, false);
                }
                if self.by_time.undo.is_all_duplicate() {
                    self.by_time.rack.count_recovery(true);
                    self.take_back(false);
                }
                let found = self.detect(now);
                if self.phase == Phase::Open {
                    self.recover_by_time(now, found.0);
                }
                found
            }
            Phase::Loss { until } => {
                self.judge_timeout(until, news);
                let repeated = self.board.retransmitted();
                let found = self.detect(now);
                let is_repetition_lost = self.board.retransmitted() < repeated;
                if self.phase == Phase::Open || is_repetition_lost {
                    self.recover_by_time(now, found.0);
                }
                found
            }
            Phase::Open | Phase::Reduction { .. } => {
                if self.phase == Phase::Open && self.by_time.undo.is_all_duplicate() {
                    self.by_time.rack.count_recovery(true);
                    self.take_back(false);
                }
                let found = self.detect(now);
                self.recover_by_time(now, found.0);
                if self.phase == Phase::Open && self.board.retransmitted() == 0 {
                    self.by_time.undo.settle();
                }
                found
            }
        }
    }

    /// Ends recovery, or the reduction after a mark, once everything sent before is acknowledged.
    fn leave_phase_by_time(&mut self, news: &News) {
        match self.phase {
            Phase::Recovery { until, .. } if self.board.una() >= until => self.finish(news),
            Phase::Reduction { until, .. } if self.board.una() >= until => self.phase = Phase::Open,
            _ => {}
        }
    }

    /// Ends the reduction, with everything sent before acknowledged. Undoes it if it was spurious.
    fn finish(&mut self, news: &News) {
        let undo = &self.by_time.undo;
        if undo.is_all_duplicate() || undo.is_delayed(news.stamp) {
            self.take_back(false);
        } else {
            self.by_time.rack.count_recovery(false);
        }
        self.phase = Phase::Open;
    }

    /// Handles a partial ACK in recovery that was sent for an original, which was late rather than lost. Returns true
    /// if loss detection must pause.
    fn is_late_in_recovery(&mut self, news: &News) -> bool {
        if !self.by_time.undo.is_delayed(news.stamp) {
            return false;
        }
        self.by_time.rack.note_reordering(self.board.fack().saturating_sub(news.una));
        if self.board.retransmitted() > 0 {
            // Retransmissions are still in flight: send new segments only, until their ACKs can be distinguished.
            self.by_time.order = Order::NewOnly;
            return true;
        }
        self.take_back(true);
        false
    }

    /// Evaluates an ACK after a timeout: F-RTO (RFC 5682 §3.1), timestamps and duplicates.
    fn judge_timeout(&mut self, until: u32, news: &News) {
        let undo = &self.by_time.undo;
        if news.advances && (undo.is_all_duplicate() || undo.is_delayed(news.stamp)) {
            return self.take_back(true);
        }
        let is_recovered = self.board.una() >= until;
        if self.by_time.is_judging {
            // Step 3.b: spurious, because a segment arrived that was never retransmitted.
            if news.lowest_clean.is_some_and(|lowest| lowest < until) {
                return self.take_back(true);
            }
            if self.board.next() > until {
                // Step 3.a: new segments arrived before the one that timed out. A reported duplicate is none of them.
                if news.sacked > 0 || !(news.advances || news.has_duplicate) {
                    self.by_time.is_judging = false;
                }
            } else if news.advances && !is_recovered {
                // Step 2.b: new segments will decide.
                self.phase = Phase::Loss { until: self.board.next() };
                if self.has_new() {
                    self.by_time.order = Order::NewFirst;
                    return;
                }
                self.by_time.is_judging = false;
            }
        }
        if is_recovered {
            self.finish(news);
        }
    }

    /// Undoes a spurious reduction; `unmarks` clears all losses.
    fn take_back(&mut self, unmarks: bool) {
        if unmarks {
            self.board.unmark_lost();
        }
        if self.by_time.undo.is_possible() {
            self.undo();
        }
        self.by_time.undo.forget();
        self.by_time.rack.has_advanced = true;
        self.phase = Phase::Open;
    }

    /// Looks for losses if segments were delivered since the last check. Returns their number, and true if the timer
    /// was set for another check.
    fn detect(&mut self, now: Time) -> (u32, bool) {
        if !std::mem::take(&mut self.by_time.rack.has_advanced) {
            return (0, false);
        }
        let (found, wait) = self.mark_overtaken(now);
        let watches = wait.is_some();
        if let Some(wait) = wait {
            self.by_time.purpose = Purpose::Reordering;
            self.timer.set(now + (wait + TIMER_MARGIN).min(self.rtt.rto()));
        }
        (found, watches)
    }

    /// RFC 8985 §6.2 step 5: returns the number of lost segments, and the time that remains for the last of the others.
    fn mark_overtaken(&mut self, now: Time) -> (u32, Option<Duration>) {
        let is_recovering = matches!(self.phase, Phase::Recovery { .. } | Phase::Loss { .. });
        let Self { by_time: ByTime { rack, .. }, board, rtt, .. } = self;
        let span = rack.rtt() + rack.window(is_recovering, board.sacked(), rtt.srtt());
        let now = now.as_nanos();
        let (found, last) = board.mark_overtaken(now, span, |sent_at, number| rack.is_overtaken(sent_at, number));
        (found, last.map(|sent_at| Duration::from_nanos((sent_at + span).saturating_sub(now))))
    }

    /// Enters recovery if segments are lost, unless it has begun.
    fn recover_by_time(&mut self, now: Time, found: u32) {
        if self.board.lost() == 0 {
            return;
        }
        let (until, una) = (self.board.next(), self.board.una());
        if self.phase == Phase::Open && self.board.retransmitted() == 0 {
            self.by_time.undo.settle();
        }
        let prr = match self.phase {
            // A mark has already reported this congestion to the law, and marks are never spurious.
            Phase::Reduction { prr, .. } => {
                self.by_time.undo.forget();
                prr
            }
            _ => {
                self.by_time.undo.begin(una, self.board.retransmitted());
                self.window_before = self.law.cwnd();
                let window = self.window;
                self.report(now, CongestionKind::Loss, window, found);
                Prr::new(window, self.window)
            }
        };
        self.marks.note_reduction(None);
        self.recover = until;
        self.is_doubling = false;
        self.by_time.probe = None;
        self.phase = Phase::Recovery { until, prr };
        self.counts.recoveries += 1;
    }

    /// True if there is a new segment that the receiver has room for.
    pub(in crate::tcp::sender) fn has_new(&self) -> bool {
        self.board.next() < self.end && self.board.outstanding() < self.receive_window
    }

    /// Returns the transmission due regardless of the window.
    #[cold]
    pub(in crate::tcp::sender) fn urgent_turn(&mut self, urgent: Urgent) -> Turn {
        let turn = match urgent {
            Urgent::Probe => self.probe(),
            Urgent::First => self.board.next_lost().map(Turn::Again),
        };
        self.by_time.urgent = self.by_time.urgent.filter(|_| turn.is_some());
        turn.unwrap_or(Turn::Idle)
    }

    /// RFC 8985 §7.3: probes with a new segment, or else with the last one.
    fn probe(&self) -> Option<Turn> {
        if self.has_new() {
            return Some(Turn::New(self.board.next()));
        }
        let last = self.board.next().checked_sub(1)?;
        self.board.is_under_way(last).then_some(Turn::Again(last))
    }

    /// Handles the expiry of the timer, set for another purpose than the timeout.
    #[cold]
    pub(in crate::tcp::sender) fn on_short_timer(&mut self, now: Time, purpose: Purpose) {
        if purpose == Purpose::Probe {
            // No second probe while one is open (RFC 8985 §7.3).
            if self.by_time.probe.is_none() && self.probe().is_some() {
                self.by_time.urgent = Some(Urgent::Probe);
                return;
            }
        } else {
            let was_recovering = matches!(self.phase, Phase::Recovery { .. });
            let (found, _) = self.mark_overtaken(now);
            self.lost += found;
            if found > 0 && !was_recovering {
                self.recover_by_time(now, found);
            }
            let pipe = self.board.pipe();
            match self.phase.prr() {
                Some(prr) if was_recovering => prr.on_loss(found),
                Some(prr) if found > 0 => prr.on_ack_safely(1, pipe, false),
                _ => {}
            }
        }
        self.by_time.purpose = purpose;
        self.restart_by_time(now);
    }

    /// Handles a timeout: stores the state for F-RTO, and marks losses.
    pub(in crate::tcp::sender) fn mark_timeout(&mut self, now: Time) -> u32 {
        let is_new = matches!(self.phase, Phase::Open | Phase::Reduction { .. });
        let is_again = self.is_timed_out();
        self.by_time.probe = None;
        self.by_time.purpose = Purpose::Timeout;
        self.by_time.urgent = Some(Urgent::First);
        self.by_time.order = Order::LostFirst;
        self.by_time.is_judging = is_new || is_again;
        if is_new {
            if self.board.retransmitted() == 0 {
                self.by_time.undo.settle();
            }
            self.by_time.undo.begin(self.board.una(), self.board.retransmitted());
        }
        // Segments sent less than a round trip ago are not known to be lost.
        self.board.mark_timed_out(now.as_nanos().saturating_sub(self.by_time.rack.rtt()))
    }

    /// Sets the timer after an ACK, unless the ACK brought no news that postpones the timeout.
    fn set_timer_after(&mut self, now: Time, news: &News, sacked: &Delivery) {
        // A SACK of segments sent after the retransmission of the first one must not postpone its timeout.
        let puts_off = news.advances
            || (self.board.outstanding() > 0
                && sacked.oldest_clean.is_some_and(|sent_at| sent_at < self.board.head_sent_at()));
        if puts_off && !self.set_probe(now, true) {
            self.restart_by_time(now);
        }
    }

    /// Starts the timeout: from now, or, if a shorter timer was set meanwhile, from the transmission of the first
    /// segment.
    pub(in crate::tcp::sender) fn restart_by_time(&mut self, now: Time) {
        let purpose = std::mem::take(&mut self.by_time.purpose);
        if self.board.outstanding() == 0 {
            return self.timer.cancel();
        }
        let deadline = match purpose {
            Purpose::Timeout => now + self.rtt.rto(),
            Purpose::Probe | Purpose::Reordering => self.timeout_of_first().max(now + AT_ONCE),
        };
        self.timer.set(deadline);
    }

    fn timeout_of_first(&self) -> Time {
        Time::from_nanos(self.board.head_sent_at()) + self.rtt.rto()
    }

    /// RFC 8985 §7.2: sets the timer for a probe while no loss is being repaired, no later than the timeout, which
    /// counts from now if `is_put_off`. Returns true if it was set.
    pub(in crate::tcp::sender) fn set_probe(&mut self, now: Time, is_put_off: bool) -> bool {
        let is_calm = match self.phase {
            Phase::Open => self.board.is_calm(),
            Phase::Reduction { .. } => true,
            Phase::Recovery { .. } | Phase::Loss { .. } => false,
        };
        if !is_calm || self.board.outstanding() == 0 {
            return false;
        }
        let srtt = self.rtt.srtt();
        let wait = match self.board.outstanding() {
            _ if srtt == Duration::ZERO => FIRST_PROBE,
            1 => srtt * 2 + self.by_time.ack_delay,
            _ => srtt * 2 + TIMER_MARGIN,
        };
        let timeout = if is_put_off { now + self.rtt.rto() } else { self.timeout_of_first() };
        let deadline = now + wait;
        self.by_time.purpose = Purpose::Probe;
        self.timer.set(if timeout > now { deadline.min(timeout) } else { deadline });
        true
    }

    /// Sets the timer after a transmission: a new segment, the first unacknowledged one, or a probe. `was_empty` is
    /// true if nothing was in flight before.
    pub(in crate::tcp::sender) fn set_timer_after_send(&mut self, now: Time, is_new: bool, was_empty: bool) {
        if let Some(urgent) = self.by_time.urgent.take()
            && urgent == Urgent::Probe
        {
            return self.note_probe(now, is_new);
        }
        if is_new {
            if was_empty || self.by_time.purpose == Purpose::Probe {
                self.restart_by_time(now);
            }
            self.set_probe(now, false);
        } else if self.by_time.purpose != Purpose::Reordering {
            self.by_time.purpose = Purpose::Timeout;
            self.restart_by_time(now);
        }
    }

    /// RFC 8985 §7.3: records the transmission of the probe.
    #[cold]
    fn note_probe(&mut self, now: Time, is_new: bool) {
        self.by_time.is_repeating = !is_new;
        self.by_time.probe = Some(self.board.next());
        self.by_time.purpose = Purpose::Timeout;
        self.counts.probes += 1;
        self.restart_by_time(now);
    }
}
