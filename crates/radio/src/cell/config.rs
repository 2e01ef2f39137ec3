//! Configuration of a cell.

use super::amc::Table;
use super::channel::Fading;
use super::scheduler::SchedulerConfig;
use std::sync::Arc;
use windward_elements::packet::NodeId;
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{Duration, Time};

/// A slotted cell: stations that share one carrier, each with a queue and a fading channel of its own.
///
/// In a downlink the queues are at the access point, in an uplink at the stations; the model is the same, with a
/// scheduler that knows all queues. A station is a member of the medium: the port through which it is reached.
#[derive(Clone, Debug)]
pub struct CellConfig {
    /// Length of a slot; positive. The channel is constant in a slot.
    pub slot: Duration,
    /// Data symbols a second of the whole carrier; positive.
    pub symbol_rate: f64,
    /// Bits per symbol by signal-to-noise ratio.
    pub table: Arc<Table>,
    /// Residual errors and their repair; `None`: every packet arrives.
    pub repair: Option<Repair>,
    /// Scheduling rule.
    pub scheduler: SchedulerConfig,
    /// Packing of packets into slots.
    pub service: Service,
    /// Filter of [`super::Candidate::average_rate`] and [`super::Candidate::average_offer`].
    pub average: Average,
    /// Most packets waiting in all queues together; `None`: only the buffers of the stations limit.
    pub shared_buffer: Option<u64>,
    /// Stations; not empty.
    pub stations: Vec<StationConfig>,
    /// Changes of means, in order of time.
    pub changes: Vec<MeanChange>,
}

impl CellConfig {
    pub(crate) fn observed_nodes(&self) -> Vec<NodeId> {
        // Its stations are its members.
        Vec::new()
    }

    pub(crate) fn members(&self) -> usize {
        self.stations.len()
    }

    pub(crate) fn mean_rate(&self, local: u32) -> f64 {
        self.table.mean_efficiency(self.stations[local as usize].mean_snr) * self.symbol_rate
    }

    /// True if channels fade at random, repair draws errors, or a queue draws its drops.
    pub(crate) fn is_random(&self) -> bool {
        let fades = |station: &StationConfig| !matches!(station.fading, Fading::Constant | Fading::Trace { .. });
        let drops = |station: u32| self.discipline(station).is_random();
        self.repair.is_some() || self.stations.iter().any(fades) || (0..self.stations.len() as u32).any(drops)
    }

    /// Rate at the mean signal-to-noise ratio, without fading.
    pub(crate) fn nominal_rate(&self, local: u32) -> u64 {
        (self.table.efficiency(self.stations[local as usize].mean_snr) * self.symbol_rate) as u64
    }

    pub(crate) fn delay(&self, local: u32) -> Duration {
        self.stations[local as usize].delay
    }

    pub(crate) fn buffer(&self, local: u32) -> Buffer {
        self.stations[local as usize].buffer
    }

    pub(crate) fn discipline(&self, local: u32) -> QueueConfig {
        self.stations[local as usize].queue
    }

    /// 0: residual errors depend on packet size and channel state, and are unknown beforehand.
    pub(crate) fn mean_loss(&self, _: u32) -> f64 {
        0.0
    }
}

/// Change of a station's mean signal-to-noise ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanChange {
    /// Time: the first slot that begins then or later.
    pub at: Time,
    /// Index of the station.
    pub station: u32,
    /// The new mean, linear; positive.
    pub mean_snr: f64,
}

/// A station of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Key of the station's random streams; unique among stations and links.
    pub key: u64,
    /// Mean signal-to-noise ratio, linear; positive.
    pub mean_snr: f64,
    /// Fading around the mean.
    pub fading: Fading,
    /// Delay from the end of a packet's transmission to its arrival.
    pub delay: Duration,
    /// Buffer; not [`Buffer::Time`], because the waiting time of an arrival is unknown.
    pub buffer: Buffer,
    /// Queue discipline.
    pub queue: QueueConfig,
    /// a = −ln δ/T of M-LWDF and the EXP rule, in 1/s; positive.
    pub urgency: f64,
}

/// Packing of packets into slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Service {
    /// Whole packets; the rest of the slot is lost.
    Whole,
    /// A packet that does not fit is begun, and finished in the station's next slot. When the queue empties, the rest
    /// of the slot is lost.
    #[default]
    Carry,
    /// As [`Self::Carry`], but when the queue empties the rest of the slot goes to the scheduler's next choice.
    Fluid,
}

/// Exponential filter of rates, one step a slot: r̄ ← r̄ + (r − r̄)/slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// Filter length; 256 in huang2020 (8), (10); at least 1.
    pub slots: f64,
    /// Initial value, in bits a second.
    pub start: f64,
    /// True if slots with an empty queue leave the average unchanged; otherwise they count as rate 0.
    pub is_held_when_empty: bool,
}

impl Default for Average {
    fn default() -> Self {
        Self { slots: 256.0, start: 1.0, is_held_when_empty: false }
    }
}

/// Link-layer repair: a packet that the receiver cannot decode is retransmitted in the station's next bits, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Transmissions of a packet, the first included, after which it is lost; at least 1.
    pub max_transmissions: u32,
}
