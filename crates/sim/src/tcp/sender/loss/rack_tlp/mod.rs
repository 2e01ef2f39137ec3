//! Loss detection by time and undo, as in Linux: RACK-TLP (RFC 8985), F-RTO (RFC 5682), D-SACK (RFC 2883).

mod acknowledge;
mod detection;
mod timers;

use super::frto::Frto;
use super::rack::Rack;
use super::undo::Undo;
use crate::tcp::sender::scoreboard::Segment;
use crate::tcp::sender::tcb::Tcb;
use crate::tcp::sender::turn::Turn;
use windward_units::{Duration, Time};

/// Margin that Linux adds to its short timers (`TCP_TIMEOUT_MIN`).
const TIMER_MARGIN: Duration = Duration::from_millis(2);

/// Purpose of the running retransmission timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Purpose {
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
enum Urgent {
    /// A tail loss probe.
    Probe,
    /// The first unacknowledged segment again, after a timeout.
    First,
}

/// The tail loss probe whose outcome is open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tlp {
    /// TLP.end_seq: next new segment at the time of the probe; `None` if no outcome is open.
    pub end: Option<u32>,
    /// TLP.is_retrans.
    pub is_repeating: bool,
}

/// Precedence of lost and new segments (Linux: `tcp_xmit_recovery`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precedence {
    /// Lost segments, then new ones.
    LostFirst,
    /// New segments; lost ones only if no new one can be sent.
    NewFirst,
    /// New segments only.
    NewOnly,
}

/// State of a sender that detects losses by time.
#[derive(Clone, Debug)]
pub struct RackTlp {
    pub rack: Rack,
    undo: Undo,
    frto: Frto,
    pub tlp: Tlp,
    /// Purpose of the running retransmission timer.
    purpose: Purpose,
    /// Longest assumed delay of an ACK at the receiver: Linux's minimum timeout.
    ack_delay: Duration,
    /// Transmission due now, regardless of the window.
    urgent: Option<Urgent>,
    /// Precedence of transmissions until the next ACK.
    precedence: Precedence,
}

impl RackTlp {
    /// State before the first segment, with the longest assumed delay of an ACK at the receiver.
    pub fn new(ack_delay: Duration) -> Self {
        Self {
            rack: Rack::new(),
            undo: Undo::default(),
            frto: Frto::default(),
            tlp: Tlp::default(),
            purpose: Purpose::Timeout,
            ack_delay,
            urgent: None,
            precedence: Precedence::LostFirst,
        }
    }

    /// Returns the transmission due regardless of the window.
    #[inline]
    pub fn urgent_turn(&mut self, tcb: &mut Tcb) -> Option<Turn> {
        self.urgent.map(|urgent| self.resolve_urgent(tcb, urgent))
    }

    /// True if lost segments may be sent before new ones.
    pub fn repeats(&self, tcb: &Tcb) -> bool {
        match self.precedence {
            Precedence::LostFirst => true,
            Precedence::NewFirst => !tcb.has_new(),
            Precedence::NewOnly => false,
        }
    }

    /// Records the transmission of a segment. `was_empty` is true if nothing was in flight before.
    #[inline]
    pub fn on_send(&mut self, tcb: &mut Tcb, now: Time, turn: Turn, segment: Segment, was_empty: bool) {
        let is_new = matches!(turn, Turn::New(_));
        if let Turn::Again(number) = turn {
            if self.urgent == Some(Urgent::Probe) {
                tcb.board.probe(number, segment);
            } else {
                tcb.board.resend(number, segment);
                self.undo.repeat(now.as_nanos());
            }
            tcb.counts.retransmits += 1;
        } else {
            if self.precedence == Precedence::NewFirst {
                self.precedence = Precedence::NewOnly;
            }
            tcb.board.send(segment);
        }
        if is_new || turn == Turn::Again(tcb.board.una()) || self.urgent.is_some() {
            self.set_timer_after_send(tcb, now, is_new, was_empty);
        }
    }
}
