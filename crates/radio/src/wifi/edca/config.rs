//! Configuration of a network of 802.11n, ac or ax.

use super::errors::{data_hazard, required_ratio};
use crate::wifi::category::{CATEGORIES, Category, Contention};
use crate::wifi::config::{Conflict, conflicts};
use crate::wifi::minstrel::Capabilities;
use crate::wifi::ppdu::{
    ACK, CTS, DELIMITER, Format, LLC, LONGEST_PPDU, Limits, Mode, RTS, Timing, aggregate_bytes, amsdu_bytes,
    answer_rate, block_ack_bytes, largest_aggregate, largest_amsdu, longest_psdu, ppdu_duration,
};
use crate::wifi::radio::motion::Motion;
use crate::wifi::radio::phy::Phy;
use crate::wifi::radio::propagation::{Position, Reach};
use crate::wifi::txq::{Discipline, TxqConfig};
use windward_elements::packet::NodeId;
use windward_elements::queue::{Buffer, FqCoDelConfig, QueueConfig};
use windward_units::{BitRate, Bytes, Duration};

/// Stations of 802.11n, ac or ax on one channel: EDCA, A-MPDUs, BlockAcks.
///
/// A member of the medium is a way: a directed link from one station to another.
#[derive(Clone, Debug)]
pub struct EdcaConfig {
    /// Format of the data.
    pub format: Format,
    /// Slot, SIFS and propagation, and the non-HT format of control frames.
    pub phy: Phy,
    /// Choices that the standard leaves open in the duration of a PPDU.
    pub timing: Timing,
    /// Basic rates in Mbit/s, those of answers; not empty.
    pub basic_rates: Vec<u64>,
    /// Headers and checksum of an MPDU beside the IP packet: 38 bytes; 54 with CCMP.
    pub overhead: Bytes,
    /// Longest PSDU sent without RTS and CTS; `None`: no limit.
    pub rts_threshold: Option<Bytes>,
    /// Failures in a row after which the contention window returns to CWmin; positive.
    pub retries: u32,
    /// Limits of an A-MPDU; `None`: one MPDU per PPDU, without BlockAck.
    pub ampdu: Option<Limits>,
    /// Most bytes of an A-MSDU; zero: each packet is an MPDU of its own.
    pub amsdu: Bytes,
    /// Least time between the starts of two MPDUs of an A-MPDU that receivers ask for.
    pub spacing: Duration,
    /// BlockAck sessions.
    pub block_ack: BlockAckConfig,
    /// The stations.
    pub stations: Vec<EdcaStation>,
    /// Index of the access point, with which all links begin or end; `None`: an independent network.
    pub access_point: Option<u32>,
    /// Center of the primary channel in MHz, for captures.
    pub channel_mhz: u32,
    /// Directed links, each pair of ends once.
    pub ways: Vec<EdcaWay>,
    /// Reach of every station at the start, with those that only interfere.
    pub reach: Reach,
    /// Least power of a signal that makes the medium busy, in watts.
    pub sense: f64,
    /// Mobility; `None`: stations do not move.
    pub motion: Option<Motion>,
    /// Rates of links without a rate of their own; not empty if there are such links.
    pub ladder: Vec<Rung>,
    /// Noise; `None`: frames without interference are received.
    pub noise: Option<Noise>,
    /// Categories of each flow's data and ACKs; flows beyond the list are best effort.
    pub flows: Vec<[Category; 2]>,
    /// Category of each source of datagrams; sources beyond the list are best effort.
    pub sources: Vec<Category>,
}

/// BlockAck sessions: they exist from the beginning, one for each link and category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAckConfig {
    /// Window in MPDUs, 64 or 256; positive.
    pub window: u32,
    /// Transmissions of an MPDU before the sender gives it up; `None`: unlimited.
    pub attempts: Option<u32>,
    /// Reaction of the sender to a PPDU without an answer.
    pub after_loss: AfterLoss,
    /// Time for which a receiver holds MPDUs behind a missing one.
    pub reorder_timeout: Duration,
}

