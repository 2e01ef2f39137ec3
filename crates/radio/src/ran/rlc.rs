//! Parameters of RLC and PDCP.

use windward_units::Duration;

/// Mode of radio link control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RlcMode {
    /// Acknowledged mode.
    #[default]
    Acknowledged,
    /// Unacknowledged mode.
    Unacknowledged,
}

/// Radio link control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rlc {
    /// Mode.
    pub mode: RlcMode,
    /// t-Reassembly of NR, t-Reordering of LTE.
    pub reassembly: Duration,
    /// t-PollRetransmit.
    pub poll_retransmit: Duration,
    /// Packets after which a poll is sent.
    pub poll_packets: u64,
    /// t-StatusProhibit.
    pub status_prohibit: Duration,
    /// Retransmissions of a part after which it is given up.
    pub max_retransmissions: u32,
    /// Most packets that are sent and not acknowledged; `None`: no limit.
    pub window: Option<u64>,
    /// Headers of a packet in its first block, and of its continuation in a later one, in bytes.
    pub headers: [u64; 2],
}

/// Packet data convergence protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pdcp {
    /// t-Reordering, after which a gap is given up; `None`: never.
    pub reordering: Option<Duration>,
    /// Age at which a packet that has not been sent is discarded; `None`: never.
    pub discard: Option<Duration>,
}
