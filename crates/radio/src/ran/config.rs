//! Configuration of an LTE or NR cell.

use super::geometry::Geometry;
use super::phy::{Carrier, Curves, Grid, McsTable, SlotKind, Technology};
use super::qos::Qos;
use super::rlc::{Pdcp, Rlc, RlcMode};
use crate::cell::channel::Fading;
use crate::cell::{MeanChange, SchedulerConfig};
use crate::wifi::Position;
use std::sync::Arc;
use windward_elements::packet::NodeId;
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{Duration, Time};

/// A cell of LTE or NR: one access point, its stations, and both directions. Member 2i is the downlink of station i,
/// 2i + 1 its uplink.
#[derive(Clone, Debug)]
pub struct RanConfig {
    /// Carrier.
    pub carrier: Carrier,
    /// Transport blocks by kind of slot.
    pub grids: Arc<Grids>,
    /// Scheduling rule of both directions; a user-defined one decides the downlink, and proportional fairness the
    /// uplink.
    pub scheduler: SchedulerConfig,
    /// Time constant of the average rates, in slots.
    pub average: f64,
    /// Most stations that are served in a slot and direction.
    pub per_slot: u32,
    /// HARQ.
    pub harq: Harq,
    /// Link adaptation.
    pub adaptation: Adaptation,
    /// Grants of the uplink.
    pub uplink: Uplink,
    /// Radio link control.
    pub rlc: Rlc,
    /// Packet data convergence protocol.
    pub pdcp: Pdcp,
    /// Discontinuous reception; `None`: stations are always awake.
    pub drx: Option<Drx>,
    /// Time from the end of a block to its packets' departure from the receiver, in the downlink and the uplink.
    pub decoding: [Duration; 2],
    /// Stations; not empty.
    pub stations: Vec<StationConfig>,
    /// Changes of the means of both directions, in order of time; ratios are linear.
    pub changes: Vec<MeanChange>,
    /// Sites, and the radio to stations that have a place; `None`: one site.
    pub geometry: Option<Geometry>,
    /// Bearers beside the default ones, in order of their stations.
    pub bearers: Vec<BearerConfig>,
    /// Code points of the data and of the ACKs of each flow.
    pub flows: Vec<[u8; 2]>,
    /// Code point of each source.
    pub sources: Vec<u8>,
}

/// Transport blocks of the downlink, of special slots, and of the uplink.
#[derive(Clone, Debug)]
pub struct Grids {
    /// Block errors.
    pub curves: Curves,
    /// Blocks of a downlink slot.
    pub downlink: Grid,
    /// Blocks of a special slot.
    pub special: Grid,
    /// Blocks of an uplink slot: one layer.
    pub uplink: Grid,
}

impl Grids {
    /// Transport blocks of a carrier.
    pub fn new(carrier: &Carrier, table: McsTable, layers: u32, receiver_loss: f64) -> Self {
        let curves = Curves::new(carrier.technology, receiver_loss);
        let grid = |elements: u32, is_uplink, layers| {
            Grid::new(carrier.technology, (carrier.prbs, elements.max(1)), (table, is_uplink), layers, &curves)
        };
        let downlink = grid(carrier.elements.downlink, false, layers);
        let has_special = carrier.pattern.slots().contains(&SlotKind::Special);
        Self {
            special: if has_special { grid(carrier.elements.special, false, layers) } else { downlink.clone() },
            uplink: grid(carrier.elements.uplink, true, 1),
            downlink,
            curves,
        }
    }

    /// Blocks of a slot of the downlink.
    #[inline]
    pub(super) fn of(&self, kind: SlotKind) -> &Grid {
        if kind == SlotKind::Special { &self.special } else { &self.downlink }
    }
}

/// HARQ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harq {
    /// Most retransmissions of a block.
    pub retransmissions: u32,
    /// Least slots from a block to its feedback.
    pub min_k1: u32,
    /// Slots that the base station needs from an uplink slot to the next decision.
    pub gnb_slots: u32,
    /// Probability that a NACK is read as an ACK.
    pub feedback_error: f64,
}

/// Link adaptation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adaptation {
    /// Target block error rate of first transmissions; above 0 and below 1. `None`: CQI alone.
    pub target: Option<f64>,
    /// Decibels that the offset falls with a NACK.
    pub step: f64,
    /// Largest offset either way, in decibels.
    pub limit: f64,
    /// Period of reports.
    pub cqi_period: Duration,
    /// Age at which a report is used first.
    pub cqi_delay: Duration,
    /// CQI until the first report.
    pub first_cqi: u8,
}

/// Grants of the uplink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uplink {
    /// Slots between scheduling request occasions of a station; a multiple of the pattern.
    pub sr_period: u64,
    /// Least slots from a grant to its block.
    pub min_k2: u32,
    /// Bytes of the grant that answers a scheduling request.
    pub first_grant: u64,
    /// Time after a block of the downlink for which the base station grants without a request.
    pub prescheduling: Duration,
}

