//! Losses by time, as Linux finds and takes them back: RACK-TLP (RFC 8985), F-RTO (RFC 5682), D-SACK (RFC 2883).
//!
//! The order of things is that of Linux's `tcp_ack`: what an ACK delivers; the round trip; the probe's outcome; what that
//! shows about reductions of the window and about losses; the timer; the law.

use super::acknowledge::Heard;
use super::{Sender, Turn};
use crate::packet::Packet;
use crate::tcp::by_time::{ByTime, Order, Purpose, Urgent};
use crate::tcp::marks::Told;
use crate::tcp::recovery::{Phase, Prr};
use crate::tcp::scoreboard::Delivery;
use windward_laws::{CongestionKind, Law};
use windward_units::{Duration, Time};

/// What Linux adds to the times of its short timers (`TCP_TIMEOUT_MIN`).
const TIMER_MARGIN: Duration = Duration::from_millis(2);
/// Until a probe, before the first round-trip sample (RFC 8985 §7.2).
const FIRST_PROBE: Duration = Duration::from_millis(1000);
/// What a timer waits at least that should have expired.
const AT_ONCE: Duration = Duration::from_micros(1);

/// What one ACK brought.
#[derive(Clone, Copy)]
struct News {
    /// The cumulative ACK moved.
    advances: bool,
    /// Where it stood before.
    una: u32,
    /// Segments newly SACKed.
    sacked: u32,
    /// A duplicate was reported.
    has_duplicate: bool,
    /// The lowest segment delivered that was sent once.
    lowest_clean: Option<u32>,
    /// The stamp that it echoes, where there are stamps.
    stamp: Option<u64>,
}

/// What a duplicate told.
#[derive(Clone, Copy, Default)]
struct Duplicates {
    count: u32,
    /// It is the probe's: the original arrived too.
    is_probe: bool,
}

