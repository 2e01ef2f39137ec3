//! TCP segments in IPv4 packets: what the kernel's say, and ACKs of our own making.

mod acknowledge;
mod checksum;
mod options;
mod segment;

pub(crate) use acknowledge::Acknowledgement;
pub(crate) use options::{Options, Timestamps};
pub(crate) use segment::Segment;

/// Bits of the control field (RFC 9293 §3.1).
pub(crate) const FIN: u8 = 1;
pub(crate) const SYN: u8 = 2;
pub(crate) const RST: u8 = 4;
pub(crate) const ACK: u8 = 16;
