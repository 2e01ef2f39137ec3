//! The sending end: when to send what, and when a segment is lost.
//!
//! RFC 5681 with RFC 6582 (NewReno) or RFC 6675 and 6937 (SACK, PRR), RFC 3042 (limited transmit: a duplicate
//! shrinks the pipe, which lets a new segment out), RFC 6298 (timer). The law decides the window.

use super::recovery::{Phase, Prr};
use super::rtt::Estimator;
use super::scoreboard::{DUP_THRESH, Delivery, Scoreboard, Segment};
use super::timer::Timer;
use crate::network::TcpOptions;
use crate::packet::Packet;
use windward_laws::{Ack, AnyLaw, Congestion, CongestionKind, Law};
use windward_units::{Duration, Packets, Time};

/// Paced senders send this much faster than cwnd/srtt, so that pacing does not hold the window back, and twice as
/// fast while slow start doubles it (the factors of Linux, `tcp_pacing_ca_ratio` and `tcp_pacing_ss_ratio`).
const PACING_GAIN: f64 = 1.2;
const SLOW_START_PACING_GAIN: f64 = 2.0;

/// What the sender wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Send this new segment.
    New(u32),
    /// Send this one again.
    Again(u32),
    /// Wait until then: pacing.
    Wait(Time),
    /// Wait for an ACK.
    Idle,
}

/// What a sender counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Data segments sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmits: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

/// The sending end of a flow.
pub struct Sender {
    law: AnyLaw,
    board: Scoreboard,
    phase: Phase,
    /// The window in force while no SACK recovery runs it: the law's, in whole segments.
    window: u32,
    receive_window: u32,
    /// New segments end here: the size of the flow, or what was sent when it stopped.
    pub end: u32,
    has_sack: bool,
    has_stamps: bool,
    is_paced: bool,
    known_base_rtt: Option<Duration>,
    // RTT
    rtt: Estimator,
    base_rtt: Duration,
    last_rtt: Duration,
    // Delivery
    delivered: u32,
    delivered_at: u64,
    first_sent_at: u64,
    app_limited_until: u32,
    round: u64,
    round_ends_at: u32,
    round_cwnd: f64,
    is_doubling: bool,
    // Recovery
    recover: u32,
    is_first_partial: bool,
    is_rescued: bool,
    timeout_at: u64,
    /// The retransmission timer.
    pub timer: Timer,
    /// When pacing lets the next segment out.
    next_send: Time,
    /// The timer of the pacing gap.
    pub pace: Timer,
    /// What happened so far.
    pub counts: Counts,
}

impl Sender {
    /// A sender of `end` segments driven by `law`.
    pub fn new(law: AnyLaw, tcp: &TcpOptions, end: u32) -> Self {
        let mut sender = Self {
            board: Scoreboard::new(64),
            phase: Phase::Open,
            window: 0,
            receive_window: tcp.receive_window,
            end,
            has_sack: tcp.sack,
            has_stamps: tcp.timestamps,
            is_paced: tcp.pacing,
            known_base_rtt: tcp.known_base_rtt,
            rtt: Estimator::new(tcp.min_rto),
            base_rtt: tcp.known_base_rtt.unwrap_or(Duration::MAX),
            last_rtt: Duration::ZERO,
            delivered: 0,
            delivered_at: 0,
            first_sent_at: 0,
            app_limited_until: 0,
            round: 0,
            round_ends_at: 0,
            round_cwnd: law.cwnd().count(),
            is_doubling: true,
            recover: 0,
            is_first_partial: true,
            is_rescued: false,
            timeout_at: 0,
            timer: Timer::off(),
            next_send: Time::ZERO,
            pace: Timer::off(),
            counts: Counts::default(),
            law,
        };
        sender.take_window();
        sender
    }

    /// The law that drives it.
    pub fn law(&self) -> &AnyLaw {
        &self.law
    }

    /// The estimator of the round-trip time.
    pub fn rtt(&self) -> &Estimator {
        &self.rtt
    }

    /// The last sample; zero before the first.
    pub fn last_rtt(&self) -> Duration {
        self.last_rtt
    }

    /// Segments on their way.
    pub fn pipe(&self) -> u32 {
        self.board.pipe()
    }

    /// The next new segment.
    pub fn next(&self) -> u32 {
        self.board.next()
    }

    /// Whether all there is to send has been acknowledged.
    pub fn is_done(&self) -> bool {
        self.board.una() >= self.end
    }

    /// Takes a sample of the handshake.
    pub fn establish(&mut self, now: Time, sample: Option<Duration>) {
        if let Some(rtt) = sample {
            // Not a base RTT for the law: a SYN is shorter than a segment and takes less time to transmit.
            self.rtt.sample(rtt);
        }
        self.delivered_at = now.as_nanos();
        self.first_sent_at = now.as_nanos();
    }

