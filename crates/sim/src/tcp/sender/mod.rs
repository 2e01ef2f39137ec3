//! The sending end: transmission and loss detection.
//!
//! RFC 5681 with RFC 6582 (NewReno) or RFC 6675 and 6937 (SACK, PRR), RFC 3042 (limited transmit: a duplicate shrinks
//! the pipe, which releases a new segment), RFC 6298 (timer). Alternatively, with SACK, Linux's loss detection by time
//! ([`loss::rack_tlp`]). The law decides the window.

mod acknowledge;
mod cwnd_validation;
mod ecn;
mod info;
mod loss;
mod pacing;
mod recovery;
mod reduce;
mod rtt;
mod scoreboard;
#[cfg(test)]
mod tests;
mod transmit;

pub use info::{Info, State};

use super::timer::Timer;
use crate::network::{NewReno, TcpOptions};
use ecn::Marks;
use loss::state::{ByTime, Purpose};
use pacing::Burst;
use recovery::Phase;
use rtt::Estimator;
use scoreboard::Scoreboard;
use windward_laws::{AnyLaw, Congestion, CongestionKind, Law, Start};
use windward_units::{Duration, Packets, Time, splitmix64};

/// Next action of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Send this new segment.
    New(u32),
    /// Retransmit this segment.
    Again(u32),
    /// Wait until this time: pacing.
    Wait(Time),
    /// Wait for an ACK.
    Idle,
}

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

/// The sending end of a flow.
pub struct Sender {
    law: AnyLaw,
    /// True if the law decides the window during recovery too.
    drives_recovery: bool,
    reads_samples: bool,
    /// Seed of the law's random numbers.
    seed: u64,
    board: Scoreboard,
    phase: Phase,
    /// The window in force while no SACK recovery controls it: the law's, in whole segments.
    window: u32,
    receive_window: u32,
    /// End of the new segments: the size of the flow, or the number sent when it stopped.
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
    lost: u32,
    delivered_at: u64,
    first_sent_at: u64,
    /// Delivered count below which transmissions are app-limited (no more data, as Linux's `app_limited`), and below
    /// which they are unused (no more data, or no room for it at the receiver).
    app_limited_until: u32,
    unused_until: u32,
    round: u64,
    round_ends_at: u32,
    round_cwnd: f64,
    is_doubling: bool,
    // Recovery
    recover: u32,
    /// True if losses without SACK are repaired as in Linux.
    is_linux_newreno: bool,
    /// Without SACK: true if the next partial ACK restarts the timer.
    restarts_on_partial: bool,
    is_rescued: bool,
    /// New segments sent by limited transmit since the first SACKed segment; each duplicate releases one.
    limited: u32,
    /// ssthresh of RFC 5681 after the last timeout.
    restart_until: f64,
    /// Time of the first expiry of a timeout, which an older timestamp may undo (RFC 3522's RetransmitTS); zero if
    /// there is none.
    timeout_at: u64,
    /// Segment of the last timeout; `None` before the first, and after an undo.
    timed_out: Option<u32>,
    /// The law's window before the last reduction.
    window_before: Packets,
    marks: Marks,
    by_time: ByTime,
    /// The retransmission timer.
    pub timer: Timer,
    /// Time from which pacing allows the next segment.
    next_send: Time,
    burst: Burst,
    /// The timer of the pacing gap.
    pub pace: Timer,
    /// Counters.
    pub counts: Counts,
}

impl Sender {
    /// A sender of `end` segments with the window of `law`, which draws random numbers from `seed`.
    pub fn new(law: AnyLaw, tcp: &TcpOptions, end: u32, seed: u64) -> Self {
        let mut sender = Self {
            drives_recovery: law.drives_recovery(),
            reads_samples: law.reads_samples(),
            seed,
            board: Scoreboard::new(64, tcp.is_by_time()),
            phase: Phase::Open,
            window: 0,
            receive_window: tcp.receive_window,
            end,
            has_sack: tcp.sack,
            has_stamps: tcp.timestamps,
            is_paced: tcp.pacing,
            known_base_rtt: tcp.known_base_rtt,
            rtt: Estimator::new(tcp.rto, tcp.min_rto),
            base_rtt: tcp.known_base_rtt.unwrap_or(Duration::MAX),
            last_rtt: Duration::ZERO,
            delivered: 0,
            lost: 0,
            delivered_at: 0,
            first_sent_at: 0,
            app_limited_until: 0,
            unused_until: 0,
            round: 0,
            round_ends_at: 0,
            round_cwnd: law.cwnd().count(),
            is_doubling: true,
            recover: 0,
            is_linux_newreno: !tcp.sack && tcp.newreno == NewReno::Linux,
            restarts_on_partial: true,
            is_rescued: false,
            limited: 0,
            restart_until: 0.0,
            timeout_at: 0,
            timed_out: None,
            window_before: Packets::ZERO,
            marks: Marks::new(tcp.ecn),
            by_time: ByTime::new(tcp.is_by_time(), tcp.min_rto),
            timer: Timer::off(),
            next_send: Time::ZERO,
            burst: Burst::default(),
            pace: Timer::off(),
            counts: Counts::default(),
            law,
        };
        sender.take_window();
        sender
    }

