//! Visible state of a sender.

use super::Sender;
use super::recovery::Phase;
use windward_laws::Law;
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
        let state = match &self.phase {
            Phase::Open if self.board.is_calm() => State::Open,
            Phase::Open => State::Disorder,
            Phase::Reduction { .. } => State::Reduction,
            Phase::Recovery { .. } => State::Recovery,
            Phase::Loss { .. } => State::Loss,
        };
        Info {
            state,
            cwnd: self.window_now(),
            ssthresh: self
                .ssthresh()
                .filter(|ssthresh| *ssthresh < f64::from(u32::MAX))
                .map(|ssthresh| ssthresh as u32),
            unacked: self.board.outstanding(),
            sacked: self.board.sacked(),
            lost: self.board.lost(),
            retransmitted: self.board.retransmitted(),
            reordering: self.by_time.rack.reordering(),
            reorderings: self.by_time.rack.reorderings(),
            srtt: self.rtt.srtt(),
            rto: self.rtt.rto(),
            delivered: self.delivered,
            marked: self.marks.counted(),
            retransmits: self.counts.retransmits,
            probes: self.counts.probes,
        }
    }

    /// Slow start threshold, infinite until it is set; `None` if the law has none.
    pub(super) fn ssthresh(&self) -> Option<f64> {
        let mut ssthresh = None;
        self.law.observe(&mut |name, value| {
            if name == "ssthresh" {
                ssthresh = Some(value);
            }
        });
        ssthresh
    }

    /// Sets the receive window to `segments`, counted from the first unacknowledged one.
    pub fn set_receive_window(&mut self, segments: u32) {
        self.receive_window = segments;
    }
}
