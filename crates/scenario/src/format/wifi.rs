//! Wireless networks: stations, their places and radios, who hears whom, and how they share the air.

use super::Queue;
use super::named::Named;
use super::{Buffer, Count, Hops, Name, Number, Positive, Probability, Threshold, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windward_sim as sim;
use windward_sim::wifi;
use windward_units::{BitRate, Bytes, Decibels, Distance, Duration, Frequency, PowerLevel, Speed};

/// A wireless network of 802.11: stations with one transceiver each, all on one channel. It creates a one-way link, named
/// `FROM->TO`, from every station to every other one that can receive its frames; links may join its nodes to others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Wifi {
    /// Name of the network.
    pub name: Name,
    /// Physical layer.
    #[serde(default)]
    pub standard: Standard,
    /// `"ns2"` takes up the idiosyncrasies of ns-2.35, and its frame sizes and RTS threshold of 0 bytes.
    #[serde(default)]
    pub mode: Mode,
    /// Rate of data frames. Default: the fastest of the standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_rate: Option<Positive<BitRate>>,
    /// Rate of RTS, CTS, ACK and broadcasts. Default: the slowest of the standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_rate: Option<Positive<BitRate>>,
    /// Data frames longer than this, MAC header included, are preceded by RTS and CTS. Default: none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rts_threshold: Option<Written<Bytes>>,
    /// Maximum attempts of a frame up to the RTS threshold, and of an RTS.
    #[serde(default = "seven")]
    pub short_retries: Count,
    /// Maximum attempts of a data frame above the RTS threshold.
    #[serde(default = "four")]
    pub long_retries: Count,
    /// Interface queue of every station, in packets or bytes, not counting the packet being sent.
    #[serde(default = "buffer")]
    pub buffer: Buffer,
    /// Discipline of every station's interface queue: its name, or a table of name and parameters. Default: drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
    /// How stations share the air.
    #[serde(default = "dcf")]
    pub access: Named<Access>,
    /// How routes across the network are found.
    #[serde(default = "shortest")]
    pub routing: Named<Routing>,
    /// Timings that differ from the standard's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// Who hears whom.
    #[serde(default)]
    pub reach: Reach,
    /// Noise and fading. Default: every frame in range that does not collide is received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// Weight of the schedule's entropy in the objective of `optimum` and `fluid`, in units of the flows' utility: packets for
    /// window-based laws. 0 is the best schedule. Default: 1/`scale` with access by queueing delay or ideal access, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<Number>,
    /// The stations.
    pub station: Vec<Station>,
    /// Losses of single links beyond those of the air.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loss: Vec<LinkLoss>,
}

/// A station, or a group of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiStation")]
pub(crate) struct Station {
    /// Node, or group of nodes.
    pub node: Name,
    /// Position of a single node: ["0 m", "150 m"].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[Written<Distance>; 2]>,
    /// Positions of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// How it moves from there. Default: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Rate of its data frames. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_rate: Option<Positive<BitRate>>,
    /// Its interface queue. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// Discipline of its interface queue. Default: that of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
}

tagged! {
    /// Positions of a group of nodes.
    Layout by "kind", "a table with a `kind`, such as \"grid\"" {
        /// Rows of a grid, the first member at `origin`, the next to its right.
        "grid" Grid {
            /// Members in a row.
            columns: Count,
            /// Distance of neighbours in a row and of rows.
            spacing: Positive<Distance>,
            /// Position of the first member.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
        }
        /// Uniform in a rectangle.
        "random" Random {
            /// Its width.
            width: Positive<Distance>,
            /// Its height.
            height: Positive<Distance>,
            /// Seed of the positions, which are the same for all seeds of the scenario.
            #[serde(default = "first")]
            seed: u32,
            /// Its lower left corner.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
        }
    }
}

tagged! {
    /// How stations move. `optimum` and `fluid` do not take networks whose stations do.
    Motion by "kind", "a table with a `kind`, such as \"random-waypoint\"" {
        /// From place to place, straight and evenly, the first time from its position at the beginning. A single node only.
        "waypoints" Waypoints {
            /// When it is where, in order of time.
            points: Vec<Waypoint>,
        }
        /// To a random place in a rectangle at a random speed, a pause, and on.
        "random-waypoint" RandomWaypoint {
            /// Width of the rectangle.
            width: Positive<Distance>,
            /// Its height.
            height: Positive<Distance>,
            /// Its lower left corner.
            #[serde(default = "origin")]
            origin: [Written<Distance>; 2],
            /// Speeds are uniform from this one.
            #[serde(default = "walking")]
            min_speed: Positive<Speed>,
            /// To this one.
            #[serde(default = "driving")]
            max_speed: Positive<Speed>,
            /// How long it rests at every place.
            #[serde(default = "no_time")]
            pause: Written<Duration>,
            /// Seed of the ways, which are the same for all seeds of the scenario.
            #[serde(default = "first")]
            seed: u32,
        }
    }
}