impl BlockAckConfig {
    /// 30 attempts, data again, 100 ms: ath9k's driver and Linux's receiver.
    pub const fn linux(window: u32) -> Self {
        let reorder_timeout = Duration::from_millis(100);
        Self { window, attempts: Some(30), after_loss: AfterLoss::Data, reorder_timeout }
    }
}

/// Reaction of the sender to a PPDU without an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterLoss {
    /// The data again, as ath9k's hardware does.
    #[default]
    Data,
    /// A BlockAck request, as ns-3 does; then what is missing.
    Request,
}

/// Noise and fading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Noise power in the channel, in watts; positive.
    pub power: f64,
    /// True if a PPDU's power is exponential around its mean (Rayleigh, constant over a PPDU).
    pub is_rayleigh: bool,
}

/// A station.
#[derive(Clone, Debug, PartialEq)]
pub struct EdcaStation {
    /// Key of its random streams; unique.
    pub key: u64,
    /// Its node.
    pub node: NodeId,
    /// Position, for maps.
    pub place: Position,
    /// Contention parameters by category.
    pub contention: [Contention; CATEGORIES],
    /// Most packets or bytes that wait, over all links and categories.
    pub buffer: Buffer,
    /// Linux's transmit queues; `None`: one queue of `buffer`.
    pub txqs: Option<TxqConfig>,
    /// True if that one queue is served in the order of arrival: the packets of a category leave it at its head only,
    /// and an aggregate ends where a packet for another receiver follows. Otherwise a link takes its packets from the
    /// whole queue. Without meaning with `txqs`.
    pub is_strict: bool,
    /// Place and time at which PPDUs are composed.
    pub hardware: Hardware,
    /// Weight of the station's airtime at those that send to it; positive.
    pub weight: u16,
}

/// Composition of PPDUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hardware {
    /// The driver takes packets from the transmit queues as their function gets to the air.
    #[default]
    Driver,
    /// The driver keeps two PPDUs of each category ready in the hardware, as ath9k: it composes the second while the
    /// first is under way, for the slowest rate of its chain.
    TwoAggregates,
    /// The firmware composes PPDUs of packets that it holds already, as many as AQL allows.
    Firmware,
}

/// Directed link between two stations.
#[derive(Clone, Debug, PartialEq)]
pub struct EdcaWay {
    /// Index of the sender.
    pub from: u32,
    /// Index of the receiver.
    pub to: u32,
    /// Probability that an MPDU is lost on its own, 0 to 1.
    pub loss: f64,
    /// Rate of data.
    pub rate: RateChoice,
}

/// The longest PPDU of packets of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullPpdu {
    /// Full MPDUs.
    pub mpdus: u64,
    /// Packets of each; more than one in an A-MSDU.
    pub packets: u64,
    /// Packets of a shorter MPDU behind them; zero without one.
    pub rest: u64,
}

/// Choice of a link's rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateChoice {
    /// One rate.
    Fixed(Mode),
    /// The one with the most goodput for the signal that the receiver's answers report.
    Ideal,
    /// Minstrel-HT.
    Minstrel(Capabilities),
}

/// Rate that is the best one for a signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung {
    /// Rate.
    pub mode: Mode,
    /// Linear ratio of signal to noise from which on it is better than all slower ones.
    pub ratio: f64,
}

