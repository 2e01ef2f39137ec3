//! ACK processing, in the order of Linux's `tcp_ack`: deliveries, RTT sample, outcome of the probe, undo of reductions
//! and loss detection, the timer, the law.

use super::{Precedence, RackTlp};
use crate::tcp::sender::law::AckReport;
use crate::tcp::sender::loss::news::{Duplicates, News};
use crate::tcp::sender::phase::Phase;
use crate::tcp::sender::scoreboard::Delivery;
use crate::tcp::sender::tcb::Tcb;
use windward_elements::packet::Packet;
use windward_units::{Duration, Time};

impl RackTlp {
    /// Handles the arrival of an ACK. Returns its RTT sample, if any.
    pub fn on_ack(&mut self, tcb: &mut Tcb, now: Time, packet: &Packet) -> Option<Duration> {
        let to = packet.number;
        if to > tcb.board.next() {
            return None;
        }
        let nanos = now.as_nanos();
        // A precedence that an ACK has set ends with the next one.
        self.precedence = Precedence::LostFirst;
        let (una, fack) = (tcb.board.una(), tcb.board.fack());
        let stamp = tcb.has_stamps.then_some(packet.stamp);
        let prior_flight = tcb.board.pipe();
        let was_calm = tcb.phase == Phase::Open && tcb.board.is_calm();
        let duplicates = self.reported_duplicates(tcb, packet);
        let repeats_until = self.rack.latest_repeat(nanos);
        let mut sacked = Delivery { repeats_until, ..Delivery::default() };
        // The timestamp belongs to the cumulative ACK; that of a SACKed segment is unknown.
        let mut acked = Delivery { repeats_until: repeats_until.min(stamp.unwrap_or(u64::MAX)), ..Delivery::default() };
        let advances = to > una;
        if advances {
            tcb.board.acknowledge(to, &mut acked);
        }
        for block in packet.sack.into_iter().skip(usize::from(duplicates.count > 0)).take_while(|(from, to)| from < to)
        {
            tcb.board.sack(block, &mut sacked);
        }
        let count = acked.count + sacked.count;
        if count > 0 {
            tcb.rate.delivered_at = nanos;
        }
        tcb.rate.delivered += count;
        let sample = self.sample_rtt(tcb, now, advances, stamp, &acked, &sacked);
        let newest = match (&acked.newest, &sacked.newest) {
            (Some(own), Some(other)) if other.sent_at < own.sent_at => acked.newest,
            (_, Some(_)) => sacked.newest,
            _ => acked.newest,
        };
        let lowest_clean = match (acked.lowest_clean, sacked.lowest_clean) {
            (Some(own), Some(other)) => Some(own.min(other)),
            (own, other) => own.or(other),
        };
        let news =
            News { advances, una, sacked: sacked.count, has_duplicate: duplicates.count > 0, lowest_clean, stamp };
        // SACKed segments are processed first.
        let highest = acked.highest.or(sacked.highest);
        if let Some((latest, (_, sent_at))) = acked.latest.max(sacked.latest).zip(highest) {
            self.rack.advance(nanos, latest, sent_at);
        }
        // RFC 8985 §6.2: reordering (steps 3 and 4) comes before losses (step 5), whose window depends on it.
        if lowest_clean.is_some_and(|lowest| lowest < fack) {
            self.note_reordering(tcb, [acked.lowest_clean, sacked.lowest_clean], fack);
        }
        if let Some(newest) = &newest {
            self.rack.adapt(newest.delivered, tcb.rate.delivered);
        }
        self.check_probe(tcb, now, to, &news, duplicates);
        let marks = tcb.new_marks(packet.ecn, count);
        // The usual ACK: with nothing out of order before it, nothing can be lost or undone.
        let is_plain = was_calm && advances && sacked.count == 0 && duplicates.count == 0;
        let (lost, watches) = if is_plain { (0, false) } else { self.evaluate(tcb, now, &news) };
        tcb.rate.lost += lost;
        // There is one timer: the end of a reordering window comes before a probe and the timeout.
        if !watches {
            self.set_timer_after(tcb, now, &news, &sacked);
        }
        // Precedes the report of the ACK to the law: the window must not grow on marks that reduce it.
        if marks.is_any {
            tcb.answer_marks(now, tcb.window, true);
        }
        if let Some(newest) = newest {
            let is_duplicate = !advances && !self.rack.is_far();
            let (acked, marked) = (count, marks.count);
            let report = AckReport { acked, marked, lost, is_duplicate, has_rate: true, prior_flight };
            tcb.report_ack(now, report, &newest, sample);
        }
        let pipe = tcb.board.pipe();
        if let Some(prr) = tcb.phase.prr() {
            prr.on_ack_safely(count + duplicates.count, pipe, advances && lost == 0);
        }
        sample
    }

