//! Input of the simulator: links, flows and background sources, as indices and typed units.
//!
//! A [`Network`] is the compiled form of a scenario: names are resolved, routes are lists of links, all values are
//! checked. Code that builds one by hand must respect the constraints stated at each field.

use crate::coding::CodingConfig;
use crate::ecn::Codepoint;
use crate::emodel::CallConfig;
use crate::packet::NodeId;
use crate::page::PageConfig;
use crate::size::Size;
use crate::topology::{Route, Topology};
use crate::video::VideoConfig;
use std::ops::Range;
use std::sync::Arc;
use windward_laws::{LawSpec, emultcp};
use windward_units::{BitRate, Bytes, Duration, Packets, Time};

/// A network ready to run.
#[derive(Clone, Debug)]
pub struct Network {
    /// The network below the endpoints.
    pub topology: Topology,
    /// TCP flows.
    pub flows: Vec<FlowConfig>,
    /// Transfers over a changing number of TCP flows.
    pub transfers: Vec<TransferConfig>,
    /// Clients and servers over two-way TCP connections.
    pub apps: Vec<RequestsConfig>,
    /// UDP background sources.
    pub sources: Vec<SourceConfig>,
    /// Start of the statistics and end of the run.
    pub timing: Timing,
    /// True to record the laws' internal state ([`windward_laws::Law::observe`]) in every sample.
    pub internals: bool,
    /// Records the wireless frames that start within this range.
    pub air: Option<Range<Time>>,
    /// Windows of time with figures of their own, each after the warm-up.
    pub windows: Vec<Range<Time>>,
}

impl Network {
    /// Creates a network without traffic, of which neither internal state nor frames nor windows are recorded.
    pub fn new(topology: Topology, timing: Timing) -> Self {
        Self {
            topology,
            flows: Vec::new(),
            transfers: Vec::new(),
            apps: Vec::new(),
            sources: Vec::new(),
            timing,
            internals: false,
            air: None,
            windows: Vec::new(),
        }
    }
}

/// Duration, warm-up and sampling interval of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Simulated time; positive.
    pub duration: Time,
    /// Start of the statistics; before `duration`.
    pub warmup: Time,
    /// Sampling interval of the series; positive.
    pub sample_interval: Duration,
}

/// One TCP flow: data goes from `source` to `sink` along `forward`, ACKs return along `backward`.
#[derive(Clone, Debug)]
pub struct FlowConfig {
    /// Names the flow's random streams; different for every flow.
    pub key: u64,
    /// Sender of the data.
    pub source: NodeId,
    /// Receiver of the data.
    pub sink: NodeId,
    /// Route of the data.
    pub forward: Route,
    /// Route of the ACKs.
    pub backward: Route,
    /// Congestion control law.
    pub law: LawChoice,
    /// Time at which the connection opens; [`Time::NEVER`] if a transfer opens it.
    pub start: Time,
    /// Time after which no new data is sent; `None`: end of the run.
    pub stop: Option<Time>,
    /// Amount of data to transfer; `None`: unbounded.
    pub size: Option<Bytes>,
    /// TCP parameters other than the law.
    pub tcp: TcpOptions,
    /// Network coding between TCP and the network; `None` for flows of a transfer.
    pub coding: Option<CodingConfig>,
}

/// Congestion control of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawChoice {
    /// A built-in law.
    Known(LawSpec),
    /// TFRC in place of TCP.
    Tfrc(TfrcOptions),
    /// A user-defined law, by its index in the [`Makers`](crate::Makers) of the run, which must contain it.
    Own(u32),
}

/// Options of a TFRC flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TfrcOptions {
    /// True to discount older loss intervals during long intervals without loss (§5.5).
    pub history_discounting: bool,
    /// True to follow short-term changes of the RTT with the instantaneous rate (§4.5).
    pub oscillation_reduction: bool,
}

impl Default for TfrcOptions {
    fn default() -> Self {
        Self { history_discounting: true, oscillation_reduction: true }
    }
}

