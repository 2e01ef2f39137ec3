//! Cells: an access point, its stations, their channels, and who is served.

use super::named::Named;
use super::{Buffer, Name, Number, Positive, Probability, Written, zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windward_sim as sim;
use windward_sim::cell::Service as SimService;
use windward_units::{Bytes, Decibels, Duration, Frequency, SymbolRate};

/// A slotted cell: one carrier that its stations share. It makes a one-way link between the access point and each
/// station, `ACCESS_POINT->NODE` in a downlink, `NODE->ACCESS_POINT` in an uplink; for the other direction add links, or a
/// second cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Cell {
    /// Name of the cell.
    pub name: Name,
    /// Node at the middle.
    pub access_point: Name,
    /// Which way packets go.
    #[serde(default)]
    pub direction: Direction,
    /// Length of a slot; the channels stand still within it.
    pub slot: Positive<Duration>,
    /// Data symbols a second of the whole carrier.
    pub symbol_rate: Positive<SymbolRate>,
    /// Adaptive modulation and coding: what a symbol carries at which signal-to-noise ratio.
    pub amc: Named<Amc>,
    /// How the channels fade around their mean.
    #[serde(default = "independent")]
    pub fading: Named<Fading>,
    /// Which station a slot serves.
    #[serde(default = "queueing_delay")]
    pub scheduler: Named<Scheduler>,
    /// How the bits of a slot become packets.
    #[serde(default)]
    pub service: Service,
    /// The filter of the rates that schedulers reckon with.
    #[serde(default)]
    pub average: Average,
    /// How much may wait for each station, in packets or bytes.
    #[serde(default = "buffer")]
    pub buffer: Buffer,
    /// How many packets may wait for all stations together. Default: only `buffer` counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_buffer: Option<Buffer>,
    /// From the end of a packet's transmission to its arrival.
    #[serde(default = "zero")]
    pub delay: Written<Duration>,
    /// Transmissions that fail and are repeated by the link layer. Default: every packet that is sent arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// Who is there.
    pub station: Vec<Station>,
}

/// A station of a cell, or a group of stations that are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Station {
    /// Node, or group of nodes.
    pub node: Name,
    /// Mean signal-to-noise ratio.
    pub snr: Written<Decibels>,
    /// How its channel fades; else as the cell says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fading: Option<Named<Fading>>,
    /// How much may wait for it; else as the cell says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// From the end of a packet's transmission to its arrival; else as the cell says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Written<Duration>>,
    /// T of M-LWDF and the EXP rule, which serve so that a wait is longer than T with probability `violation`.
    #[serde(default = "deadline")]
    pub deadline: Positive<Duration>,
    /// δ of M-LWDF and the EXP rule; above 0 and below 1.
    #[serde(default = "violation")]
    pub violation: Probability,
}

/// Which way a cell's packets go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"downlink\" or \"uplink\"")]
pub(crate) enum Direction {
    /// From the access point to its stations.
    #[default]
    Downlink,
    /// From the stations to their access point, which knows all their queues.
    Uplink,
}

/// How the bits of a slot become packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", expecting = "\"whole\", \"carry\" or \"fluid\"")]
pub(crate) enum Service {
    /// Whole packets; what is left of the slot is lost.
    Whole,
    /// A packet that does not fit is begun, and finished in the station's next slot.
    #[default]
    Carry,
    /// The same, and where a queue empties the rest of the slot goes to the next station.
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

/// The exponential filter of rates, one step a slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Average {
    /// Slots in which it forgets, a number from 1: r ← r + (new − r)/slots.
    #[serde(default = "slots")]
    pub slots: Number,
    /// Where the averages start.
    #[serde(default = "start")]
    pub start: Written<windward_units::BitRate>,
    /// Whether slots in which nothing waits for a station leave its average as it is; else they count as rate 0.
    #[serde(default)]
    pub held_when_empty: bool,
}

impl Default for Average {
    fn default() -> Self {
        Self { slots: slots(), start: start(), held_when_empty: false }
    }
}

/// Link-layer repair of transmissions that are not decoded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Repair {
    /// Transmissions of a packet, the first included, after which it is lost.
    pub transmissions: super::Count,
}