/// Rates of `modes` with the most goodput, by signal: rate × (1 − loss) of an MPDU of a full packet.
///
/// MPDUs of an aggregate fail independently and a BlockAck names those that did, so that a long PPDU delivers this
/// share of its rate. With losses of e^(−h) for a hazard h that falls with the signal, faster modes overtake slower
/// ones once.
pub fn ladder(modes: impl IntoIterator<Item = Mode>) -> Vec<Rung> {
    let mut modes: Vec<Mode> = modes.into_iter().collect();
    modes.sort_by_key(|mode| mode.bits_per_sec());
    let linear = |decibels: f64| libm::pow(10.0, decibels / 10.0);
    let goodput = |mode: Mode, decibels: f64| {
        libm::log(mode.bits_per_sec() as f64) - data_hazard(mode, linear(decibels)) * IDEAL_BYTES as f64
    };
    let start = |mode: &Mode| required_ratio(*mode, IDEAL_BYTES, LOSS_AT_START);
    // The fastest among those that need the least signal.
    let Some(first) = modes.iter().rev().copied().min_by(|a, b| start(a).total_cmp(&start(b))) else {
        return Vec::new();
    };
    let (mut best, mut at) = (first, start(&first));
    let mut rungs = vec![Rung { mode: best, ratio: linear(at) }];
    loop {
        let mut next: Option<(Mode, f64)> = None;
        for &mode in modes.iter().rev().take_while(|mode| mode.bits_per_sec() >= best.bits_per_sec()) {
            let is_better = |decibels: f64| goodput(mode, decibels) > goodput(best, decibels) + 1e-9;
            let (mut low, mut high) = (at, next.map_or(STRONGEST, |(_, decibels)| decibels));
            if mode.bits_per_sec() == best.bits_per_sec() {
                // Two modes of one rate may be better in turn.
                let steps = (1..).map(|step| at + STEP * f64::from(step)).take_while(|&decibels| decibels < high);
                let Some(found) = steps.into_iter().find(|&decibels| is_better(decibels)) else { continue };
                (low, high) = (found - STEP, found);
            } else if !is_better(high) {
                continue;
            }
            for _ in 0..40 {
                let middle = f64::midpoint(low, high);
                if is_better(middle) { high = middle } else { low = middle }
            }
            next = Some((mode, high));
        }
        let Some((mode, decibels)) = next else { return rungs };
        (best, at) = (mode, decibels);
        rungs.push(Rung { mode, ratio: linear(decibels) });
    }
}

/// Bytes of an MPDU of a packet of 1500 bytes.
const IDEAL_BYTES: u64 = 1538;
/// Loss below which the most robust mode is worth considering.
const LOSS_AT_START: f64 = 0.99;
/// Steps in decibels in which modes of one rate are compared.
const STEP: f64 = 0.05;
/// Ratio of signal to noise in decibels at which no mode loses anything.
const STRONGEST: f64 = 60.0;

impl EdcaConfig {
    /// Nodes of its stations.
    pub fn observed_nodes(&self) -> Vec<NodeId> {
        self.stations.iter().map(|station| station.node).collect()
    }

    /// Linear ratio of signal to noise on a link, infinite without noise; 0 out of reach.
    pub fn ratio(&self, local: u32) -> f64 {
        let way = &self.ways[local as usize];
        let power = self.reach.between(way.from, way.to);
        power.map_or(0.0, |neighbour| neighbour.power) / self.noise.map_or(0.0, |noise| noise.power)
    }

    /// Rate of data on a link: its own, or the best for the mean signal.
    ///
    /// # Panics
    /// Without a rate of its own and with an empty ladder.
    pub fn rate(&self, local: u32) -> Mode {
        if let RateChoice::Fixed(mode) = self.ways[local as usize].rate {
            return mode;
        }
        let ratio = self.ratio(local);
        let allowed = self.ladder.partition_point(|rung| rung.ratio <= ratio);
        self.ladder[allowed.saturating_sub(1)].mode
    }

    /// Conflicting links of every link, in order: those with ends that sense each other.
    pub fn conflicts(&self) -> Vec<Vec<u32>> {
        let ends: Vec<(u32, u32)> = self.ways.iter().map(|way| (way.from, way.to)).collect();
        conflicts(&self.reach, &ends, Conflict::Receive)
    }

