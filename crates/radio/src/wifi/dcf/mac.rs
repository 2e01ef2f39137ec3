//! An 802.11 network at run time.

use super::station::{Frame, Head, Station, WayCounts, WayState};
use super::times::Times;
use super::waiting::Waiting;
use crate::Hooks;
use crate::air::FrameKind;
use crate::interface::{Medium, Out};
use crate::wifi::access::Rounding;
use crate::wifi::config::{StationConfig, WifiConfig};
use crate::wifi::radio::air::Air;
use crate::wifi::radio::errors::Modulation;
use crate::wifi::radio::motion::NextReach;
use std::collections::BTreeMap;
use windward_elements::backpressure::Queues;
use windward_elements::packet::{NodeId, Packet};
use windward_elements::status::{Cause, Counts, Sight};
use windward_tables::{Frames, Histogram};
use windward_units::{Duration, Time};

/// Events of a station, in their order at one instant: the end of a frame precedes a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// End of its frame at the receivers.
    End,
    /// End of the SIFS before an answer.
    Answer,
    /// End of its backoff, or a CTS or ACK timeout.
    Act,
    /// Time at which the routing protocol may send.
    Route,
    /// Position update of all stations.
    Move,
}

/// Bits of the station's index in a timer number.
const STATION_BITS: u32 = 21;

impl Timer {
    pub(super) const fn of(self, station: u32) -> u32 {
        (self as u32) << STATION_BITS | station
    }
}

/// A routing protocol above the MAC. The functions that take the network send packets and messages.
pub trait Router: Sized {
    /// Creates the protocol of `config` in the run of `seed`; `None` without one.
    fn new(config: &WifiConfig, hooks: &Hooks, seed: u64) -> Option<Self>;

    /// True if stations overhear data frames for others.
    fn overhears(&self) -> bool;

    /// Queues of stations that forward by backpressure.
    fn queues(&self) -> Option<&Queues>;

    /// Packets in the protocol that no link counts in its backlog.
    fn held(&self) -> u64;

    /// Restarts the counters.
    fn reset_counts(&mut self, now: Time);

    /// Bytes of the protocol in a station's data frame.
    fn header(&self, at: u32) -> u32;

    /// Records what a station's data frame or broadcast announces.
    fn announce(&mut self, now: Time, at: u32);

    /// Counts an attempt on a link; `is_last` marks the last attempt of its packet.
    fn note_attempt(&mut self, now: Time, way: u32, is_success: bool, is_last: bool);

    /// Counts a station's current packet as received.
    fn leave(&mut self, now: Time, head: &Head);

    /// Turn of a packet that joins the interface queue of a station from which the protocol has chosen `chosen`.
    fn turn(&self, at: u32, chosen: u64) -> u64;

    /// Releases a unicast message that the MAC has finished.
    fn release(&mut self, handle: u32);

    /// Starts the protocol, before the first packet.
    fn begin(wifi: &mut Wifi<Self>, out: &mut impl Out);

    /// Forwards a packet without a source route.
    fn find_way(wifi: &mut Wifi<Self>, now: Time, at: u32, packet: Packet, out: &mut impl Out);

    /// Chooses the packet of a station that may send now. Returns false if it has none to send.
    fn choose(wifi: &mut Wifi<Self>, now: Time, at: u32) -> bool;

    /// Takes a packet back that the MAC gave up. Returns false if the protocol does not keep it.
    fn put_back(wifi: &mut Wifi<Self>, now: Time, at: u32, head: &Head) -> bool;

    /// Handles a timer of the protocol at a station.
    fn tell(wifi: &mut Wifi<Self>, now: Time, at: u32, out: &mut impl Out);

    /// Delivers a frame of the protocol to the stations `heard`, which received it.
    fn hear(wifi: &mut Wifi<Self>, now: Time, from: u32, frame: &Frame, heard: &[u32], out: &mut impl Out);

    /// Delivers a unicast message of the protocol.
    fn hear_alone(wifi: &mut Wifi<Self>, now: Time, at: u32, from: u32, handle: u32, out: &mut impl Out);

    /// Handles a packet that the MAC gave up: unless it was received or is kept, it is lost or returned to the
    /// protocol.
    fn give_up(wifi: &mut Wifi<Self>, now: Time, at: u32, head: &Head, is_kept: bool, out: &mut impl Out);
}