/// Discontinuous reception in connected mode. Times are in slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drx {
    /// On-duration.
    pub on: u64,
    /// Inactivity timer.
    pub inactivity: u64,
    /// Short cycle, and number of short cycles before the long one; `None`: long cycles alone.
    pub short: Option<(u64, u64)>,
    /// Long cycle.
    pub long: u64,
}

/// A station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Keys of the random streams of both directions; unique among stations and links.
    pub keys: [u64; 2],
    /// Mean signal-to-noise ratios of both directions over the whole carrier, linear; positive.
    pub mean_snr: [f64; 2],
    /// Fading around the mean: constant, independent, Jakes or a trace.
    pub fading: Fading,
    /// Root mean square delay spread, in seconds, of Jakes fading; zero for a flat channel.
    pub delay_spread: f64,
    /// Delay beyond the radio link, of both directions.
    pub delay: Duration,
    /// Buffers of both directions.
    pub buffer: [Buffer; 2],
    /// Queue disciplines of both directions.
    pub queue: [QueueConfig; 2],
    /// a = −ln δ/T of M-LWDF and the EXP rule, in 1/s; positive.
    pub urgency: f64,
    /// Places by time, in order; the station moves straight from one to the next. `None`: the means are given.
    pub way: Option<Arc<[(Time, Position)]>>,
    /// Factor of the scheduler's rule; positive.
    pub weight: f64,
    /// Stations of a higher priority are served first in each slot.
    pub priority: u32,
}

/// A bearer of a station beside its default one.
#[derive(Clone, Debug, PartialEq)]
pub struct BearerConfig {
    /// Station.
    pub station: u32,
    /// Keys of the random streams of both directions; unique among stations, bearers and links.
    pub keys: [u64; 2],
    /// Code points (DSCP) of its packets, a bit each.
    pub dscps: u64,
    /// Class.
    pub qos: Qos,
    /// Guaranteed rate of each direction, in bits a second.
    pub guaranteed: Option<f64>,
    /// Radio link control.
    pub rlc: Rlc,
    /// Packet data convergence protocol.
    pub pdcp: Pdcp,
    /// Buffers of both directions.
    pub buffer: [Buffer; 2],
    /// Queue disciplines of both directions.
    pub queue: [QueueConfig; 2],
}

impl StationConfig {
    /// Changes the mean of the downlink, linear; that of the uplink keeps its distance.
    pub(crate) fn move_to(&mut self, mean_snr: f64) {
        let [down, up] = self.mean_snr;
        self.mean_snr = [mean_snr, mean_snr * up / down];
    }
}

/// Largest number of packets in the window of 18-bit sequence numbers.
const WINDOW: u64 = 131_072;

impl RanConfig {
    /// A cell without stations, with the values of open-source base stations: LTE with those of srsRAN 4G, NR with
    /// those of srsRAN Project for 5QI 9. CQI delays and decoding times are guesses.
    pub fn standard(carrier: Carrier, table: McsTable, layers: u32, receiver_loss: f64) -> Self {
        let is_lte = carrier.technology == Technology::Lte;
        let of = |lte, nr| Duration::from_millis(if is_lte { lte } else { nr });
        let ms = Duration::from_millis;
        let slots = |time: Duration| (time.as_nanos() / carrier.slot.as_nanos()).max(1);
        Self {
            grids: Arc::new(Grids::new(&carrier, table, layers, receiver_loss)),
            scheduler: SchedulerConfig::ProportionalFair,
            average: slots(ms(100)) as f64,
            per_slot: 8,
            harq: Harq { retransmissions: 3, min_k1: 4, gnb_slots: if is_lte { 4 } else { 2 }, feedback_error: 0.0 },
            adaptation: Adaptation {
                target: Some(0.1),
                step: 0.1,
                limit: 15.0,
                cqi_period: of(40, 10),
                cqi_delay: of(8, 4),
                first_cqi: 3,
            },
            uplink: Uplink { sr_period: slots(ms(10)), min_k2: 4, first_grant: 576, prescheduling: Duration::ZERO },
            rlc: Rlc {
                mode: RlcMode::Acknowledged,
                reassembly: of(50, 20),
                poll_retransmit: of(120, 100),
                poll_packets: if is_lte { 64 } else { 16 },
                status_prohibit: of(50, 10),
                max_retransmissions: if is_lte { 16 } else { 32 },
                window: (!is_lte).then_some(WINDOW),
                // NR: PDCP 3, RLC 3 and MAC 3 bytes; a later part has an offset of 2 and no PDCP. LTE: PDCP 2, and
                // about 2 of a block that concatenates.
                headers: if is_lte { [4, 0] } else { [9, 8] },
            },
            pdcp: Pdcp { reordering: Some(ms(220)), discard: None },
            drx: None,
            decoding: if is_lte { [ms(3), ms(3)] } else { [ms(1), Duration::from_micros(500)] },
            stations: Vec::new(),
            changes: Vec::new(),
            geometry: None,
            bearers: Vec::new(),
            flows: Vec::new(),
            sources: Vec::new(),
            carrier,
        }
    }

