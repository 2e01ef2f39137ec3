//! The receiver at the far end of a leg: what arrived, when it is released, and which gaps are given up.

use super::{Fate, Leg, Sdu, Terms};
use crate::ran::harq::{GAPS, Process, Status};
use crate::ran::intervals::Interval;
use crate::ran::rlc::RlcMode;
use windward_units::Time;

impl Leg {
    /// Takes a decoded block at the receiver at `now`.
    pub fn receive(&mut self, now: Time, process: &Process) {
        let Terms { rlc, give_up, .. } = self.terms;
        // The last part carries the poll.
        let poll = process.parts().last().filter(|_| process.has_poll);
        let is_known = poll.is_some_and(|&(from, to)| self.received.first_missing(from) >= to);
        for &part in process.parts() {
            self.received.insert(part);
        }
        if rlc.mode == RlcMode::Acknowledged {
            self.reassembly.follow(now, rlc.reassembly, &self.received);
            // 38.322 §5.3.4: a duplicate is answered at once, another poll once RX_Highest_Status has passed it.
            match is_known {
                true => self.owes_status = true,
                false => self.polls.extend(poll.map(|part| part.1)),
            }
            self.answer_polls();
        }
        if let Some(give_up) = give_up {
            self.reordering.follow(now, give_up, &self.received);
        }
    }

    /// Handles the timers of the receiver; true if packets may be released.
    pub fn expire(&mut self, now: Time) -> bool {
        let Terms { rlc, give_up, .. } = self.terms;
        if self.reassembly.expires(now) {
            self.highest_status = self.received.first_missing(self.reassembly.trigger);
            self.owes_status = true;
            self.answer_polls();
            // 38.322 §5.2.3.2.4: the timer starts anew only for a gap above RX_Highest_Status.
            if self.highest_status < self.received.high() {
                self.reassembly.follow(now, rlc.reassembly, &self.received);
            }
        }
        if !self.reordering.expires(now) {
            return false;
        }
        let trigger = self.reordering.trigger;
        // PDCP delivers all below RX_REORD at once, however many gaps there are (TS 38.323 §5.2.2.2).
        while self.received.has_gap_below(trigger) {
            let Some(gap) = self.received.gaps().next() else { break };
            self.abandon(gap);
        }
        if let Some(give_up) = give_up {
            self.reordering.follow(now, give_up, &self.received);
        }
        // A gap that PDCP has given up is not requested any more.
        if rlc.mode == RlcMode::Acknowledged {
            self.reassembly.follow(now, rlc.reassembly, &self.received);
        }
        true
    }

    /// RX_Highest_Status: first byte that a status report would say nothing about.
    fn edge(&self) -> u64 {
        self.received.first_missing(self.highest_status.max(self.received.low))
    }

    /// Answers the polls whose wait for HARQ is over: no byte below them can still arrive unnoticed.
    fn answer_polls(&mut self) {
        if self.polls.is_empty() {
            return;
        }
        let (edge, waited) = (self.edge(), self.polls.len());
        self.polls.retain(|&poll| poll > edge);
        self.owes_status |= self.polls.len() < waited;
    }

    /// Gives up bytes that are missing.
    pub(super) fn abandon(&mut self, gap: Interval) {
        self.abandoned.push(gap);
        self.received.insert(gap);
        self.air.gaps += 1;
    }

    /// Next packet below the lowest missing byte.
    pub fn release(&mut self) -> Option<(Sdu, Fate)> {
        let Some(&sdu) = self.sdus.get(self.delivered).filter(|sdu| sdu.end <= self.received.low) else {
            if !self.abandoned.is_empty() {
                self.forget();
            }
            return None;
        };
        let begin = sdu.end - u64::from(sdu.packet.size);
        let is_lost =
            !self.abandoned.is_empty() && self.abandoned.iter().any(|&(from, to)| from < sdu.end && begin < to);
        let fate = match is_lost {
            // Its loss was counted with its block: later bytes of the same packet do not count it again.
            _ if sdu.is_gone => Fate::Gone,
            true => Fate::Lost,
            false => Fate::Arrives,
        };
        self.gone -= usize::from(sdu.is_gone);
        self.count_loss(&sdu, fate == Fate::Lost);
        match self.terms.rlc.mode {
            // Until it is acknowledged a delivered packet may have to go out again at the target of a handover (TS
            // 38.323 §5.1.2).
            RlcMode::Acknowledged => self.delivered += 1,
            RlcMode::Unacknowledged => _ = self.sdus.pop_front(),
        }
        Some((sdu, fate))
    }

    /// Forgets the abandoned intervals that no waiting packet overlaps.
    #[cold]
    fn forget(&mut self) {
        let begun = self.sdus.get(self.delivered).map_or(u64::MAX, |sdu| sdu.end - u64::from(sdu.packet.size));
        self.abandoned.retain(|gap| gap.1 > begun);
    }

    /// Number of gaps that a status report would name.
    pub fn status_gaps(&self) -> usize {
        self.received.gaps().filter(|gap| gap.0 < self.highest_status).take(GAPS).count()
    }

    /// Makes the status report at `now`.
    pub fn status(&mut self, now: Time) -> Status {
        let mut status = Status { upto: self.edge(), ..Status::default() };
        for gap in self.received.gaps().filter(|gap| gap.0 < self.highest_status) {
            if status.count == GAPS {
                // Without room for this gap the report must end below it: what it does not name counts as received.
                status.upto = gap.0;
                break;
            }
            status.gaps[status.count] = gap;
            status.count += 1;
        }
        self.owes_status = false;
        self.asks_status = false;
        self.status_from = now + self.terms.rlc.status_prohibit;
        status
    }
}
