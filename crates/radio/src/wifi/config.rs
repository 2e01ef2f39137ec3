//! Configuration of an 802.11 network.

use super::access::Access;
use super::protocol::{BackpressureConfig, RoutingConfig};
use super::radio::errors::{Fading, required};
use super::radio::motion::Motion;
use super::radio::phy::Phy;
use super::radio::propagation::{Position, Reach};
use windward_elements::packet::NodeId;
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{BitRate, Bytes, Duration};

/// Stations with one 802.11 transceiver each, on one channel.
///
/// A member of the medium is a way: a directed link from one station to another. A station has one queue for all its
/// ways.
#[derive(Clone, Debug)]
pub struct WifiConfig {
    /// The physical layer.
    pub phy: Phy,
    /// The MAC.
    pub mac: Mac,
    /// Rule for the contention window.
    pub access: Access,
    /// The stations.
    pub stations: Vec<StationConfig>,
    /// Directed links between them, each pair of ends once.
    pub ways: Vec<Way>,
    /// Reach of every station at the start.
    pub reach: Reach,
    /// Mobility; `None`: stations do not move.
    pub motion: Option<Motion>,
    /// Noise and fading; `None`: every frame in range is received.
    pub fading: Option<Fading>,
    /// Routing protocol; `None`: packets have routes.
    pub routing: Option<RoutingConfig>,
}

/// A station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Key of its random streams; unique.
    pub key: u64,
    /// Its node.
    pub node: NodeId,
    /// Position, for maps.
    pub place: Position,
    /// Size of its interface queue.
    pub buffer: Buffer,
    /// Discipline of its interface queue; drop-tail under a routing protocol.
    pub queue: QueueConfig,
    /// Rate of its data frames; positive.
    pub data_rate: BitRate,
}

/// Unit of a link's own losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossOf {
    /// Each attempt of a data frame.
    #[default]
    Attempts,
    /// Each packet that the MAC takes: all its attempts fail until the MAC gives it up.
    Packets,
    /// Each packet after its ACK: the sender does not detect the loss.
    Deliveries,
}

/// Directed link between two stations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// Index of the sender.
    pub from: u32,
    /// Index of the receiver.
    pub to: u32,
    /// Probability of a loss that the link itself causes, 0 to 1.
    pub loss: f64,
    /// Unit of the loss.
    pub loss_of: LossOf,
}

/// Parameters of the MAC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mac {
    /// Rate of RTS, CTS, ACK and broadcasts; positive.
    pub basic_rate: BitRate,
    /// Header and checksum of a data frame, in bytes.
    pub overhead: Bytes,
    /// Largest data frame sent without RTS and CTS; `None`: no limit.
    pub rts_threshold: Option<Bytes>,
    /// Attempts of an RTS, and of a frame up to the threshold; `None`: unlimited.
    pub short_retries: Option<u32>,
    /// Attempts of a data frame above the threshold; `None`: unlimited.
    pub long_retries: Option<u32>,
    /// True if a station waits for EIFS after a frame with errors; otherwise for DIFS.
    pub uses_eifs: bool,
    /// ACK or CTS timeout from the end of a frame; `None`: SIFS, a slot and a preamble.
    pub timeout: Option<Duration>,
    /// True if slots in which others send count in a frozen backoff (Bianchi's chain); in the standard they do not.
    pub counts_busy_slots: bool,
    /// Least ratio of a frame's power to that of all others together at which it is received; `None`: depends on the
    /// rate (`required` in `errors.rs`).
    pub capture: Option<f64>,
    /// Behaviour of ns-2.35.
    pub is_ns2: bool,
}

impl Mac {
    /// MAC of the standard for a physical layer whose lowest rate is `basic_rate`.
    pub const fn standard(basic_rate: BitRate) -> Self {
        Self {
            basic_rate,
            overhead: Bytes::new(36),
            rts_threshold: None,
            short_retries: Some(7),
            long_retries: Some(4),
            uses_eifs: true,
            timeout: None,
            counts_busy_slots: false,
            capture: None,
            is_ns2: false,
        }
    }