/// Where a station is at a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table with `time` and `at`")]
pub(crate) struct Waypoint {
    /// When.
    pub time: Written<Duration>,
    /// Where: ["0 m", "150 m"].
    pub at: [Written<Distance>; 2],
}

/// Physical layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "\"802.11b\", \"802.11a\", \"802.11g\" or \"bianchi\"")]
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
    /// The parameters and assumptions of Bianchi's model (JSAC 2000): 1 Mbit/s, no retry limit, no EIFS.
    #[serde(rename = "bianchi")]
    Bianchi,
}

/// Whose MAC it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"standard\" or \"ns2\"")]
#[schemars(rename = "MacMode")]
pub(crate) enum Mode {
    /// That of IEEE 802.11.
    #[default]
    Standard,
    /// That of ns-2.35.
    Ns2,
}

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

tagged! {
    /// How stations share the air.
    Access by "kind", "a table with a `kind`" {
        /// The distributed coordination function of 802.11.
        "dcf" Dcf {}
        /// 802.11 with contention windows by the queueing delay of the link that was served (wang2013 (18)).
        ///
        /// After a success the mean backoff is exp(−ρ)/b, with ρ = `scale`·b·backlog/(average rate).
        "queueing-delay" ByDelay {
            /// β, the scale of the transmission aggressiveness; 1 as printed.
            #[serde(default = "one")]
            scale: Number,
            /// What is done with fractions of a window.
            #[serde(default)]
            rounding: Rounding,
        }
        /// 802.11 with contention windows by the queue length: ρ = `scale`·backlog, in packets.
        "queue-length" ByLength {
            /// Aggressiveness per packet.
            #[serde(default = "one")]
            scale: Number,
            /// What is done with fractions of a window.
            #[serde(default)]
            rounding: Rounding,
        }
        /// Ideal CSMA: links sense each other at once, wait for exponential times and never collide.
        "ideal" Ideal {
            /// β, the scale of the transmission aggressiveness b·(queueing delay).
            #[serde(default = "one")]
            scale: Number,
            /// Largest aggressiveness: schedules change every exp(`cap`) packets.
            #[serde(default = "eight")]
            cap: Number,
            /// A constant aggressiveness instead. Default: by queueing delay.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            aggressiveness: Option<Number>,
            /// Which links conflict.
            #[serde(default)]
            conflicts: Conflicts,
        }
        /// Slots under centralised MaxWeight (Tassiulas and Ephremides 1992).
        ///
        /// Each slot serves the links without conflicts whose backlogs differ most. One packet, of any size, a slot and link.
        ///
        /// Goes with `routing = "backpressure"`, of which only `k` and `links` count. A loss in `[[wifi.loss]]` is the probability
        /// that the link is OFF in a slot.
        "max-weight" MaxWeight {
            /// Length of a slot.
            #[serde(default = "slot")]
            slot: Positive<Duration>,
            /// Which links conflict.
            #[serde(default)]
            conflicts: Conflicts,
        }
    }
}

/// What is done with fractions of a contention window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"floor\" or \"random\"")]
pub(crate) enum Rounding {
    /// They are cut off.
    #[default]
    Floor,
    /// Randomised: right in the mean.
    Random,
}

impl Rounding {
    pub fn of_sim(self) -> wifi::Rounding {
        match self {
            Self::Floor => wifi::Rounding::Floor,
            Self::Random => wifi::Rounding::Random,
        }
    }
}

/// Which links conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"sense\", \"receive\" or \"primary\"")]
pub(crate) enum Conflicts {
    /// Those with ends in carrier-sense range of each other.
    #[default]
    Sense,
    /// Those with ends that can receive each other.
    Receive,
    /// Those with a station in common.
    Primary,
}

impl Conflicts {
    pub fn of_sim(self) -> wifi::Conflict {
        match self {
            Self::Sense => wifi::Conflict::Sense,
            Self::Receive => wifi::Conflict::Receive,
            Self::Primary => wifi::Conflict::Primary,
        }
    }
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
    /// From the end of a frame to the instant at which its answer is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Written<Duration>>,
    /// Least contention window; backoffs are drawn from 0 to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<Count>,
    /// Largest contention window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<Count>,
    /// Whether EIFS follows a frame that could not be received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eifs: Option<bool>,
    /// Bytes that a data frame adds to a packet: MAC and LLC headers, checksum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Written<Bytes>>,
}

