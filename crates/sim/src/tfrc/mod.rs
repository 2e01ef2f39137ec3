//! TCP-friendly rate control (RFC 5348): a flow of datagrams at the rate that TCP would reach at the observed loss.
//!
//! The receiver measures the rate of arrivals and the loss event rate, and reports both once per round trip and at
//! every loss event. The sender derives its rate from the throughput equation. Packets are never retransmitted.
//!
//! **Where we differ**
//! * A connection opens with one exchange of small packets, as in DCCP (RFC 4340 §8.1). The sender thus has a
//!   round-trip sample before its first packet and starts at W_init/R (§4.2).
//! * The sender always has data, so the rules for data-limited and idle senders (§4.3, §8) do not arise.
//! * No ECN marks. The packet size is that of a full segment (§3.1).
//! * Every packet carries the sender's R in microseconds (§3.2.1), every feedback its t_delay in microseconds (§3.2.2).
//! * If no data arrived since the last feedback, the receiver's timer stops, and the next packet is answered at once.
//!   In §6.2 the timer continues, to the same effect.

mod connection;
pub mod equation;
mod intervals;
mod receiver;
mod sender;

pub use connection::Connection;