    /// MAC of ns-2.35: RTS before every packet, headers of 34 bytes, its timeouts, a backoff before every packet,
    /// windows of one value less, signals compared one by one at 10 dB, durations truncated to microseconds.
    pub fn of_ns2(self, phy: &Phy) -> Self {
        let flight = Duration::from_micros(2);
        Self {
            overhead: Bytes::new(34),
            rts_threshold: Some(Bytes::new(0)),
            timeout: Some(flight + phy.sifs + phy.air_time(CTS, self.basic_rate) + flight),
            capture: Some(10.0),
            is_ns2: true,
            ..self
        }
    }

    /// Assumptions of Bianchi's model: unlimited retries, DIFS after every frame, immediate detection of collisions,
    /// busy slots that count in the backoff, headers of his table II.
    pub const fn bianchi() -> Self {
        Self {
            overhead: Bytes::new(34),
            short_retries: None,
            long_retries: None,
            uses_eifs: false,
            // SIFS, a slot and twice the propagation: before the DIFS of the others ends.
            timeout: Some(Duration::from_micros(80)),
            counts_busy_slots: true,
            ..Self::standard(BitRate::bits_per_sec(1_000_000))
        }
    }
}

/// Initial capacity of a station's queue, in packets.
pub(in crate::wifi) const ROOM: usize = 64;

/// Bytes of an RTS.
pub const RTS: u64 = 20;
/// Bytes of a CTS.
pub const CTS: u64 = 14;
/// Bytes of an ACK.
pub const ACK: u64 = 14;

/// Rule for links that cannot be active together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conflict {
    /// Links with ends that sense each other.
    #[default]
    Sense,
    /// Links with ends that can receive each other.
    Receive,
    /// Links with a common station.
    Primary,
}

impl WifiConfig {
    /// Nodes at the ends of a link.
    pub fn ends(&self, way: &Way) -> (NodeId, NodeId) {
        (self.stations[way.from as usize].node, self.stations[way.to as usize].node)
    }

    /// Conflicting links of every link, in order.
    pub fn conflicts(&self, rule: Conflict) -> Vec<Vec<u32>> {
        let ends: Vec<(u32, u32)> = self.ways.iter().map(|way| (way.from, way.to)).collect();
        conflicts(&self.reach, &ends, rule)
    }

    /// True if its stations forward by a user-defined rule.
    pub const fn has_own_rule(&self) -> bool {
        matches!(self.routing, Some(RoutingConfig::Backpressure(BackpressureConfig { rule: Some(_), .. })))
    }

    /// True if its stations forward by backpressure.
    pub const fn uses_backpressure(&self) -> bool {
        matches!(self.routing, Some(RoutingConfig::Backpressure(_)))
    }

    /// Nodes of its stations.
    pub fn observed_nodes(&self) -> Vec<NodeId> {
        self.stations.iter().map(|station| station.node).collect()
    }

    /// Number of links.
    pub fn members(&self) -> usize {
        self.ways.len()
    }

    /// Least ratio of a frame's power to that of all others at which bits of `rate` are received.
    pub(super) fn required(&self, rate: BitRate) -> f64 {
        self.mac.capture.unwrap_or_else(|| required(self.phy.coding, rate))
    }

    fn sender(&self, local: u32) -> &StationConfig {
        &self.stations[self.ways[local as usize].from as usize]
    }

    /// True if a packet of `bytes` is preceded by RTS and CTS.
    pub fn has_rts(&self, bytes: u64) -> bool {
        self.mac.rts_threshold.is_some_and(|threshold| bytes + self.mac.overhead.count() > threshold.count())
    }

