//! Parameters of the queues of a radio.

use windward_elements::queue::{CoDelConfig, Version};
use windward_units::Duration;

/// Queues of a radio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TxqConfig {
    /// Queue discipline.
    pub discipline: Discipline,
    /// True for deficit round robin in airtime; otherwise TXQs take turns.
    pub airtime_fairness: bool,
    /// True if a station is charged for what it sends, too, as in Linux unless `airtime_flags` says otherwise.
    pub charges_received: bool,
    /// Airtime queue limits, where the driver uses them.
    pub aql: Option<Aql>,
}

/// Queue discipline of a radio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Discipline {
    /// FQ-CoDel in each TXQ; all share flow queues and limits. Linux since 4.10.
    PerStation(FlowsConfig),
    /// One queue for all stations of an interface, and short FIFOs below it, one per TXQ. A drop-tail queue is one with
    /// [`FlowsConfig::fifo`].
    Shared {
        /// The queue of the interface.
        above: FlowsConfig,
        /// Most packets of a category below it, those in the hardware included.
        below: u32,
    },
}

/// Queues of flows with common limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowsConfig {
    /// Number of queues to which flows are hashed; zero for one queue.
    pub queues: u32,
    /// Most packets.
    pub packets: u32,
    /// Most bytes of memory, [`truesize`].
    pub memory: u64,
    /// Bytes that a flow may send per round.
    pub quantum: u32,
    /// Most packets dropped at once; zero for dropping the arrival.
    pub batch: u32,
    /// CoDel of each flow.
    pub codel: Option<(CoDelConfig, Version)>,
}

impl FlowsConfig {
    /// mac80211's. The memory limit is that of hardware with VHT; without it 4 MiB.
    pub const fn mac80211(has_vht: bool) -> Self {
        let target = Duration::from_millis(20);
        let codel = CoDelConfig { target, interval: Duration::from_millis(100), marks: true };
        Self {
            queues: 4096,
            packets: 8192,
            memory: if has_vht { 16 << 20 } else { 4 << 20 },
            quantum: 300,
            batch: 32,
            codel: Some((codel, Version::Mac80211)),
        }
    }

    /// One drop-tail queue.
    pub const fn fifo(packets: u32) -> Self {
        Self { queues: 0, packets, memory: u64::MAX, quantum: 1514, batch: 0, codel: None }
    }

    /// FQ-CoDel as a queueing discipline of an interface (Linux's `fq_codel`).
    pub const fn fq_codel() -> Self {
        let target = Duration::from_millis(5);
        let codel = CoDelConfig { target, interval: Duration::from_millis(100), marks: true };
        let codel = Some((codel, Version::Rfc8289));
        Self { queues: 1024, packets: 10_240, memory: 32 << 20, quantum: 1514, batch: 64, codel }
    }
}

/// Airtime queue limits in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aql {
    /// Estimated airtime below a station's TXQs of a category up to which another packet may leave them.
    pub low: u32,
    /// Limit in place of `low` while the radio is below `radio`.
    pub high: u32,
    /// Estimated airtime below all TXQs from which `low` holds.
    pub radio: u32,
}

impl Default for Aql {
    fn default() -> Self {
        Self { low: 5_000, high: 12_000, radio: 24_000 }
    }
}

impl Default for TxqConfig {
    /// Linux with a driver like mt76's.
    fn default() -> Self {
        Self {
            discipline: Discipline::PerStation(FlowsConfig::mac80211(true)),
            airtime_fairness: true,
            charges_received: true,
            aql: Some(Aql::default()),
        }
    }
}

/// Memory that Linux counts for a packet of `bytes`: its descriptor of 256 bytes, and the next power of two for
/// headroom (64), Ethernet header (14), data and the shared part (320).
pub const fn truesize(bytes: u32) -> u64 {
    256 + (bytes as u64 + 64 + 14 + 320).next_power_of_two()
}