    /// Share of MPDUs of `packets` packets of `bytes` that arrive on the link `local` without interference.
    pub fn received(&self, local: u32, packets: u64, bytes: u64) -> f64 {
        let way = &self.ways[local as usize];
        let hazard = data_hazard(self.rate(local), self.ratio(local)) * self.mpdu_bytes(packets, bytes) as f64;
        (1.0 - way.loss) * libm::exp(-hazard)
    }

    /// Packets of `bytes` a second that the link `local` delivers alone in its longest PPDUs.
    pub fn saturated(&self, local: u32, bytes: u64) -> f64 {
        let FullPpdu { mpdus, packets, rest } = self.full(local, bytes);
        let arriving = |packets: u64| packets as f64 * self.received(local, packets, bytes);
        (mpdus as f64 * arriving(packets) + arriving(rest)) / self.exchange(local, bytes).as_secs()
    }

    /// Number of links.
    pub fn members(&self) -> usize {
        self.ways.len()
    }

    /// Nodes at the ends of a link.
    pub fn ends(&self, way: &EdcaWay) -> (NodeId, NodeId) {
        (self.stations[way.from as usize].node, self.stations[way.to as usize].node)
    }

    /// Category of a packet.
    #[inline]
    pub(super) fn category(&self, flow: u32, is_datagram: bool, is_ack: bool) -> Category {
        if is_datagram {
            return self.sources.get(flow as usize).copied().unwrap_or_default();
        }
        self.flows.get(flow as usize).map_or(Category::BestEffort, |of_flow| of_flow[usize::from(is_ack)])
    }

    /// Air time of a control frame of `bytes` in answer to data at `mode`.
    pub(super) fn control(&self, mode: Mode, bytes: u64) -> Duration {
        let mbit = answer_rate(mode, &self.basic_rates);
        self.phy.air_time(bytes, BitRate::bits_per_sec(mbit * 1_000_000))
    }

    /// Bytes of an MPDU of `packets` packets of `bytes`.
    pub(super) fn mpdu_bytes(&self, packets: u64, bytes: u64) -> u64 {
        let content = if packets > 1 { amsdu_bytes(packets, bytes) - LLC } else { bytes };
        content + self.overhead.count()
    }

    /// Most bytes of an A-MSDU on the link `local`. An A-MSDU cannot be divided when it is sent again, so that it lasts
    /// no longer than a PPDU may at the link's slowest rate.
    pub(super) fn longest_amsdu(&self, local: u32) -> u64 {
        let slowest = match &self.ways[local as usize].rate {
            RateChoice::Fixed(mode) => *mode,
            RateChoice::Ideal => self.ladder[0].mode,
            RateChoice::Minstrel(capabilities) => capabilities.slowest(),
        };
        let beside = DELIMITER + self.overhead.count() - LLC;
        self.amsdu.count().min(longest_psdu(slowest, LONGEST_PPDU, &self.timing).saturating_sub(beside))
    }

    /// The longest PPDU of packets of `bytes` on the link `local`, at its mean rate.
    pub fn full(&self, local: u32, bytes: u64) -> FullPpdu {
        let mode = self.rate(local);
        let (frames, most) = match &self.ampdu {
            Some(limits) => (
                limits.frames.min(u64::from(self.block_ack.window)),
                limits.bytes.min(longest_psdu(mode, limits.duration, &self.timing)),
            ),
            None => (1, u64::MAX),
        };
        let beside = DELIMITER + self.overhead.count() - LLC;
        let within = |bytes: u64| self.longest_amsdu(local).min(bytes.saturating_sub(beside));
        let packets = largest_amsdu(bytes, within(most));
        let mpdu = self.mpdu_bytes(packets, bytes);
        let limits = Limits { frames, bytes: most, duration: Duration::MAX };
        let mpdus = largest_aggregate(mode, mpdu, &limits, &self.timing);
        // A shorter A-MSDU may still fit behind them.
        let left = most.saturating_sub(mpdus * (DELIMITER + mpdu).next_multiple_of(4));
        let fits = packets > 1 && mpdus < frames && DELIMITER + self.mpdu_bytes(1, bytes) <= left;
        FullPpdu { mpdus, packets, rest: if fits { largest_amsdu(bytes, within(left)) } else { 0 } }
    }

