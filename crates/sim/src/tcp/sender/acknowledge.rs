//! ACK processing: deliveries, losses, and the report to the law.

use super::Sender;
use super::ecn::Told;
use super::recovery::{Phase, Prr};
use super::scoreboard::{DUP_THRESH, Delivery, Segment};
use crate::packet::Packet;
use windward_laws::{Ack, CongestionKind, Law, Sample};
use windward_units::{Duration, Packets, Time};

impl Sender {
    /// Handles the arrival of an ACK. Returns its RTT sample, if any.
    #[inline]
    pub fn on_ack(&mut self, now: Time, packet: &Packet) -> Option<Duration> {
        if self.by_time.is_on {
            return self.on_ack_by_time(now, packet);
        }
        let una = self.board.una();
        let to = packet.number;
        if to < una || to > self.board.next() {
            return None;
        }
        let advance = to - una;
        let mut delivery = Delivery::default();
        let prior_flight = self.board.pipe();
        self.update_board(to, packet, &mut delivery);
        if advance == 0 && delivery.count == 0 {
            return None;
        }
        let now_nanos = now.as_nanos();
        let restarts = matches!(self.phase, Phase::Loss { .. })
            && !self.drives_recovery
            && (!self.has_sack || self.law.cwnd().count() < self.restart_until);
        self.delivered += delivery.count;
        self.delivered_at = now_nanos;
        let sample = self.sample_rtt(now_nanos, advance, packet.stamp, &delivery);
        if advance > 0 {
            self.leave_phase(to, packet.stamp);
            self.restart_timer(now);
        }
        let told = if self.marks.is_on() { self.marks.hear(packet.ecn, delivery.count) } else { Told::default() };
        let fresh = if advance == 0 { delivery.count } else { 0 };
        let lost = self.find_losses(now, fresh);
        self.lost += lost.count;
        if let Some(newest) = delivery.newest {
            // After a timeout an ACK skips segments that had arrived before it, which is no sign of a clear path. It
            // counts as a delayed ACK: in slow start (RFC 3465 §2.3 counts one segment, Linux all), and without SACK
            // until all losses are repaired.
            let acked = if restarts { delivery.count.min(DELAYED) } else { delivery.count };
            let heard = Heard { acked, marked: told.count, lost: lost.count, is_duplicate: advance == 0, prior_flight };
            self.tell_law(now, heard, &newest, sample);
        }
        if told.is_any {
            self.answer_marks(now, delivery.count);
        }
        let pipe = self.board.pipe();
        if let Some(prr) = self.phase.prr() {
            if self.is_linux_newreno {
                // A partial ACK indicates a new loss: no more is sent than was delivered.
                prr.on_ack_safely(delivery.count, pipe, false);
            } else {
                prr.on_ack(delivery.count, pipe, lost.is_new);
            }
        }
        sample
    }

    #[inline]
    fn update_board(&mut self, to: u32, packet: &Packet, delivery: &mut Delivery) {
        let una = self.board.una();
        if self.has_sack {
            if to > una {
                self.board.acknowledge(to, delivery);
            }
            for block in packet.sack {
                if block.0 >= block.1 {
                    break;
                }
                self.board.sack(block, delivery);
            }
        } else if to > una {
            let is_partial = matches!(self.phase, Phase::Recovery { until, .. } if to < until);
            self.board.acknowledge_counting(to, is_partial, delivery);
        } else if self.board.outstanding() > 0 && self.means_delivery() {
            self.board.duplicate(delivery);
        }
    }

    /// True if a duplicate indicates a delivery, without SACK. After a timeout everything in flight counts as lost, so
    /// its arrivals are no deliveries. Duplicates count again once a segment beyond it is sent, as in Linux.
    fn means_delivery(&self) -> bool {
        !matches!(self.phase, Phase::Loss { until } if self.board.next() <= until)
    }

