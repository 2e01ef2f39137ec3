//! A network of 802.11n, ac or ax at run time.

use super::config::EdcaConfig;
use super::counts::QueueCounts;
use super::packets::Waiting;
use super::session::Session;
use super::station::{Frame, Station, StationCounts};
use super::times::Times;
use super::way::{WayCounts, WayState};
use crate::Hooks;
use crate::interface::{Medium, Out};
use crate::wifi::category::CATEGORIES;
use crate::wifi::radio::air::Air;
use crate::wifi::radio::motion::NextReach;
use std::collections::VecDeque;
use windward_elements::packet::{NodeId, Packet};
use windward_elements::status::{Counts, Sight};
use windward_tables::{Frames, Histogram};
use windward_units::{Duration, Time};

/// Events, in their order at one instant: the end of a frame precedes a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// End of a station's frame at the receivers.
    End,
    /// End of the SIFS before a frame.
    Follow,
    /// End of a station's backoff or of its wait for an answer.
    Act,
    /// End of a session's wait for a missing MPDU.
    Release,
    /// Position update of all stations.
    Move,
}

/// Bits of the index of a station or session in a timer number.
const INDEX_BITS: u32 = 21;

impl Timer {
    pub(super) const fn of(self, index: u32) -> u32 {
        (self as u32) << INDEX_BITS | index
    }
}

/// Stations, frames on the air between them, and their packets.
///
/// A signal reaches all stations in range of its sender after the same propagation delay.
#[derive(Debug)]
pub struct Edca {
    pub(super) config: EdcaConfig,
    pub(super) times: Times,
    pub(super) stations: Vec<Station>,
    /// The last frame of each station.
    pub(super) frames: Vec<Frame>,
    pub(super) ways: Vec<WayState>,
    /// BlockAck sessions, by link and category.
    pub(super) sessions: Vec<Session>,
    /// Packets without a number, by link and category.
    pub(super) queues: Vec<VecDeque<Waiting>>,
    /// Counters of these queues, and of the delays behind them.
    pub(super) queue_counts: Vec<QueueCounts>,
    /// Estimates of the packets that an exchange completed.
    pub(super) done: Vec<u16>,
    /// Start of counting.
    pub(super) counts_from: Time,
    /// New reach of stations whose frame is on the air.
    pub(super) next_reach: NextReach,
}

impl Edca {
    /// Creates the network of `config` in the run of `seed`.
    pub fn new(config: &EdcaConfig, _: &Hooks, seed: u64) -> Self {
        let stations = config.stations.len();
        let sessions = config.ways.len() * CATEGORIES;
        let mut links = vec![Vec::new(); stations];
        (0..).zip(&config.ways).for_each(|(link, way)| links[way.from as usize].push(link));
        let station = |(at, links): (u32, Vec<u32>)| Station::new(at, config, links, seed);
        Self {
            times: Times::new(config),
            stations: (0..).zip(links).map(station).collect(),
            frames: vec![Frame::SILENCE; stations],
            ways: WayState::all(config, seed),
            sessions: vec![Session::new(); sessions],
            queues: vec![VecDeque::new(); sessions],
            queue_counts: vec![QueueCounts::default(); sessions],
            done: Vec::new(),
            counts_from: Time::ZERO,
            next_reach: NextReach::new(config.motion.as_ref(), stations),
            config: config.clone(),
        }
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

impl Medium for Edca {
    fn begin(&mut self, out: &mut impl Out) {
        if let Some(motion) = &self.config.motion {
            out.wake_at(motion.first(), Timer::Move.of(0));
        }
    }

    fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        self.queue_up(now, local, packet, out);
    }

    fn wake(&mut self, now: Time, timer: u32, out: &mut impl Out) {
        let index = timer & ((1 << INDEX_BITS) - 1);
        match timer >> INDEX_BITS {
            0 => self.end(now, index, out),
            1 => self.follow(now, index, out),
            2 => self.wake_up(now, index, out),
            3 => self.release(now, index, false, out),
            _ => self.move_stations(now, out),
        }
    }

    fn see(&mut self, _: Time, local: u32) -> Sight {
        let way = &self.ways[local as usize];
        let packets = way.backlog as usize;
        let queue_delay = Duration::from_secs(packets as f64 * 12_000.0 / way.alone);
        Sight { backlog: packets, queue_delay, rate: way.alone }
    }

    fn counts(&self, now: Time, local: u32) -> Counts {
        let way = &self.ways[local as usize];
        way.line.show(now, Counts { busy: way.counts.airtime.as_nanos(), ..way.counts.link })
    }

    fn reset_counts(&mut self, now: Time) {
        self.counts_from = now;
        self.ways.iter_mut().for_each(|way| {
            way.counts = WayCounts::default();
            way.line.reset(now);
            way.rates.reset();
            way.sizes.reset();
        });
        // What began before counts on neither side.
        self.sessions.iter_mut().for_each(Session::reset_counts);
        self.queue_counts.iter_mut().for_each(|counts| counts.reset(now));
        self.stations.iter_mut().for_each(|station| {
            station.air = Air { until: station.air.until, ..Air::default() };
            station.counts = StationCounts::default();
            (station.sending.counts_attempt, station.sending.counts_data) = (false, false);
            (station.queue_time, station.queue_since, station.longest_queue) = (0.0, now, 0);
        });
    }

    fn all_waits(&mut self, _: Time, local: u32) -> Option<Histogram> {
        let first = local as usize * CATEGORIES;
        let mut all = Histogram::default();
        self.queue_counts[first..first + CATEGORIES].iter().for_each(|counts| all.merge(counts.line.waits()));
        Some(all)
    }

    fn report(&self, now: Time, members: &[u32], stations: &[NodeId], tables: &mut Frames) {
        self.fill(now, members, stations, tables);
    }
}
