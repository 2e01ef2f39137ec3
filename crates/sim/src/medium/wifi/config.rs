//! What a wireless network is given.

use super::access::Access;
use super::errors::{Fading, required};
use super::motion::Motion;
use super::phy::Phy;
use super::propagation::{Position, Reach};
use super::routing::{BackpressureConfig, RoutingConfig};
use crate::packet::NodeId;
use crate::queue::{Buffer, QueueConfig};
use windward_units::{BitRate, Bytes, Duration};

/// Stations with one 802.11 transceiver each, on one channel.
///
/// A member of the medium is a way: a station sending to another one. A station has one queue for all its ways.
#[derive(Clone, Debug)]
pub struct WifiConfig {
    /// The physical layer.
    pub phy: Phy,
    /// The MAC above it.
    pub mac: Mac,
    /// How the contention window follows from a station's queues.
    pub access: Access,
    /// The stations.
    pub stations: Vec<StationConfig>,
    /// The ways between them, no two alike.
    pub ways: Vec<Way>,
    /// Who hears whom, in the beginning.
    pub reach: Reach,
    /// How stations move; `None`: they do not.
    pub motion: Option<Motion>,
    /// Fading around the mean power; `None`: a frame in range is received.
    pub fading: Option<Fading>,
    /// How stations find routes; `None`: packets have them.
    pub routing: Option<RoutingConfig>,
}

/// A station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Names its random streams; different for every station.
    pub key: u64,
    /// The node that it is.
    pub node: NodeId,
    /// Where it stands: for whoever draws the network.
    pub place: Position,
    /// How much may wait for the air.
    pub buffer: Buffer,
    /// What is dropped or marked, and who goes first; drop-tail where stations find routes themselves.
    pub queue: QueueConfig,
    /// Rate of its data frames; positive.
    pub data_rate: BitRate,
}

/// What the losses of a way's own are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossOf {
    /// Of each attempt of a data frame.
    #[default]
    Attempts,
    /// Of a packet that the MAC takes up: all its attempts, until the MAC gives it up.
    Packets,
    /// Of a packet that was received and acknowledged: its sender never learns of it.
    Deliveries,
}

/// A station sending to another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// The sender, by its index.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// Probability of a loss for reasons of the way's own, 0 to 1.
    pub loss: f64,
    /// What is lost.
    pub loss_of: LossOf,
}

/// Switches and numbers of the MAC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mac {
    /// Rate of RTS, CTS, ACK and broadcasts; positive.
    pub basic_rate: BitRate,
    /// Bytes that a data frame has beyond the packet.
    pub overhead: Bytes,
    /// Data frames longer than this are preceded by RTS and CTS; `None`: none is.
    pub rts_threshold: Option<Bytes>,
    /// Attempts of a frame that is not longer than the threshold, and of an RTS; `None`: without limit.
    pub short_retries: Option<u32>,
    /// Attempts of a data frame that is longer.
    pub long_retries: Option<u32>,
    /// After a frame that could not be received a station waits for EIFS; else for DIFS.
    pub uses_eifs: bool,
    /// From the end of a frame to the instant at which a missing answer is noticed; `None`: a short space, a slot and a preamble.
    pub timeout: Option<Duration>,
    /// A slot in which others send counts in the backoff of those who wait (Bianchi's chain); in the standard it does not.
    pub counts_busy_slots: bool,
    /// Least ratio of a frame's power to that of all others together at which it is received; `None`: by rate
    /// ([`super::errors::required`]).
    pub capture: Option<f64>,
    /// The customs of ns-2.35.
    pub is_ns2: bool,
}

impl Mac {
    /// The standard's MAC for a physical layer whose slowest rate is `basic_rate`.
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

    /// What ns-2.35 makes of it: RTS before every packet, headers of 34 bytes, its timeouts, and its habits: a backoff before
    /// every packet, windows of one value less, signals compared one by one and at 10 dB, durations cut to microseconds.
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

    /// The assumptions of Bianchi's model: no limit of retries, DIFS after every frame, colliding stations notice it at once, a
    /// busy slot counts in the backoff, headers of his table II.
    pub const fn bianchi() -> Self {
        Self {
            overhead: Bytes::new(34),
            short_retries: None,
            long_retries: None,
            uses_eifs: false,
            // A short space, a slot, there and back: before the DIFS after which all others go on.
            timeout: Some(Duration::from_micros(80)),
            counts_busy_slots: true,
            ..Self::standard(BitRate::bits_per_sec(1_000_000))
        }
    }
}

/// Bytes of the frames that carry nothing.
pub(super) const RTS: u64 = 20;
pub(super) const CTS: u64 = 14;
pub(super) const ACK: u64 = 14;

/// Which ways cannot be used at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conflict {
    /// Those with ends that sense each other.
    #[default]
    Sense,
    /// Those with ends that can receive each other.
    Receive,
    /// Those with a station in common.
    Primary,
}