    /// Takes the RTT samples. The estimator of the timeout uses the oldest segment that this ACK delivers, which
    /// includes the receiver's delay. The law uses the newest, which does not. Both obey Karn's rule, unless a
    /// timestamp distinguishes transmissions.
    #[inline]
    fn sample_rtt(&mut self, now: u64, advance: u32, stamp: u64, delivery: &Delivery) -> Option<Duration> {
        let since = |then: u64| Duration::from_nanos(now - then);
        let stamped = (self.has_stamps && advance > 0).then(|| since(stamp));
        // Segments that an ACK of retransmissions SACKs may have waited as well, for SACKs that were lost.
        let is_clean = !delivery.has_repeated;
        let clean = |sent_at: Option<u64>| sent_at.filter(|_| is_clean).map(since).or(stamped);
        if advance > 0
            && let Some(rtt) = clean(delivery.oldest_clean)
        {
            self.rtt.sample(rtt, self.board.una(), self.board.next());
        }
        let sample = clean(delivery.newest_clean)?;
        self.note_rtt(sample);
        Some(sample)
    }

    /// Ends recovery when everything sent before it is acknowledged.
    #[inline]
    fn leave_phase(&mut self, to: u32, stamp: u64) {
        match self.phase {
            Phase::Open => {}
            Phase::Reduction { until, .. } => {
                if to >= until {
                    self.phase = Phase::Open;
                }
            }
            Phase::Recovery { until, .. } => {
                if to >= until {
                    self.phase = Phase::Open;
                } else if !self.has_sack {
                    // RFC 6582 §3.2: a partial ACK indicates the next hole.
                    self.board.mark_first_lost();
                }
            }
            Phase::Loss { until } => {
                if self.is_spurious(stamp) {
                    // RFC 3522, RFC 4015: the original was only late.
                    self.board.unmark_lost();
                    self.undo();
                    self.phase = Phase::Open;
                } else if to >= until {
                    self.phase = Phase::Open;
                }
                self.timeout_at = 0;
            }
        }
    }

    /// Eifel detection (RFC 3522): the first ACK after a timeout echoes a stamp older than the retransmission.
    fn is_spurious(&self, stamp: u64) -> bool {
        self.has_stamps && self.timeout_at > 0 && stamp < self.timeout_at
    }

    #[inline]
    fn restart_timer(&mut self, now: Time) {
        if self.board.outstanding() == 0 {
            self.timer.cancel();
            return;
        }
        // RFC 6582 §4: in recovery without SACK only the first partial ACK restarts the timer; in Linux each does.
        if !self.has_sack && matches!(self.phase, Phase::Recovery { .. }) {
            if !self.restarts_on_partial {
                return;
            }
            self.restarts_on_partial = self.is_linux_newreno;
        }
        self.timer.set(now + self.rtt.rto());
    }

    /// Marks lost segments, and enters recovery at the first loss in a window; `fresh` segments are SACKed by this ACK.
    #[inline]
    fn find_losses(&mut self, now: Time, fresh: u32) -> Losses {
        if self.board.sacked() == 0 {
            self.limited = 0;
            return Losses::default();
        }
        let mut count = 0;
        if self.has_sack && !matches!(self.phase, Phase::Loss { .. }) {
            count = self.board.mark_lost();
        }
        let is_reduced = matches!(self.phase, Phase::Reduction { .. });
        let is_new = (is_reduced || self.phase == Phase::Open)
            && if self.has_sack {
                self.board.is_first_lost()
            } else {
                // RFC 6582 §3.2 step 2: ignores duplicates caused by a timeout's retransmissions.
                self.board.sacked() >= DUP_THRESH && self.board.una() >= self.recover
            };
        if is_new {
            count += self.enter_recovery(now, count, fresh);
        }
        Losses { count, is_new }
    }

