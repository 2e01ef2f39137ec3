//! What the simulator is given: links, flows and background sources, as indices and typed units.
//!
//! A [`Network`] is the compiled form of a scenario: names are resolved, routes are lists of links, every value is
//! checked. Whoever builds one by hand keeps the same promises, stated at each field.

use crate::coding::CodingConfig;
use crate::ecn::Codepoint;
use crate::makers::LawChoice;
use crate::packet::NodeId;
use crate::topology::{Route, Topology};
use std::ops::Range;
use windward_laws::emultcp;
use windward_units::{BitRate, Bytes, Duration, Packets, Time};

/// A network ready to run.
#[derive(Clone, Debug)]
pub struct Network {
    /// What packets cross.
    pub topology: Topology,
    /// TCP flows.
    pub flows: Vec<FlowConfig>,
    /// Transfers over a changing number of TCP flows.
    pub transfers: Vec<TransferConfig>,
    /// UDP background sources.
    pub sources: Vec<SourceConfig>,
    /// When it begins to count, and when it ends.
    pub timing: Timing,
    /// Record what the laws show of themselves ([`windward_laws::Law::observe`]) in every sample.
    pub internals: bool,
    /// Record the frames of wireless networks that begin within this time.
    pub air: Option<Range<Time>>,
}

/// The instants of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How long to simulate; positive.
    pub duration: Time,
    /// Statistics count from here; before `duration`.
    pub warmup: Time,
    /// Distance of the samples in the series; positive.
    pub sample_interval: Duration,
}

/// One TCP flow: data goes from `source` to `sink` along `forward`, ACKs return along `backward`.
#[derive(Clone, Debug)]
pub struct FlowConfig {
    /// Names the flow's random streams; different for every flow.
    pub key: u64,
    /// Where data comes from.
    pub source: NodeId,
    /// Where data goes.
    pub sink: NodeId,
    /// The way of the data.
    pub forward: Route,
    /// The way of the ACKs.
    pub backward: Route,
    /// The congestion control law.
    pub law: LawChoice,
    /// When the connection opens; [`Time::NEVER`] where a transfer opens it.
    pub start: Time,
    /// No new data is sent from here on; `None`: to the end.
    pub stop: Option<Time>,
    /// Data to transfer; `None`: unbounded.
    pub size: Option<Bytes>,
    /// The TCP around the law.
    pub tcp: TcpOptions,
    /// Network coding between TCP and the network; for no flow of a transfer.
    pub coding: Option<CodingConfig>,
}

/// A transfer without end over several TCP flows between the same two nodes. A controller decides how many of them are
/// open; a flow that is closed sends no new data, and a new connection opens in its place when there shall be more.
#[derive(Clone, Debug)]
pub struct TransferConfig {
    /// Its flows, by index; each in one transfer only, not empty. Their start is [`Time::NEVER`]: the transfer opens
    /// them, the first ones first. They have no stop and no size of their own.
    pub flows: Range<usize>,
    /// The law of the number of open flows, and its parameters, all of them possible.
    pub controller: emultcp::Params,
    /// When the first connection opens.
    pub start: Time,
    /// No new data from here on; `None`: to the end.
    pub stop: Option<Time>,
}

/// Switches and numbers of a flow's TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpOptions {
    /// Payload of a full segment; positive.
    pub segment: Bytes,
    /// Header bytes of every packet; `None`: what IPv4, TCP and the options in use really take.
    pub overhead: Option<Bytes>,
    /// Longest wait of a delayed ACK (RFC 1122 §4.2.3.2); `None`: every segment is acknowledged at once.
    pub delayed_ack: Option<Duration>,
    /// Most segments that the receiver buffers; at least 1.
    pub receive_window: u32,
    /// Selective acknowledgements (RFC 2018) and recovery by RFC 6675 and 6937; else NewReno (RFC 6582).
    pub sack: bool,
    /// Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    pub timestamps: bool,
    /// Segments in the first window, 1 to 10 (RFC 6928).
    pub initial_window: u32,
    /// Least retransmission timeout (RFC 6298 §2.4: 1 s; Linux and ns-2: 200 ms).
    pub min_rto: Duration,
    /// The propagation delay, where the law shall be told it instead of the least sample.
    pub known_base_rtt: Option<Duration>,
    /// Spread segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles). A law that names a rate of its own is
    /// paced at it in any case.
    pub pacing: bool,
    /// What the two ends tell each other of marks.
    pub ecn: EcnMode,
    /// How losses are found, on connections with SACK.
    pub loss_detection: LossDetection,
    /// Whose recovery a connection without SACK has.
    pub newreno: NewReno,
    /// How long the retransmission timer waits.
    pub rto: RtoRule,
    /// Segments that are acknowledged at once, each, at the beginning and after a duplicate.
    pub quick_acks: u32,
    /// The receiver holds SACKs back as Linux's does, on connections with SACK.
    pub compress_sacks: bool,
    /// Longest time that the sending host takes from an ACK to the data that it lets out: uniform from zero.
    pub host_jitter: Duration,
}

/// How a sender with SACK finds losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossDetection {
    /// RFC 6675: three SACKed segments above.
    #[default]
    Rfc6675,
    /// By time, as in Linux: RACK-TLP (RFC 8985), F-RTO (RFC 5682), and reductions taken back by D-SACK (RFC 2883) or stamps.
    Rack,
}

