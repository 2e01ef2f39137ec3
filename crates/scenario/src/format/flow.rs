//! TCP flows.

use super::{
    Connections, Count, DelayedAck, InitialWindow, KnownBaseRtt, Law, Name, Named, Positive, ReceiveWindow, Written,
    zero,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::TcpOptions;
use windward_units::{Bytes, Duration};

/// A TCP flow. Between two groups of equal size: one flow for each pair of members. Between a group and a single
/// node: one for each member. Several flows are named NAME-1, NAME-2, ….
///
/// The shortest path is the one of fewest links; among those the one of least delay; among those, compared from the
/// receiver backwards, the one whose link stands first in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Flow {
    /// Name of the flow, or of the group of flows. Default: `FROM->TO`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Node or group that sends the data.
    pub from: Name,
    /// Node or group that receives it.
    pub to: Name,
    /// Makes so many parallel flows, between two single nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Nodes between `from` and `to` on the way of the data, in order; each is linked to the next. Default: the
    /// shortest path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Vec<Name>>,
    /// Nodes between `to` and `from` on the way of the ACKs. Default: `via` backwards, or the shortest path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_via: Option<Vec<Name>>,
    /// Congestion control law: its name, or a table of its name and parameters.
    pub law: Law,
    /// The flow is a transfer without end over several connections: this law opens and closes them, and RTT and queue are
    /// what its receiver sees. They are named NAME.1, NAME.2, … up to the most there can be. Default: one connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Named<Connections>>,
    /// When the connection opens.
    #[serde(default = "zero")]
    pub start: Written<Duration>,
    /// Of several flows, each opens so much later than the one before.
    #[serde(default = "zero")]
    pub start_step: Written<Duration>,
    /// Each flow opens at a random instant, uniform up to so much later, drawn from the seed.
    #[serde(default = "zero")]
    pub start_spread: Written<Duration>,
    /// No new data from here on; after the last start. Default: to the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Written<Duration>>,
    /// Data to transfer. Default: without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Positive<Bytes>>,
    /// Payload of a full segment, 1 B to 65 495 B; with headers at most 65 535 B.
    #[serde(default = "segment")]
    pub segment: Positive<Bytes>,
    /// Header bytes of every packet. Default: what IPv4, TCP and the options in use take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Positive<Bytes>>,
    /// Longest wait of a delayed ACK (RFC 1122 §4.2.3.2), or false: every segment is acknowledged at once.
    #[serde(default = "delayed_ack")]
    pub delayed_ack: DelayedAck,
    /// What the receiver buffers, at least one segment.
    #[serde(default = "receive_window")]
    pub receive_window: ReceiveWindow,
    /// Selective acknowledgements (RFC 2018) and recovery by RFC 6675 and RFC 6937; else NewReno (RFC 6582).
    #[serde(default = "sack")]
    pub sack: bool,
    /// Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    #[serde(default = "timestamps")]
    pub timestamps: bool,
    /// Segments in the first window (RFC 6928).
    #[serde(default = "initial_window")]
    pub initial_window: InitialWindow,
    /// Least retransmission timeout: RFC 6298 §2.4 says 1 s; ns-2 takes 200 ms, and Linux 200 ms beyond the smoothed
    /// round trip. On paths of more than 200 ms take 1 s, or timers expire for nothing when a queue grows.
    #[serde(default = "min_rto")]
    pub min_rto: Positive<Duration>,
    /// The base round-trip time, where the law shall be told it; "path" computes it from the route, as propagation
    /// and transmission of a full segment and of its ACK. Default: the law sees the least sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_base_rtt: Option<KnownBaseRtt>,
    /// Spread segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles). A law that names a rate of its own is
    /// paced at it in any case.
    #[serde(default = "pacing")]
    pub pacing: bool,
}

// The defaults are the simulator's own.

fn segment() -> Positive<Bytes> {
    Positive(TcpOptions::default().segment)
}

fn delayed_ack() -> DelayedAck {
    DelayedAck(TcpOptions::default().delayed_ack)
}

fn receive_window() -> ReceiveWindow {
    ReceiveWindow::Packets(TcpOptions::default().receive_window)
}

fn sack() -> bool {
    TcpOptions::default().sack
}

fn timestamps() -> bool {
    TcpOptions::default().timestamps
}

fn initial_window() -> InitialWindow {
    InitialWindow(TcpOptions::default().initial_window)
}

fn min_rto() -> Positive<Duration> {
    Positive(TcpOptions::default().min_rto)
}

fn pacing() -> bool {
    TcpOptions::default().pacing
}