    #[cold]
    fn enter_recovery(&mut self, now: Time, mut lost: u32, fresh: u32) -> u32 {
        // RFC 5681 §3.2 step 2: FlightSize includes SACKed segments and excludes those of limited transmit. Each
        // earlier duplicate released one of these while new segments were available.
        let earlier = self.board.sacked() - fresh;
        let has_new = self.board.next() < self.end && self.board.outstanding() < self.receive_window;
        let flight = self.board.outstanding() - if has_new { earlier } else { earlier.min(self.limited) };
        self.limited = 0;
        let mut newly = 0;
        if !self.has_sack {
            newly = self.board.mark_first_lost();
            lost += newly;
        }
        let until = self.board.next();
        let prr = match self.phase {
            // A mark has already reported this congestion to the law.
            Phase::Reduction { prr, .. } => prr,
            _ => {
                let (flight, sent) =
                    if self.halves_window() { (self.window, self.window) } else { (flight, self.board.outstanding()) };
                self.report(now, CongestionKind::Loss, flight, lost);
                Prr::new(sent, self.window)
            }
        };
        self.marks.note_reduction(None);
        self.recover = until;
        self.restarts_on_partial = true;
        self.is_rescued = false;
        self.is_doubling = false;
        self.phase = Phase::Recovery { until, prr };
        self.counts.recoveries += 1;
        newly
    }

    /// True if the window must not grow on an ACK because it was not used. For rate-based laws: true if the segment was
    /// sent when no more data was available, because a receive window limits the rate as the path does (Linux:
    /// `tcp_rate_check_app_limited`).
    #[inline]
    fn is_unused(&self, newest: &Segment) -> bool {
        if self.drives_recovery {
            return newest.is_app_limited;
        }
        if !self.by_time.is_on {
            return newest.is_unused;
        }
        !self.by_time.usage.lets_grow(self.law.cwnd().count(), || self.ssthresh().unwrap_or(0.0))
    }

    #[inline]
    pub(super) fn tell_law(&mut self, now: Time, heard: Heard, newest: &Segment, rtt: Option<Duration>) {
        let Heard { acked, marked, lost, is_duplicate, prior_flight } = heard;
        // draft-cheng-iccrg-delivery-rate-estimation: the slower of sending and acknowledging.
        let sending = newest.sent_at - newest.first_sent_at;
        let acknowledging = now.as_nanos() - newest.delivered_at;
        let interval = Duration::from_nanos(sending.max(acknowledging));
        let count = f64::from(self.delivered - newest.delivered);
        self.first_sent_at = newest.sent_at;
        if newest.delivered >= self.round_ends_at {
            self.round += 1;
            self.round_ends_at = self.delivered;
            let cwnd = self.law.cwnd().count();
            self.is_doubling = cwnd >= 1.5 * self.round_cwnd;
            self.round_cwnd = cwnd;
        }
        self.law.on_ack(&Ack {
            now,
            acked: Packets::new(f64::from(acked)),
            marked: Packets::new(f64::from(marked)),
            lost: Packets::new(f64::from(lost)),
            rtt,
            srtt: self.rtt.srtt(),
            base_rtt: self.base_rtt,
            flight: Packets::new(f64::from(self.board.pipe())),
            sent_at: Time::from_nanos(newest.sent_at),
            flight_at_send: Packets::new(f64::from(newest.flight)),
            delivery_rate: (interval > Duration::ZERO).then(|| Packets::new(count) / interval),
            app_limited: self.is_unused(newest),
            // RFC 5681 §3.2, RFC 3042: duplicates do not open the window.
            recovering: is_duplicate || self.is_reduced(),
            round: self.round,
            feedback: None,
            sample: if self.reads_samples { self.rates(newest, interval, prior_flight) } else { Sample::default() },
        });
        self.take_window();
    }

    /// Returns the samples for a law that models its path by rates.
    fn rates(&self, newest: &Segment, interval: Duration, prior_flight: u32) -> Sample {
        let whole = |count: u32| Packets::new(f64::from(count));
        Sample {
            delivered: whole(self.delivered),
            delivered_at_send: whole(newest.delivered),
            lost: whole(self.lost),
            lost_at_send: whole(newest.lost),
            interval,
            prior_flight: whole(prior_flight),
            next_send: self.next_send,
            repair: self.phase.repair(),
        }
    }
}

/// Segments that a delayed ACK covers.
const DELAYED: u32 = 2;

/// Segments reported to the law for one ACK.
#[derive(Clone, Copy)]
pub(super) struct Heard {
    pub acked: u32,
    pub marked: u32,
    pub lost: u32,
    pub is_duplicate: bool,
    pub prior_flight: u32,
}

/// Losses detected with one ACK.
#[derive(Clone, Copy, Default)]
struct Losses {
    count: u32,
    is_new: bool,
}
