//! How routes across a wireless network are found.

use super::mac::Mode;
use crate::format::{Count, Hops, Positive, Threshold, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windward_sim as sim;
use windward_sim::wifi;
use windward_units::{Bytes, Duration};

tagged! {
    /// How routes across the network are found, unless a flow names its own by `via`.
    Routing by "kind", "a table with a `kind`" {
        /// Fixed: fewest hops; ties go by name, in natural order (N-2 before N-10), from the receiver back.
        "shortest" Shortest {}
        /// Destination-sequenced distance vectors: stations tell each other over the air what they know.
        ///
        /// `optimum` and `fluid` take the shortest routes.
        "dsdv" DistanceVectors {
            /// Everything is told once in this time, or up to a quarter sooner.
            #[serde(default = "period")]
            period: Positive<Duration>,
            /// How long routes are taken to settle before it is known.
            #[serde(default = "settling")]
            settling: Written<Duration>,
            /// Least distance of updates that tell changes.
            #[serde(default = "spacing")]
            spacing: Written<Duration>,
            /// A neighbour that was not heard for this many periods is gone.
            #[serde(default = "three_times")]
            missed: Count,
            /// Whether a packet that the MAC gave up breaks its link; under load that breaks links that are sound.
            #[serde(default)]
            link_layer: bool,
        }
        /// Ad hoc on-demand distance vectors (RFC 3561): a station that has no route asks for one when it needs it.
        ///
        /// `optimum` and `fluid` take the shortest routes.
        "aodv" OnDemand {
            /// Whose constants they are: RFC 3561's or ns-2.35's. Default: as the network's `mode`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            mode: Option<Mode>,
            /// How long a route lives after its last use. Default: 3 s, ns-2 10 s.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            active_route: Option<Positive<Duration>>,
            /// Reach of the first request, in hops. Default: 1, ns-2 5.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            ttl_start: Option<Hops>,
            /// Most hops across the network. Default: 35, ns-2 30.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            net_diameter: Option<Hops>,
            /// Distance of hello messages. Default: none is sent.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            hello: Option<Positive<Duration>>,
            /// Whether a packet that the MAC gave up breaks its link.
            #[serde(default = "yes")]
            link_layer: bool,
            /// Whether a station in the middle of a broken route seeks another one itself.
            #[serde(default = "yes")]
            local_repair: bool,
            /// Whether stations with a fresh route answer for the destination.
            #[serde(default = "yes")]
            intermediate_replies: bool,
            /// Messages for all wait for a random time up to this.
            #[serde(default = "ten_milliseconds")]
            jitter: Written<Duration>,
        }
        /// None: stations forward by backlog (seferoglu2014). When the MAC lets one send, it sends a packet of that flow, to that
        /// neighbour, for which (max{`k`, own backlog} − the neighbour's backlog)·rate·(1 − share of failures) is largest, if positive.
        ///
        /// Buffers are in packets. `optimum` and `fluid` take the shortest routes.
        "backpressure" Backpressure {
            /// A queue shorter than this counts as so long, which keeps TCP alive: "shared" is a station's buffer over the flows that
            /// cross it, 0 classical backpressure.
            #[serde(default = "shared")]
            k: Threshold,
            /// Where a flow may go.
            #[serde(default)]
            links: AllowedLinks,
            /// A station that has told its backlogs to nobody for so long broadcasts them.
            #[serde(default = "report")]
            report: Positive<Duration>,
            /// Bytes that a frame takes to tell the backlog of one flow.
            #[serde(default = "report_entry")]
            report_entry: Written<Bytes>,
            /// The share of failures is that of the last one to two of these spans.
            #[serde(default = "memory")]
            memory: Positive<Duration>,
            /// What can fail.
            #[serde(default)]
            failures: Failures,
            /// How ACKs go.
            #[serde(default)]
            acks: Acks,
            /// A rule of your own in place of this one: a Python class with a method `rank`, as FILE:CLASS, the file relative to the
            /// scenario's folder, or MODULE:CLASS.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            class: Option<String>,
            /// Arguments of its constructor.
            #[serde(default, skip_serializing_if = "Map::is_empty")]
            arguments: Map<String, Value>,
        }
    }
}

/// Where a flow that is forwarded by backlog may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "\"loop-free\", \"downstream\", \"not-farther\" or \"all\"")]
pub(crate) enum AllowedLinks {
    /// Links of loop-free directed paths: a link in the direction of the current from source to destination, were every link a
    /// resistor of one ohm.
    #[default]
    LoopFree,
    /// Links that lead a hop closer to the destination.
    Downstream,
    /// Links that lead no farther from it.
    NotFarther,
    /// All.
    All,
}

impl AllowedLinks {
    pub fn of_sim(self) -> sim::backlog::Links {
        match self {
            Self::LoopFree => sim::backlog::Links::LoopFree,
            Self::Downstream => sim::backlog::Links::Downstream,
            Self::NotFarther => sim::backlog::Links::NotFarther,
            Self::All => sim::backlog::Links::All,
        }
    }
}

/// What the share of failures is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"packets\" or \"attempts\"")]
pub(crate) enum Failures {
    /// Packets: one fails when the MAC gives it up.
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

/// How ACKs go where data is forwarded by backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"shortest\" or \"backlog\"")]
pub(crate) enum Acks {
    /// The way of fewest hops, before all data.
    #[default]
    Shortest,
    /// By backlog, those of each flow as a flow of their own.
    Backlog,
}

impl Acks {
    pub fn of_sim(self) -> wifi::Acks {
        match self {
            Self::Shortest => wifi::Acks::Shortest,
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
    Threshold(sim::backlog::Threshold::Shared)
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
