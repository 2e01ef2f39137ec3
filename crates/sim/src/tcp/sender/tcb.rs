//! Transmission control block of the sending end: the state that does not depend on the way losses are detected.

use super::cwnd_validation::CwndValidation;
use super::delivery_rate::{DeliveryRate, Round};
use super::ecn::{Marks, NewMarks};
use super::pacing::{self, Pacing};
use super::phase::Phase;
use super::rtt::RoundTrips;
use super::scoreboard::Scoreboard;
use crate::network::TcpOptions;
use crate::tcp::timer::Timer;
use windward_elements::ecn::Ecn;
use windward_laws::AnyLaw;
use windward_units::{Duration, Packets, Time};

/// Counters of a sender.
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
    /// Tail loss probes.
    pub probes: u64,
    /// Undone window reductions.
    pub undone: u64,
    /// Duplicates reported by the receiver (RFC 2883).
    pub duplicates: u64,
}

/// State of the sending end of a flow.
pub struct Tcb {
    pub law: AnyLaw,
    /// True if the law decides the window during recovery too.
    pub drives_recovery: bool,
    pub(super) reads_samples: bool,
    /// True if the law counts ACKs.
    pub(super) counts_acks: bool,
    /// Seed of the law's random numbers.
    pub seed: u64,
    pub board: Scoreboard,
    pub phase: Phase,
    /// True if segments are paced: by option, by a law with a rate of its own, or because the window is below one
    /// packet.
    pub is_pacing: bool,
    /// The window in force while no rate reduction controls it: the law's, in whole segments.
    pub window: u32,
    pub receive_window: u32,
    /// End of the new segments: the size of the flow, or the number sent when it stopped.
    pub end: u32,
    pub has_stamps: bool,
    pub rtt: RoundTrips,
    pub rate: DeliveryRate,
    pub round: Round,
    pub validation: CwndValidation,
    /// The law's window before the last reduction.
    pub window_before: Packets,
    /// Segment of the last timeout; `None` before the first, and after an undo.
    pub timed_out: Option<u32>,
    pub marks: Marks,
    /// The window was reduced for all segments below this one because the device queue was full.
    pub(super) held_until: u32,
    /// True while the application waits for room in the send buffer.
    pub(super) is_blocked: bool,
    /// The retransmission timer.
    pub timer: Timer,
    pub pacing: Pacing,
    pub counts: Counts,
}

impl Tcb {
    /// State of a sender of `end` segments with the window of `law`, which draws random numbers from `seed`.
    pub fn new(law: AnyLaw, tcp: &TcpOptions, end: u32, seed: u64) -> Self {
        // A connection that waits to write needs little room. One of a flow gets its segments at once.
        let room = if end == 0 { 4 } else { 32 };
        Self::with_board(law, tcp, end, seed, Scoreboard::new(room, tcp.is_by_time()))
    }

    /// [`Self::new`] with an empty board for these options.
    pub fn with_board(law: AnyLaw, tcp: &TcpOptions, end: u32, seed: u64, board: Scoreboard) -> Self {
        let mut tcb = Self {
            drives_recovery: law.needs().drives_recovery,
            reads_samples: law.needs().reads_samples,
            counts_acks: tcp.ack_counting,
            seed,
            board,
            phase: Phase::Open,
            is_pacing: false,
            window: 0,
            receive_window: tcp.window(),
            end,
            has_stamps: tcp.timestamps,
            rtt: RoundTrips::new(tcp),
            rate: DeliveryRate::default(),
            round: Round::new(law.cwnd().count()),
            validation: CwndValidation::new(!tcp.is_linux() || law.needs().drives_recovery),
            window_before: Packets::ZERO,
            timed_out: None,
            marks: Marks::new(tcp.ecn),
            held_until: 0,
            is_blocked: false,
            timer: Timer::off(),
            pacing: Pacing::new(tcp.pacing),
            counts: Counts::default(),
            law,
        };
        tcb.take_window();
        tcb
    }

    /// True if there is a new segment that the receiver has room for.
    #[inline]
    pub fn has_new(&self) -> bool {
        self.board.next() < self.end && self.board.outstanding() < self.receive_window
    }

    /// True if the first unacknowledged segment has timed out before. The timer may be backed off because of other
    /// segments, until an ACK of a segment that was sent once (Karn's rule).
    pub fn is_timed_out(&self) -> bool {
        self.timed_out == Some(self.board.una())
    }