impl WifiConfig {
    /// The nodes between which a way leads.
    pub fn ends(&self, way: &Way) -> (NodeId, NodeId) {
        (self.stations[way.from as usize].node, self.stations[way.to as usize].node)
    }

    /// For every way those that conflict with it, in order.
    pub fn conflicts(&self, rule: Conflict) -> Vec<Vec<u32>> {
        // The ways that begin or end at each station, and the stations that each station disturbs.
        let mut at: Vec<Vec<u32>> = vec![Vec::new(); self.stations.len()];
        for (index, way) in (0..).zip(&self.ways) {
            at[way.from as usize].push(index);
            at[way.to as usize].push(index);
        }
        let disturbed = |station: u32| {
            let heard = self.reach.of(station).iter().filter(move |neighbour| match rule {
                Conflict::Sense => true,
                Conflict::Receive => neighbour.decodes,
                Conflict::Primary => false,
            });
            std::iter::once(station).chain(heard.map(|neighbour| neighbour.station))
        };
        let of_way = |(index, way): (u32, &Way)| {
            let stations = disturbed(way.from).chain(disturbed(way.to));
            let mut all: Vec<u32> = stations.flat_map(|station| at[station as usize].iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|&other| other != index);
            all
        };
        (0..).zip(&self.ways).map(of_way).collect()
    }

    /// Whether its stations forward by a rule of a user's own.
    pub const fn has_own_rule(&self) -> bool {
        matches!(self.routing, Some(RoutingConfig::Backpressure(BackpressureConfig { rule: Some(_), .. })))
    }

    /// Whether its stations forward by backlog.
    pub const fn has_backlogs(&self) -> bool {
        matches!(self.routing, Some(RoutingConfig::Backpressure(_)))
    }

    /// The nodes of its stations.
    pub fn observed_nodes(&self) -> Vec<NodeId> {
        self.stations.iter().map(|station| station.node).collect()
    }

    /// How many ways there are.
    pub fn members(&self) -> usize {
        self.ways.len()
    }

    /// Least ratio of a frame's power to that of all others at which its bits of `rate` are received.
    pub(super) fn required(&self, rate: BitRate) -> f64 {
        self.mac.capture.unwrap_or_else(|| required(self.phy.coding, rate))
    }

    fn sender(&self, local: u32) -> &StationConfig {
        &self.stations[self.ways[local as usize].from as usize]
    }

    /// Whether a packet of `bytes` is preceded by RTS and CTS.
    pub fn has_rts(&self, bytes: u64) -> bool {
        self.mac.rts_threshold.is_some_and(|threshold| bytes + self.mac.overhead.count() > threshold.count())
    }

    /// How long the medium is taken by a packet of `bytes` on the way `local` that succeeds at once, its space before
    /// included, its backoff not.
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

    /// Packets of `bytes` that arrive for each exchange on the way `local`, collisions aside; each waits until it arrives, or is lost.
    pub fn received(&self, local: u32, bytes: u64) -> f64 {
        let Way { loss, loss_of, .. } = self.ways[local as usize];
        let limit = if self.has_rts(bytes) { self.mac.long_retries } else { self.mac.short_retries };
        match (loss_of, limit) {
            (LossOf::Attempts | LossOf::Deliveries, _) => 1.0 - loss,
            (LossOf::Packets, limit) => (1.0 - loss) / (1.0 - loss + loss * limit.map_or(f64::INFINITY, f64::from)),
        }
    }

    /// Bits a second of packets of 1500 bytes on a way that has the medium to itself, without a backoff.
    pub fn mean_rate(&self, local: u32) -> f64 {
        1500.0 * 8.0 / self.exchange(local, 1500).as_secs()
    }

    /// The same of a station, whatever its ways; without any, the rate of its data frames.
    pub(super) fn station_rate(&self, station: u32) -> f64 {
        let way = (0..).zip(&self.ways).find(|(_, way)| way.from == station);
        let data_rate = self.stations[station as usize].data_rate.as_bits_per_sec() as f64;
        way.map_or(data_rate, |(local, _)| self.mean_rate(local))
    }

    /// The rate of the data frames.
    pub fn nominal_rate(&self, local: u32) -> u64 {
        self.sender(local).data_rate.as_bits_per_sec()
    }

    /// None: packets arrive with the end of their frame.
    pub fn delay(&self, _: u32) -> Duration {
        Duration::ZERO
    }

    /// The sender's buffer.
    pub fn buffer(&self, local: u32) -> Buffer {
        self.sender(local).buffer
    }

    /// The discipline of the sender's queue.
    pub fn discipline(&self, local: u32) -> QueueConfig {
        self.sender(local).queue
    }

    /// Unknown beforehand: collisions depend on the traffic.
    pub fn mean_loss(&self, _: u32) -> f64 {
        0.0
    }
}
