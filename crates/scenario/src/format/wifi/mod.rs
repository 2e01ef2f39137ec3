//! Wireless networks: stations, their positions and radios, reception ranges, and channel access.

mod access;
mod aggregation;
mod mac;
mod reach;
mod routing;
mod station;

pub(crate) use access::{Access, Dcf, MaxWeight, Rounding, eight, one};
pub(crate) use aggregation::{
    AfterLoss, Ampdu, BlockAck, Edca, FixedRate, Hardware, MinstrelHt, Profile, RateControl, TransmitQueue,
    TransmitQueues,
};
pub(crate) use mac::{Mode, Standard, Timing};
pub(crate) use reach::{LogDistance, Noise, PathLoss, Reach, TwoRayGround};
pub(crate) use routing::{Backpressure, DistanceVectors, OnDemand, Routing, Shortest};
pub(crate) use station::{Layout, Motion, RandomWaypoint, Station, Waypoint, Waypoints};

use super::Queue;
use super::named::Named;
use super::{Buffer, Count, Name, Number, Positive, Probability, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::wifi;
use windward_units::{BitRate, Bytes, Duration, Frequency};

/// A wireless network of 802.11: stations with one transceiver each, all on one channel. It creates a one-way link,
/// named `FROM->TO`, from every station to every other one that can receive its frames; links may join its nodes to
/// others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Wifi {
    /// Name of the network.
    pub name: Name,
    /// Physical layer.
    #[serde(default)]
    pub standard: Standard,
    /// MAC behaviour; `"ns2"` adopts the deviations of ns-2.35, its frame sizes and its RTS threshold of 0 bytes.
    #[serde(default)]
    pub mode: Mode,
    /// Rate of data frames. Default: the fastest of the standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_rate: Option<Positive<BitRate>>,
    /// Rate of RTS, CTS, ACK and broadcasts. Default: the slowest of the standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_rate: Option<Positive<BitRate>>,
    /// Size above which data frames are preceded by RTS and CTS, MAC header included. Default: no limit, so none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rts_threshold: Option<Written<Bytes>>,
    /// Maximum attempts of a frame up to the RTS threshold, and of an RTS.
    #[serde(default = "seven")]
    pub short_retries: Count,
    /// Maximum attempts of a data frame above the RTS threshold, for 802.11a, b and g. Default: 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_retries: Option<Count>,
    /// Interface queue of every station, in packets or bytes, not counting the packet being sent; with 802.11n, ac and
    /// ax for `txq = { queue = "fifo" }`. Default: 1000 packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// Discipline of every station's interface queue: its name, or a table of name and parameters. Default: drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
    /// Channel access of the stations.
    #[serde(default = "dcf")]
    pub access: Named<Access>,
    /// Routing across the network.
    #[serde(default = "shortest")]
    pub routing: Named<Routing>,
    /// Timings that differ from the standard's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// Reception and carrier-sense ranges.
    #[serde(default)]
    pub reach: Reach,
    /// Noise and fading, at every station that a frame reaches. Default: every frame in range that does not collide is
    /// received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// Weight of the schedule's entropy in the objective of `optimum` and `fluid`, in units of the flows' utility:
    /// packets for window-based laws. 0 is the best schedule. Default: 1/`scale` with access by queueing delay or ideal
    /// access, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<Number>,
    /// Band of the channel, for 802.11n and ax: `"2.4 GHz"`, `"5 GHz"`, with 802.11ax also `"6 GHz"`. Default: 5 GHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<Positive<Frequency>>,
    /// Width of the channel, for 802.11n, ac and ax: 20, 40, 80 or 160 MHz. Default: 20 MHz in 802.11n, else 80 MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Positive<Frequency>>,
    /// Spatial streams at most, for 802.11n, ac and ax: 1 to 4. Default: 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<Count>,
    /// Guard interval between symbols, for 802.11n and ac 400 or 800 ns, for 802.11ax 800, 1600 or 3200 ns. Default:
    /// the shortest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard_interval: Option<Positive<Duration>>,
    /// Implementation whose limits, queues and rate control are the defaults, for 802.11n, ac and ax. Explicit
    /// keys override it. Default: the limits of the standard behind Linux's queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Choice of the rate of data, for 802.11n, ac and ax. Default: "ideal"; "minstrel-ht" with `profile =
    /// "linux-ath9k"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_control: Option<Named<RateControl>>,
    /// Limits of A-MPDUs, for 802.11n, ac and ax. Default: those of the standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ampdu: Option<Ampdu>,
    /// Most bytes of an A-MSDU, an MPDU of several packets, for 802.11n, ac and ax: up to 7935 bytes in 802.11n, 4065
    /// with A-MPDUs; 11 424 in 802.11ac and ax, 7935 at 2.4 GHz. Default: 0 bytes, so that each packet is an MPDU of
    /// its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amsdu: Option<Written<Bytes>>,
    /// BlockAck sessions, for 802.11n, ac and ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_ack: Option<BlockAck>,
    /// Queues above the MAC of every station, for 802.11n, ac and ax. Default: those of Linux's mac80211.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub txq: Option<TransmitQueues>,
    /// Contention parameters of all stations, for 802.11n, ac and ax. Default: as stations and access points have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edca: Option<Edca>,
    /// Station that is the access point, for 802.11n, ac and ax: all links begin or end at it. Default: none, so that
    /// every pair of stations in reach has links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_point: Option<Name>,
    /// The stations.
    pub station: Vec<Station>,
    /// Losses of single links in addition to those of the channel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loss: Vec<LinkLoss>,
}

/// Losses of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct LinkLoss {
    /// Sender.
    pub from: Name,
    /// Receiver.
    pub to: Name,
    /// Loss probability. Broadcasts, which have no ACK and one attempt, are lost with it for every value of `of`.
    pub probability: Probability,
    /// Unit to which the probability applies.
    #[serde(default)]
    pub of: LossOf,
}

/// Unit to which the loss probability of a link applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"attempts\", \"packets\" or \"deliveries\"")]
pub(crate) enum LossOf {
    /// Each attempt of a data frame.
    #[default]
    Attempts,
    /// A packet: all its attempts fail, and the MAC drops it after the last.
    Packets,
    /// A packet that was received and acknowledged: it is lost above the MAC, and its sender counts it as delivered.
    Deliveries,
}

impl LossOf {
    pub fn of_sim(self) -> wifi::LossOf {
        match self {
            Self::Attempts => wifi::LossOf::Attempts,
            Self::Packets => wifi::LossOf::Packets,
            Self::Deliveries => wifi::LossOf::Deliveries,
        }
    }
}

fn shortest() -> Named<Routing> {
    Named(Routing::Shortest(Shortest {}))
}

pub(crate) fn seven() -> Count {
    Count(7)
}

fn dcf() -> Named<Access> {
    Named(Access::Dcf(Dcf {}))
}
