//! Cells of LTE and 5G NR: a `[[cell]]` with a `technology`.

use super::cell::{Cell, Fading, Scheduler, deadline, violation};
use super::named::Named;
use super::wifi::{Layout, Motion};
use super::{Buffer, Count, Dscp, Name, Number, Positive, Probability, Queue, Written, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim as sim;
use windward_sim::ran::geometry::Environment;
use windward_sim::ran::{RlcMode as SimRlcMode, phy};
use windward_units::{BitRate, Bytes, Decibels, Distance, Duration, Frequency, PowerLevel, Speed};

/// A cell: slotted, or of LTE or NR where it has a `technology`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AnyCell {
    /// Slotted.
    Slotted(Box<Cell>),
    /// LTE or NR.
    Ran(Box<RanCell>),
}

/// A cell of LTE or 5G NR: link adaptation, HARQ, RLC, PDCP, and the grants of the uplink. It creates a link between
/// the access point and each station in both directions, `ACCESS_POINT->NODE` and `NODE->ACCESS_POINT`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RanCell {
    /// Name of the cell.
    pub name: Name,
    /// Node of the access point.
    pub access_point: Name,
    /// Radio technology.
    pub technology: Technology,
    /// Carrier: duplex mode, bandwidth, subcarrier spacing and pattern of slots.
    pub preset: Preset,
    /// Carrier frequency, which gives the Doppler frequency of a `speed`. Default: that of the preset's band, 3.5 GHz
    /// for n78 and 2.1 GHz for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<Positive<Frequency>>,
    /// Pattern of slots of a TDD preset: letters D, S and U. Default: "DDDSU".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tdd: Option<String>,
    /// Symbols of the slots S: DOWNLINK:GAP:UPLINK, 14 in total. Default: "10:2:2".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub special: Option<String>,
    /// Most layers of the downlink (MIMO): 1, 2, or 4 with NR. Stations use the number that carries most. The uplink
    /// has one layer.
    #[serde(default = "one")]
    pub layers: Count,
    /// Table of modulation and coding schemes. Default: 64qam with LTE, 256qam with NR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcs_table: Option<McsTable>,
    /// Scheduler of the resource-block groups.
    #[serde(default = "proportional_fair")]
    pub scheduler: Named<Scheduler>,
    /// Time constant of the average rates that schedulers use.
    #[serde(default = "tenth")]
    pub average: Positive<Duration>,
    /// Most stations served in a slot and direction.
    #[serde(default = "eight")]
    pub per_slot: Count,
    /// Hybrid ARQ.
    #[serde(default)]
    pub harq: HarqTable,
    /// Link adaptation.
    #[serde(default)]
    pub adaptation: AdaptationTable,
    /// Grants of the uplink.
    #[serde(default)]
    pub uplink: UplinkTable,
    /// Radio link control.
    #[serde(default)]
    pub rlc: RlcTable,
    /// Packet data convergence protocol.
    #[serde(default)]
    pub pdcp: PdcpTable,
    /// Discontinuous reception.
    #[serde(default = "off")]
    pub drx: Named<Drx>,
    /// Fading of the channels around their mean. Default: none, or that of a station's `speed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fading: Option<Named<Fading>>,
    /// Delay spread of Rayleigh fading, at most 10 us: each group of resource blocks has a gain of its own, by an
    /// exponential power delay profile. Default: none, all resource blocks of a station fade alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_spread: Option<Positive<Duration>>,
    /// Buffer of a station and direction, in packets or bytes.
    #[serde(default = "buffer")]
    pub buffer: Buffer,
    /// Discipline of the queues of both directions: its name, or a table of name and parameters. Default: drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
    /// Delay beyond the radio link, such as that of the core network.
    #[serde(default = "zero")]
    pub delay: Written<Duration>,
    /// Environment of stations that have a place: path loss, shadowing and line of sight of 3GPP TR 38.901.
    #[serde(default)]
    pub propagation: Propagation,
    /// Shadowing of stations that have a place: log-normal, correlated over the distance moved.
    #[serde(default = "yes")]
    pub shadowing: bool,
    /// Line of sight of stations that have a place, to all sites. Default: drawn for each station and site with the
    /// probability of the environment, again after 10 decorrelation distances of the shadowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_of_sight: Option<bool>,
    /// Transmit power of stations that have a place.
    #[serde(default = "station_power")]
    pub station_power: Written<PowerLevel>,
    /// Sites, each with a carrier of its own at the same frequency. Default: one at ["0 m", "0 m"], of the cell's name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub site: Vec<RanSite>,
    /// Handover between sites.
    #[serde(default)]
    pub handover: HandoverTable,
    /// The stations.
    pub station: Vec<RanStation>,
}

