//! TCP flows.

use super::{
    Coding, Connections, Count, DelayedAck, InitialWindow, KnownBaseRtt, Law, Name, Named, Positive, ReceiveWindow,
    Written, zero,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::{self as sim, EcnMode, RtoRule, TcpOptions};
use windward_units::{Bytes, Duration};

/// A TCP flow. Between two groups of equal size: one flow per pair of members. Between a group and a single node:
/// one per member. Several flows are named NAME-1, NAME-2, ….
///
/// The default route is the path with the fewest links; ties are broken by the least delay, then, compared from the receiver
/// back, by the order of the links in the file or, between stations of Wi-Fi, by the natural order of their names.
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
    /// Number of parallel flows between two single nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Nodes between `from` and `to` on the route of the data, in order; consecutive ones must be linked. Default: the
    /// shortest path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Vec<Name>>,
    /// Nodes between `to` and `from` on the route of the ACKs. Default: `via` reversed, or the shortest path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_via: Option<Vec<Name>>,
    /// Congestion control law: its name, or a table of name and parameters.
    pub law: Law,
    /// Makes the flow an unlimited transfer over several connections, which this law opens and closes by the RTT and queue that
    /// the receiver sees. They are named NAME.1, NAME.2, … up to the maximum. Default: one connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Named<Connections>>,
    /// Network coding between TCP and the network, which hides losses on the air and reordering from TCP. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coding: Option<Named<Coding>>,
    /// When the connection opens.
    #[serde(default = "zero")]
    pub start: Written<Duration>,
    /// Delay between the starts of consecutive flows of a group.
    #[serde(default = "zero")]
    pub start_step: Written<Duration>,
    /// Random extra delay of each start, uniform from 0 to this value, drawn from the seed. Default: none where anything else in
    /// the scenario but `host_jitter` is random; else up to a round trip without queues for every seed but 1, so that no two seeds are the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_spread: Option<Written<Duration>>,
    /// No new data is sent after this time, which is after the last start. Default: the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Written<Duration>>,
    /// Data to transfer. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Positive<Bytes>>,
    /// Payload of a full segment, 1 B to 65 495 B; with headers at most 65 535 B.
    #[serde(default = "segment")]
    pub segment: Positive<Bytes>,
    /// Header bytes of every packet. Default: what IPv4, TCP and the options in use take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Positive<Bytes>>,
    /// What the options that say so in their default are taken from: the RFCs that the papers' simulators have, or Linux as it is
    /// today: losses by time, its timeout, its quick ACKs.
    #[serde(default)]
    pub stack: Stack,
    /// Timeout of delayed ACKs (RFC 1122 §4.2.3.2), or false: every segment is acknowledged at once.
    #[serde(default = "delayed_ack")]
    pub delayed_ack: DelayedAck,
    /// Segments that are acknowledged at once, each, at the beginning and after a duplicate. Default: 0; 16 with
    /// `stack = "linux"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quick_acks: Option<u32>,
    /// Whether the receiver holds SACKs back as Linux does: of the segments beyond a gap the first three are acknowledged at once, others
    /// by one ACK for at most 44, after min(1 ms, round trip/20). Needs `sack`. Default: false; true with `stack = "linux"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compress_sacks: Option<bool>,
    /// Longest time that the sending host takes from an ACK to the data that it lets out: uniform from 0, drawn from the seed; at most
    /// 1 s. A packet's time at the bottleneck ends phase effects, in which flows over drop-tail queues lock. Default: 0 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_jitter: Option<Written<Duration>>,
    /// Receive buffer, at least one segment.
    #[serde(default = "receive_window")]
    pub receive_window: ReceiveWindow,
    /// Selective acknowledgements (RFC 2018) with `loss_detection` and RFC 6937; otherwise NewReno (RFC 6582).
    #[serde(default = "sack")]
    pub sack: bool,
    /// How losses are found: three SACKed segments above (RFC 6675), or by time as in Linux: RACK-TLP (RFC 8985) with F-RTO
    /// (RFC 5682) and D-SACK (RFC 2883), which need `sack`. Default: "rfc6675"; "rack" with `stack = "linux"` and `sack`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_detection: Option<LossDetection>,
    /// How several losses are repaired without SACK: a timeout ends what the first partial ACK's timer does not see through (RFC
    /// 6582), or it takes a round trip for each, however many, as in Linux. Default: "rfc6582"; "linux" with `stack = "linux"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newreno: Option<NewReno>,
    /// Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    #[serde(default = "timestamps")]
    pub timestamps: bool,
    /// Segments in the first window (RFC 6928).
    #[serde(default = "initial_window")]
    pub initial_window: InitialWindow,
    /// Minimum retransmission timeout: 1 s in RFC 6298 §2.4, 200 ms in ns-2 and Linux. With `rto = "rfc6298"` and paths of more
    /// than 200 ms use 1 s, or timers fire spuriously when a queue grows.
    #[serde(default = "min_rto")]
    pub min_rto: Positive<Duration>,
    /// What the minimum is of: the whole timeout, max(minimum, srtt + 4·rttvar) (RFC 6298), or what variation adds, srtt +
    /// max(minimum, 4·rttvar) (Linux). Default: "rfc6298"; "linux" with `stack = "linux"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rto: Option<Rto>,
    /// The base round-trip time given to the law; "path" computes it from the route, as propagation and transmission of
    /// a full segment and its ACK. Default: the law uses the smallest RTT sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_base_rtt: Option<KnownBaseRtt>,
    /// Spread segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles). Laws that set a
    /// pacing rate are always paced at it.
    #[serde(default = "pacing")]
    pub pacing: bool,
    /// Explicit congestion notification, for queues that mark: none, by a flag that is repeated until it is answered (RFC 3168), by a
    /// counter in every ACK (RFC 9768), or by that counter with ECT(1) in every packet (RFC 9331).
    #[serde(default)]
    pub ecn: Ecn,
}