    /// Mean time of the successful exchange of the longest PPDU of packets of `bytes` on the link `local`: interframe
    /// space and half of the least contention window of best effort, protection if there is one, PPDU and answer.
    pub fn exchange(&self, local: u32, bytes: u64) -> Duration {
        let way = &self.ways[local as usize];
        let rate = self.rate(local);
        let FullPpdu { mpdus, packets, rest } = self.full(local, bytes);
        let mpdu = self.mpdu_bytes(packets, bytes);
        let is_single = mpdus == 1 && rest == 0;
        let psdu = match rest {
            0 if is_single && self.format == Format::Ht => mpdu,
            0 => aggregate_bytes(mpdus, mpdu),
            rest => mpdus * (DELIMITER + mpdu).next_multiple_of(4) + DELIMITER + self.mpdu_bytes(rest, bytes),
        };
        let answer = if is_single { ACK } else { block_ack_bytes(u64::from(self.block_ack.window)) };
        let best_effort = self.stations[way.from as usize].contention[Category::BestEffort as usize];
        let Phy { slot, sifs, propagation, .. } = self.phy;
        let backoff = slot.scale(f64::from(best_effort.cw_min) / 2.0);
        let mut whole = sifs + slot * u64::from(best_effort.aifsn) + backoff + ppdu_duration(rate, psdu, &self.timing);
        whole += sifs + self.control(rate, answer) + propagation * 2;
        if self.has_rts(psdu) {
            whole += self.control(rate, RTS) + self.control(rate, CTS) + (sifs + propagation) * 2;
        }
        whole
    }

    /// True if a PSDU of `bytes` is preceded by RTS and CTS.
    pub(super) fn has_rts(&self, bytes: u64) -> bool {
        self.rts_threshold.is_some_and(|threshold| bytes > threshold.count())
    }

    /// Rate of a saturated link alone with packets of 1500 bytes, in bits a second, without losses.
    pub fn mean_rate(&self, local: u32) -> f64 {
        let FullPpdu { mpdus, packets, rest } = self.full(local, 1500);
        (mpdus * packets + rest) as f64 * 1500.0 * 8.0 / self.exchange(local, 1500).as_secs()
    }

    /// Rate of the data.
    pub fn nominal_rate(&self, local: u32) -> u64 {
        self.rate(local).bits_per_sec()
    }

    /// Zero: packets arrive at the end of their frame.
    pub fn delay(&self, _: u32) -> Duration {
        Duration::ZERO
    }

    pub(super) fn sender(&self, local: u32) -> &EdcaStation {
        &self.stations[self.ways[local as usize].from as usize]
    }

    /// True if a link's sender has Linux's transmit queues, which have limits of their own.
    pub fn has_transmit_queues(&self, local: u32) -> bool {
        self.sender(local).txqs.is_some()
    }

    /// The sender's buffer.
    pub fn buffer(&self, local: u32) -> Buffer {
        self.sender(local).buffer
    }

    /// The discipline of the sender's queue.
    pub fn discipline(&self, local: u32) -> QueueConfig {
        let codel = self.sender(local).txqs.and_then(|txqs| match txqs.discipline {
            Discipline::PerStation(flows) | Discipline::Shared { above: flows, .. } => flows.codel,
        });
        codel.map_or(QueueConfig::DropTail, |(codel, _)| {
            QueueConfig::FqCoDel(FqCoDelConfig { codel, ..Default::default() })
        })
    }

    /// True: stations draw their backoffs.
    pub(crate) const fn is_random(&self) -> bool {
        true
    }

    /// 0: collisions depend on the traffic and are unknown beforehand.
    pub fn mean_loss(&self, _: u32) -> f64 {
        0.0
    }
}
