//! State of a sender that detects losses by time (RFC 8985).

use super::rack::Rack;
use super::undo::Undo;
use crate::tcp::sender::cwnd_validation::Usage;
use windward_units::Duration;

/// Purpose of the running retransmission timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The timeout.
    #[default]
    Timeout,
    /// A tail loss probe.
    Probe,
    /// The end of the reordering window of segments in flight.
    Reordering,
}

/// Transmission that an expired timer demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgent {
    /// A tail loss probe.
    Probe,
    /// The first unacknowledged segment again, after a timeout.
    First,
}

/// Precedence of lost and new segments (Linux: `tcp_xmit_recovery`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Lost segments, then new ones.
    LostFirst,
    /// New segments; lost ones only if no new one can be sent.
    NewFirst,
    /// New segments only.
    NewOnly,
}

/// State of a sender that detects losses by time.
#[derive(Clone, Debug)]
pub struct ByTime {
    pub is_on: bool,
    pub rack: Rack,
    pub undo: Undo,
    pub purpose: Purpose,
    /// Longest assumed delay of an ACK at the receiver: Linux's minimum timeout.
    pub ack_delay: Duration,
    /// Transmission due now, regardless of the window.
    pub urgent: Option<Urgent>,
    /// TLP.end_seq: next new segment at the time of the probe whose outcome is open.
    pub probe: Option<u32>,
    /// TLP.is_retrans.
    pub is_repeating: bool,
    /// True while F-RTO waits for the ACKs that follow a timeout.
    pub is_judging: bool,
    /// Precedence of transmissions until the next ACK.
    pub order: Order,
    pub usage: Usage,
}

impl ByTime {
    pub fn new(is_on: bool, ack_delay: Duration) -> Self {
        Self {
            is_on,
            rack: Rack::new(),
            undo: Undo::default(),
            purpose: Purpose::Timeout,
            ack_delay,
            urgent: None,
            probe: None,
            is_repeating: false,
            is_judging: false,
            order: Order::LostFirst,
            usage: Usage::default(),
        }
    }
}
