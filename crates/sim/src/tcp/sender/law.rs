//! Events reported to the congestion control law, and the window that it answers with.

use super::phase::Phase;
use super::prr::Prr;
use super::scoreboard::Segment;
use super::tcb::Tcb;
use windward_laws::{Ack, AnyLaw, Congestion, CongestionKind, Sample, Start};
use windward_units::{Duration, Packets, Time};

/// Segments reported to the law for one ACK.
#[derive(Clone, Copy)]
pub struct AckReport {
    pub acked: u32,
    pub marked: u32,
    pub lost: u32,
    pub is_duplicate: bool,
    /// True if the time of the deliveries is known, so that they are a rate.
    pub has_rate: bool,
    pub prior_flight: u32,
}

impl Tcb {
    #[inline]
    pub(super) fn take_window(&mut self) {
        // The float to integer conversion saturates: a law may say "no limit".
        self.window = (self.law.cwnd().count() as u32).max(1);
        self.take_pacing();
    }

    #[inline]
    pub(super) fn take_pacing(&mut self) {
        self.is_pacing = self.pacing.is_on || self.law.pacing_rate().is_some() || self.law.cwnd().count() < 1.0;
    }

    /// Slow start threshold, infinite until it is set; `None` if the law has none.
    pub fn ssthresh(&self) -> Option<f64> {
        let mut ssthresh = None;
        self.law.observe(&mut |name, value| {
            if name == "ssthresh" {
                ssthresh = Some(value);
            }
        });
        ssthresh
    }

    /// Starts the law after the handshake, with its RTT sample.
    pub fn start(&mut self, now: Time, rtt: Option<Duration>) {
        self.rate.restart(now);
        self.law.on_start(&Start { now, rtt, seed: self.seed });
        self.take_window();
    }

    /// Reports an event to the law.
    pub fn report(&mut self, now: Time, kind: CongestionKind, flight: u32, lost: u32) {
        self.law.on_congestion(&Congestion {
            now,
            kind,
            flight: Packets::new(f64::from(flight)),
            lost: Packets::new(f64::from(lost)),
            srtt: self.rtt.estimator.srtt(),
            base_rtt: self.rtt.base(),
        });
        self.take_window();
    }

    /// Undoes the last reduction, which was spurious: restores the law's window, and the next timeout counts as a first
    /// one.
    pub fn undo(&mut self) {
        self.law.on_undo(self.window_before);
        self.take_window();
        self.counts.undone += 1;
        self.timed_out = None;
    }

    /// True if the window is being reduced, or was within the last round trip: it does not grow in the meantime.
    #[inline]
    fn is_reduced(&self) -> bool {
        match self.phase {
            Phase::Reduction { .. } | Phase::Recovery { .. } | Phase::WindowRecovery { .. } => true,
            Phase::Open => self.marks.holds_window(self.board.una()) || self.is_held(),
            // RFC 5681 §3.1: slow start. A timeout ends the reduction for a mark or a full device (Linux:
            // `tcp_enter_loss` leaves `TCP_CA_CWR`).
            Phase::Loss { .. } => false,
        }
    }

    /// True until the segments are acknowledged that were sent before the device queue was full.
    #[inline]
    fn is_held(&self) -> bool {
        self.board.una() < self.held_until
    }

    /// Reports marks to the law, once per window of data, unless a loss was reported already or the law handles marks
    /// itself. The law computes from `flight`. With `by_rate`, a rate reduction spreads the answer over a round trip.
    #[cold]
    pub fn answer_marks(&mut self, now: Time, flight: u32, by_rate: bool) {
        if self.phase != Phase::Open || self.law.needs().counts_marks || self.marks.is_answered(self.board.una()) {
            return;
        }
        // All segments up to here were sent into the same congestion.
        let until = self.board.next();
        self.marks.note_mark(until);
        self.round.is_doubling = false;
        self.report(now, CongestionKind::Mark, flight, 0);
        if by_rate {
            self.phase = Phase::Reduction { until, prr: Prr::new(flight, self.window) };
        }
    }

    /// Reports a full device queue to the law as congestion without a loss, once per window of data and unless the
    /// window is being reduced already (Linux: `tcp_enter_cwr`). The law computes from the window.
    #[cold]
    pub fn answer_device(&mut self, now: Time) {
        if self.phase != Phase::Open || self.is_held() || self.marks.is_answered(self.board.una()) {
            return;
        }
        self.held_until = self.board.next();
        self.round.is_doubling = false;
        self.report(now, CongestionKind::Mark, self.window, 0);
    }

