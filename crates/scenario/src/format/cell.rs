//! Cells: access points, their stations and channels, and the schedulers.

use super::Queue;
use super::named::Named;
use super::{Buffer, Name, Number, Positive, Probability, Written, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windward_sim as sim;
use windward_sim::cell::Service as SimService;
use windward_units::{Bytes, Decibels, Duration, Frequency, SymbolRate};

/// A slotted cell: stations that share one carrier. It creates a one-way link between the access point and each
/// station, named `ACCESS_POINT->NODE` for a downlink and `NODE->ACCESS_POINT` for an uplink; for the other direction
/// add links or a second cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Cell {
    /// Name of the cell.
    pub name: Name,
    /// Node of the access point.
    pub access_point: Name,
    /// Direction of the packets.
    #[serde(default)]
    pub direction: Direction,
    /// Slot length; channels are constant within a slot.
    pub slot: Positive<Duration>,
    /// Data symbols per second of the whole carrier.
    pub symbol_rate: Positive<SymbolRate>,
    /// Adaptive modulation and coding: bits per symbol as a function of the signal-to-noise ratio.
    pub amc: Named<Amc>,
    /// Fading of the channels around their mean.
    #[serde(default = "independent")]
    pub fading: Named<Fading>,
    /// Scheduler: which station a slot serves.
    #[serde(default = "queueing_delay")]
    pub scheduler: Named<Scheduler>,
    /// Packing of packets into the bits of a slot.
    #[serde(default)]
    pub service: Service,
    /// Average rate used by the schedulers.
    #[serde(default)]
    pub average: Average,
    /// Buffer per station, in packets, bytes, or time at its mean rate if all stations share the cell equally; a time
    /// is at least 150 kB and at most 6.17 MB, the RLC queue of a base station. The default is latency under load in
    /// measured LTE networks, ten times that of an idle one (Garcia, Alfredsson and Brunstrom, EuCNC 2015).
    #[serde(default = "buffer")]
    pub buffer: Buffer,
    /// Discipline of every station's queue: its name, or a table of name and parameters. Default: drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
    /// Buffer shared by all stations, in packets. Default: no shared limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_buffer: Option<Buffer>,
    /// Delay from the end of a packet's transmission to its arrival.
    #[serde(default = "zero")]
    pub delay: Written<Duration>,
    /// Link-layer retransmission of packets that were not decoded. Default: every transmission succeeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// The stations.
    pub station: Vec<Station>,
}

/// A station of a cell, or a group of identical stations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Station {
    /// Node, or group of nodes.
    pub node: Name,
    /// Mean signal-to-noise ratio.
    pub snr: Written<Decibels>,
    /// Fading of the station's channel. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fading: Option<Named<Fading>>,
    /// Buffer of the station. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// Discipline of the station's queue. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Named<Queue>>,
    /// Delay from the end of a packet's transmission to its arrival. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Written<Duration>>,
    /// T of M-LWDF and the EXP rule: the delay that may be exceeded with probability `violation`.
    #[serde(default = "deadline")]
    pub deadline: Positive<Duration>,
    /// δ of M-LWDF and the EXP rule: accepted probability of a delay above `deadline`; above 0 and below 1.
    #[serde(default = "violation")]
    pub violation: Probability,
}

/// Direction of a cell's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"downlink\" or \"uplink\"")]
pub(crate) enum Direction {
    /// From the access point to its stations.
    #[default]
    Downlink,
    /// From the stations to their access point, which has full knowledge of their queues.
    Uplink,
}

/// Packing of packets into the bits of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"whole\", \"carry\" or \"fluid\"")]
pub(crate) enum Service {
    /// Whole packets only; the rest of the slot is wasted.
    Whole,
    /// A packet that does not fit is started, and continued in the station's next slot.
    #[default]
    Carry,
    /// As `carry`; when a queue empties, the rest of the slot goes to the next station.
    Fluid,
}

impl Service {
    pub fn of_sim(self) -> SimService {
        match self {
            Self::Whole => SimService::Whole,
            Self::Carry => SimService::Carry,
            Self::Fluid => SimService::Fluid,
        }
    }
}

/// Exponential moving average of the rates, one step per slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Average {
    /// Time constant in slots, at least 1: r ← r + (new − r)/slots.
    #[serde(default = "slots")]
    pub slots: Number,
    /// Initial value.
    #[serde(default = "start")]
    pub start: Written<windward_units::BitRate>,
    /// Holds a station's average while its queue is empty; if false, such slots count as rate 0.
    #[serde(default)]
    pub held_when_empty: bool,
}

impl Default for Average {
    fn default() -> Self {
        Self { slots: slots(), start: start(), held_when_empty: false }
    }
}

/// Link-layer retransmission of packets that were not decoded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Repair {
    /// Maximum transmissions per packet, including the first.
    pub transmissions: super::Count,
}