/// An endless transfer over several TCP flows between the same two nodes. A controller decides the number of open
/// flows. A closed flow sends no new data; a new connection opens in its place when more are needed.
#[derive(Clone, Debug)]
pub struct TransferConfig {
    /// Indices of its flows; not empty, and no flow belongs to two transfers. Their start is [`Time::NEVER`], because
    /// the transfer opens them in order. They have neither a stop time nor a size.
    pub flows: Range<usize>,
    /// Law of the number of open flows, with valid parameters.
    pub controller: emultcp::Params,
    /// Time at which the first connection opens.
    pub start: Time,
    /// Time after which no new data is sent; `None`: end of the run.
    pub stop: Option<Time>,
}

/// TCP parameters of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpOptions {
    /// Payload of a full segment; positive.
    pub segment: Bytes,
    /// Header bytes of every packet; `None`: the actual size of IPv4, TCP and the options in use.
    pub overhead: Option<Bytes>,
    /// Longest delay of an ACK (RFC 1122 §4.2.3.2); `None`: every segment is acknowledged at once.
    pub delayed_ack: Option<Duration>,
    /// Receive buffer in segments; at least 1.
    pub receive_window: u32,
    /// Selective acknowledgements (RFC 2018) and recovery by RFC 6675 and 6937; else NewReno (RFC 6582).
    pub sack: bool,
    /// Timestamps (RFC 7323): a round-trip sample from every ACK, and 12 bytes in every header.
    pub timestamps: bool,
    /// Initial window in segments, 1 to 10 (RFC 6928).
    pub initial_window: u32,
    /// Minimum retransmission timeout (RFC 6298 §2.4: 1 s; Linux and ns-2: 200 ms).
    pub min_rto: Duration,
    /// Propagation delay given to the law in place of its least RTT sample.
    pub known_base_rtt: Option<Duration>,
    /// True to pace segments at 1.2 cwnd/srtt (2 cwnd/srtt while slow start doubles the window). A law with a rate of
    /// its own is always paced.
    pub pacing: bool,
    /// ECN between the two ends.
    pub ecn: EcnMode,
    /// Loss detection on connections with SACK.
    pub loss_detection: LossDetection,
    /// Loss recovery on connections without SACK.
    pub newreno: NewReno,
    /// Formula of the retransmission timeout.
    pub rto: RtoRule,
    /// Number of segments that are acknowledged one by one and at once, at the beginning and after a duplicate.
    pub quick_acks: u32,
    /// True if the receiver compresses SACKs as Linux does, on connections with SACK.
    pub compress_sacks: bool,
    /// Longest time that the sending host takes from an ACK to the data that it releases; uniform from zero.
    pub host_jitter: Duration,
    /// True if Reno's growth counts ACKs (RFC 5681 Eq. 3), not acknowledged packets (RFC 3465).
    pub ack_counting: bool,
    /// Packets waiting for the first link at which the sender stops and reduces its window; `None`: no limit.
    pub device_queue: Option<u32>,
    /// TCP small queues with this pacing shift, at most 31, for senders on stations of 802.11n, ac and ax without
    /// `device_queue`; `None`: no limit.
    pub small_queues: Option<u8>,
    /// True if the delay of ACKs on two-way connections follows the gaps between segments, and waits for answers, as in
    /// Linux; otherwise it is `delayed_ack`.
    pub adapts_delayed_ack: bool,
    /// True if a short segment of a two-way connection waits while another one is in flight (Nagle's algorithm in
    /// Minshall's variant, as in Linux).
    pub nagle: bool,
    /// Restart of two-way connections after a pause of the application.
    pub idle_restart: IdleRestart,
    /// Receive buffer in bytes, whose window moves; `None`: the constant `receive_window`.
    pub receive_buffer: Option<ReceiveBuffer>,
    /// Application that reads at its own pace; `None`: everything at once. Without `receive_buffer` the buffer is that
    /// of `receive_window`.
    pub reading: Option<Reading>,
    /// Application of a flow that writes at a rate; `None`: it always has data.
    pub writing: Option<Writing>,
}

/// Receive buffer of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveBuffer {
    /// Constant, in bytes of payload; at least a segment.
    Fixed(Bytes),
    /// Follows what the application reads in a round trip, as in Linux; in bytes of memory, twice those of payload.
    Auto {
        /// Initial size (`tcp_rmem[1]`); at least two segments.
        start: Bytes,
        /// Largest size (`tcp_rmem[2]`); at least `start`.
        most: Bytes,
    },
}

