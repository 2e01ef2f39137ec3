//! Physical layer and MAC, and a network's deviations from the standard.

use crate::format::{Count, Positive, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::wifi::ppdu::Format;
use windward_units::{Bytes, Duration};

/// Physical layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "\"802.11b\", \"802.11a\", \"802.11g\", \"802.11n\", \"802.11ac\", \"802.11ax\" or \"bianchi\"")]
pub(crate) enum Standard {
    /// 1 to 11 Mbit/s, long preamble.
    #[default]
    #[serde(rename = "802.11b")]
    B,
    /// 6 to 54 Mbit/s.
    #[serde(rename = "802.11a")]
    A,
    /// 6 to 54 Mbit/s without stations of 802.11b: short slots.
    #[serde(rename = "802.11g")]
    G,
    /// Aggregation and several spatial streams, up to 40 MHz.
    #[serde(rename = "802.11n")]
    N,
    /// 256-QAM and up to 160 MHz, at 5 GHz.
    #[serde(rename = "802.11ac")]
    Ac,
    /// 1024-QAM, longer symbols and aggregates, for one user at a time.
    #[serde(rename = "802.11ax")]
    Ax,
    /// The parameters and assumptions of Bianchi's model (JSAC 2000): 1 Mbit/s, no retry limit, no EIFS.
    #[serde(rename = "bianchi")]
    Bianchi,
}

impl Standard {
    /// Format of the data of a standard with aggregation.
    pub const fn format(self) -> Option<Format> {
        match self {
            Self::N => Some(Format::Ht),
            Self::Ac => Some(Format::Vht),
            Self::Ax => Some(Format::He),
            Self::B | Self::A | Self::G | Self::Bianchi => None,
        }
    }
}

/// MAC behaviour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"standard\" or \"ns2\"")]
#[schemars(rename = "MacMode")]
pub(crate) enum Mode {
    /// IEEE 802.11.
    #[default]
    Standard,
    /// ns-2.35.
    Ns2,
}

/// Timings of the MAC. Default: the standard's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiTiming")]
pub(crate) struct Timing {
    /// Backoff slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Positive<Duration>>,
    /// Short interframe space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sifs: Option<Positive<Duration>>,
    /// Distributed interframe space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difs: Option<Positive<Duration>>,
    /// Preamble and PHY header of a frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preamble: Option<Written<Duration>>,
    /// Propagation delay between any two stations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub propagation: Option<Written<Duration>>,
    /// CTS and ACK timeout, from the end of the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Written<Duration>>,
    /// Minimum contention window; backoffs are drawn from 0 to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<Count>,
    /// Maximum contention window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<Count>,
    /// Waits EIFS after a frame that could not be received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eifs: Option<bool>,
    /// Bytes that a data frame adds to a packet: MAC and LLC headers, checksum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Written<Bytes>>,
}