impl Sender {
    /// An ACK arrives. Returns the RTT sample that it gave, if any.
    pub(super) fn on_ack_by_time(&mut self, now: Time, packet: &Packet) -> Option<Duration> {
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
        // The stamp is that of what the cumulative ACK covers; a SACKed segment's is not known.
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
        // What is SACKed is looked at first.
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
        // Before the law hears of the ACK: its window does not grow on what brings it down.
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

    /// RFC 2883 §4: the first block reports a duplicate where it lies below the ACK or within the second.
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
        // More than was sent again: the network duplicates packets (RFC 3708 §3).
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

    /// Linux's samples: the oldest segment that the cumulative ACK covers unless it covers repetitions, else the oldest newly
    /// SACKed, else the stamp; for the law the newest.
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

    /// RFC 8985 §7.4: what came of the probe.
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
            // The probe repaired a loss, and no duplicate was reported: the window goes down at once.
            self.by_time.probe = None;
            self.by_time.undo.forget();
            self.is_doubling = false;
            self.report(now, CongestionKind::Loss, self.window, 1);
        } else if is_plain {
            self.by_time.probe = None;
        }
    }

    /// What the ACK shows about the reduction of the window, and about losses: how many were found, and whether the timer waits
    /// for a reordering window to end.
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

    /// Ends recovery, and what a mark began, when everything sent before is acknowledged.
    fn leave_phase_by_time(&mut self, news: &News) {
        match self.phase {
            Phase::Recovery { until, .. } if self.board.una() >= until => self.finish(news),
            Phase::Reduction { until, .. } if self.board.una() >= until => self.phase = Phase::Open,
            _ => {}
        }
    }

    /// Everything sent before the reduction is acknowledged: was it necessary?
    fn finish(&mut self, news: &News) {
        let undo = &self.by_time.undo;
        if undo.is_all_duplicate() || undo.is_delayed(news.stamp) {
            self.take_back(false);
        } else {
            self.by_time.rack.count_recovery(false);
        }
        self.phase = Phase::Open;
    }

    /// A partial ACK in recovery that was sent for an original: it was late, not lost. Whether nothing more shall be found lost.
    fn is_late_in_recovery(&mut self, news: &News) -> bool {
        if !self.by_time.undo.is_delayed(news.stamp) {
            return false;
        }
        self.by_time.rack.note_reordering(self.board.fack().saturating_sub(news.una));
        if self.board.retransmitted() > 0 {
            // Repetitions are still out: new segments only, until they are told apart.
            self.by_time.order = Order::NewOnly;
            return true;
        }
        self.take_back(true);
        false
    }

    /// After a timeout: RFC 5682 §3.1, and what stamps and duplicates say.
    fn judge_timeout(&mut self, until: u32, news: &News) {
        let undo = &self.by_time.undo;
        if news.advances && (undo.is_all_duplicate() || undo.is_delayed(news.stamp)) {
            return self.take_back(true);
        }
        let is_recovered = self.board.una() >= until;
        if self.by_time.is_judging {
            // Step 3.b: not all was lost, for something arrived that was never repeated.
            if news.lowest_clean.is_some_and(|lowest| lowest < until) {
                return self.take_back(true);
            }
            if self.board.next() > until {
                // Step 3.a: new segments arrived before what the timeout was for. A duplicate that is reported was none of them.
                if news.sacked > 0 || !(news.advances || news.has_duplicate) {
                    self.by_time.is_judging = false;
                }
            } else if news.advances && !is_recovered {
                // Step 2.b: new segments will tell.
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

    /// The reduction was a mistake; `unmarks` where nothing is known to be lost any more.
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

    /// Looks for losses where something was delivered since the last look; how many there are, and whether the timer was set to
    /// look again.
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

    /// RFC 8985 §6.2 step 5: how many segments are lost, and how long the last of the others may still take.
    fn mark_overtaken(&mut self, now: Time) -> (u32, Option<Duration>) {
        let is_recovering = matches!(self.phase, Phase::Recovery { .. } | Phase::Loss { .. });
        let Self { by_time: ByTime { rack, .. }, board, rtt, .. } = self;
        let span = rack.rtt() + rack.window(is_recovering, board.sacked(), rtt.srtt());
        let now = now.as_nanos();
        let (found, last) = board.mark_overtaken(now, span, |sent_at, number| rack.is_overtaken(sent_at, number));
        (found, last.map(|sent_at| Duration::from_nanos((sent_at + span).saturating_sub(now))))
    }

    /// Losses are known: recovery begins, if it has not.
    fn recover_by_time(&mut self, now: Time, found: u32) {
        if self.board.lost() == 0 {
            return;
        }
        let (until, una) = (self.board.next(), self.board.una());
        if self.phase == Phase::Open && self.board.retransmitted() == 0 {
            self.by_time.undo.settle();
        }
        let prr = match self.phase {
            // The law has been told of this congestion by a mark, and a mark is no mistake.
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

    /// Whether there is a new segment that the receiver has room for.
    pub(super) fn has_new(&self) -> bool {
        self.board.next() < self.end && self.board.outstanding() < self.receive_window
    }

    /// What is sent whatever the window says.
    #[cold]
    pub(super) fn urgent_turn(&mut self, urgent: Urgent) -> Turn {
        let turn = match urgent {
            Urgent::Probe => self.probe(),
            Urgent::First => self.board.next_lost().map(Turn::Again),
        };
        self.by_time.urgent = self.by_time.urgent.filter(|_| turn.is_some());
        turn.unwrap_or(Turn::Idle)
    }

    /// RFC 8985 §7.3: a new segment, or else the last one again.
    fn probe(&self) -> Option<Turn> {
        if self.has_new() {
            return Some(Turn::New(self.board.next()));
        }
        let last = self.board.next().checked_sub(1)?;
        self.board.is_under_way(last).then_some(Turn::Again(last))
    }

    /// The timer expired, set for something else than the timeout.
    #[cold]
    pub(super) fn on_short_timer(&mut self, now: Time, purpose: Purpose) {
        if purpose == Purpose::Probe {
            // One probe at a time (RFC 8985 §7.3).
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

    /// The timeout expires: what F-RTO needs to know, and what is lost.
    pub(super) fn mark_timeout(&mut self, now: Time) -> u32 {
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
        // What was sent less than a round trip ago is not known to be lost.
        self.board.mark_timed_out(now.as_nanos().saturating_sub(self.by_time.rack.rtt()))
    }

    /// Sets the timer after an ACK, unless it brought nothing that puts the timeout off.
    fn set_timer_after(&mut self, now: Time, news: &News, sacked: &Delivery) {
        // A SACK of what was sent after the first segment was repeated must not put its timeout off.
        let puts_off = news.advances
            || (self.board.outstanding() > 0
                && sacked.oldest_clean.is_some_and(|sent_at| sent_at < self.board.head_sent_at()));
        if puts_off && !self.set_probe(now, true) {
            self.restart_by_time(now);
        }
    }

    /// Starts the timeout, from now on, or, where a shorter timer was set meanwhile, from when the first segment was sent.
    pub(super) fn restart_by_time(&mut self, now: Time) {
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

    /// RFC 8985 §7.2: sets the timer for a probe where no loss is being repaired, no later than the timeout; `is_put_off` where
    /// that counts from now. Whether it did.
    pub(super) fn set_probe(&mut self, now: Time, is_put_off: bool) -> bool {
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

    /// A segment was sent: a new one, the first one unacknowledged, or a probe; `was_empty` where nothing was out before.
    pub(super) fn set_timer_after_send(&mut self, now: Time, is_new: bool, was_empty: bool) {
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

    /// RFC 8985 §7.3: the probe was sent.
    #[cold]
    fn note_probe(&mut self, now: Time, is_new: bool) {
        self.by_time.is_repeating = !is_new;
        self.by_time.probe = Some(self.board.next());
        self.by_time.purpose = Purpose::Timeout;
        self.counts.probes += 1;
        self.restart_by_time(now);
    }
}