/// Stations, frames on the air between them, and their packets.
///
/// A signal reaches all stations in range of its sender after the same propagation delay. The delay is below a slot, so
/// stations that send in the same slot collide, as with delays by distance.
#[derive(Debug)]
pub struct Wifi<R> {
    pub(super) config: WifiConfig,
    pub(super) times: Times,
    pub(super) stations: Vec<Station>,
    /// The last frame of each station.
    pub(super) frames: Vec<Frame>,
    pub(super) ways: Vec<WayState>,
    /// Modulation of data and control frames of each station; used with noise only.
    pub(super) modulations: Vec<[Option<Modulation>; 2]>,
    /// Loss probability of broadcasts from one station to another, from the link's own losses.
    pub(super) lossy: BTreeMap<(u32, u32), f64>,
    /// Start of counting.
    pub(super) counts_from: Time,
    pub(super) routing: Option<R>,
    /// New reach of stations whose frame is on the air.
    pub(super) next_reach: NextReach,
    /// True if stations overhear data frames for others.
    pub(super) overhears: bool,
    /// Receivers of the frame that has just ended.
    pub(super) heard: Vec<u32>,
    /// Last two lengths of data frames of each station, and their air time.
    lengths: Vec<[(u32, Duration); 2]>,
}

impl<R: Router> Wifi<R> {
    /// Creates the network of `config` in the run of `seed`.
    pub fn new(config: &WifiConfig, hooks: &Hooks, seed: u64) -> Self {
        let WifiConfig { phy, mac, .. } = config;
        let modulation = |rate| config.fading.and_then(|_| Modulation::of(phy.coding, rate));
        let modulations = |station: &StationConfig| [modulation(station.data_rate), modulation(mac.basic_rate)];
        let stations = config.stations.len();
        let routing = R::new(config, hooks, seed);
        Self {
            times: Times::new(config),
            stations: (0..stations as u32).map(|at| Station::new(at, config, seed)).collect(),
            frames: vec![Frame::SILENCE; stations],
            ways: (0..config.ways.len() as u32).map(|at| WayState::new(at, config)).collect(),
            counts_from: Time::ZERO,
            overhears: routing.as_ref().is_some_and(R::overhears),
            routing,
            next_reach: NextReach::new(config.motion.as_ref(), stations),
            heard: Vec::new(),
            modulations: config.stations.iter().map(modulations).collect(),
            lossy: config.ways.iter().filter(|way| way.loss > 0.0).map(|way| ((way.from, way.to), way.loss)).collect(),
            lengths: vec![[(u32::MAX, Duration::ZERO); 2]; stations],
            config: config.clone(),
        }
    }

    /// Air time of a station's data frame of `bytes`, MAC header included.
    pub(super) fn data_time(&mut self, station: u32, bytes: u32) -> Duration {
        let lengths = &mut self.lengths[station as usize];
        if let Some(&(_, time)) = lengths.iter().find(|(known, _)| *known == bytes) {
            return time;
        }
        let rate = self.stations[station as usize].data_rate;
        let time = self.config.phy.air_time(u64::from(bytes), rate);
        *lengths = [(bytes, time), lengths[0]];
        time
    }

    /// Air time of a frame.
    pub(super) fn air_time(&mut self, station: u32, kind: FrameKind, bytes: u32) -> Duration {
        match kind {
            FrameKind::Rts => self.times.rts,
            FrameKind::Cts => self.times.cts,
            FrameKind::Ack => self.times.ack,
            FrameKind::Data => self.data_time(station, bytes),
            FrameKind::Broadcast => self.config.phy.air_time(u64::from(bytes), self.config.mac.basic_rate),
            FrameKind::BlockAck | FrameKind::BlockAckRequest => unreachable!("DCF has no BlockAcks"),
        }
    }

    /// b_l: packets a second of size `bytes` on a link alone without backoff.
    pub(super) fn alone(&mut self, way: u32, bytes: u32) -> f64 {
        let from = self.ways[way as usize].from;
        let data = self.data_time(from, bytes + self.config.mac.overhead.count() as u32);
        let Times { sifs, difs, propagation, rts, cts, ack, .. } = self.times;
        let plain = difs + data + sifs + ack + propagation * 2;
        let whole = match self.config.has_rts(u64::from(bytes)) {
            true => plain + rts + cts + (sifs + propagation) * 2,
            false => plain,
        };
        1.0 / whole.as_secs()
    }

    /// Contention window after a success on `way`.
    pub(super) fn window_after(&mut self, way: u32, bytes: u32, now: Time) -> u32 {
        let alone = self.alone(way, bytes);
        let slot = self.times.slot;
        let state = &mut self.ways[way as usize];
        state.served.serve(now, alone);
        let Some((most, rounding)) = self.config.access.window(state.backlog as usize, &state.served, alone, slot)
        else {
            return self.config.phy.cw_min;
        };
        let up = match rounding {
            Rounding::Floor => 0.0,
            Rounding::Random => self.stations[state.from as usize].backoff.uniform(),
        };
        // ns-2 draws from 0 to the window, the window itself excluded.
        (most + up) as u32 + u32::from(self.config.mac.is_ns2)
    }

    /// Updates the positions and the reach of moving stations.
    fn move_stations(&mut self, now: Time, out: &mut impl Out) {
        let Self { config, frames, next_reach, .. } = self;
        let Some(motion) = &config.motion else { return };
        let places = config.stations.iter_mut().map(|station| &mut station.place);
        let next = next_reach.step(now, motion, places, &mut config.reach, |id| frames[id].end > now);
        out.wake_at(next, Timer::Move.of(0));
    }
}

