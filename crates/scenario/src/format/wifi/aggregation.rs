//! Rates, aggregation and access categories of 802.11n, ac and ax.

use crate::format::{Count, Positive, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::wifi::edca;
use windward_units::{Bytes, Duration, Frequency};

tagged! {
    /// Choice of the rate of data.
    RateControl by "kind", "a table with a `kind`, such as \"fixed\"" {
        /// The rate with the most goodput at the signal, rate × (1 − loss) of MPDUs of 1538 bytes without interference.
        "ideal" IdealRate {}
        /// Minstrel-HT, the rate control of Linux's mac80211, decision by decision. For 802.11ax its rules are applied
        /// to the rates of 802.11ax, which Linux leaves to firmware.
        "minstrel-ht" MinstrelHt {}
        /// One rate.
        "fixed" FixedRate {
            /// Modulation and coding scheme per stream: 0 to 7 in 802.11n, to 9 in 802.11ac, to 11 in 802.11ax.
            mcs: u32,
            /// Spatial streams. Default: those of the network.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            streams: Option<Count>,
            /// Width of the PPDUs. Default: that of the channel.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            width: Option<Positive<Frequency>>,
        }
    }
}

/// Implementation whose choices are the defaults in a network of 802.11n, ac or ax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "\"linux-ath9k\", \"linux-mt76\" or \"ns3\"")]
pub(crate) enum Profile {
    /// Linux with an Atheros chip of 802.11n: Minstrel-HT; A-MPDUs of at most 32 MPDUs, 65 535 bytes and 4.096 ms, of
    /// which the driver keeps two ready; FQ-CoDel and airtime fairness without airtime queue limits.
    LinuxAth9k,
    /// Linux with a MediaTek chip: firmware composes A-MPDUs of what airtime queue limits let down.
    LinuxMt76,
    /// ns-3.44: one drop-tail queue, A-MPDUs of at most 65 535 bytes, BlockAck requests after a loss, no limit of
    /// attempts; contention parameters of the standard at access points too; durations without rounding of the short
    /// guard interval, HE training fields of 8 µs.
    Ns3,
}

/// Queues of packets above the MAC of 802.11n, ac and ax.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "TransmitQueues")]
pub(crate) struct TransmitQueues {
    /// Discipline of the queues. Default: "fq-codel"; "fifo" with `profile = "ns3"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<TransmitQueue>,
    /// Deficit round robin in airtime between receivers, by their `weight`. If false, receivers take turns by A-MPDUs.
    /// Needs `queue = "fq-codel"`. Default: true with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub airtime_fairness: Option<bool>,
    /// Airtime queue limits: 5 to 12 ms of estimated airtime for each receiver below the queues. Needs `queue =
    /// "fq-codel"`. Default: true with it; false with `profile = "linux-ath9k"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aql: Option<bool>,
    /// True if a station is charged for the airtime of what it sends, too, as Linux does unless `airtime_flags` says
    /// otherwise. A station that sends much then waits for what it is sent, the ACKs of its upload among it. Needs
    /// airtime fairness. Default: true with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_airtime: Option<bool>,
    /// Place and time at which A-MPDUs are composed. Default: "driver"; "two-aggregates" with `profile =
    /// "linux-ath9k"`, "firmware" with `profile = "linux-mt76"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<Hardware>,
    /// Most packets of an access category below a queue that all receivers share. Default: 123, as ath9k.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Count>,
}

/// Place and time at which A-MPDUs are composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "\"driver\", \"two-aggregates\" or \"firmware\"")]
pub(crate) enum Hardware {
    /// The driver takes packets from the queues as an A-MPDU begins.
    Driver,
    /// The driver keeps two A-MPDUs of each access category ready in the hardware, as ath9k: it composes the second
    /// while the first is under way.
    TwoAggregates,
    /// The firmware composes A-MPDUs of packets that it holds already, as many as `aql` allows, and serves receivers in
    /// turn, as mt76 and ath10k.
    Firmware,
}

impl Hardware {
    pub fn of_sim(self) -> edca::Hardware {
        match self {
            Self::Driver => edca::Hardware::Driver,
            Self::TwoAggregates => edca::Hardware::TwoAggregates,
            Self::Firmware => edca::Hardware::Firmware,
        }
    }
}

/// Discipline of the queues above the MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "\"fq-codel\", \"shared-fq-codel\", \"fifo\" or \"strict-fifo\"")]
pub(crate) enum TransmitQueue {
    /// FQ-CoDel for each receiver and access category, as Linux's mac80211.
    FqCodel,
    /// One FQ-CoDel for all receivers, as an interface of Linux whose driver does not use mac80211's queues.
    SharedFqCodel,
    /// One drop-tail queue of `buffer` for all receivers. An A-MPDU takes its receiver's packets from wherever they
    /// wait in `below`, and passes those of others.
    Fifo,
    /// One drop-tail queue as `fifo`, in the order of arrival: packets of an access category leave it at its head only,
    /// and an A-MPDU ends where a packet for another receiver follows.
    StrictFifo,
}

impl TransmitQueue {
    /// True for one drop-tail queue of the station's `buffer`.
    pub fn has_buffer(self) -> bool {
        matches!(self, Self::Fifo | Self::StrictFifo)
    }
}

/// Limits of an A-MPDU, which all hold at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Ampdu {
    /// MPDUs, at most the window of the BlockAck; 1: no aggregation, and an ACK for each frame. Default: 64; 256 in
    /// 802.11ax; 32 with `profile = "linux-ath9k"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mpdus: Option<Count>,
    /// Bytes. Default: 65 535 in 802.11n and with `profile = "ns3"`, 1 048 575 in 802.11ac, 6 500 631 in 802.11ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Positive<Bytes>>,
    /// Duration of the PPDU, up to 5484 µs. Default: 5484 µs; 4096 µs with `profile = "linux-ath9k"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Positive<Duration>>,
    /// Least time between the starts of two MPDUs that receivers ask for, up to 16 µs. Default: 0 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Written<Duration>>,
}

