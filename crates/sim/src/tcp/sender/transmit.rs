//! Transmission: the next segment to send, and its time.

use super::loss::state::{Order, Urgent};
use super::pacing::Burst;
use super::recovery::Phase;
use super::scoreboard::Segment;
use super::{Sender, Turn};
use crate::ecn::Ecn;
use windward_laws::Law;
use windward_units::{Duration, Time};

/// Paced senders send at this multiple of cwnd/srtt, so that pacing does not hold back the window, and at twice
/// cwnd/srtt while slow start doubles it (Linux's factors, `tcp_pacing_ca_ratio` and `tcp_pacing_ss_ratio`).
const PACING_GAIN: f64 = 1.2;
const SLOW_START_PACING_GAIN: f64 = 2.0;

impl Sender {
    /// Next action of the sender.
    #[inline]
    pub fn turn(&mut self, now: Time) -> Turn {
        let turn = self.choose(now);
        if self.by_time.is_on && matches!(turn, Turn::Wait(_) | Turn::Idle) {
            let is_full = self.board.pipe() >= self.window_now();
            self.by_time.usage.pause(is_full, self.board.una(), self.board.next());
        }
        turn
    }

    /// The window in force, in segments; increased to the budget of rate reduction (Linux: `tcp_cwnd_reduction`).
    #[inline]
    pub(super) fn window_now(&self) -> u32 {
        match &self.phase {
            _ if self.drives_recovery => self.window,
            Phase::Reduction { prr, .. } => self.board.pipe() + prr.budget(),
            Phase::Recovery { prr, .. } if self.repairs_by_rate() => self.board.pipe() + prr.budget(),
            _ => self.window,
        }
    }

    /// True if rate reduction and not the window limits transmissions in recovery.
    #[inline]
    fn repairs_by_rate(&self) -> bool {
        self.has_sack || self.is_linux_newreno
    }

    #[inline]
    fn choose(&mut self, now: Time) -> Turn {
        if let Some(urgent) = self.by_time.urgent {
            return self.urgent_turn(urgent);
        }
        let pipe = self.board.pipe();
        // RFC 5681 §3.2, RFC 6582 §3.2: the fast retransmission, and that after a partial ACK, ignore the window.
        let asks = self.repairs_by_rate() || self.drives_recovery || !matches!(self.phase, Phase::Recovery { .. });
        if pipe >= self.window_now() && (asks || self.board.next_lost().is_none()) {
            return Turn::Idle;
        }
        if self.is_pacing() && now < self.next_send && !self.burst.goes_on(now) {
            return Turn::Wait(self.next_send);
        }
        let repeats = match self.by_time.order {
            Order::LostFirst => true,
            Order::NewFirst => !self.has_new(),
            Order::NewOnly => false,
        };
        if self.phase != Phase::Open
            && repeats
            && let Some(number) = self.board.next_lost()
        {
            return Turn::Again(number);
        }
        let next = self.board.next();
        if next < self.end && self.board.outstanding() < self.receive_window {
            return Turn::New(next);
        }
        if let Some(number) = self.last_resort() {
            return Turn::Again(number);
        }
        // Segments delivered from here on were sent while the window had room.
        self.unused_until = self.delivered + pipe.max(1);
        if next >= self.end {
            self.app_limited_until = self.unused_until;
        }
        Turn::Idle
    }

    /// Segment to send in recovery without new data: RFC 6675 §4 NextSeg, rules 3 and 4.
    fn last_resort(&mut self) -> Option<u32> {
        if !self.has_sack || self.by_time.is_on || !matches!(self.phase, Phase::Recovery { .. }) {
            return None;
        }
        self.board.next_unsure().or_else(|| {
            let number = if self.is_rescued { None } else { self.board.rescue() };
            self.is_rescued |= number.is_some();
            number
        })
    }

    /// True if segments are paced: by option, by a law with a rate of its own, or because the window is below one
    /// packet.
    #[inline]
    fn is_pacing(&self) -> bool {
        self.is_paced || self.law.pacing_rate().is_some() || self.law.cwnd().count() < 1.0
    }

    /// Records the transmission of a segment. Returns its ECN fields.
    #[inline]
    pub fn on_send(&mut self, now: Time, turn: Turn) -> Ecn {
        let was_empty = self.board.outstanding() == 0;
        if was_empty {
            self.delivered_at = now.as_nanos();
            self.first_sent_at = now.as_nanos();
        }
        let segment = Segment {
            sent_at: now.as_nanos(),
            first_sent_at: self.first_sent_at,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost: self.lost,
            flight: self.board.pipe() + 1,
            is_app_limited: self.delivered < self.app_limited_until,
            is_unused: self.delivered < self.unused_until,
            ..Segment::default()
        };
        self.counts.sent += 1;
        if let Turn::Again(number) = turn {
            if self.by_time.urgent == Some(Urgent::Probe) {
                self.board.probe(number, segment);
            } else {
                self.board.resend(number, segment);
                self.by_time.undo.repeat(now.as_nanos());
            }
            self.counts.retransmits += 1;
        } else {
            let is_limited = self.board.sacked() > 0 && !matches!(self.phase, Phase::Recovery { .. });
            self.limited += u32::from(is_limited);
            self.by_time.usage.has_sent = true;
            if self.by_time.order == Order::NewFirst {
                self.by_time.order = Order::NewOnly;
            }
            self.board.send(segment);
        }
        if let Some(prr) = self.phase.prr() {
            prr.on_send();
        }
        if self.is_pacing() {
            self.pace(now);
        }
        self.set_timer(now, turn, was_empty);
        self.marks.on_send(if let Turn::New(number) = turn { Some(number) } else { None })
    }

    #[inline]
    fn set_timer(&mut self, now: Time, turn: Turn, was_empty: bool) {
        let is_first = turn == Turn::Again(self.board.una());
        if self.by_time.is_on {
            let is_new = matches!(turn, Turn::New(_));
            if is_new || is_first || self.by_time.urgent.is_some() {
                self.set_timer_after_send(now, is_new, was_empty);
            }
            return;
        }
        // RFC 6675 §6: retransmitting the first segment restarts the timer, which might otherwise expire before that
        // segment's ACK. Without SACK each partial ACK causes a retransmission, but only the first may restart the
        // timer (RFC 6582 §4).
        let restarts = self.has_sack || self.restarts_on_partial;
        if !self.timer.is_set() || (restarts && is_first) {
            self.timer.set(now + self.rtt.rto());
        }
    }

    /// Sets the time of the segment after this one.
    fn pace(&mut self, now: Time) {
        let gap = self.pacing_gap();
        let quantum = self.law.send_quantum();
        if quantum <= 1 {
            self.next_send = now + gap;
            return;
        }
        if !self.burst.goes_on(now) {
            self.burst = Burst { at: now, late: now.since(self.next_send), count: 0, most: quantum };
        }
        self.burst.count += 1;
        let span = gap * u64::from(self.burst.count);
        self.next_send = now + span.saturating_sub(self.burst.late.min(span.scale(0.5)));
    }

    fn pacing_gap(&self) -> Duration {
        if let Some(rate) = self.law.pacing_rate() {
            return Duration::from_secs(1.0 / rate.as_per_sec());
        }
        let cwnd = self.law.cwnd().count();
        let gain = match () {
            () if cwnd < 1.0 => 1.0,
            () if self.is_doubling => SLOW_START_PACING_GAIN,
            () => PACING_GAIN,
        };
        self.rtt.srtt().scale(1.0 / (gain * cwnd))
    }
}