tagged! {
    /// Adaptive modulation and coding.
    Amc by "kind", "a table with a `kind`" {
        /// The eight convolutional turbo codes of IEEE 802.16e, from QPSK 1/2 at 5 dB to 64-QAM 5/6 at 22 dB.
        "ctc" Ctc {}
        /// Convolutionally coded modes of Liu, Zhou and Giannakis (2004) with thresholds for a packet error rate.
        "convolutional" Convolutional {
            /// Number of modes: 5, or 6 with 16-QAM 9/16.
            #[serde(default = "six")]
            modes: super::Count,
            /// Packet error rate at a mode's threshold; above 0 and below 1.
            #[serde(default = "one_in_a_hundred")]
            target_error: Probability,
        }
        /// Shannon's formula with a gap: log2(1 + SNR/gap) bits per symbol.
        "shannon" Shannon {
            /// SNR gap to capacity.
            #[serde(default = "no_gap")]
            gap: Written<Decibels>,
            /// Maximum bits per symbol. Default: unlimited.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            max_efficiency: Option<Number>,
        }
        /// Custom modes.
        "modes" Modes {
            /// The modes, slowest first.
            modes: Vec<Mode>,
            /// Packet error rate at the threshold of a mode that has no `snr`; above 0 and below 1.
            #[serde(default = "one_in_a_hundred")]
            target_error: Probability,
            /// Packet size that `a` and `g` were fitted to; required with them.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            packet: Option<Positive<Bytes>>,
        }
    }
}

/// A mode of modulation and coding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table, such as { snr = \"5 dB\", efficiency = 1.0 }")]
pub(crate) struct Mode {
    /// Minimum signal-to-noise ratio of the mode. Default: the ratio at which the packet error rate is `target_error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snr: Option<Written<Decibels>>,
    /// Bits per symbol, above 0.
    pub efficiency: Number,
    /// a of the packet error rate min(1, a·exp(−g·SNR)), SNR linear. Default: no errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<Number>,
    /// g of the packet error rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub g: Option<Number>,
}

tagged! {
    /// Fading of a channel.
    Fading by "model", "a table with a `model`" {
        /// Rayleigh, independent in every slot.
        "independent" IndependentFading {}
        /// Rayleigh with the Clarke–Jakes correlation J0(2π f τ), as a sum of sinusoids.
        "jakes" Jakes {
            /// Doppler frequency.
            doppler: Positive<Frequency>,
            /// Number of sinusoids.
            #[serde(default = "sinusoids")]
            sinusoids: super::Count,
        }
        /// Rayleigh with the correlation of `jakes`, as an autoregressive process.
        "autoregressive" Autoregressive {
            /// Doppler frequency.
            doppler: Positive<Frequency>,
            /// Order of the process.
            #[serde(default = "order")]
            order: super::Count,
        }
        /// A Markov chain over the modes with transitions between neighbours only; for slow fading.
        "markov" Markov {
            /// Doppler frequency.
            doppler: Positive<Frequency>,
        }
        /// No fading.
        "constant" ConstantFading {}
        /// A recorded trace; the station's `snr` is added to the samples.
        "trace" Trace {
            /// Signal-to-noise ratios in decibels, from the start of the run, or a CSV file with columns `time_s` and
            /// `snr_db`. The trace repeats when it ends.
            samples: super::Recording<Number>,
            /// Sampling interval; a file has its own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            interval: Option<Positive<Duration>>,
        }
    }
}

tagged! {
    /// Scheduler: selects the station that a slot serves; ties go to the first.
    Scheduler by "kind", "a table with a `kind`" {
        /// Largest backlog × rate / average rate: queueing-delay MaxWeight (huang2020 (10)).
        "queueing-delay" QueueingDelay {}
        /// Largest backlog × rate: MaxWeight.
        "queue-length" QueueLength {}
        /// Largest signal-to-noise ratio.
        "max-snr" MaxSnr {
            /// Also considers stations with empty queues.
            #[serde(default)]
            oblivious: bool,
        }
        /// Round robin.
        "round-robin" RoundRobin {
            /// Spends a slot on the next station even if its queue is empty; if false, empty stations are skipped.
            #[serde(default)]
            oblivious: bool,
        }
        /// Largest rate / average rate.
        "proportional-fair" ProportionalFair {}
        /// Modified largest weighted delay first (Andrews et al. 2001), with `deadline` and `violation` of the
        /// stations.
        "m-lwdf" MLwdf {}
        /// The exponential rule (Shakkottai and Stolyar 2002), with `deadline` and `violation` of the stations.
        "exp-rule" ExpRule {}
        /// A scheduler of your own: a Python class with a method `choose`.
        "python" PythonScheduler {
            /// FILE:CLASS, the file relative to the scenario's folder, or MODULE:CLASS.
            class: String,
            /// Arguments of its constructor.
            #[serde(default, skip_serializing_if = "Map::is_empty")]
            arguments: Map<String, Value>,
        }
    }
}

fn independent() -> Named<Fading> {
    Named(Fading::IndependentFading(IndependentFading {}))
}

fn queueing_delay() -> Named<Scheduler> {
    Named(Scheduler::QueueingDelay(QueueingDelay {}))
}

pub(super) fn buffer() -> Buffer {
    Buffer(sim::Buffer::Time(Duration::from_millis(400)))
}

pub(crate) fn deadline() -> Positive<Duration> {
    Positive(Duration::from_millis(100))
}

pub(crate) fn violation() -> Probability {
    Probability(0.05)
}

fn slots() -> Number {
    Number(256.0)
}

fn start() -> Written<windward_units::BitRate> {
    Written(windward_units::BitRate::bits_per_sec(1))
}

fn six() -> super::Count {
    super::Count(6)
}

pub(crate) fn one_in_a_hundred() -> Probability {
    Probability(0.01)
}

fn no_gap() -> Written<Decibels> {
    Written(Decibels::new(0.0))
}

fn sinusoids() -> super::Count {
    super::Count(16)
}

fn order() -> super::Count {
    super::Count(8)
}
