//! Routing across a wireless network.

use super::mac::Mode;
use crate::format::{Count, Hops, Positive, Threshold, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windward_sim as sim;
use windward_sim::wifi;
use windward_units::{Bytes, Duration};

tagged! {
    /// Routing across the network; a flow's `via` takes precedence.
    Routing by "kind", "a table with a `kind`" {
        /// Fixed routes with the fewest hops. Ties are broken by name, in natural order (N-2 before N-10), from the
        /// receiver back.
        "shortest" Shortest {}
        /// Destination-sequenced distance vectors (DSDV): stations exchange their routing tables over the air.
        ///
        /// `optimum` and `fluid` use the shortest routes.
        "dsdv" DistanceVectors {
            /// Period of full updates; each comes up to a quarter of it sooner.
            #[serde(default = "period")]
            period: Positive<Duration>,
            /// Settling time of a route before it is advertised.
            #[serde(default = "settling")]
            settling: Written<Duration>,
            /// Minimum interval between triggered updates.
            #[serde(default = "spacing")]
            spacing: Written<Duration>,
            /// Number of periods without an update after which a neighbour is removed.
            #[serde(default = "three_times")]
            missed: Count,
            /// Treats a packet dropped by the MAC as a broken link. Under load that breaks intact links.
            #[serde(default)]
            link_layer: bool,
        }
        /// Ad hoc on-demand distance vectors (AODV, RFC 3561): a station without a route requests one when it needs it.
        ///
        /// `optimum` and `fluid` use the shortest routes.
        "aodv" OnDemand {
            /// Constants: RFC 3561's or ns-2.35's. Default: as the network's `mode`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            mode: Option<Mode>,
            /// Lifetime of a route after its last use. Default: 3 s, ns-2 10 s.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            active_route: Option<Positive<Duration>>,
            /// Time to live of the first request, in hops. Default: 1, ns-2 5.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            ttl_start: Option<Hops>,
            /// Maximum number of hops across the network. Default: 35, ns-2 30.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            net_diameter: Option<Hops>,
            /// Interval of hello messages. Default: none are sent.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            hello: Option<Positive<Duration>>,
            /// Treats a packet dropped by the MAC as a broken link.
            #[serde(default = "yes")]
            link_layer: bool,
            /// Lets a station in the middle of a broken route search for a new one.
            #[serde(default = "yes")]
            local_repair: bool,
            /// Lets stations with a fresh route answer for the destination.
            #[serde(default = "yes")]
            intermediate_replies: bool,
            /// Maximum random delay of broadcasts.
            #[serde(default = "ten_milliseconds")]
            jitter: Written<Duration>,
        }
        /// Backpressure: stations forward by backlog, without routes (seferoglu2014). When the MAC lets a station send,
        /// it chooses flow and neighbour with the largest (max{`k`, own backlog} − the neighbour's backlog)·rate·(1 −
        /// failure share), if positive.
        ///
        /// Buffers are in packets. `optimum` and `fluid` use the shortest routes.
        "backpressure" Backpressure {
            /// Threshold K: a shorter queue counts as this long, which keeps TCP from starving. "shared" is a station's
            /// buffer divided by the number of flows through it. "recent" counts a flow in proportion to its recent
            /// traffic if it has less than a tenth of the busiest flow's, so that nearly silent flows do not lower K; 0
            /// is classical backpressure.
            #[serde(default = "shared")]
            k: Threshold,
            /// Links that a flow may use.
            #[serde(default)]
            links: AllowedLinks,
            /// Time after which a station that has not sent its backlogs broadcasts them.
            #[serde(default = "report")]
            report: Positive<Duration>,
            /// Bytes of a frame that carry the backlog of one flow.
            #[serde(default = "report_entry")]
            report_entry: Written<Bytes>,
            /// Averaging time of the failure share, which covers the last one to two of these periods.
            #[serde(default = "memory")]
            memory: Positive<Duration>,
            /// Unit of the failure share.
            #[serde(default)]
            failures: Failures,
            /// Routing of ACKs. "fifo" takes the path of fewest hops and "loss" that of fewest expected attempts, both
            /// in order of arrival with data; "shortest" takes the path of fewest hops before all data; "backlog"
            /// forwards by backlog.
            #[serde(default)]
            acks: Acks,
            /// A rule of your own that replaces this one: a Python class with a method `rank`, as FILE:CLASS, the file
            /// relative to the scenario's folder, or MODULE:CLASS.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            class: Option<String>,
            /// Arguments of its constructor.
            #[serde(default, skip_serializing_if = "Map::is_empty")]
            arguments: Map<String, Value>,
        }
    }
}

/// Links that a flow forwarded by backlog may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "\"loop-free\", \"downstream\", \"not-farther\" or \"all\"")]
pub(crate) enum AllowedLinks {
    /// Links of loop-free directed paths: those in the direction of the current from source to destination if every
    /// link were a resistor of one ohm.
    #[default]
    LoopFree,
    /// Links that lead one hop closer to the destination.
    Downstream,
    /// Links that lead no farther from the destination.
    NotFarther,
    /// All links.
    All,
}

impl AllowedLinks {
    pub fn of_sim(self) -> sim::backpressure::Links {
        match self {
            Self::LoopFree => sim::backpressure::Links::LoopFree,
            Self::Downstream => sim::backpressure::Links::Downstream,
            Self::NotFarther => sim::backpressure::Links::NotFarther,
            Self::All => sim::backpressure::Links::All,
        }
    }
}

/// Unit of the failure share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"packets\" or \"attempts\"")]
pub(crate) enum Failures {
    /// Packets: one fails when the MAC drops it.
    #[default]
    Packets,
    /// The MAC's attempts, collisions included.
    Attempts,
}

impl Failures {
    pub fn of_sim(self) -> wifi::Failures {
        match self {
            Self::Packets => wifi::Failures::Packets,
            Self::Attempts => wifi::Failures::Attempts,
        }
    }
}

/// Routing of ACKs where data is forwarded by backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"fifo\", \"loss\", \"shortest\" or \"backlog\"")]
pub(crate) enum Acks {
    /// The path of fewest hops, with priority over all data. An ACK that the MAC drops is lost.
    Shortest,
    /// The path of fewest hops, in order of arrival with the data. A station keeps an ACK that the MAC drops, as it
    /// keeps data.
    #[default]
    Fifo,
    /// As "fifo", on the path of fewest expected attempts by the losses of the links at the start (ETX).
    Loss,
    /// By backlog, with the ACKs of each flow as a flow of their own.
    Backlog,
}

impl Acks {
    pub fn of_sim(self) -> wifi::Acks {
        match self {
            Self::Shortest => wifi::Acks::Shortest,
            Self::Fifo => wifi::Acks::Fifo,
            Self::Loss => wifi::Acks::Loss,
            Self::Backlog => wifi::Acks::Backlog,
        }
    }
}

fn period() -> Positive<Duration> {
    Positive(wifi::DsdvConfig::default().period)
}

fn settling() -> Written<Duration> {
    Written(wifi::DsdvConfig::default().settling)
}

fn spacing() -> Written<Duration> {
    Written(wifi::DsdvConfig::default().spacing)
}

fn yes() -> bool {
    true
}

fn ten_milliseconds() -> Written<Duration> {
    Written(Duration::from_millis(10))
}

fn three_times() -> Count {
    Count(wifi::DsdvConfig::default().missed)
}

fn shared() -> Threshold {
    Threshold(sim::backpressure::Threshold::Shared)
}

fn report() -> Positive<Duration> {
    Positive(wifi::BackpressureConfig::default().report)
}

fn report_entry() -> Written<Bytes> {
    Written(Bytes::new(u64::from(wifi::BackpressureConfig::default().entry)))
}

fn memory() -> Positive<Duration> {
    Positive(wifi::BackpressureConfig::default().memory)
}