impl ReceiveBuffer {
    /// Linux's initial size.
    pub const START: Bytes = Bytes::new(131_072);
    /// Linux's largest size since 6.16.
    pub const MOST: Bytes = Bytes::new(32 << 20);
}

/// Pace of an application that reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Rate at which it works on what it has read; positive. `None`: without delay.
    pub rate: Option<BitRate>,
    /// Most bytes of a read under `rate`; positive.
    pub chunk: Bytes,
    /// Times in which it reads nothing: beginning and end of each, in order and apart.
    pub pauses: Arc<[(Time, Time)]>,
}

/// Pace of an application that writes, from the opening of its connection on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// At every span, what the rate brings in it; both positive.
    Periodic {
        /// Rate of the payload.
        rate: BitRate,
        /// Time between two writes.
        every: Duration,
    },
    /// Writes of equal size at the rate; both positive.
    Chunks {
        /// Bytes of a write.
        chunk: Bytes,
        /// Rate of the payload.
        rate: BitRate,
    },
    /// Writes of equal size at every span; both positive.
    Fixed {
        /// Bytes of a write.
        chunk: Bytes,
        /// Time between two writes.
        every: Duration,
    },
}

impl Writing {
    /// Mean rate of the payload, in bits per second.
    pub fn rate(self) -> f64 {
        match self {
            Self::Periodic { rate, .. } | Self::Chunks { rate, .. } => rate.as_bits_per_sec() as f64,
            Self::Fixed { chunk, every } => 8.0 * chunk.count() as f64 / every.as_secs(),
        }
    }

    /// Mean time between two writes, in seconds.
    pub fn span(self) -> f64 {
        match self {
            Self::Periodic { every, .. } | Self::Fixed { every, .. } => every.as_secs(),
            Self::Chunks { chunk, rate } => 8.0 * chunk.count() as f64 / rate.as_bits_per_sec() as f64,
        }
    }
}

/// Window of a two-way connection when its application writes after a pause of more than a timeout, with nothing
/// outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdleRestart {
    /// As the pause found it.
    #[default]
    Off,
    /// The initial window at most (RFC 5681 §4.1).
    Rfc5681,
    /// Linux (`tcp_cwnd_restart`): halved once for each whole timeout that the pause exceeds, not below the initial
    /// window.
    Linux,
}

/// Loss detection of a sender with SACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossDetection {
    /// RFC 6675: a segment is lost once three above it are SACKed.
    #[default]
    Rfc6675,
    /// By time, as in Linux: RACK-TLP (RFC 8985), F-RTO (RFC 5682), and undo of reductions by D-SACK (RFC 2883) or
    /// timestamps.
    Rack,
}

/// Recovery of a sender without SACK from several losses in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewReno {
    /// RFC 6582, the impatient variant of §4: only the first partial ACK restarts the retransmission timer, so that
    /// recovery from many losses ends in a timeout. The law computes from the flight size.
    #[default]
    Rfc6582,
    /// Linux: each partial ACK restarts the timer, and one loss is repaired per round trip, however long recovery
    /// takes. The law computes from the window, because in such a recovery the flight grows by all segments that
    /// duplicates release.
    Linux,
}

/// Formula of the retransmission timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RtoRule {
    /// RFC 6298: max(minimum, srtt + 4·rttvar), at most 60 s.
    #[default]
    Rfc6298,
    /// Linux: srtt + max(minimum, 4·rttvar), at most 120 s.
    Linux,
}

/// Explicit congestion notification between the two ends, negotiated in the handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// No ECN: queues drop.
    #[default]
    Off,
    /// RFC 3168: data is ECT(0); the receiver repeats a mark in every ACK until the sender confirms that it has reduced
    /// its window.
    Classic,
    /// RFC 9768: data is ECT(0); every ACK carries the number of marked packets, in three bits.
    Accurate,
    /// RFC 9768 with ECT(1), retransmissions included: the low-latency service of RFC 9330.
    Scalable,
}

impl EcnMode {
    /// True if ACKs count marked packets.
    #[inline]
    pub const fn counts(self) -> bool {
        matches!(self, Self::Accurate | Self::Scalable)
    }
}