    /// Reports a timeout that took `lost` segments, unless the same segment has timed out before. The law computes from
    /// `flight`.
    pub fn time_out(&mut self, now: Time, flight: u32, lost: u32) {
        self.rate.lost += lost;
        // RFC 5681 §3.1: ssthresh is kept if the same segment times out again.
        if !self.is_timed_out() {
            if matches!(self.phase, Phase::Open | Phase::Reduction { .. }) {
                self.window_before = self.law.cwnd();
            }
            self.report(now, CongestionKind::Timeout, flight, lost);
        }
        self.timed_out = Some(self.board.una());
        self.marks.note_loss();
        self.round.is_doubling = false;
        self.phase = Phase::Loss { until: self.board.next() };
        self.rtt.estimator.back_off();
        self.counts.timeouts += 1;
        self.pacing.next_send = now;
    }

    /// Reports an ACK to the law. `newest` was sent last among the segments that it delivers.
    #[inline]
    pub fn report_ack(&mut self, now: Time, report: AckReport, newest: &Segment, rtt: Option<Duration>) {
        let AckReport { acked, marked, lost, is_duplicate, has_rate, prior_flight } = report;
        let (count, mut interval) = self.rate.sample(now, newest);
        if !has_rate {
            interval = Duration::ZERO;
        }
        self.round.advance(newest.delivered, self.rate.delivered, || self.law.cwnd().count());
        self.law.on_ack(&Ack {
            now,
            acked: Packets::new(f64::from(acked)),
            counts_acks: self.counts_acks,
            marked: Packets::new(f64::from(marked)),
            lost: Packets::new(f64::from(lost)),
            rtt,
            srtt: self.rtt.estimator.srtt(),
            base_rtt: self.rtt.base(),
            flight: Packets::new(f64::from(self.board.pipe())),
            sent_at: Time::from_nanos(newest.sent_at),
            flight_at_send: Packets::new(f64::from(newest.flight)),
            delivery_rate: (interval > Duration::ZERO).then(|| Packets::new(f64::from(count)) / interval),
            app_limited: self.is_app_limited(newest),
            // RFC 5681 §3.2, RFC 3042: duplicates do not open the window.
            recovering: is_duplicate || self.is_reduced(),
            round: self.round.number,
            sample: if self.reads_samples { self.rates(newest, interval, prior_flight) } else { Sample::default() },
        });
        let before = self.window;
        self.take_window();
        if self.window > before.saturating_add(acked) {
            self.bound_leap(before, acked);
        }
    }

    /// Bounds growth by more than the acknowledged packets, which Hybla's slow start has on long round trips, if there
    /// is not as much to send: to twice what can be used, as that of any slow start. Laws that model their path by
    /// rates have a window for safety only.
    #[cold]
    fn bound_leap(&mut self, before: u32, acked: u32) {
        let usable = self.board.pipe().saturating_add(self.waiting());
        let bound = before.max(self.validation.bound(acked, usable));
        if !self.reads_samples && self.window > bound {
            self.law.on_idle(Packets::new(f64::from(bound)));
            self.take_window();
        }
    }

    /// True if the law must not grow on an ACK of `newest`: the window did not limit the sender. For a law that models
    /// its path by rates: the segment was sent when there was no more data, which makes its rate no sample of the path.
    #[inline]
    fn is_app_limited(&self, newest: &Segment) -> bool {
        if self.reads_samples { newest.is_app_limited } else { !self.is_window_limited() }
    }

    /// Reports an ACK of a part of a segment to a law that counts ACKs; one that counts packets learns nothing from it.
    #[cold]
    pub fn report_part(&mut self, now: Time) {
        // Reno may count ACKs by its own parameter.
        if !self.counts_acks && !matches!(self.law, AnyLaw::Reno(_)) {
            return;
        }
        self.law.on_ack(&Ack {
            now,
            acked: Packets::new(0.0),
            counts_acks: self.counts_acks,
            marked: Packets::new(0.0),
            lost: Packets::new(0.0),
            rtt: None,
            srtt: self.rtt.estimator.srtt(),
            base_rtt: self.rtt.base(),
            flight: Packets::new(f64::from(self.board.pipe())),
            sent_at: Time::from_nanos(self.board.head_sent_at()),
            flight_at_send: Packets::new(f64::from(self.board.pipe())),
            delivery_rate: None,
            app_limited: !self.is_window_limited(),
            recovering: self.is_reduced(),
            round: self.round.number,
            sample: Sample::default(),
        });
        self.take_window();
    }

    /// Returns the samples for a law that models its path by rates.
    fn rates(&self, newest: &Segment, interval: Duration, prior_flight: u32) -> Sample {
        let whole = |count: u32| Packets::new(f64::from(count));
        Sample {
            delivered: whole(self.rate.delivered),
            delivered_at_send: whole(newest.delivered),
            lost: whole(self.rate.lost),
            lost_at_send: whole(newest.lost),
            interval,
            prior_flight: whole(prior_flight),
            next_send: self.pacing.next_send,
            repair: self.phase.repair(),
        }
    }
}
