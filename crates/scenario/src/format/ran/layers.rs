//! Layers of LTE and NR: carriers, HARQ, link adaptation, grants, RLC, PDCP and DRX.

use super::super::{Count, Positive, Probability, RlcWindow, Written, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::ran::{RlcMode as SimRlcMode, phy};
use windward_units::{Bytes, Decibels, Duration};

/// Radio technology of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"lte\" or \"nr\"")]
pub(crate) enum Technology {
    /// LTE.
    Lte,
    /// 5G NR, frequency range 1.
    Nr,
}

/// Carrier of a cell of LTE or NR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "the name of a carrier, such as \"n78-40mhz\"")]
pub(crate) enum Preset {
    /// LTE, FDD, 10 MHz: 50 resource blocks.
    #[serde(rename = "lte-10mhz")]
    Lte10,
    /// LTE, FDD, 20 MHz: 100 resource blocks.
    #[serde(rename = "lte-20mhz")]
    Lte20,
    /// NR band n78, TDD, 30 kHz, 20 MHz: 51 resource blocks.
    #[serde(rename = "n78-20mhz")]
    N78At20,
    /// NR band n78, TDD, 30 kHz, 40 MHz: 106 resource blocks.
    #[serde(rename = "n78-40mhz")]
    N78At40,
    /// NR band n78, TDD, 30 kHz, 100 MHz: 273 resource blocks.
    #[serde(rename = "n78-100mhz")]
    N78At100,
    /// NR, FDD, 15 kHz, 10 MHz: 52 resource blocks.
    #[serde(rename = "nr-fdd-10mhz")]
    NrFdd10,
    /// NR, FDD, 15 kHz, 20 MHz: 106 resource blocks.
    #[serde(rename = "nr-fdd-20mhz")]
    NrFdd20,
}

impl Preset {
    /// Name in files.
    pub fn name(self) -> &'static str {
        phy::carrier::PRESETS[self as usize]
    }
}

/// Table of modulation and coding schemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "\"64qam\", \"256qam\" or \"low-rate\"")]
pub(crate) enum McsTable {
    /// Up to 64-QAM.
    #[serde(rename = "64qam")]
    Qam64,
    /// Up to 256-QAM.
    #[serde(rename = "256qam")]
    Qam256,
    /// Low spectral efficiency, for NR.
    #[serde(rename = "low-rate")]
    LowRate,
}

impl McsTable {
    pub fn of_sim(self) -> phy::McsTable {
        match self {
            Self::Qam64 => phy::McsTable::Qam64,
            Self::Qam256 => phy::McsTable::Qam256,
            Self::LowRate => phy::McsTable::LowRate,
        }
    }
}

/// Hybrid ARQ of LTE and NR, with chase combining.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Harq")]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct HarqTable {
    /// Most transmissions of a block, the first included; 1 to 16.
    #[serde(default = "four")]
    pub transmissions: Count,
    /// Least slots from a block to its feedback, 1 to 32.
    #[serde(default = "four")]
    pub min_k1: Count,
    /// Slots that the base station needs between a slot of the uplink and its next decision, 1 to 16. Default: 4 with
    /// LTE, 2 with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gnb_slots: Option<Count>,
    /// Probability that a NACK is read as an ACK.
    #[serde(default = "never_wrong")]
    pub feedback_error: Probability,
}

impl Default for HarqTable {
    fn default() -> Self {
        Self { transmissions: four(), min_k1: four(), gnb_slots: None, feedback_error: never_wrong() }
    }
}

/// Link adaptation of LTE and NR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Adaptation")]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct AdaptationTable {
    /// Outer loop link adaptation; if false, the CQI alone decides the MCS.
    #[serde(default = "yes")]
    pub outer_loop: bool,
    /// Target block error rate of first transmissions; above 0 and below 1.
    #[serde(default = "tenth_of_blocks")]
    pub target: Probability,
    /// Decibels by which a NACK lowers the offset of the outer loop. An ACK raises it by this step times target/(1 −
    /// target).
    #[serde(default = "step")]
    pub step: Written<Decibels>,
    /// Largest offset either way.
    #[serde(default = "limit")]
    pub limit: Written<Decibels>,
    /// Period of CQI reports. Default: 40 ms with LTE, 10 ms with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cqi_period: Option<Positive<Duration>>,
    /// Age of a report when it is used first. Default: 8 ms with LTE, 4 ms with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cqi_delay: Option<Written<Duration>>,
    /// CQI until the first report, 1 to 15.
    #[serde(default = "cqi_three")]
    pub first_cqi: Count,
    /// Loss of real receivers against the block error curves.
    #[serde(default = "no_loss")]
    pub receiver_loss: Written<Decibels>,
}