    /// RFC 2883 §4: the first block reports a duplicate if it lies below the ACK or within the second block.
    #[inline]
    fn reported_duplicates(&mut self, tcb: &mut Tcb, packet: &Packet) -> Duplicates {
        let [first, second, _] = packet.sack;
        let is_within = second.0 <= first.0 && first.1 <= second.1;
        if first.0 >= first.1 || !(first.0 < packet.number || is_within) {
            return Duplicates::default();
        }
        self.note_duplicates(tcb, first)
    }

    #[cold]
    fn note_duplicates(&mut self, tcb: &mut Tcb, block: (u32, u32)) -> Duplicates {
        let count = block.1 - block.0;
        tcb.counts.duplicates += u64::from(count);
        // More duplicates than retransmissions: the network duplicates packets (RFC 3708 §3).
        if tcb.counts.duplicates > tcb.counts.retransmits {
            return Duplicates::default();
        }
        let is_probe = self.tlp.end == Some(block.1);
        if !is_probe {
            self.rack.note_duplicate();
        }
        for number in block.0..block.1 {
            if number < tcb.board.una() || tcb.board.is_repeated(number) {
                self.undo.report(number);
            }
        }
        Duplicates { count, is_probe }
    }

    /// Takes RTT samples as Linux does: the oldest segment that the cumulative ACK covers unless it covers
    /// retransmissions, else the oldest newly SACKed one, else the timestamp. The law gets the newest.
    #[inline]
    fn sample_rtt(
        &mut self,
        tcb: &mut Tcb,
        now: Time,
        advances: bool,
        stamp: Option<u64>,
        acked: &Delivery,
        sacked: &Delivery,
    ) -> Option<Duration> {
        let since = |then: u64| Duration::from_nanos(now.as_nanos() - then);
        let stamped = stamp.filter(|_| advances).map(since);
        let oldest = acked.oldest_clean.or(sacked.oldest_clean).map(since).or(stamped)?;
        tcb.rtt.estimator.sample(oldest, tcb.board.una(), tcb.board.next());
        let newest = sacked.newest_clean.or(acked.newest_clean).map(since).or(stamped)?;
        self.rack.sample(newest);
        tcb.rtt.note(newest);
        Some(newest)
    }

    /// Segments that this ACK delivers below `fack`: the lowest acknowledged and the lowest SACKed one.
    #[cold]
    fn note_reordering(&mut self, tcb: &mut Tcb, [acked, sacked]: [Option<u32>; 2], fack: u32) {
        // Linux: SACKs say nothing of the path after a timeout that cannot be undone (`tcp_sacktag_write_queue`), while
        // cumulative ACKs always count (`tcp_clean_rtx_queue`).
        let is_lost = matches!(tcb.phase, Phase::Loss { .. }) && !self.undo.is_possible();
        let below = |lowest: &u32| *lowest < fack;
        for lowest in sacked.filter(|_| !is_lost).into_iter().chain(acked).filter(below) {
            self.rack.note_reordering(tcb.board.fack().saturating_sub(lowest));
        }
    }
}
