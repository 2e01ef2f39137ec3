//! What a sender shows of itself.

use super::Sender;
use crate::tcp::recovery::Phase;
use windward_laws::Law;
use windward_units::Duration;

/// Where a sender stands, in Linux's words (`enum tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// All is well.
    Open,
    /// Something is out of order, or may be lost.
    Disorder,
    /// The window goes down because of a mark.
    Reduction,
    /// Losses are repaired.
    Recovery,
    /// The timer has expired.
    Loss,
}

/// The state of a sender, as in Linux's `struct tcp_info`. Numbers are of segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Where it stands.
    pub state: State,
    /// The window in force.
    pub cwnd: u32,
    /// Where slow start ends; `None`: nowhere yet, or the law has none.
    pub ssthresh: Option<u32>,
    /// Sent and not cumulatively acknowledged.
    pub unacked: u32,
    /// Of those, reported beyond a gap.
    pub sacked: u32,
    /// Of those, taken for lost.
    pub lost: u32,
    /// Of those, sent again and on their way.
    pub retransmitted: u32,
    /// The farthest that one was overtaken, at least 3.
    pub reordering: u32,
    /// How often reordering was seen.
    pub reorderings: u32,
    /// Smoothed round-trip time.
    pub srtt: Duration,
    /// The retransmission timeout.
    pub rto: Duration,
    /// Segments delivered so far.
    pub delivered: u32,
    /// Of those, marked, as far as ACKs count marks.
    pub marked: u32,
    /// Segments sent again so far.
    pub retransmits: u64,
    /// Tail loss probes so far.
    pub probes: u64,
}

impl Sender {
    /// Its state.
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

    /// Where slow start ends, infinite as long as nowhere; `None` where the law knows no such thing.
    pub(super) fn ssthresh(&self) -> Option<f64> {
        let mut ssthresh = None;
        self.law.observe(&mut |name, value| {
            if name == "ssthresh" {
                ssthresh = Some(value);
            }
        });
        ssthresh
    }

    /// The receiver has room for `segments` from the first unacknowledged one on.
    pub fn set_receive_window(&mut self, segments: u32) {
        self.receive_window = segments;
    }
}
