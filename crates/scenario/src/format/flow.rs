//! TCP flows.

use super::{
    Coding, Connections, Count, DelayedAck, Dscp, InitialWindow, KnownBaseRtt, Law, Name, Named, Positive, Read,
    ReceiveBuffer, ReceiveWindow, SendBuffer, SmallQueues, Starts, Write, Written, zero,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::{self as sim, EcnMode, RtoRule, TcpOptions};
use windward_units::{Bytes, Duration};

/// The table of a flow, and that of the TCP options which an application has too. Fields appear in the order given.
macro_rules! tcp_tables {
    (
        $(#[$flow_meta:meta])* flow, $(#[$tcp_meta:meta])* tcp:
        $(
            own { $($(#[$own_meta:meta])* pub $own:ident: $own_type:ty,)* }
            shared { $($(#[$meta:meta])* pub $field:ident: $type:ty,)* }
        )*
    ) => {
        $(#[$flow_meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, expecting = "a table")]
        pub(crate) struct Flow {
            $(
                $($(#[$own_meta])* pub $own: $own_type,)*
                $($(#[$meta])* pub $field: $type,)*
            )*
        }

        $(#[$tcp_meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, expecting = "a table")]
        pub(crate) struct Tcp {
            $($($(#[$meta])* pub $field: $type,)*)*
        }

        impl Flow {
            /// TCP options of the flow.
            pub fn tcp(&self) -> Tcp {
                Tcp { $($($field: self.$field.clone(),)*)* }
            }
        }
    };
}

tcp_tables! {
    /// A flow over TCP or QUIC. Between two groups of equal size: one flow per pair of members. Between a group and a
    /// single node: one per member. Several flows are named NAME-1, NAME-2, ….
    ///
    /// The default route is the path with the fewest links, then with the least delay. Remaining ties are broken from
    /// the receiver back, by the order of the links in the file or, between stations of Wi-Fi, by the natural order of
    /// their names.
    flow,
    /// TCP options of both ends of an application's connections.
    tcp:
    own {
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
        /// Nodes between `from` and `to` on the route of the data, in order; consecutive ones must be linked. Default:
        /// the shortest path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub via: Option<Vec<Name>>,
        /// Nodes between `to` and `from` on the route of the ACKs. Default: `via` reversed, or the shortest path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub return_via: Option<Vec<Name>>,
        /// Code point of the data, which decides their access category on 802.11n, ac and ax as Linux maps it: a
        /// number, or a name such as `"EF"`. Default: best effort.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub dscp: Option<Dscp>,
        /// Code point of the ACKs. A receiver does not copy that of the data. Default: best effort.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ack_dscp: Option<Dscp>,
        /// Congestion control law: its name, or a table of name and parameters.
        pub law: Law,
        /// Transport: TCP, or QUIC between two endpoints of quinn-proto 0.11 whose sender runs the law. Options that
        /// name TCP's mechanisms are refused with "quic". Default: "tcp".
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub transport: Option<Transport>,
        /// Implementation of the law over QUIC: "windward", "quinn" for the controller that quinn has by this name
        /// (`reno`, `cubic` or `bbr`), or "noq" for that of noq (`reno`, `cubic` or `bbr3`) between endpoints of
        /// noq-proto 1.4, if the engine has them. Both are without parameters. Default: "windward".
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub law_of: Option<LawOf>,
        /// Resumes a session over QUIC, whose data leaves with the first flight (0-RTT), and whose handshake has no
        /// certificate. Default: false.
        #[serde(default)]
        pub zero_rtt: bool,
        /// Turns the flow into an unlimited transfer over several connections, which this law opens and closes by the
        /// RTT and queue that the receiver measures. They are named NAME.1, NAME.2, … up to the maximum. Default: one
        /// connection.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub connections: Option<Named<Connections>>,
        /// Network coding between TCP and the network; it hides wireless losses and reordering from TCP. Default: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub coding: Option<Named<Coding>>,
        /// Time at which the connection opens. A list has a time for each flow: between two single nodes it makes as
        /// many flows.
        #[serde(default)]
        pub start: Starts,
        /// Delay between the starts of consecutive flows of a group.
        #[serde(default = "zero")]
        pub start_step: Written<Duration>,
        /// Random extra delay of each start, uniform from 0 to this value, drawn from the seed. Default: 0 s where
        /// anything else in the scenario, apart from `host_jitter`, is random. Otherwise it is up to a round trip
        /// without queues for every seed except 1, so that no two seeds are the same run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub start_spread: Option<Written<Duration>>,
        /// Time after which no new data is sent; later than the last start. Default: the end of the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub stop: Option<Written<Duration>>,
        /// Data to transfer. Default: unlimited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub size: Option<Positive<Bytes>>,
    }
    shared {
        /// Payload of a full segment, 1 B to 65 495 B; with headers at most 65 535 B.
        #[serde(default = "segment")]
        pub segment: Positive<Bytes>,
        /// Header bytes of every packet. Default: the size of IPv4, TCP and the options in use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub overhead: Option<Positive<Bytes>>,
        /// Source of the defaults that name it: the RFCs, as in the papers' simulators, or current Linux with loss
        /// detection by time, its timeout and its quick ACKs. Default: the scenario's `stack`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub stack: Option<Stack>,
        /// Timeout of delayed ACKs (RFC 1122 §4.2.3.2), or false: every segment is acknowledged at once.
        #[serde(default = "delayed_ack")]
        pub delayed_ack: DelayedAck,
        /// Number of segments that are each acknowledged at once, at the start and after a duplicate. Default: 16, and
        /// besides each segment that raises an autotuned receive window; 0 with `stack = "rfc"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub quick_acks: Option<u32>,
        /// SACK compression at the receiver, as in Linux. Of the segments beyond a gap the first three are acknowledged
        /// at once, others by one ACK for at most 44, after min(1 ms, round trip/20). Needs `sack`. Default: false;
        /// true with `stack = "linux"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub compress_sacks: Option<bool>,
    }
    own {
        /// Maximum of the sending host's processing time between an ACK and the data that it releases: uniform from 0,
        /// drawn from the seed; at most 1 s. A packet's transmission time at the bottleneck prevents phase effects, the
        /// locking of flows at drop-tail queues. Default: 0 s.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub host_jitter: Option<Written<Duration>>,
        /// Packets waiting for the first link at which the sending host refuses a segment: the sender keeps it and
        /// reduces its window without a loss, as Linux does if its device queue overflows (`txqueuelen`,
        /// `tcp_enter_cwr`). Default: no limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub device_queue: Option<Count>,
        /// TCP small queues of a sender on a station of 802.11n, ac or ax, as in Linux: at most 1/128 s of its pacing
        /// rate wait below TCP until they are acknowledged on the air. A table sets the pacing shift; `{ shift = 10 }`
        /// is 1/1024 s, as on wired interfaces. Default: true with `stack = "linux"` and such a sender.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub small_queues: Option<SmallQueues>,
        /// ACK division by a receiver that cheats: number of ACKs, each of a part of the data, that it sends in the
        /// place of one; 1 to 1448. A sender that counts ACKs then grows faster; one that counts packets does not.
        /// Simulated only. Default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ack_division: Option<u32>,
        /// Optimistic ACKs by a receiver that cheats: the ACK of a segment leaves the receiver this long after the
        /// segment has left the sender, whether or not it arrives; at most 10 s. The sender sees short round trips and
        /// no losses, and repairs none; a send buffer of 4 MiB bounds its window. Simulated only. Default: data is
        /// acknowledged when it arrives.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub optimistic_acks: Option<Written<Duration>>,
    }
    shared {
        /// Counts ACKs (RFC 5681 Eq. 3), not acknowledged packets (RFC 3465), where a law grows in the way of Reno.
        /// Delayed ACKs then halve the growth. Linux 2.6 does so by default (`tcp_abc = 0`).
        #[serde(default)]
        pub ack_counting: bool,
        /// Receive window in packets or bytes, at least one segment. Without one, hosts with Linux's stack have at most
        /// 2.6 MB in flight: as much as their largest send buffer of 4 MiB lets out in a round trip. Default: 1048576
        /// packets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub receive_window: Option<ReceiveWindow>,
        /// Selective acknowledgements (RFC 2018) with `loss_detection` and PRR (RFC 6937); if false, NewReno (RFC
        /// 6582).
        #[serde(default = "sack")]
        pub sack: bool,
        /// Loss detection: three SACKed segments above (RFC 6675), or by time as in Linux: RACK-TLP (RFC 8985) with
        /// F-RTO (RFC 5682) and D-SACK (RFC 2883), which need `sack`. Default: "rfc6675"; "rack" with Linux's stack
        /// and `sack`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub loss_detection: Option<LossDetection>,
        /// Recovery from several losses without SACK. With "rfc6582" only the first partial ACK restarts the timer, so
        /// long recoveries end in a timeout. With "linux" each does, and recovery takes one round trip per loss.
        /// Default: "linux"; "rfc6582" with `stack = "rfc"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub newreno: Option<NewReno>,
        /// Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
        #[serde(default = "timestamps")]
        pub timestamps: bool,
        /// Initial window in segments. RFC 6928 recommends 10 at most; servers of content networks use up to 50.
        /// Emulation sets it as `initcwnd` of the kernel's route.
        #[serde(default = "initial_window")]
        pub initial_window: InitialWindow,
        /// Slow-start threshold of a new connection in segments, at least 2: what a host remembers of
        /// earlier connections to the same destination, as Linux did by default before 5.6 (`tcp_no_metrics_save =
        /// 0`). Simulated only. Default: none; slow start ends by a loss, a mark, or HyStart.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub initial_ssthresh: Option<u32>,
        /// Minimum retransmission timeout: 1 s in RFC 6298 §2.4, 200 ms in ns-2 and Linux. With `rto = "rfc6298"` and
        /// paths of more than 200 ms use 1 s; otherwise timeouts are spurious when a queue grows.
        #[serde(default = "min_rto")]
        pub min_rto: Positive<Duration>,
        /// Term to which `min_rto` applies: the whole timeout, max(minimum, srtt + 4·rttvar) (RFC 6298), or the
        /// variation, srtt + max(minimum, 4·rttvar) (Linux). Default: "linux"; "rfc6298" with `stack = "rfc"`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub rto: Option<Rto>,
    }
    own {
        /// Base round-trip time given to the law. "path" computes it from the route, as propagation and transmission of
        /// a full segment and its ACK. "handshake" is the smallest RTT sample with that of the handshake among them,
        /// plus the difference of the transmission times. Default: the law uses the smallest RTT sample of data. The
        /// fluid engine takes "handshake" and the default as the present path's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub known_base_rtt: Option<KnownBaseRtt>,
    }
    shared {
        /// Paces segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles). Laws that set a pacing rate are
        /// always paced at it.
        #[serde(default = "pacing")]
        pub pacing: bool,
        /// Explicit congestion notification, for queues that mark: none, a flag repeated until the sender answers (RFC
        /// 3168), a counter in every ACK (RFC 9768), or that counter with ECT(1) in every packet (RFC 9331). Default:
        /// "scalable" with `law = "prague"`, "accurate" with "dctcp", else "off".
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ecn: Option<Ecn>,
    }
    own {
        /// Application that writes at its own pace, such as `{ rate = "1 Mbit/s", every = "20 ms" }`. Default: it
        /// always has data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub write: Option<Write>,
    }
    shared {
        /// Application that reads at its own pace, such as `{ rate = "2 Mbit/s" }` or `{ pauses = [["10 s", "2 s"]] }`.
        /// The receive window then moves; it needs `receive_buffer` or a `receive_window`. Default: everything at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub read: Option<Read>,
        /// Receive buffer whose window moves, as in Linux: a size in bytes, `"auto"` for one that follows the
        /// application from 81 920 B on, or a table with its limit. Default: "auto" with Linux's
        /// stack where an application writes or reads at its own pace and no `receive_window` is given, else none: the
        /// window is constant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub receive_buffer: Option<ReceiveBuffer>,
        /// Send buffer, which makes a writer wait while it is full, as in Linux: a size in bytes of memory, `"auto"`
        /// for one that follows the congestion window from 87 040 B on, or a table with its limit. The rate depends on
        /// the size of the writes. Default: "auto" with Linux's stack where an application writes or reads at its own
        /// pace, else none: what is written and not sent is unlimited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub send_buffer: Option<SendBuffer>,
        /// Nagle's algorithm in Minshall's variant, as in Linux: a short segment waits while another one is in flight.
        /// Default: false, as browsers and servers choose with `TCP_NODELAY`.
        #[serde(default)]
        pub nagle: bool,
        /// Reduces the window when the application writes after a pause of more than a timeout: to the initial window
        /// (RFC 5681 §4.1), or with `stack = "linux"` by half for each timeout, not below the initial window.
        /// Default: false; true with `stack = "linux"`, as its `tcp_slow_start_after_idle`. Flows that always have data
        /// never pause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub idle_restart: Option<bool>,
    }
}

impl Default for Tcp {
    fn default() -> Self {
        serde_json::from_str("{}").expect("all options have defaults")
    }
}

/// Transport of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"tcp\" or \"quic\"")]
pub(crate) enum Transport {
    /// TCP, or TFRC.
    Tcp,
    /// QUIC.
    Quic,
}

/// Implementation of a law over QUIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"windward\", \"quinn\" or \"noq\"")]
pub(crate) enum LawOf {
    /// The law of this project.
    Windward,
    /// The controller of the same name in quinn.
    Quinn,
    /// The controller of the same name in noq, between endpoints of noq.
    Noq,
}

impl LawOf {
    /// The implementation that a table chooses.
    pub fn chosen(given: Option<Self>) -> sim::LawOf {
        match given {
            Some(Self::Windward) | None => sim::LawOf::Windward,
            Some(Self::Quinn) => sim::LawOf::Quinn,
            Some(Self::Noq) => sim::LawOf::Noq,
        }
    }
}

/// TCP stack of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"rfc\" or \"linux\"")]
pub(crate) enum Stack {
    /// The RFCs up to 6675.
    Rfc,
    /// Linux.
    #[default]
    Linux,
}

/// Loss detection on connections with SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"rfc6675\" or \"rack\"")]
pub(crate) enum LossDetection {
    /// Three SACKed segments above the lost one.
    Rfc6675,
    /// By time: RACK-TLP.
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

/// Recovery from several losses without SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"rfc6582\" or \"linux\"")]
pub(crate) enum NewReno {
    /// Only the first partial ACK restarts the timer; the law halves the data in flight.
    Rfc6582,
    /// Each partial ACK restarts the timer; the law halves the window.
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

/// Retransmission timeout as a function of the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"rfc6298\" or \"linux\"")]
pub(crate) enum Rto {
    /// The minimum applies to the whole timeout.
    Rfc6298,
    /// The minimum applies to the variation term.
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
    /// As `accurate`, with ECT(1), for laws that respond to each mark by a small reduction (RFC 9331).
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