    fn note_rtt(&mut self, rtt: Duration) {
        self.last_rtt = rtt;
        if self.known_base_rtt.is_none() {
            self.base_rtt = self.base_rtt.min(rtt);
        }
    }

    #[inline]
    fn take_window(&mut self) {
        // The float to integer conversion saturates: a law may say "no limit".
        self.window = (self.law.cwnd().count() as u32).max(1);
    }

    /// An ACK arrives. Returns the RTT sample that it gave, if any.
    #[inline]
    pub fn on_ack(&mut self, now: Time, packet: &Packet) -> Option<Duration> {
        let una = self.board.una();
        let to = packet.number;
        if to < una || to > self.board.next() {
            return None;
        }
        let advance = to - una;
        let mut delivery = Delivery::default();
        self.update_board(to, packet, &mut delivery);
        if advance == 0 && delivery.count == 0 {
            return None;
        }
        let now_nanos = now.as_nanos();
        self.delivered += delivery.count;
        self.delivered_at = now_nanos;
        let sample = self.sample_rtt(now_nanos, advance, packet.stamp, &delivery);
        if advance > 0 {
            self.leave_phase(to, packet.stamp);
            self.restart_timer(now);
        }
        let lost = self.find_losses(now);
        if let Some(newest) = delivery.newest {
            self.tell_law(now, &delivery, &newest, sample, lost.count);
        }
        if let Phase::Recovery { prr, .. } = &mut self.phase {
            prr.on_ack(delivery.count, self.board.pipe(), lost.is_new);
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
        } else if self.board.outstanding() > 0 {
            self.board.duplicate(delivery);
        }
    }

    /// The timeout's estimator takes the oldest segment that this ACK delivers, which includes the receiver's delay; the
    /// law takes the newest, which does not. Both obey Karn's rule, unless a timestamp tells transmissions apart.
    #[inline]
    fn sample_rtt(&mut self, now: u64, advance: u32, stamp: u64, delivery: &Delivery) -> Option<Duration> {
        let since = |then: u64| Duration::from_nanos(now - then);
        let stamped = (self.has_stamps && advance > 0).then(|| since(stamp));
        if advance > 0
            && let Some(rtt) = delivery.oldest_clean.map(since).or(stamped)
        {
            self.rtt.sample(rtt);
        }
        let sample = delivery.newest_clean.map(since).or(stamped)?;
        self.note_rtt(sample);
        Some(sample)
    }