    pub(crate) fn observed_nodes(&self) -> Vec<NodeId> {
        // Its stations are its members.
        Vec::new()
    }

    pub(crate) fn members(&self) -> usize {
        2 * self.stations.len()
    }

    /// Mean bits a second of IP packets for each bit a symbol, in the direction of a member.
    pub fn symbols(&self, local: u32) -> f64 {
        let (down, up) = self.carrier.mean_elements();
        let elements = if local.is_multiple_of(2) { down } else { up };
        let headers = 1500.0 / (1500 + self.rlc.headers[0]) as f64;
        elements * f64::from(self.carrier.prbs) / self.carrier.slot.as_secs() * headers
    }

    /// Centre frequency of each group of resource blocks, in hertz from the edge of the carrier.
    pub(super) fn centres(&self) -> Vec<f64> {
        let Carrier { prbs, group, slot, .. } = self.carrier;
        // A slot is 1 ms at a subcarrier spacing of 15 kHz.
        let width = 12.0 * 15.0 / slot.as_secs();
        let centre = |first: u32| (f64::from(first) + 0.5 * f64::from(group.min(prbs - first))) * width;
        (0..prbs).step_by(group as usize).map(centre).collect()
    }

    /// Grid of full slots of a member's direction.
    pub(super) fn grid(&self, local: u32) -> &Grid {
        if local.is_multiple_of(2) { &self.grids.downlink } else { &self.grids.uplink }
    }

    /// Bits a symbol of a member, over all layers, and the linear ratio from which they are used: each carries more
    /// than the one before.
    fn modes(&self, local: u32) -> Vec<(f64, f64)> {
        let mut modes = self.grid(local).modes();
        modes.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut most = 0.0;
        modes.retain(|mode| {
            let is_better = mode.0 > most;
            most = mode.0.max(most);
            is_better
        });
        modes.iter().map(|&(efficiency, threshold)| (efficiency, super::channel::linear(threshold))).collect()
    }

    /// Bits a symbol that a member has alone, by their probability over the fading.
    pub fn efficiencies(&self, local: u32) -> Vec<(f64, f64)> {
        let station = &self.stations[local as usize / 2];
        let mean = station.mean_snr[local as usize % 2];
        let modes = self.modes(local);
        match &station.fading {
            Fading::Constant => vec![(efficiency(&modes, mean), 1.0)],
            Fading::Trace { samples, .. } => {
                let of = |sample: &f64| efficiency(&modes, mean * super::channel::linear(*sample));
                samples.iter().map(|sample| (of(sample), 1.0 / samples.len() as f64)).collect()
            }
            _ => {
                // γ is exponential.
                let beyond = |at: usize| modes.get(at).map_or(0.0, |mode| libm::exp(-mode.1 / mean));
                let silence = (0.0, 1.0 - beyond(0));
                let heard = (0..modes.len()).map(|at| (modes[at].0, beyond(at) - beyond(at + 1)));
                std::iter::once(silence).chain(heard).collect()
            }
        }
    }

    /// Mean over the fading of the rate that a member alone has.
    pub(crate) fn mean_rate(&self, local: u32) -> f64 {
        self.efficiencies(local).iter().map(|(efficiency, share)| efficiency * share).sum::<f64>() * self.symbols(local)
    }

    /// Rate at the mean ratio, without fading.
    pub(crate) fn nominal_rate(&self, local: u32) -> u64 {
        let mean = self.stations[local as usize / 2].mean_snr[local as usize % 2];
        (efficiency(&self.modes(local), mean) * self.symbols(local)) as u64
    }

    /// Decoding, and the delay beyond the radio link.
    pub(crate) fn delay(&self, local: u32) -> Duration {
        self.decoding[local as usize % 2] + self.stations[local as usize / 2].delay
    }

    pub(crate) fn buffer(&self, local: u32) -> Buffer {
        self.stations[local as usize / 2].buffer[local as usize % 2]
    }

    pub(crate) fn discipline(&self, local: u32) -> QueueConfig {
        self.stations[local as usize / 2].queue[local as usize % 2]
    }

    /// True: block errors are drawn.
    pub(crate) const fn is_random(&self) -> bool {
        true
    }

    /// 0: what HARQ leaves depends on the channel, and acknowledged mode repairs it.
    pub(crate) fn mean_loss(&self, _: u32) -> f64 {
        0.0
    }
}

/// Efficiency of the best of `modes` at this ratio.
fn efficiency(modes: &[(f64, f64)], snr: f64) -> f64 {
    modes.iter().rev().find(|mode| mode.1 <= snr * (1.0 + 1e-9)).map_or(0.0, |mode| mode.0)
}