    /// Air time of a successful exchange of a packet of `bytes` on the link `local`, including DIFS, without backoff.
    pub fn exchange(&self, local: u32, bytes: u64) -> Duration {
        let Self { phy, mac, .. } = self;
        let control = |bytes| phy.air_time(bytes, mac.basic_rate);
        let (gap, flight) = (phy.sifs, phy.propagation);
        let data = phy.air_time(bytes + mac.overhead.count(), self.sender(local).data_rate);
        let plain = phy.difs + data + flight + gap + control(ACK) + flight;
        match self.has_rts(bytes) {
            true => plain + control(RTS) + flight + gap + control(CTS) + flight + gap,
            false => plain,
        }
    }

    /// Expected arrivals per exchange of packets of `bytes` on the link `local` without collisions. A packet is retried
    /// until it arrives or is lost.
    pub fn received(&self, local: u32, bytes: u64) -> f64 {
        let Way { loss, loss_of, .. } = self.ways[local as usize];
        let limit = if self.has_rts(bytes) { self.mac.long_retries } else { self.mac.short_retries };
        match (loss_of, limit) {
            (LossOf::Attempts | LossOf::Deliveries, _) => 1.0 - loss,
            (LossOf::Packets, limit) => (1.0 - loss) / (1.0 - loss + loss * limit.map_or(f64::INFINITY, f64::from)),
        }
    }

    /// Rate of a link alone without backoff, in bits a second of 1500-byte packets.
    pub fn mean_rate(&self, local: u32) -> f64 {
        1500.0 * 8.0 / self.exchange(local, 1500).as_secs()
    }

    /// Rate of a station alone, over any of its links; the rate of its data frames if it has none.
    pub(super) fn station_rate(&self, station: u32) -> f64 {
        let way = (0..).zip(&self.ways).find(|(_, way)| way.from == station);
        let data_rate = self.stations[station as usize].data_rate.as_bits_per_sec() as f64;
        way.map_or(data_rate, |(local, _)| self.mean_rate(local))
    }

    /// Rate of the data frames.
    pub fn nominal_rate(&self, local: u32) -> u64 {
        self.sender(local).data_rate.as_bits_per_sec()
    }

    /// Zero: packets arrive at the end of their frame.
    pub fn delay(&self, _: u32) -> Duration {
        Duration::ZERO
    }

    /// The sender's buffer.
    pub fn buffer(&self, local: u32) -> Buffer {
        self.sender(local).buffer
    }

    /// True: stations draw their backoffs or transmissions.
    pub(crate) const fn is_random(&self) -> bool {
        true
    }

    /// The discipline of the sender's queue.
    pub fn discipline(&self, local: u32) -> QueueConfig {
        self.sender(local).queue
    }

    /// 0: collisions depend on the traffic and are unknown beforehand.
    pub fn mean_loss(&self, _: u32) -> f64 {
        0.0
    }
}

/// Conflicting links of every link, in order; the links are given by the indices of their stations.
pub(super) fn conflicts(reach: &Reach, ends: &[(u32, u32)], rule: Conflict) -> Vec<Vec<u32>> {
    // Links that begin or end at each station, and stations that each station disturbs.
    let mut at: Vec<Vec<u32>> = vec![Vec::new(); reach.stations() as usize];
    for (index, &(from, to)) in (0..).zip(ends) {
        at[from as usize].push(index);
        at[to as usize].push(index);
    }
    let disturbed = |station: u32| {
        let heard = reach.of(station).iter().filter(move |neighbour| match rule {
            Conflict::Sense => true,
            Conflict::Receive => neighbour.decodes,
            Conflict::Primary => false,
        });
        std::iter::once(station).chain(heard.map(|neighbour| neighbour.station))
    };
    let of_link = |(index, &(from, to)): (u32, &(u32, u32))| {
        let stations = disturbed(from).chain(disturbed(to));
        let mut all: Vec<u32> = stations.flat_map(|station| at[station as usize].iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|&other| other != index);
        all
    };
    (0..).zip(ends).map(of_link).collect()
}