/// Whose TCP a flow has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"rfc\" or \"linux\"")]
pub(crate) enum Stack {
    /// That of the RFCs up to 6675.
    #[default]
    Rfc,
    /// Linux's.
    Linux,
}

/// How losses are found on connections with SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"rfc6675\" or \"rack\"")]
pub(crate) enum LossDetection {
    /// Three SACKed segments above.
    Rfc6675,
    /// By time.
    Rack,
}

impl From<LossDetection> for sim::LossDetection {
    fn from(detection: LossDetection) -> Self {
        match detection {
            LossDetection::Rfc6675 => Self::Rfc6675,
            LossDetection::Rack => Self::Rack,
        }
    }
}

/// How several losses are repaired without SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"rfc6582\" or \"linux\"")]
pub(crate) enum NewReno {
    /// The first partial ACK alone restarts the timer; what is in flight is halved.
    Rfc6582,
    /// Each does; the window is halved.
    Linux,
}

impl From<NewReno> for sim::NewReno {
    fn from(variant: NewReno) -> Self {
        match variant {
            NewReno::Rfc6582 => Self::Rfc6582,
            NewReno::Linux => Self::Linux,
        }
    }
}

/// How the retransmission timeout follows from the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"rfc6298\" or \"linux\"")]
pub(crate) enum Rto {
    /// The minimum is the whole timeout's.
    Rfc6298,
    /// The minimum is that of what variation adds.
    Linux,
}

impl From<Rto> for RtoRule {
    fn from(rto: Rto) -> Self {
        match rto {
            Rto::Rfc6298 => Self::Rfc6298,
            Rto::Linux => Self::Linux,
        }
    }
}

/// Explicit congestion notification of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"off\", \"classic\", \"accurate\" or \"scalable\"")]
pub(crate) enum Ecn {
    /// None: queues drop the flow's packets.
    #[default]
    Off,
    /// RFC 3168: the receiver repeats a mark until the sender has reduced its window.
    Classic,
    /// RFC 9768: every ACK carries the number of marked packets.
    Accurate,
    /// The same with ECT(1), for laws that answer marks by little and often (RFC 9331).
    Scalable,
}

impl From<Ecn> for EcnMode {
    fn from(ecn: Ecn) -> Self {
        match ecn {
            Ecn::Off => Self::Off,
            Ecn::Classic => Self::Classic,
            Ecn::Accurate => Self::Accurate,
            Ecn::Scalable => Self::Scalable,
        }
    }
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
