//! Visible state of a sender.

use super::Sender;
use super::phase::Phase;
use windward_units::Duration;

/// State of loss recovery, in Linux's terms (`enum tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No segment is out of order or lost.
    Open,
    /// Segments are out of order, or may be lost.
    Disorder,
    /// A mark reduces the window.
    Reduction,
    /// Losses are being repaired.
    Recovery,
    /// The timer has expired.
    Loss,
}

/// State of a sender, as in Linux's `struct tcp_info`. Counts are in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// State of loss recovery.
    pub state: State,
    /// The window in force.
    pub cwnd: u32,
    /// Slow start threshold; `None` if it is unlimited or the law has none.
    pub ssthresh: Option<u32>,
    /// Segments sent and not cumulatively acknowledged.
    pub unacked: u32,
    /// SACKed among the unacknowledged.
    pub sacked: u32,
    /// Considered lost among the unacknowledged.
    pub lost: u32,
    /// Retransmitted and in flight among the unacknowledged.
    pub retransmitted: u32,
    /// Largest reordering distance, at least 3.
    pub reordering: u32,
    /// Number of reordering events.
    pub reorderings: u32,
    /// Smoothed round-trip time.
    pub srtt: Duration,
    /// Retransmission timeout.
    pub rto: Duration,
    /// Segments delivered so far.
    pub delivered: u32,
    /// Marked segments among the delivered, as far as ACKs count marks.
    pub marked: u32,
    /// Segments retransmitted so far.
    pub retransmits: u64,
    /// Tail loss probes so far.
    pub probes: u64,
}

impl Sender {
    /// Returns the sender's state.
    pub fn info(&self) -> Info {
        let (tcb, board) = (&self.tcb, &self.tcb.board);
        let state = match &tcb.phase {
            Phase::Open if board.is_calm() => State::Open,
            Phase::Open => State::Disorder,
            Phase::Reduction { .. } => State::Reduction,
            Phase::Recovery { .. } | Phase::WindowRecovery { .. } => State::Recovery,
            Phase::Loss { .. } => State::Loss,
        };
        Info {
            state,
            cwnd: tcb.window_now(),
            ssthresh: tcb.ssthresh().filter(|ssthresh| *ssthresh < f64::from(u32::MAX)).map(|ssthresh| ssthresh as u32),
            unacked: board.outstanding(),
            sacked: board.sacked(),
            lost: board.lost(),
            retransmitted: board.retransmitted(),
            reordering: self.recovery.reordering(),
            reorderings: self.recovery.reorderings(),
            srtt: tcb.rtt.estimator.srtt(),
            rto: tcb.rtt.estimator.rto(),
            delivered: tcb.rate.delivered,
            marked: tcb.marks.counted(),
            retransmits: tcb.counts.retransmits,
            probes: tcb.counts.probes,
        }
    }
}