/// How a sender without SACK repairs several losses of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewReno {
    /// RFC 6582, the impatient variant of §4: the first partial ACK alone restarts the retransmission timer, so that a timeout ends a
    /// recovery from many losses; the law hears of what is in flight.
    #[default]
    Rfc6582,
    /// Linux: each partial ACK restarts the timer, and one loss a round trip is repaired, however long it takes; the law hears of the
    /// window, for in such a recovery what is in flight grows by all that duplicates let out.
    Linux,
}

/// How the retransmission timeout follows from the round trip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RtoRule {
    /// RFC 6298: max(minimum, srtt + 4·rttvar), at most 60 s.
    #[default]
    Rfc6298,
    /// Linux: srtt + max(minimum, 4·rttvar), at most 120 s.
    Linux,
}

/// Explicit congestion notification between two ends, negotiated in the handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// None: queues drop.
    #[default]
    Off,
    /// RFC 3168: data is ECT(0); the receiver repeats a mark in every ACK until the sender says that it has reduced its window.
    Classic,
    /// RFC 9768: data is ECT(0); every ACK carries the number of marked packets, in three bits.
    Accurate,
    /// The same with ECT(1), retransmissions included: the low-latency service of RFC 9330.
    Scalable,
}

impl EcnMode {
    /// Whether ACKs count marks.
    #[inline]
    pub const fn counts(self) -> bool {
        matches!(self, Self::Accurate | Self::Scalable)
    }
}

impl TcpOptions {
    /// Segments that Linux acknowledges at once (`TCP_MAX_QUICKACKS`).
    pub const QUICK_ACKS_OF_LINUX: u32 = 16;

    /// Whether losses are found by time.
    pub(crate) fn is_by_time(&self) -> bool {
        self.sack && self.loss_detection == LossDetection::Rack
    }

    /// The first window.
    pub(crate) fn initial_cwnd(&self) -> Packets {
        Packets::new(f64::from(self.initial_window))
    }
}

impl Default for TcpOptions {
    fn default() -> Self {
        Self {
            segment: Bytes::new(1448),
            overhead: None,
            delayed_ack: Some(Duration::from_millis(40)),
            receive_window: 1 << 20,
            sack: true,
            timestamps: true,
            initial_window: 10,
            min_rto: Duration::from_millis(200),
            known_base_rtt: None,
            pacing: false,
            ecn: EcnMode::Off,
            loss_detection: LossDetection::Rfc6675,
            newreno: NewReno::Rfc6582,
            rto: RtoRule::Rfc6298,
            quick_acks: 0,
            compress_sacks: false,
            host_jitter: Duration::ZERO,
        }
    }
}

/// Least time between two datagrams of a source while it sends: the clock counts nanoseconds, and errs by less than a tenth of
/// this.
pub const LEAST_SPACING: Duration = Duration::from_nanos(10);

/// Most on periods that a datagram waits for.
pub const MOST_PERIODS: f64 = 1000.0;

/// An unresponsive source of datagrams.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceConfig {
    /// Names the source's random streams; different for every source.
    pub key: u64,
    /// Where datagrams come from.
    pub source: NodeId,
    /// Where they go.
    pub sink: NodeId,
    /// The way there.
    pub path: Route,
    /// When datagrams are sent.
    pub pattern: Pattern,
    /// Bytes of a datagram on the wire, headers included; positive.
    pub packet: Bytes,
    /// First datagram not before this.
    pub start: Time,
    /// None from here on; `None`: to the end.
    pub stop: Option<Time>,
    /// ECN field of a datagram.
    pub ecn: Codepoint,
}

/// When a source sends: at most a datagram in [`LEAST_SPACING`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// Evenly spaced at this rate; positive.
    Cbr {
        /// Rate on the wire.
        rate: BitRate,
    },
    /// Independent exponential gaps with this mean rate; positive.
    Poisson {
        /// Mean rate on the wire.
        rate: BitRate,
    },
    /// Periods of sending at `rate` and of silence, in turn, beginning with silence. A datagram has the sending time of
    /// [`MOST_PERIODS`] usual on periods at most ([`Spread::usual`]).
    OnOff {
        /// Rate on the wire while on; positive.
        rate: BitRate,
        /// Mean length of an on period; positive.
        on: Duration,
        /// Mean length of an off period.
        off: Duration,
        /// Distribution of the on periods.
        on_spread: Spread,
        /// Distribution of the off periods.
        off_spread: Spread,
    },
    /// As the backlog at its node allows: in every slot M/(U + μ) datagrams, seferoglu2014 (5) with the utility log x. μ ≥ 0 keeps all
    /// such sources of a node together within the limit.
    Backlog {
        /// M; positive.
        m: f64,
        /// Length of a slot; positive.
        slot: Duration,
        /// R_max of the node, on the wire; positive.
        limit: BitRate,
    },
}

impl Pattern {
    /// The rate while it sends.
    pub const fn rate(&self) -> BitRate {
        match *self {
            Self::Cbr { rate }
            | Self::Poisson { rate }
            | Self::OnOff { rate, .. }
            | Self::Backlog { limit: rate, .. } => rate,
        }
    }
}

/// How a period varies around its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// Not at all.
    Fixed,
    /// Exponentially.
    Exponential,
    /// As a Pareto variable with this shape, above 1.
    Pareto(f64),
}

impl Spread {
    /// The median of a period of mean 1.
    pub fn usual(self) -> f64 {
        match self {
            Self::Fixed => 1.0,
            Self::Exponential => std::f64::consts::LN_2,
            Self::Pareto(shape) => (shape - 1.0) / shape * libm::exp2(1.0 / shape),
        }
    }
}