impl TcpOptions {
    /// TCP of Linux 6.18, with or without SACK.
    pub fn linux(sack: bool) -> Self {
        Self {
            sack,
            loss_detection: if sack { LossDetection::Rack } else { LossDetection::Rfc6675 },
            newreno: NewReno::Linux,
            rto: RtoRule::Linux,
            compress_sacks: sack,
            // TCP_MAX_QUICKACKS
            quick_acks: 16,
            adapts_delayed_ack: true,
            idle_restart: IdleRestart::Linux,
            ..Self::default()
        }
    }

    /// True if the applications of a flow write or read at their own pace, or its receive window moves.
    pub fn is_paced_by_applications(&self) -> bool {
        self.receive_buffer.is_some() || self.reading.is_some() || self.writing.is_some()
    }

    /// Receive buffer of an end whose window moves.
    pub(crate) fn moving_window(&self) -> Option<ReceiveBuffer> {
        let bytes = u64::from(self.receive_window) * self.segment.count();
        self.receive_buffer.or(self.reading.is_some().then_some(ReceiveBuffer::Fixed(Bytes::new(bytes))))
    }

    /// True if losses are detected by time.
    pub(crate) fn is_by_time(&self) -> bool {
        self.sack && self.loss_detection == LossDetection::Rack
    }

    /// Initial window.
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
            ack_counting: false,
            device_queue: None,
            small_queues: None,
            adapts_delayed_ack: false,
            nagle: false,
            idle_restart: IdleRestart::Off,
            receive_buffer: None,
            reading: None,
            writing: None,
        }
    }
}

/// Minimum time between two datagrams of a sending source: the clock counts nanoseconds, and its error is less than a
/// tenth of this.
pub const LEAST_SPACING: Duration = Duration::from_nanos(10);

/// Maximum number of on periods that a datagram waits for.
pub const MOST_PERIODS: f64 = 1000.0;

/// An unresponsive source of datagrams.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceConfig {
    /// Names the source's random streams; different for every source.
    pub key: u64,
    /// Node that sends the datagrams.
    pub source: NodeId,
    /// Node that receives the datagrams.
    pub sink: NodeId,
    /// Route of the datagrams.
    pub path: Route,
    /// Sending pattern.
    pub pattern: Pattern,
    /// Bytes of a datagram on the wire, headers included; positive. A pattern that draws sizes ignores it.
    pub packet: Bytes,
    /// Route of the sink's replies, of the same size, whose arrival ends a round trip; `None`: the sink does not reply,
    /// and the delay is that of one way.
    pub reply: Option<Route>,
    /// Speech that the datagrams carry, whose quality is judged.
    pub call: Option<CallConfig>,
    /// Time before which no datagram is sent.
    pub start: Time,
    /// Time after which no datagram is sent; `None`: end of the run.
    pub stop: Option<Time>,
    /// ECN field of a datagram.
    pub ecn: Codepoint,
}

impl SourceConfig {
    /// Creates a source that sends from `source` to `sink` during the whole run, without ECN, replies or
    /// speech.
    pub fn new(
        key: u64,
        (source, sink): (NodeId, NodeId),
        path: impl Into<Route>,
        pattern: Pattern,
        packet: Bytes,
    ) -> Self {
        Self {
            key,
            source,
            sink,
            path: path.into(),
            pattern,
            packet,
            reply: None,
            call: None,
            start: Time::ZERO,
            stop: None,
            ecn: Codepoint::NotCapable,
        }
    }
}

/// Sending pattern of a source: at most one datagram per [`LEAST_SPACING`].
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
    /// Alternating periods of silence and of sending at `rate`, silence first. The sending time of a datagram is at
    /// most [`MOST_PERIODS`] typical on periods ([`Spread::usual`]).
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
    /// Controlled by the backlog at the source's node: M/(U + μ) datagrams in every slot, seferoglu2014 (5) with the
    /// utility log x. The multiplier μ ≥ 0 keeps all such sources of a node together within the limit.
    Backlog {
        /// M; positive.
        m: f64,
        /// Length of a slot; positive.
        slot: Duration,
        /// R_max of the node, on the wire; positive.
        limit: BitRate,
    },
    /// One datagram in every span, after a uniform share of `jitter`, which is at most the span.
    Periodic {
        /// Length of a span; at least [`LEAST_SPACING`].
        every: Duration,
        /// Latest time within its span.
        jitter: Duration,
    },
    /// Independent gaps in milliseconds and payloads in bytes, each from an extreme-value distribution.
    Game {
        /// Gaps; draws below [`Self::LEAST_GAP`] count as that.
        gap: ExtremeValue,
        /// Payloads; a negative draw is an empty one.
        payload: ExtremeValue,
    },
}