tagged! {
    /// Adaptive modulation and coding.
    Amc by "kind", "a table with a `kind`" {
        /// The eight convolutional turbo codes of IEEE 802.16e, from QPSK 1/2 at 5 dB to 64-QAM 5/6 at 22 dB.
        "ctc" Ctc {}
        /// Convolutionally coded modes of Liu, Zhou and Giannakis (2004) with thresholds for a packet error rate.
        "convolutional" Convolutional {
            /// How many modes: 5 or 6 (with 16-QAM 9/16).
            #[serde(default = "six")]
            modes: super::Count,
            /// Packet error rate at a mode's threshold; above 0 and below 1.
            #[serde(default = "one_in_a_hundred")]
            target_error: Probability,
        }
        /// Shannon's formula with a gap: log2(1 + SNR/gap) bits a symbol.
        "shannon" Shannon {
            /// How far a real code is from the bound.
            #[serde(default = "no_gap")]
            gap: Written<Decibels>,
            /// Most bits a symbol. Default: no limit.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            max_efficiency: Option<Number>,
        }
        /// Modes of your own.
        "modes" Modes {
            /// The modes, slowest first.
            modes: Vec<Mode>,
            /// Packet error rate at the threshold of a mode that has no `snr`; above 0 and below 1.
            #[serde(default = "one_in_a_hundred")]
            target_error: Probability,
            /// Size of the packets that `a` and `g` were fitted to; needed with them.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            packet: Option<Positive<Bytes>>,
        }
    }
}

/// A mode of modulation and coding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table, such as { snr = \"5 dB\", efficiency = 1.0 }")]
pub(crate) struct Mode {
    /// Used from this signal-to-noise ratio on. Default: from where packets err at the rate `target_error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snr: Option<Written<Decibels>>,
    /// Bits a symbol, above 0.
    pub efficiency: Number,
    /// a of the packet error rate min(1, a·exp(−g·SNR)), SNR linear. Default: no packet errs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<Number>,
    /// g of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub g: Option<Number>,
}

tagged! {
    /// How a channel fades.
    Fading by "model", "a table with a `model`" {
        /// Rayleigh, a new draw in every slot.
        "independent" IndependentFading {}
        /// Rayleigh with the correlation J0(2π f τ) of Clarke and Jakes, by a sum of sinusoids.
        "jakes" Jakes {
            /// Doppler frequency.
            doppler: Positive<Frequency>,
            /// How many sinusoids.
            #[serde(default = "sinusoids")]
            sinusoids: super::Count,
        }
        /// The same correlation by an autoregressive process.
        "autoregressive" Autoregressive {
            /// Doppler frequency.
            doppler: Positive<Frequency>,
            /// Order of the process.
            #[serde(default = "order")]
            order: super::Count,
        }
        /// A Markov chain over the modes with steps between neighbours only; for slow fading.
        "markov" Markov {
            /// Doppler frequency.
            doppler: Positive<Frequency>,
        }
        /// No fading: always the mean.
        "constant" ConstantFading {}
        /// Measured: the station's `snr` is added to the samples.
        "trace" Trace {
            /// Signal-to-noise ratios in decibels, from the beginning of the run; or a CSV file with columns `time_s` and
            /// `snr_db`. They begin again when they end.
            samples: super::Recording<Number>,
            /// Distance of the samples; a file has its own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            interval: Option<Positive<Duration>>,
        }
    }
}

tagged! {
    /// Which station a slot serves. Of equals the first.
    Scheduler by "kind", "a table with a `kind`" {
        /// Largest backlog over average rate, times rate: queueing-delay MaxWeight (huang2020 (10)).
        "queueing-delay" QueueingDelay {}
        /// Largest backlog times rate: MaxWeight.
        "queue-length" QueueLength {}
        /// The best channel.
        "max-snr" MaxSnr {
            /// Also where nothing waits behind it.
            #[serde(default)]
            oblivious: bool,
        }
        /// Stations in turn.
        "round-robin" RoundRobin {
            /// A slot belongs to its station even if nothing waits there; else empty stations are skipped.
            #[serde(default)]
            oblivious: bool,
        }
        /// Largest rate over average rate.
        "proportional-fair" ProportionalFair {}
        /// Modified largest weighted delay first (Andrews et al. 2001), with `deadline` and `violation` of the stations.
        "m-lwdf" MLwdf {}
        /// The exponential rule (Shakkottai and Stolyar 2002), with the same.
        "exp-rule" ExpRule {}
        /// One of your own: a Python class with a method `choose`.
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

fn buffer() -> Buffer {
    Buffer(sim::Buffer::Packets(1000))
}

fn deadline() -> Positive<Duration> {
    Positive(Duration::from_millis(100))
}

fn violation() -> Probability {
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

fn one_in_a_hundred() -> Probability {
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