/// A site of an LTE or NR cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RanSite {
    /// Name of the site.
    pub name: Name,
    /// Position: ["0 m", "1000 m"].
    pub at: [Written<Distance>; 2],
    /// Transmit power, antenna gain included.
    #[serde(default = "site_power")]
    pub power: Written<PowerLevel>,
}

/// Environment of an LTE or NR cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "\"uma\", \"umi\" or \"rma\"")]
pub(crate) enum Propagation {
    /// Urban macro: antennas of sites at 25 m.
    #[default]
    #[serde(rename = "uma")]
    UrbanMacro,
    /// Urban micro, street canyon: antennas at 10 m.
    #[serde(rename = "umi")]
    UrbanMicro,
    /// Rural macro: antennas at 35 m.
    #[serde(rename = "rma")]
    RuralMacro,
}

impl Propagation {
    pub fn of_sim(self) -> Environment {
        match self {
            Self::UrbanMacro => Environment::UrbanMacro,
            Self::UrbanMicro => Environment::UrbanMicro,
            Self::RuralMacro => Environment::RuralMacro,
        }
    }
}

/// Handover by event A3 (a neighbour becomes better than the serving site by an offset), and radio link failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Handover")]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct HandoverTable {
    /// Decibels by which a neighbour must exceed the serving site.
    #[serde(default = "offset")]
    pub offset: Written<Decibels>,
    /// Decibels beyond the offset.
    #[serde(default = "no_loss")]
    pub hysteresis: Written<Decibels>,
    /// Time for which the condition must hold.
    #[serde(default = "time_to_trigger")]
    pub time_to_trigger: Written<Duration>,
    /// Period of the measurements, and of the updates of positions.
    #[serde(default = "measurement_period")]
    pub measurement_period: Positive<Duration>,
    /// Coefficient k of the filter: a measurement has the weight 2^(−k/4); 0 to 19.
    #[serde(default = "filter")]
    pub filter: Number,
    /// Time from the trigger to the command, for the report and the preparation of the target.
    #[serde(default = "preparation")]
    pub preparation: Written<Duration>,
    /// Time without a site.
    #[serde(default = "interruption")]
    pub interruption: Written<Duration>,
    /// True if the source forwards what it has not sent, and in acknowledged mode what is not acknowledged. If false it
    /// drops both.
    #[serde(default = "yes")]
    pub forwarding: bool,
    /// Delay of forwarding; a longer one prolongs the interruption.
    #[serde(default = "forwarding_delay")]
    pub forwarding_delay: Written<Duration>,
    /// Time from a radio link failure to service by the strongest site. A link fails after 1.2 s below −8 dB.
    #[serde(default = "reestablishment")]
    pub reestablishment: Written<Duration>,
}

impl Default for HandoverTable {
    fn default() -> Self {
        Self {
            offset: offset(),
            hysteresis: no_loss(),
            time_to_trigger: time_to_trigger(),
            measurement_period: measurement_period(),
            filter: filter(),
            preparation: preparation(),
            interruption: interruption(),
            forwarding: true,
            forwarding_delay: forwarding_delay(),
            reestablishment: reestablishment(),
        }
    }
}

