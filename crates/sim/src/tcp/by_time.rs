//! What a sender keeps that finds losses by time (RFC 8985).

use super::rack::Rack;
use super::undo::Undo;
use super::usage::Usage;
use windward_units::Duration;

/// What the retransmission timer is set for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The timeout.
    #[default]
    Timeout,
    /// A tail loss probe.
    Probe,
    /// Segments that are still within the reordering window.
    Reordering,
}

/// What a timer wants to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgent {
    /// A tail loss probe.
    Probe,
    /// The first segment again, after a timeout.
    First,
}

/// What goes out, where there is something lost and something new (Linux: `tcp_xmit_recovery`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Lost segments, then new ones.
    LostFirst,
    /// New segments, and lost ones only if no new one can go.
    NewFirst,
    /// New segments alone.
    NewOnly,
}

/// What a sender keeps that finds losses by time.
#[derive(Clone, Debug)]
pub struct ByTime {
    pub is_on: bool,
    pub rack: Rack,
    pub undo: Undo,
    pub purpose: Purpose,
    /// The longest the receiver may hold an ACK back, for all that is known: Linux's least timeout.
    pub ack_delay: Duration,
    /// What shall be sent now, whatever the window says.
    pub urgent: Option<Urgent>,
    /// TLP.end_seq: the next new segment when the probe was sent whose outcome is open.
    pub probe: Option<u32>,
    /// TLP.is_retrans.
    pub is_repeating: bool,
    /// F-RTO waits for what the ACKs after a timeout show.
    pub is_judging: bool,
    /// What goes out until the next ACK.
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
