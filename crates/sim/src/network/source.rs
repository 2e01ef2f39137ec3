//! Sources of datagrams and their sending patterns.

use crate::topology::Route;
use windward_elements::ecn::Codepoint;
use windward_elements::packet::NodeId;
use windward_traffic::emodel::CallConfig;
use windward_traffic::rtp::RtpConfig;
use windward_units::{BitRate, Bytes, Duration, Time};

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
    /// Route of the sink's replies, of the same size, whose arrival ends a round trip, or of its reports on a video;
    /// `None`: the sink does not reply, and the delay is that of one way.
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

    /// Mean rates in bits per second on the wire on the way there and back; zero if they depend on backlogs or the
    /// first hop.
    pub fn mean_rates(&self) -> [f64; 2] {
        let there = self.pattern.mean_rate(self.packet).unwrap_or(0.0);
        let back = match (&self.reply, &self.pattern) {
            (None, _) => 0.0,
            (Some(_), Pattern::Rtp(video)) => video.report_rate(),
            (Some(_), _) => there,
        };
        [there, back]
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
    /// Controlled by the queue lengths Q along the route: `weight`/ΣQ datagrams a second, the source-rate controller of
    /// the dual problem (huang2020 §II-A, wang2013 §II-C). The queue of the first hop is its own; those behind it are
    /// known from the sources of [`Self::Lengths`] that follow in the list.
    MessagePassing {
        /// V·p, in packets² per second; positive.
        weight: f64,
        /// Length of a slot; positive.
        slot: Duration,
        /// Highest rate on the wire; positive.
        limit: BitRate,
    },
    /// Messages from a node of such a route to the node before it. Each carries the queue length at `port` and the sum
    /// that the message before has brought.
    Lengths {
        /// Port of the route at the sending node.
        port: u32,
        /// Time between messages; positive. `None`: a message follows each that arrives.
        every: Option<Duration>,
    },
    /// As fast as the first hop takes datagrams: the source keeps `backlog` of them there, and sends the next one when
    /// the first hop is done with one of its own: acknowledged, given up or dropped it; a link, sent it.
    Saturated {
        /// Number of datagrams; positive.
        backlog: u32,
    },
    /// One datagram in every span, after a uniform share of `jitter`, which is at most the span.
    Periodic {
        /// Length of a span; at least [`LEAST_SPACING`].
        every: Duration,
        /// Latest time within its span.
        jitter: Duration,
    },
    /// Probes of a transfer, with independent exponential gaps; the transfer sets their rate to that of its segments.
    Probes,
    /// Frames of a video, whose bit rate a law decides by the reports of the sink, which take the route of replies.
    Rtp(RtpConfig),
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

    /// Time after which a saturated source tries again whose datagrams find no room, while none of its own waits.
    pub const RETRY: Duration = Duration::from_millis(1);

    /// Time after which probes look again whether their transfer sends.
    pub const IDLE: Duration = Duration::from_millis(100);

    /// Longest time after which a probing source looks again at the rate of its transfer.
    pub const LOOK: Duration = Duration::from_millis(1000);

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

    /// Rate while sending; `None` if the pattern gives times, or the first hop decides.
    pub const fn rate(&self) -> Option<BitRate> {
        match *self {
            Self::Cbr { rate }
            | Self::Poisson { rate }
            | Self::OnOff { rate, .. }
            | Self::Backlog { limit: rate, .. }
            | Self::MessagePassing { limit: rate, .. } => Some(rate),
            Self::Saturated { .. }
            | Self::Lengths { .. }
            | Self::Periodic { .. }
            | Self::Game { .. }
            | Self::Probes
            | Self::Rtp(_) => None,
        }
    }

    /// Mean rate in bits per second on the wire, of datagrams of `packet` bytes where the pattern draws no sizes;
    /// `None` if it depends on backlogs or the first hop. A video has the least rate of its law.
    pub fn mean_rate(&self, packet: Bytes) -> Option<f64> {
        match *self {
            Self::Cbr { rate } | Self::Poisson { rate } => Some(rate.as_bits_per_sec() as f64),
            Self::OnOff { rate, on, off, .. } => Some(rate.as_bits_per_sec() as f64 * on.ratio(on + off)),
            Self::Backlog { .. }
            | Self::MessagePassing { .. }
            | Self::Lengths { .. }
            | Self::Saturated { .. }
            | Self::Probes => None,
            Self::Periodic { every, .. } => Some(packet.count() as f64 * 8.0 / every.as_secs()),
            Self::Rtp(media) => Some(media.least_rate()),
            Self::Game { gap, payload } => Some((payload.mean() + Self::HEADERS as f64) * 8e3 / gap.mean()),
        }
    }

    /// True if the source draws from the seed.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Cbr { .. }
            | Self::Backlog { .. }
            | Self::MessagePassing { .. }
            | Self::Lengths { .. }
            | Self::Saturated { .. } => false,
            Self::Poisson { .. } | Self::Game { .. } | Self::Probes => true,
            Self::Periodic { jitter, .. } => *jitter > Duration::ZERO,
            Self::Rtp(media) => media.spread > 0.0,
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