/// A station of an LTE or NR cell, or a group of identical stations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RanStation {
    /// Node, or group of nodes.
    pub node: Name,
    /// Mean signal-to-noise ratio of the downlink, of a station without a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snr: Option<Written<Decibels>>,
    /// Place of a single node, instead of `snr`: ["50 m", "200 m"].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Written<Distance>; 2]>,
    /// Places of a group, instead of `snr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Motion of the station from its place. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Mean signal-to-noise ratio of the uplink if the station spreads its power over the whole carrier. Default: 6 dB
    /// below `snr`. A change of `snr` moves both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uplink_snr: Option<Written<Decibels>>,
    /// Speed, which gives Rayleigh fading with the Doppler frequency speed × `frequency`/c. Default: without `fading`,
    /// the mean speed of the `motion` while the station moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Positive<Speed>>,
    /// Fading of the station's channel. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fading: Option<Named<Fading>>,
    /// Delay spread of the station's channel. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_spread: Option<Positive<Duration>>,
    /// Buffer of the station and direction. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// Discipline of the station's queues. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
    /// Delay beyond the radio link. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Written<Duration>>,
    /// Weight: a factor of the scheduler's rule, 0.01 to 100. Under proportional fairness airtime is in proportion to
    /// it. `round-robin` and rules in Python have none.
    #[serde(default = "weight")]
    pub weight: Number,
    /// Priority, 1 to 8: stations of a higher one are served first in each slot and direction. Rules in Python have
    /// none.
    #[serde(default = "one")]
    pub priority: Count,
    /// T of M-LWDF and the EXP rule: the delay that may be exceeded with probability `violation`.
    #[serde(default = "deadline")]
    pub deadline: Positive<Duration>,
    /// δ of M-LWDF and the EXP rule: accepted probability of a delay above `deadline`; above 0 and below 1.
    #[serde(default = "violation")]
    pub violation: Probability,
    /// Bearers beside the default one, which has 5QI 9.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bearer: Vec<RanBearer>,
}

/// A bearer of a station, or of each member of a group: packets of some code points, with a queue and an RLC of their
/// own in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RanBearer {
    /// 5QI of NR, QCI of LTE: 1 to 8. It gives priority level, delay budget, error rate and whether a rate is
    /// guaranteed (3GPP TS 23.501, table 5.7.4-1), and the mode and timers of RLC.
    pub qi: Count,
    /// Code point of its packets. Those of all bearers of a station are different.
    pub dscp: Dscp,
    /// Guaranteed rate of each direction; only of 5QI 1 to 4, which need it. Below it the bearer is served before all
    /// others of the same station priority, in the order of the priority levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guaranteed: Option<Positive<BitRate>>,
    /// Buffer of the bearer and direction. Default: that of the station.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// Discipline of the bearer's queues. Default: that of the station.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
}

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
    pub window: Option<Count>,
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

fn one() -> Count {
    Count(1)
}

fn cqi_three() -> Count {
    Count(3)
}

fn four() -> Count {
    Count(4)
}

fn eight() -> Count {
    Count(8)
}

fn yes() -> bool {
    true
}

fn proportional_fair() -> Named<Scheduler> {
    Named(Scheduler::ProportionalFair(super::cell::ProportionalFair {}))
}

fn off() -> Named<Drx> {
    Named(Drx::AlwaysAwake(AlwaysAwake {}))
}

fn tenth() -> Positive<Duration> {
    Positive(Duration::from_millis(100))
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
    Written(Decibels::new(0.9))
}

fn limit() -> Written<Decibels> {
    Written(Decibels::new(15.0))
}

fn weight() -> Number {
    Number(1.0)
}

fn offset() -> Written<Decibels> {
    Written(Decibels::new(3.0))
}

fn time_to_trigger() -> Written<Duration> {
    Written(Duration::from_millis(256))
}

fn measurement_period() -> Positive<Duration> {
    Positive(Duration::from_millis(40))
}

fn filter() -> Number {
    Number(4.0)
}

fn preparation() -> Written<Duration> {
    Written(Duration::from_millis(15))
}

fn interruption() -> Written<Duration> {
    Written(Duration::from_millis(40))
}

fn forwarding_delay() -> Written<Duration> {
    Written(Duration::from_millis(5))
}

fn reestablishment() -> Written<Duration> {
    Written(Duration::from_millis(500))
}

fn station_power() -> Written<PowerLevel> {
    Written(PowerLevel::dbm(23.0))
}

fn site_power() -> Written<PowerLevel> {
    Written(PowerLevel::dbm(46.0))
}

fn no_loss() -> Written<Decibels> {
    Written(Decibels::new(0.0))
}

fn first_grant() -> Positive<Bytes> {
    Positive(Bytes::new(576))
}

/// 4096 packets of 1507 bytes, the RLC buffer of open-source base stations.
fn buffer() -> Buffer {
    Buffer(sim::Buffer::Bytes(Bytes::new(6_172_672)))
}