impl Default for AdaptationTable {
    fn default() -> Self {
        Self {
            outer_loop: true,
            target: tenth_of_blocks(),
            step: step(),
            limit: limit(),
            cqi_period: None,
            cqi_delay: None,
            first_cqi: cqi_three(),
            receiver_loss: no_loss(),
        }
    }
}

/// Grants of the uplink of LTE and NR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UplinkGrants")]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct UplinkTable {
    /// Period of a station's occasions for scheduling requests; a multiple of the pattern of slots.
    #[serde(default = "ten_milliseconds")]
    pub sr_period: Positive<Duration>,
    /// Least slots from a grant to its block, 1 to 32.
    #[serde(default = "four")]
    pub min_k2: Count,
    /// Bytes that the answer to a scheduling request grants.
    #[serde(default = "first_grant")]
    pub first_grant: Positive<Bytes>,
    /// Time after a block of the downlink for which the base station grants without a request.
    #[serde(default = "zero")]
    pub prescheduling: Written<Duration>,
}

impl Default for UplinkTable {
    fn default() -> Self {
        Self { sr_period: ten_milliseconds(), min_k2: four(), first_grant: first_grant(), prescheduling: zero() }
    }
}

/// Mode of radio link control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"am\" or \"um\"")]
pub(crate) enum RlcMode {
    /// Acknowledged mode: what HARQ loses is sent again.
    #[default]
    Am,
    /// Unacknowledged mode: what HARQ loses is lost.
    Um,
}

impl RlcMode {
    pub fn of_sim(self) -> SimRlcMode {
        match self {
            Self::Am => SimRlcMode::Acknowledged,
            Self::Um => SimRlcMode::Unacknowledged,
        }
    }
}

/// Radio link control of LTE and NR.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Rlc")]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RlcTable {
    /// Mode.
    #[serde(default)]
    pub mode: RlcMode,
    /// Time for which the receiver waits for a gap to close: t-Reassembly of NR, t-Reordering of LTE. Default: 50 ms
    /// with LTE, 20 ms with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reassembly: Option<Positive<Duration>>,
    /// t-PollRetransmit of acknowledged mode. Default: 120 ms with LTE, 100 ms with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll_retransmit: Option<Positive<Duration>>,
    /// Packets after which the sender polls for a status report. Default: 64 with LTE, 16 with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll_packets: Option<Count>,
    /// t-StatusProhibit: least time between status reports. Default: 50 ms with LTE, 10 ms with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_prohibit: Option<Written<Duration>>,
    /// Retransmissions after which a part is given up. Default: 16 with LTE, 32 with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retransmissions: Option<Count>,
    /// Most packets sent and not acknowledged in acknowledged mode: 2048 with numbers of 12 bits. Default: 131072 with
    /// NR, no limit with LTE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<RlcWindow>,
}

/// Packet data convergence protocol of LTE and NR.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Pdcp")]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct PdcpTable {
    /// Time after which a receiver of NR gives up a gap and delivers what is behind it. Default: 220 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reordering: Option<Positive<Duration>>,
    /// Age at which a packet that has not been sent is discarded. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discard: Option<Positive<Duration>>,
}

tagged! {
    /// Discontinuous reception in connected mode: when a station listens to the downlink.
    Drx by "kind", "a table with a `kind`" {
        /// Always.
        "off" AlwaysAwake {}
        /// On for 10 ms of every 40 ms, after 4 such cycles of every 320 ms; awake for 200 ms after activity. The most
        /// frequent configuration in a user's log of one LTE network.
        "phone" PhoneCycles {}
        /// Cycles of your own.
        "cycles" OwnCycles {
            /// On-duration.
            on: Positive<Duration>,
            /// Time awake after new data.
            inactivity: Written<Duration>,
            /// Short cycle. Default: long cycles only.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            short: Option<Positive<Duration>>,
            /// Number of short cycles before the long ones.
            #[serde(default = "four")]
            short_cycles: Count,
            /// Long cycle.
            long: Positive<Duration>,
        }
    }
}

fn cqi_three() -> Count {
    Count(3)
}

fn four() -> Count {
    Count(4)
}

pub(super) fn yes() -> bool {
    true
}

fn ten_milliseconds() -> Positive<Duration> {
    Positive(Duration::from_millis(10))
}

fn never_wrong() -> Probability {
    Probability(0.0)
}

fn tenth_of_blocks() -> Probability {
    Probability(0.1)
}

fn step() -> Written<Decibels> {
    Written(Decibels::new(0.1))
}

fn limit() -> Written<Decibels> {
    Written(Decibels::new(15.0))
}

pub(super) fn no_loss() -> Written<Decibels> {
    Written(Decibels::new(0.0))
}

fn first_grant() -> Positive<Bytes> {
    Positive(Bytes::new(576))
}