    /// The window in force, in segments; increased to the budget of rate reduction (Linux: `tcp_cwnd_reduction`).
    #[inline]
    pub fn window_now(&self) -> u32 {
        match &self.phase {
            _ if self.drives_recovery => self.window,
            Phase::Reduction { prr, .. } | Phase::Recovery { prr, .. } => self.board.pipe() + prr.budget(),
            _ => self.window,
        }
    }

    /// True if the window holds back everything, with `pipe` segments in flight.
    #[inline]
    pub fn is_full(&mut self, pipe: u32) -> bool {
        // RFC 5681 §3.2, RFC 6582 §3.2: the fast retransmission, and that after a partial ACK, ignore the window.
        let obeys = self.drives_recovery || !matches!(self.phase, Phase::WindowRecovery { .. });
        pipe >= self.window_now() && (obeys || self.board.next_lost().is_none())
    }

    /// Records that there is nothing to send although the window has room, with `pipe` segments in flight.
    pub fn run_short(&mut self, pipe: u32) {
        // A receive window limits the rate as the path does, and so does a send buffer: an application marks its
        // segments when it writes (Linux: `tcp_rate_check_app_limited`).
        if self.board.next() >= self.end && !self.is_blocked {
            self.rate.app_limited_until = self.rate.delivered + pipe.max(1);
        }
    }

    /// Records that nothing is sent until the next ACK: the window is full, or nothing is left to send.
    #[inline]
    pub fn pause(&mut self) {
        let is_full = self.board.pipe() >= self.window_now();
        self.validation.pause(is_full, self.board.una(), self.board.next());
    }

    /// Records that pacing or the device holds back the next segment.
    pub fn pause_delayed(&mut self) {
        let pipe = self.board.pipe();
        // RFC 9002 §7.8: not application-limited if the data would have filled the window without the delay.
        let waiting = if self.validation.counts_delayed { self.waiting() } else { 0 };
        let is_full = pipe.saturating_add(waiting) >= self.window_now();
        self.validation.pause(is_full, self.board.una(), self.board.next());
    }

    /// Number of segments that may be sent as far as application and receiver are concerned.
    pub(super) fn waiting(&self) -> u32 {
        let room = self.receive_window.saturating_sub(self.board.outstanding());
        self.board.lost().saturating_add(room.min(self.end.saturating_sub(self.board.next())))
    }

    /// True if the window limited the sender in the last round trip, or may double (Linux: `tcp_is_cwnd_limited`).
    #[inline]
    pub fn is_window_limited(&self) -> bool {
        self.validation.lets_grow(|| self.law.cwnd().count(), || self.ssthresh().unwrap_or(0.0))
    }

    /// Evaluates the marks reported by an ACK that delivers `acked` packets.
    #[inline]
    pub fn new_marks(&mut self, ecn: Ecn, acked: u32) -> NewMarks {
        if self.marks.is_on() { self.marks.on_ack(ecn, acked) } else { NewMarks::default() }
    }

    /// Sets the time of the segment after one that leaves now.
    pub fn pace(&mut self, now: Time) {
        self.pacing.on_send(now, self.pacing_gap(), self.law.send_quantum());
    }

    /// Rate of the law, or Linux's multiple of the window over the smoothed round trip: 2 below half of the slow start
    /// threshold, else 1.2.
    pub fn linux_pacing_rate(&self) -> f64 {
        if let Some(rate) = self.law.pacing_rate() {
            return rate.as_per_sec();
        }
        let cwnd = self.law.cwnd().count();
        let is_slow_start = self.ssthresh().is_some_and(|ssthresh| cwnd < ssthresh / 2.0);
        let gain = if is_slow_start { pacing::SLOW_START_GAIN } else { pacing::GAIN };
        gain * cwnd.max(f64::from(self.board.outstanding())) / self.rtt.estimator.srtt().as_secs()
    }

    fn pacing_gap(&self) -> Duration {
        if let Some(rate) = self.law.pacing_rate() {
            return Duration::from_secs(1.0 / rate.as_per_sec());
        }
        let cwnd = self.law.cwnd().count();
        let gain = match () {
            () if cwnd < 1.0 => 1.0,
            () if self.round.is_doubling => pacing::SLOW_START_GAIN,
            () => pacing::GAIN,
        };
        self.rtt.estimator.srtt().scale(1.0 / (gain * cwnd))
    }
}