/// Who hears whom: by distances, or by the power that is received.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiReach")]
pub(crate) struct Reach {
    /// Largest distance at which frames are received. Default: 250 m, if no threshold is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<Positive<Distance>>,
    /// Largest distance at which frames are sensed. Default: 2.2 times `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense: Option<Positive<Distance>>,
    /// Least power at which frames are received, instead of `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive_threshold: Option<Written<PowerLevel>>,
    /// Least power at which frames are sensed, instead of `sense`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense_threshold: Option<Written<PowerLevel>>,
    /// Power of every sender.
    #[serde(default = "power")]
    pub power: Written<PowerLevel>,
    /// Carrier frequency.
    #[serde(default = "frequency")]
    pub frequency: Positive<Frequency>,
    /// How power falls with distance.
    #[serde(default = "two_ray_ground")]
    pub path_loss: Named<PathLoss>,
    /// A frame is received if it is so much stronger than all others together.
    #[serde(default = "ten_decibels")]
    pub capture: Written<Decibels>,
}

impl Default for Reach {
    fn default() -> Self {
        Self {
            receive: None,
            sense: None,
            receive_threshold: None,
            sense_threshold: None,
            power: power(),
            frequency: frequency(),
            path_loss: two_ray_ground(),
            capture: ten_decibels(),
        }
    }
}

tagged! {
    /// How power falls with distance.
    PathLoss by "model", "a table with a `model`" {
        /// Free space.
        "free-space" FreeSpace {}
        /// Free space up to the cross-over distance, beyond it two-ray ground reflection: the fourth power of the distance.
        "two-ray-ground" TwoRayGround {
            /// Height of the antennas.
            #[serde(default = "height")]
            height: Positive<Distance>,
        }
        /// Free space up to a reference distance, beyond it a power of the distance.
        "log-distance" LogDistance {
            /// The exponent.
            #[serde(default = "three")]
            exponent: Number,
            /// The reference distance.
            #[serde(default = "a_metre")]
            reference: Positive<Distance>,
        }
    }
}

/// Noise and fading: which frames are lost by their signal-to-noise ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "WifiNoise")]
pub(crate) struct Noise {
    /// Noise in the channel.
    pub power: Written<PowerLevel>,
    /// Whether the power of a frame is exponential around its mean: Rayleigh fading, independent from frame to frame.
    #[serde(default)]
    pub rayleigh: bool,
}

/// Losses of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct LinkLoss {
    /// Sender.
    pub from: Name,
    /// Receiver.
    pub to: Name,
    /// Probability of a loss.
    pub probability: Probability,
    /// What is lost with this probability.
    #[serde(default)]
    pub of: LossOf,
}

/// What the losses of a link are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"attempts\", \"packets\" or \"deliveries\"")]
pub(crate) enum LossOf {
    /// Each attempt of a data frame.
    #[default]
    Attempts,
    /// A packet, whatever the MAC does: all its attempts fail, and it is given up after the last.
    Packets,
    /// A packet that was received and acknowledged: its sender takes it for delivered.
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

fn origin() -> [Written<Distance>; 2] {
    [Written(Distance::metres(0.0)); 2]
}

fn shortest() -> Named<Routing> {
    Named(Routing::Shortest(Shortest {}))
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

fn walking() -> Positive<Speed> {
    Positive(Speed::metres_per_sec(1.0))
}

fn driving() -> Positive<Speed> {
    Positive(Speed::metres_per_sec(20.0))
}

fn no_time() -> Written<Duration> {
    Written(Duration::ZERO)
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

fn slot() -> Positive<Duration> {
    Positive(Duration::from_millis(20))
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

fn seven() -> Count {
    Count(7)
}

fn four() -> Count {
    Count(4)
}

fn first() -> u32 {
    1
}

fn buffer() -> Buffer {
    Buffer(sim::Buffer::Packets(1000))
}

fn dcf() -> Named<Access> {
    Named(Access::Dcf(Dcf {}))
}

fn one() -> Number {
    Number(1.0)
}

fn three() -> Number {
    Number(3.0)
}

fn eight() -> Number {
    Number(8.0)
}

fn power() -> Written<PowerLevel> {
    // ns-2's 0.281 838 15 W.
    Written(PowerLevel::dbm(24.5))
}

fn frequency() -> Positive<Frequency> {
    Positive(Frequency::hertz(914e6))
}

fn height() -> Positive<Distance> {
    Positive(Distance::metres(1.5))
}

fn a_metre() -> Positive<Distance> {
    Positive(Distance::metres(1.0))
}

fn two_ray_ground() -> Named<PathLoss> {
    Named(PathLoss::TwoRayGround(TwoRayGround { height: height() }))
}

fn ten_decibels() -> Written<Decibels> {
    Written(Decibels::new(10.0))
}