/// Largest extreme-value distribution (Gumbel) with location a and scale b: a − b·ln(−ln U), of mean a + 0.5772 b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtremeValue {
    /// Location a.
    pub location: f64,
    /// Scale b; positive.
    pub scale: f64,
}

impl ExtremeValue {
    /// Euler's constant.
    const EULER: f64 = 0.577_215_664_901_532_9;

    /// Value that a share `u` of the draws does not exceed; 0 ≤ u < 1.
    pub fn quantile(self, u: f64) -> f64 {
        self.location - self.scale * libm::log(-libm::log(u))
    }

    /// Mean.
    pub fn mean(self) -> f64 {
        self.location + Self::EULER * self.scale
    }
}

impl Pattern {
    /// Least gap between two datagrams of a game.
    pub const LEAST_GAP: Duration = Duration::from_millis(1);

    /// Bytes of the IPv4 and UDP headers of a datagram.
    pub const HEADERS: u64 = 28;

    /// Traffic of a game from the server: gaps and payloads of IEEE 802.11's report on real-time applications.
    pub const GAME_DOWN: Self = Self::Game {
        gap: ExtremeValue { location: 13.0, scale: 3.7 },
        payload: ExtremeValue { location: 50.0, scale: 11.0 },
    };

    /// Traffic of a game from the player, of the same source.
    pub const GAME_UP: Self = Self::Game {
        gap: ExtremeValue { location: 15.0, scale: 5.7 },
        payload: ExtremeValue { location: 38.0, scale: 3.7 },
    };

    /// Rate while sending; `None` if the pattern gives times.
    pub const fn rate(&self) -> Option<BitRate> {
        match *self {
            Self::Cbr { rate }
            | Self::Poisson { rate }
            | Self::OnOff { rate, .. }
            | Self::Backlog { limit: rate, .. } => Some(rate),
            Self::Periodic { .. } | Self::Game { .. } => None,
        }
    }

    /// Mean rate in bits per second on the wire, of datagrams of `packet` bytes where the pattern draws no sizes;
    /// `None` if it depends on backlogs.
    pub fn mean_rate(&self, packet: Bytes) -> Option<f64> {
        match *self {
            Self::Cbr { rate } | Self::Poisson { rate } => Some(rate.as_bits_per_sec() as f64),
            Self::OnOff { rate, on, off, .. } => Some(rate.as_bits_per_sec() as f64 * on.ratio(on + off)),
            Self::Backlog { .. } => None,
            Self::Periodic { every, .. } => Some(packet.count() as f64 * 8.0 / every.as_secs()),
            Self::Game { gap, payload } => Some((payload.mean() + Self::HEADERS as f64) * 8e3 / gap.mean()),
        }
    }

    /// True if the source draws from the seed.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Cbr { .. } | Self::Backlog { .. } => false,
            Self::Poisson { .. } | Self::Game { .. } => true,
            Self::Periodic { jitter, .. } => *jitter > Duration::ZERO,
            Self::OnOff { on_spread, off_spread, .. } => {
                [on_spread, off_spread].iter().any(|spread| **spread != Spread::Fixed)
            }
        }
    }
}

/// Distribution of a period around its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// Constant.
    Fixed,
    /// Exponential.
    Exponential,
    /// Pareto with this shape, above 1.
    Pareto(f64),
}

impl Spread {
    /// Median of a period of mean 1.
    pub fn usual(self) -> f64 {
        match self {
            Self::Fixed => 1.0,
            Self::Exponential => std::f64::consts::LN_2,
            Self::Pareto(shape) => (shape - 1.0) / shape * libm::exp2(1.0 / shape),
        }
    }
}