impl<R: Router> Medium for Wifi<R> {
    fn begin(&mut self, out: &mut impl Out) {
        R::begin(self, out);
        if let Some(motion) = &self.config.motion {
            out.wake_at(motion.first(), Timer::Move.of(0));
        }
    }

    fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        self.queue_up(now, local, packet, out);
    }

    fn carry(&mut self, now: Time, station: u32, packet: Packet, out: &mut impl Out) {
        R::find_way(self, now, station, packet, out);
    }

    fn held(&self) -> u64 {
        self.routing.as_ref().map_or(0, R::held)
    }

    fn wake(&mut self, now: Time, timer: u32, out: &mut impl Out) {
        let station = timer & ((1 << STATION_BITS) - 1);
        match timer >> STATION_BITS {
            0 => self.end(now, station, out),
            1 => self.answer(now, station, out),
            2 => self.wake_up(now, station, out),
            3 => R::tell(self, now, station, out),
            _ => self.move_stations(now, out),
        }
    }

    fn see(&mut self, _: Time, local: u32) -> Sight {
        let way = &self.ways[local as usize];
        let packets = way.backlog as usize;
        let queue_delay = Duration::from_secs(packets as f64 / way.served.rate());
        Sight { backlog: packets, queue_delay, rate: way.rate }
    }

    fn counts(&self, now: Time, local: u32) -> Counts {
        let way = &self.ways[local as usize];
        let busy = way.counts.link.busy + way.serving(now);
        way.line.show(now, Counts { busy, ..way.counts.link })
    }

    fn queues(&self) -> Option<(&Queues, Time)> {
        Some((self.routing.as_ref()?.queues()?, self.counts_from))
    }

    fn reset_counts(&mut self, now: Time) {
        self.counts_from = now;
        if let Some(routing) = &mut self.routing {
            routing.reset_counts(now);
        }
        self.ways.iter_mut().for_each(|way| {
            way.counts = WayCounts::default();
            way.served_since = way.served_since.map(|_| now);
            way.line.reset(now);
        });
        self.stations.iter_mut().for_each(|station| {
            station.air = Air { until: station.air.until, ..Air::default() };
            if let Some(head) = &mut station.head {
                head.is_past = head.was_tried;
            }
            (station.queue_time, station.queue_since, station.longest_queue) = (0.0, now, 0);
        });
    }

    fn all_waits(&mut self, _: Time, local: u32) -> Option<Histogram> {
        let way = &mut self.ways[local as usize];
        Some(way.line.all_waits(way.counts.link.packets))
    }

    fn report(&self, now: Time, members: &[u32], stations: &[NodeId], tables: &mut Frames) {
        self.fill(now, members, stations, tables);
    }
}

impl<R: Router> Wifi<R> {
    /// Queues a packet at its link's sender, or drops it if the buffer is full.
    pub(super) fn queue_up(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        let id = self.ways[local as usize].from;
        let chosen = self.stations[id as usize].chosen;
        let turn = self.routing.as_ref().map_or(0, |routing| routing.turn(id, chosen));
        let way = &mut self.ways[local as usize];
        let station = &mut self.stations[id as usize];
        if station.managed.is_some() {
            return self.queue_up_managed(now, local, packet, out);
        }
        let waiting = station.queue.len() as u64;
        if station.buffer.is_full(waiting, station.bytes, packet.size, Duration::ZERO) {
            way.counts.link.dropped += 1;
            out.complete(now, &packet);
            return out.lose(packet, Cause::Queue);
        }
        way.backlog += 1;
        way.line.join(now);
        let waiting = Waiting { since: now, way: local, packet, turn };
        let is_free = station.head.is_none();
        if is_free && station.queue.is_empty() && turn <= station.chosen {
            self.take(now, id, waiting);
        } else {
            station.note_queue(now);
            station.queue.push_back(waiting);
            station.bytes += u64::from(packet.size);
            station.longest_queue = station.longest_queue.max(station.queue.len() as u64);
        }
        if is_free {
            self.contend_anew(now, id, out);
        }
    }

    /// Makes a packet the station's current one.
    pub(super) fn take(&mut self, now: Time, id: u32, waiting: Waiting) {
        let station = &mut self.stations[id as usize];
        station.number = station.number.wrapping_add(1).max(1);
        let Waiting { since, way, packet, .. } = waiting;
        if let Some(way) = self.ways.get_mut(way as usize) {
            way.served_since = Some(now);
        }
        station.head = Some(Head {
            way,
            packet,
            since,
            number: station.number,
            is_received: false,
            short_retries: 0,
            long_retries: 0,
            was_tried: false,
            is_past: false,
            is_doomed: None,
            commodity: None,
        });
    }
}
