//! Cells of LTE and 5G NR: a `[[cell]]` with a `technology`, its sites, stations and bearers.

mod layers;

pub(crate) use layers::{
    AdaptationTable, AlwaysAwake, Drx, HarqTable, McsTable, PdcpTable, Preset, RlcTable, Technology, UplinkTable,
};

use super::cell::{Cell, Fading, Scheduler, deadline, violation};
use super::named::Named;
use super::wifi::{Layout, Motion};
use super::{Buffer, Count, Dscp, Name, Number, Positive, Probability, Queue, Written, zero};
use layers::{no_loss, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_sim::ran::geometry::Environment;
use windward_units::{BitRate, Decibels, Distance, Duration, Frequency, PowerLevel, Speed};

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
    /// Buffer of a station and direction, in packets, bytes, or time at its mean rate if all stations share the cell
    /// equally; a time is at least 150 kB and at most 6.17 MB, the RLC queue of a base station. The default is latency
    /// under load in measured LTE networks, ten times that of an idle one (Garcia, Alfredsson and Brunstrom, EuCNC
    /// 2015).
    #[serde(default = "super::cell::buffer")]
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
    /// Coefficient k of the filter: measurements 200 ms apart have the weight 2^(−k/4); 0 to 19. Other periods keep the
    /// behaviour over time.
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

/// A bearer of a station, or of a group's members: packets of a code point, with queues and an RLC of their own.
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

fn one() -> Count {
    Count(1)
}

fn eight() -> Count {
    Count(8)
}

fn proportional_fair() -> Named<Scheduler> {
    Named(Scheduler::ProportionalFair(super::cell::ProportionalFair {}))
}

fn off() -> Named<Drx> {
    Named(Drx::AlwaysAwake(AlwaysAwake {}))
}

/// Time constant of average rates.
pub(crate) fn tenth() -> Positive<Duration> {
    Positive(Duration::from_millis(100))
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

pub(crate) fn station_power() -> Written<PowerLevel> {
    Written(PowerLevel::dbm(23.0))
}

fn site_power() -> Written<PowerLevel> {
    Written(PowerLevel::dbm(46.0))
}