/// A client that sends requests to a server, which answers each with a response; a video player and a browser are such
/// clients too.
#[derive(Clone, Debug)]
pub struct RequestsConfig {
    /// Names the application's random streams; different for every application.
    pub key: u64,
    /// Node of the client.
    pub client: NodeId,
    /// Node of the server.
    pub server: NodeId,
    /// Route from the client to the server.
    pub forward: Route,
    /// Route from the server to the client.
    pub backward: Route,
    /// Congestion control law of both ends; not TFRC.
    pub law: LawChoice,
    /// TCP parameters of both ends.
    pub tcp: TcpOptions,
    /// Start of the arrivals.
    pub start: Time,
    /// End of the arrivals; `None`: the end of the run. Requests that have arrived are served to their end.
    pub stop: Option<Time>,
    /// Arrivals of the requests.
    pub arrivals: Arrivals,
    /// Bytes of a request; positive.
    pub request: Bytes,
    /// Bytes of a response, unless the arrivals give them.
    pub response: Size,
    /// Time at the server from the request's last byte to the first byte of the response.
    pub service: Duration,
    /// Use of connections.
    pub connections: ConnectionUse,
    /// Time after which a response is late; `None`: never.
    pub deadline: Option<Duration>,
    /// The path when nothing else uses it, for slowdowns.
    pub ideal: Ideal,
}

impl RequestsConfig {
    /// True if a player or a browser asks, whose demand depends on the network.
    pub fn is_played(&self) -> bool {
        matches!(self.arrivals, Arrivals::Video(_) | Arrivals::Page(_))
    }

    /// True if the application draws from the seed.
    pub fn is_random(&self) -> bool {
        let arrives = match &self.arrivals {
            Arrivals::Video(_) => return false,
            Arrivals::Page(page) => return page.is_reading_random && page.visits > 1,
            Arrivals::Periodic { .. } | Arrivals::Times(_) => false,
            Arrivals::Poisson { .. } => true,
            Arrivals::Closed { spread, .. } => *spread != Spread::Fixed,
        };
        arrives || !matches!(self.response, Size::Fixed(_))
    }
}

/// Arrivals of requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Open loop: the first at the start, then one after every span; positive.
    Periodic {
        /// Time between two requests.
        every: Duration,
    },
    /// Open loop: a Poisson process.
    Poisson {
        /// Mean time between two requests; positive.
        mean: Duration,
    },
    /// Closed loop: each user thinks, sends a request and waits for the response.
    Closed {
        /// Number of users, positive and below 2^24.
        users: u32,
        /// Mean time of thinking.
        think: Duration,
        /// Its distribution.
        spread: Spread,
    },
    /// Open loop: times in order, counted from the start, each with the bytes of the response if they are given.
    Times(Arc<[(Duration, Option<Bytes>)]>),
    /// A video player, one chunk after the other; responses have the sizes of the chunks.
    Video(Arc<VideoConfig>),
    /// A browser, which asks for the objects of a page as it discovers them.
    Page(Arc<PageConfig>),
}

/// Use of connections by requests. A connection carries one request at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionUse {
    /// A new connection for each request; the server closes it after the response.
    New,
    /// Connections stay open. A request takes the one that was used last among the idle ones, or a new one. Requests
    /// wait while `most` connections are in use.
    Kept {
        /// Largest number of connections; positive.
        most: u32,
    },
}

/// A path without other traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ideal {
    /// Rate of the slowest link on the way of the response; zero if it is not known.
    pub rate: BitRate,
    /// Propagation delay of both ways.
    pub rtt: Duration,
}

impl Ideal {
    /// Time of a response of `size` bytes in segments of `tcp`: a round trip, and its transmission with headers.
    pub fn time(&self, size: u64, tcp: &TcpOptions) -> f64 {
        let bits = Self::wire_bytes(size, tcp) as f64 * 8.0;
        let rate = self.rate.as_bits_per_sec();
        self.rtt.as_secs() + if rate > 0 { bits / rate as f64 } else { f64::NAN }
    }

    /// Bytes of a response of `size` bytes with the headers of its segments.
    pub fn wire_bytes(size: u64, tcp: &TcpOptions) -> u64 {
        size + size.div_ceil(tcp.segment.count()) * tcp.header_bytes()
    }
}