    /// The congestion control law.
    pub fn law(&self) -> &AnyLaw {
        &self.law
    }

    /// The round-trip time estimator.
    pub fn rtt(&self) -> &Estimator {
        &self.rtt
    }

    /// Latest RTT sample; zero before the first.
    pub fn last_rtt(&self) -> Duration {
        self.last_rtt
    }

    /// Segments in flight.
    pub fn pipe(&self) -> u32 {
        self.board.pipe()
    }

    /// First unacknowledged segment.
    #[inline]
    pub fn una(&self) -> u32 {
        self.board.una()
    }

    /// Next new segment.
    pub fn next(&self) -> u32 {
        self.board.next()
    }

    /// True if all data has been acknowledged.
    pub fn is_done(&self) -> bool {
        self.board.una() >= self.end
    }

    /// Takes the RTT sample of the handshake.
    pub fn establish(&mut self, now: Time, sample: Option<Duration>) {
        if let Some(rtt) = sample {
            // Not a base RTT for the law: a SYN is shorter than a segment and has a shorter transmission time.
            self.rtt.sample(rtt, self.board.una(), self.board.next());
            self.by_time.rack.sample(rtt);
        }
        self.delivered_at = now.as_nanos();
        self.first_sent_at = now.as_nanos();
        self.law.on_start(&Start { now, rtt: sample, seed: self.seed });
        self.take_window();
    }

    /// Starts a new connection over the same path with `law`. Its segment numbers continue those of the old one, which
    /// are all acknowledged. The RTT estimate persists, as in Linux's table of path metrics.
    pub fn renew(&mut self, law: AnyLaw, tcp: &TcpOptions) {
        debug_assert!(self.board.outstanding() == 0, "the old connection has no data on its way");
        let fresh = Self::new(law, tcp, self.end, splitmix64(self.seed));
        let [mut timer, mut pace] = [&self.timer, &self.pace].map(Clone::clone);
        // The events that watch them are still pending.
        timer.cancel();
        pace.cancel();
        *self = Self {
            board: fresh.board.starting_at(self.board.next()),
            receive_window: self.receive_window,
            rtt: self.rtt.renewed(),
            base_rtt: self.base_rtt,
            timer,
            pace,
            counts: self.counts,
            ..fresh
        };
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

    /// Reports an event to the law.
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

    /// Undoes the last reduction, which was spurious: restores the law's window, and the next timeout counts as a first
    /// one.
    fn undo(&mut self) {
        self.law.on_undo(self.window_before);
        self.take_window();
        self.counts.undone += 1;
        self.timed_out = None;
    }

    /// Handles the expiry of the retransmission timer with data outstanding.
    #[cold]
    pub fn on_timer(&mut self, now: Time) {
        match std::mem::take(&mut self.by_time.purpose) {
            Purpose::Timeout => self.on_timeout(now),
            purpose => self.on_short_timer(now, purpose),
        }
    }

    /// True if the first unacknowledged segment has timed out before. The timer may be backed off because of other
    /// segments, until an ACK of a segment that was sent once (Karn's rule).
    fn is_timed_out(&self) -> bool {
        self.timed_out == Some(self.board.una())
    }

    fn on_timeout(&mut self, now: Time) {
        let flight = if self.halves_window() { self.window } else { self.board.pipe().max(1) };
        let is_first = !self.is_timed_out();
        let is_repairing = matches!(self.phase, Phase::Recovery { .. } | Phase::Loss { .. });
        let lost = if self.by_time.is_on { self.mark_timeout(now) } else { self.board.mark_all_lost(self.has_sack) };
        self.lost += lost;
        if is_first {
            // RFC 5681 §3.1: ssthresh is kept if the same segment times out again.
            self.restart_until = (f64::from(flight) / 2.0).max(2.0);
            // During recovery, a late ACK does not show that there was no loss. RFC 3522 §3.2: further expiries do not
            // overwrite RetransmitTS.
            self.timeout_at = if is_repairing { 0 } else { now.as_nanos() };
            if !is_repairing {
                self.window_before = self.law.cwnd();
            }
            self.report(now, CongestionKind::Timeout, flight, lost);
        }
        self.timed_out = Some(self.board.una());
        self.is_doubling = false;
        self.recover = self.board.next();
        self.phase = Phase::Loss { until: self.recover };
        self.rtt.back_off();
        self.counts.timeouts += 1;
        self.next_send = now;
    }
}
