//! Background traffic: sources that do not respond to congestion.

use super::{Count, Dscp, Name, Number, Positive, Shape, Starts, Written, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::{self as sim, Codepoint};
use windward_units::{BitRate, Bytes, Duration};

/// A UDP source that does not respond to congestion. Groups work as for flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Background {
    /// Name of the source; several are NAME-1, NAME-2, …. Default: `FROM->TO`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Node or group that sends.
    pub from: Name,
    /// Node or group that receives.
    pub to: Name,
    /// Nodes between `from` and `to`, in order. Default: the shortest path, as for flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Vec<Name>>,
    /// Number of sources between two single nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Sending times of the datagrams.
    pub pattern: Pattern,
    /// Size of a datagram on the wire, headers included: 28 B (IPv4 and UDP headers) to 65 535 B.
    #[serde(default = "packet")]
    pub packet: Written<Bytes>,
    /// Code point of the datagrams, which decides their access category on 802.11n, ac and ax: a number, or a name such
    /// as `"EF"`. Default: best effort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dscp: Option<Dscp>,
    /// Time at which the source starts. A list has a time for each source: between two single nodes it makes as many.
    #[serde(default)]
    pub start: Starts,
    /// Delay between the starts of consecutive sources of a group.
    #[serde(default = "zero")]
    pub start_step: Written<Duration>,
    /// Time at which the source stops, after the last start. Default: the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Written<Duration>>,
    /// ECN field of the datagrams, which allows queues to mark them: none, ECT(0) as classic flows, or ECT(1) as
    /// scalable flows. The source does not respond to marks.
    #[serde(default)]
    pub ecn: DatagramEcn,
}

/// ECN field of datagrams (RFC 3168, RFC 9331).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"off\", \"classic\" or \"scalable\"")]
pub(crate) enum DatagramEcn {
    /// Not-ECT: queues drop the datagrams instead of marking them.
    #[default]
    Off,
    /// ECT(0).
    Classic,
    /// ECT(1).
    Scalable,
}

impl From<DatagramEcn> for Codepoint {
    fn from(ecn: DatagramEcn) -> Self {
        match ecn {
            DatagramEcn::Off => Self::NotCapable,
            DatagramEcn::Classic => Self::Capable,
            DatagramEcn::Scalable => Self::Scalable,
        }
    }
}

fn fifty() -> Number {
    Number(50.0)
}

fn twenty_ms() -> Positive<Duration> {
    Positive(Duration::from_millis(20))
}

/// 212 992 B (`net.core.wmem_default`) of 2304 B each, the memory of a datagram of 1500 B.
fn send_buffer() -> Count {
    Count(92)
}

fn packet() -> Written<Bytes> {
    Written(Bytes::new(1500))
}

/// A queue length of 4 B behind the headers of IPv4 and UDP.
fn message() -> Written<Bytes> {
    Written(Bytes::new(32))
}

tagged! {
    /// Sending times of datagrams. Rates are on the wire, headers included.
    Pattern by "kind", "a table with a `kind`, such as { kind = \"cbr\", rate = \"1 Mbit/s\" }" {
        /// Constant bit rate: evenly spaced datagrams.
        "cbr" Cbr {
            /// Rate.
            rate: Positive<BitRate>,
        }
        /// Poisson process: independent exponential gaps.
        "poisson" Poisson {
            /// Mean rate.
            rate: Positive<BitRate>,
        }
        /// Alternating on and off periods, starting with off.
        "on-off" OnOff {
            /// Rate while on.
            rate: Positive<BitRate>,
            /// Mean length of an on period.
            on: Positive<Duration>,
            /// Mean length of an off period.
            off: Positive<Duration>,
            /// Distribution of the on periods.
            #[serde(default = "exponential")]
            on_spread: Spread,
            /// Distribution of the off periods.
            #[serde(default = "exponential")]
            off_spread: Spread,
        }
        /// Pulses of fixed length with exponential gaps, starting with a gap.
        "pulses" Pulses {
            /// Rate within a pulse.
            rate: Positive<BitRate>,
            /// Length of a pulse.
            length: Positive<Duration>,
            /// Mean time between the starts of consecutive pulses; longer than `length`.
            every: Positive<Duration>,
        }
        /// One datagram in every span, at its start or, with `jitter`, at a random time after it.
        "periodic" Periodic {
            /// Length of a span.
            every: Positive<Duration>,
            /// Latest time within the span, at most `every`; the time is uniform from zero.
            #[serde(default = "zero")]
            jitter: Written<Duration>,
        }
        /// As fast as the first hop takes datagrams.
        ///
        /// `backlog` of them wait there, and each that it has acknowledged, given up, dropped or sent is followed by
        /// another. As a UDP sender without a rate (`iperf3 -u -b 0`), or Bianchi's saturated station. Not for LTE and
        /// NR, or stations that find routes themselves.
        "saturated" Saturated {
            /// Datagrams at the first hop, at most its buffer. Default: as many of 1500 B as Linux's default
            /// `SO_SNDBUF` allows.
            #[serde(default = "send_buffer")]
            backlog: Count,
        }
        /// Sending by the backlog U of the source's station, which forwards by backlog (seferoglu2014 (5)).
        ///
        /// In each slot the source sends `m`/(U + μ) datagrams. μ ≥ 0 keeps all such sources of a station within
        /// `limit`.
        "backlog" BacklogPattern {
            /// M: rates and backlogs grow with it.
            #[serde(default = "fifty")]
            m: Number,
            /// Length of a slot.
            #[serde(default = "twenty_ms")]
            slot: Positive<Duration>,
            /// Maximum rate of the station; above its capacity.
            limit: Positive<BitRate>,
        }
        /// Source-rate control by message passing (huang2020 §II-A, wang2013 §II-C).
        ///
        /// The rate is `weight`/ΣQ, with the queue lengths Q along the route. In each slot the last node of the route
        /// tells the node before it the length of its queue. That one adds its own and tells the next, up to the
        /// source. Messages are datagrams of the sources NAME-messages-1, from the first node behind the source,
        /// NAME-messages-2 and so on. Not over stations that find routes themselves.
        "message-passing" MessagePassing {
            /// V·p of the utility p·log x, in packets² per second: rates and queues grow with it.
            weight: Number,
            /// Time between updates of the rate, and between messages.
            #[serde(default = "twenty_ms")]
            slot: Positive<Duration>,
            /// Maximum rate, that of an empty route.
            limit: Positive<BitRate>,
            /// Size of a message on the wire, headers included.
            #[serde(default = "message")]
            message: Written<Bytes>,
        }
    }
}

/// Distribution of a period around its mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"fixed\", \"exponential\" or { pareto = SHAPE }")]
pub(crate) enum Spread {
    /// Constant.
    Fixed,
    /// Exponential.
    Exponential,
    /// Pareto with this shape, above 1 so that the mean is finite.
    Pareto(Shape),
}

impl From<Spread> for sim::Spread {
    fn from(spread: Spread) -> Self {
        match spread {
            Spread::Fixed => Self::Fixed,
            Spread::Exponential => Self::Exponential,
            Spread::Pareto(shape) => Self::Pareto(shape.0),
        }
    }
}

fn exponential() -> Spread {
    Spread::Exponential
}
