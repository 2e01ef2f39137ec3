//! The fields of a scenario file: the single definition from which the reader, the JSON Schema and the reference page
//! follow. A doc comment here is the text that users read.

#[macro_use]
mod macros;

#[macro_use]
mod link;

mod amounts;
mod app;
mod application;
mod cake;
pub(crate) mod cell;
mod change;
mod coding;
mod connections;
mod dscp;
mod flow;
mod law;
mod leo;
pub(crate) mod named;
mod numbers;
mod queue;
pub(crate) mod ran;
mod recording;
pub(crate) mod region;
mod small_queues;
mod source;
mod starts;
pub(crate) mod wifi;
mod written;

pub(crate) use amounts::{Buffer, DelayedAck, KnownBaseRtt, ReceiveWindow, Threshold};
pub(crate) use app::*;
pub(crate) use application::{Autotuning, Read, ReceiveBuffer, SendBuffer, Write};
pub(crate) use change::{Change, Drop, Step, Values};
pub(crate) use coding::Coding;
pub(crate) use connections::Connections;
pub(crate) use dscp::Dscp;
pub(crate) use flow::{Flow, LawOf, LossDetection, Stack, Tcp, Transport};
pub(crate) use law::Law;
pub(crate) use leo::Leo;
pub(crate) use link::{Hold, Jitter, Link, Loss, LossModel, Reorder, Uniform as UniformJitter};
pub(crate) use named::Named;
pub(crate) use numbers::{
    Count, Degrees, Hops, InitialWindow, MAX_COUNT, Name, Number, PerSecond, Probability, RlcWindow, Seeds, Shape,
};
pub(crate) use queue::Queue;
pub(crate) use ran::AnyCell;
pub(crate) use recording::{Delay, Rate, Recording};
pub(crate) use region::Region;
pub(crate) use small_queues::SmallQueues;
pub(crate) use source::{Background, Pattern, Spread};
pub(crate) use starts::Starts;
pub(crate) use wifi::Wifi;
pub(crate) use written::{Positive, Refusal, Written, zero};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::Duration;

/// A scenario: a network, the traffic over it, and the duration of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(title = "Windward scenario")]
pub(crate) struct File {
    /// Short name of the scenario, also of its results folder.
    pub name: Name,
    /// Title in one line: the question that the scenario asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Citation keys of the papers that the scenario comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cite: Vec<String>,
    /// Simulated time.
    pub duration: Positive<Duration>,
    /// Start of the period that totals and means cover; shorter than `duration`.
    #[serde(default = "zero")]
    pub warmup: Written<Duration>,
    /// Number of seeds (5 means 1, 2, 3, 4, 5), or a list of them.
    #[serde(default)]
    pub seeds: Seeds,
    /// TCP stack of all flows and applications that do not name another one: "linux", as computers have it, or "rfc",
    /// the RFCs as in the papers' simulators.
    #[serde(default)]
    pub stack: Stack,
    /// Recorded output.
    #[serde(default)]
    pub output: Output,
    /// Nodes: the named ends of links, without properties of their own.
    #[serde(default)]
    pub node: Vec<Node>,
    /// Links between nodes.
    #[serde(default)]
    pub link: Vec<Link>,
    /// Cells: access points and the stations that share their carriers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cell: Vec<AnyCell>,
    /// Wireless networks: stations that share one channel, over any number of hops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wifi: Vec<Wifi>,
    /// Capacity regions: the rates that links without a `rate` can have together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub region: Vec<Region>,
    /// Changes of links and stations during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<Change>,
    /// TCP flows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flow: Vec<Flow>,
    /// Applications: requests, pages, videos, calls, games and pings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub app: Vec<App>,
    /// UDP sources that do not respond to congestion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<Background>,
}

/// Recorded output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Output {
    /// Sampling interval of the series. Default: `duration`/600, rounded up to 1, 2 or 5 times a power of ten;
    /// longer if the series would exceed 10 million rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_interval: Option<Positive<Duration>>,
    /// Also samples the laws' internal state (ssthresh, phases, …).
    #[serde(default)]
    pub internals: bool,
    /// Period in which the frames of wireless networks, and the transport blocks of LTE and NR cells, are recorded too.
    /// Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub air: Option<AirSpan>,
    /// Windows of time for which `simulate` gives figures of their own, in `flow_windows` and `link_windows`. Default:
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
}

/// A window of time with figures of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table, such as { name = \"end\", from = \"30 s\", to = \"40 s\" }")]
pub(crate) struct Window {
    /// Name of the window.
    pub name: Name,
    /// Its beginning: not before the end of the warm-up.
    pub from: Written<Duration>,
    /// Its end: not after the end of the run.
    pub to: Written<Duration>,
}

/// Period of a run whose frames and transport blocks are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table, such as { from = \"10 s\", length = \"20 ms\" }")]
pub(crate) struct AirSpan {
    /// Start of the period.
    pub from: Written<Duration>,
    /// Length of the period.
    pub length: Positive<Duration>,
}

/// A node, or a group of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Node {
    /// Name of the node or of the group.
    pub name: Name,
    /// Makes a group of this many nodes, NAME-1, NAME-2, …; NAME then means the whole group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
}

/// Lists of a network without flows and without an end.
pub(crate) struct Lists {
    pub node: Vec<Node>,
    pub link: Vec<Link>,
    pub cell: Vec<AnyCell>,
    pub wifi: Vec<Wifi>,
    pub change: Vec<Change>,
    pub background: Vec<Background>,
}
