//! TCP-friendly rate control (RFC 5348): a flow of datagrams at the rate that TCP would have at the loss that it sees.
//!
//! The receiver measures the rate at which packets arrive and the loss event rate, and reports both once a round trip and
//! at every loss event; the sender takes the rate from the throughput equation. Nothing is sent again.
//!
//! **Where we differ**
//! * A connection opens with one exchange of small packets, as DCCP's does (RFC 4340 §8.1), so that the sender has a
//!   round-trip sample before its first packet and begins with W_init/R (§4.2).
//! * The sender always has data, so the rules for data-limited and idle senders (§4.3, §8) do not arise.
//! * No ECN marks; the packet size is that of a full segment (§3.1).
//! * Every packet carries the sender's R in microseconds (§3.2.1), every feedback its t_delay in microseconds (§3.2.2).
//! * Where no data came since the last feedback, the receiver's timer stops; the next packet is answered at once (§6.2 lets the
//!   timer run on, to the same effect).

mod connection;
pub mod equation;
mod intervals;
mod receiver;
mod sender;

pub use connection::Connection;

/// Switches of a TFRC flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TfrcOptions {
    /// Older loss intervals count less while none is lost (§5.5).
    pub history_discounting: bool,
    /// The instantaneous rate follows short-term changes of the RTT (§4.5).
    pub oscillation_reduction: bool,
}

impl Default for TfrcOptions {
    fn default() -> Self {
        Self { history_discounting: true, oscillation_reduction: true }
    }
}