    /// Ends recovery when everything sent before it is acknowledged.
    #[inline]
    fn leave_phase(&mut self, to: u32, stamp: u64) {
        match self.phase {
            Phase::Open => {}
            Phase::Recovery { until, .. } => {
                if to >= until {
                    self.phase = Phase::Open;
                } else if !self.has_sack {
                    // RFC 6582 §3.2: a partial ACK names the next hole.
                    self.board.mark_first_lost();
                }
            }
            Phase::Loss { until } => {
                if self.is_spurious(stamp) {
                    // RFC 3522, RFC 4015: the original was only late.
                    self.board.unmark_lost();
                    self.law.on_undo();
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
        // RFC 6582 §4, the impatient variant: in recovery without SACK only the first partial ACK restarts the timer.
        if !self.has_sack && matches!(self.phase, Phase::Recovery { .. }) {
            if !self.is_first_partial {
                return;
            }
            self.is_first_partial = false;
        }
        self.timer.set(now + self.rtt.rto());
    }

    /// Marks what is lost, and enters recovery at the first loss of a window.
    #[inline]
    fn find_losses(&mut self, now: Time) -> Losses {
        if self.board.sacked() == 0 {
            return Losses::default();
        }
        let mut count = 0;
        if self.has_sack && !matches!(self.phase, Phase::Loss { .. }) {
            count = self.board.mark_lost();
        }
        let is_open = self.phase == Phase::Open;
        let is_new = is_open
            && if self.has_sack {
                self.board.is_first_lost()
            } else {
                // RFC 6582 §3.2 step 2: not for duplicates that a timeout's retransmissions caused.
                self.board.sacked() >= DUP_THRESH && self.board.una() >= self.recover
            };
        if is_new {
            count += self.enter_recovery(now, count);
        }
        Losses { count, is_new }
    }

    #[cold]
    fn enter_recovery(&mut self, now: Time, mut lost: u32) -> u32 {
        // Limited transmit's segments took the place of the SACKed ones: without those, flight is what the window allowed.
        let flight = self.board.outstanding() - self.board.sacked();
        let mut newly = 0;
        if !self.has_sack {
            newly = self.board.mark_first_lost();
            lost += newly;
        }
        self.report(now, CongestionKind::Loss, flight, lost);
        let until = self.board.next();
        self.recover = until;
        self.is_first_partial = true;
        self.is_rescued = false;
        self.is_doubling = false;
        self.phase = Phase::Recovery { until, prr: Prr::new(self.board.outstanding(), self.window) };
        self.counts.recoveries += 1;
        newly
    }

    fn report(&mut self, now: Time, kind: CongestionKind, flight: u32, lost: u32) {
        self.law.on_congestion(&Congestion {
            now,
            kind,
            flight: Packets::new(f64::from(flight)),
            lost: Packets::new(f64::from(lost)),
            srtt: self.rtt.srtt(),
            base_rtt: self.base_rtt,
        });
        self.take_window();
    }

    #[inline]
    fn tell_law(&mut self, now: Time, delivery: &Delivery, newest: &Segment, rtt: Option<Duration>, lost: u32) {
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
            acked: Packets::new(f64::from(delivery.count)),
            marked: Packets::ZERO,
            lost: Packets::new(f64::from(lost)),
            rtt,
            srtt: self.rtt.srtt(),
            base_rtt: self.base_rtt,
            flight: Packets::new(f64::from(self.board.pipe())),
            sent_at: Time::from_nanos(newest.sent_at),
            flight_at_send: Packets::new(f64::from(newest.flight)),
            delivery_rate: (interval > Duration::ZERO).then(|| Packets::new(count) / interval),
            app_limited: newest.is_app_limited,
            recovering: matches!(self.phase, Phase::Recovery { .. }),
            round: self.round,
            feedback: None,
        });
        self.take_window();
    }

    /// The retransmission timer expired with data outstanding.
    #[cold]
    pub fn on_timeout(&mut self, now: Time) {
        let flight = self.board.pipe().max(1);
        let is_first = self.rtt.backoff() == 0;
        let lost = self.board.mark_all_lost(self.has_sack);
        if is_first {
            // RFC 5681 §3.1: ssthresh is held when the same segment times out again.
            self.report(now, CongestionKind::Timeout, flight, lost);
            self.timeout_at = now.as_nanos();
        } else {
            self.timeout_at = 0;
        }
        self.is_doubling = false;
        self.recover = self.board.next();
        self.phase = Phase::Loss { until: self.recover };
        self.rtt.back_off();
        self.counts.timeouts += 1;
        self.next_send = now;
    }

    /// What to send now.
    #[inline]
    pub fn turn(&mut self, now: Time) -> Turn {
        let pipe = self.board.pipe();
        let is_allowed = match &self.phase {
            Phase::Recovery { prr, .. } if self.has_sack => prr.budget() > 0,
            _ => pipe < self.window,
        };
        if !is_allowed {
            return Turn::Idle;
        }
        if self.is_pacing() && now < self.next_send {
            return Turn::Wait(self.next_send);
        }
        if self.phase != Phase::Open
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
        self.app_limited_until = self.delivered + pipe.max(1);
        Turn::Idle
    }

    /// RFC 6675 §4 NextSeg, rules 3 and 4: in recovery with nothing new to send.
    fn last_resort(&mut self) -> Option<u32> {
        if !self.has_sack || !matches!(self.phase, Phase::Recovery { .. }) {
            return None;
        }
        self.board.next_unsure().or_else(|| {
            let number = if self.is_rescued { None } else { self.board.rescue() };
            self.is_rescued |= number.is_some();
            number
        })
    }

    #[inline]
    fn is_pacing(&self) -> bool {
        self.is_paced || self.law.cwnd().count() < 1.0
    }

    /// A segment goes out.
    #[inline]
    pub fn on_send(&mut self, now: Time, turn: Turn) {
        if self.board.outstanding() == 0 {
            self.delivered_at = now.as_nanos();
            self.first_sent_at = now.as_nanos();
        }
        let segment = Segment {
            sent_at: now.as_nanos(),
            first_sent_at: self.first_sent_at,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            flight: self.board.pipe() + 1,
            is_app_limited: self.delivered < self.app_limited_until,
            ..Segment::default()
        };
        self.counts.sent += 1;
        if let Turn::Again(number) = turn {
            self.board.resend(number, segment);
            self.counts.retransmits += 1;
        } else {
            self.board.send(segment);
        }
        if let Phase::Recovery { prr, .. } = &mut self.phase {
            prr.on_send();
        }
        if self.is_pacing() {
            self.next_send = now + self.pacing_gap();
        }
        // RFC 6675 §6: retransmitting the first segment restarts the timer, or it might expire before that segment's ACK.
        if !self.timer.is_set() || turn == Turn::Again(self.board.una()) {
            self.timer.set(now + self.rtt.rto());
        }
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

/// Losses found by one ACK.
#[derive(Clone, Copy, Default)]
struct Losses {
    count: u32,
    is_new: bool,
}