/// BlockAck sessions, which exist from the beginning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct BlockAck {
    /// Window in MPDUs: 1 to 256. Default: 64; 256 in 802.11ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Count>,
    /// Transmissions of an MPDU before it is given up. Default: 30, as ath9k; with `profile = "ns3"` no limit; without
    /// aggregation `short_retries`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Count>,
    /// Reaction of the sender to an A-MPDU without an answer. Default: "data"; "request" with `profile = "ns3"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_loss: Option<AfterLoss>,
    /// Time for which a receiver holds MPDUs behind a missing one. Default: 100 ms, as Linux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder_timeout: Option<Positive<Duration>>,
}

/// Reaction of the sender to an A-MPDU without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"data\" or \"request\"")]
pub(crate) enum AfterLoss {
    /// The data again, as ath9k.
    Data,
    /// A BlockAck request, as ns-3; then what is missing.
    Request,
}

impl AfterLoss {
    pub fn of_sim(self) -> edca::AfterLoss {
        match self {
            Self::Data => edca::AfterLoss::Data,
            Self::Request => edca::AfterLoss::Request,
        }
    }
}

/// Contention parameters by access category. Default: what Linux's stations assume; at the access point what access
/// points use for their own traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Edca {
    /// Background, AC_BK.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<Contention>,
    /// Best effort, AC_BE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_effort: Option<Contention>,
    /// Video, AC_VI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<Contention>,
    /// Voice, AC_VO.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voice: Option<Contention>,
}

/// Contention parameters of an access category. Default of each: as stations or access points have it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Contention {
    /// Slots of the interframe space after SIFS: 1 to 15.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aifsn: Option<Count>,
    /// Least contention window: 1 to 32 767.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<Count>,
    /// Largest contention window: `cw_min` to 32 767.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<Count>,
    /// TXOP limit, up to 8160 µs; 0 s: one PPDU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub txop: Option<Written<Duration>>,
}
