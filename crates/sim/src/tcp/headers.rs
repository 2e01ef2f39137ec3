//! Sizes of headers and options.

use crate::network::TcpOptions;
use windward_elements::packet::{Range, SACK_BLOCKS};
use windward_units::Bytes;

/// IPv4 without options (RFC 791 §3.1).
pub const IP_HEADER: u32 = 20;
/// TCP without options (RFC 9293 §3.1).
pub const TCP_HEADER: u32 = 20;
/// Timestamps, padded to a word (RFC 7323 appendix A).
pub const TIMESTAMPS: u32 = 12;
/// MSS (4), window scale (3), SACK permitted (2), padded.
const SYN_OPTIONS: u32 = 12;

impl TcpOptions {
    /// Bytes of IPv4 and TCP headers without options.
    pub const LEAST_HEADER: u64 = (IP_HEADER + TCP_HEADER) as u64;

    /// Header bytes of IPv4, TCP and the options in use, as a kernel sends them, regardless of `overhead`.
    pub fn real_header_bytes(&self) -> u64 {
        Self::LEAST_HEADER + if self.timestamps { u64::from(TIMESTAMPS) } else { 0 }
    }

    /// Header bytes of a data segment: `overhead`, or the size of IPv4, TCP and its options.
    pub fn header_bytes(&self) -> u64 {
        self.overhead.map_or_else(|| self.real_header_bytes(), Bytes::count)
    }

    /// Bytes of a SYN or SYN-ACK on the wire.
    pub fn syn_bytes(&self) -> u64 {
        u64::from(Headers::new(self).syn())
    }

    /// Bytes of a full segment on the wire.
    pub fn wire_bytes(&self) -> u64 {
        self.header_bytes() + self.segment.count()
    }
}

/// Sizes of a flow's packets on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Headers {
    fixed: Option<u32>,
    base: u32,
}

impl Headers {
    /// Header sizes of a flow.
    pub fn new(tcp: &TcpOptions) -> Self {
        Self { fixed: tcp.overhead.map(|bytes| bytes.count() as u32), base: tcp.real_header_bytes() as u32 }
    }

    /// Header bytes of a data segment.
    #[inline]
    pub fn data(&self) -> u32 {
        self.fixed.unwrap_or(self.base)
    }

    /// Bytes of an ACK with these SACK blocks.
    #[inline]
    pub fn ack(&self, sack: &[Range; SACK_BLOCKS]) -> u32 {
        self.fixed.unwrap_or_else(|| self.base + sack_option(sack)).max(1)
    }

    /// Bytes of a SYN or SYN-ACK.
    pub fn syn(&self) -> u32 {
        self.fixed.unwrap_or(self.base + SYN_OPTIONS).max(1)
    }
}

/// Bytes of the SACK option (RFC 2018 §3), padded to a word.
#[inline]
pub fn sack_option(sack: &[Range; SACK_BLOCKS]) -> u32 {
    let blocks = sack.iter().take_while(|(from, to)| from < to).count() as u32;
    if blocks == 0 { 0 } else { 4 + 8 * blocks }
}
