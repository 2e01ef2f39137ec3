//! State of a station: carrier sense, backoff and transmission.

use super::managed::Managed;
use super::waiting::Waiting;
use crate::air::FrameKind;
use crate::wifi::access::Served;
use crate::wifi::config::{LossOf, ROOM, WifiConfig};
use crate::wifi::radio::air::Air;
use crate::wifi::radio::reception::Nav;
use std::collections::VecDeque;
use windward_elements::engine::{Purpose, Stream};
use windward_elements::packet::Packet;
use windward_elements::queue::{AnyQueue, Buffer, QueueConfig};
use windward_elements::status::{Counts, Line};
use windward_units::{BitRate, Duration, Time};

/// No destination, or all stations.
pub(super) const ALL: u32 = u32::MAX;

/// A frame on the air, from the start of its transmission.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub kind: FrameKind,
    /// Destination, or [`ALL`].
    pub to: u32,
    /// Link of a data frame.
    pub way: u32,
    /// Bytes, including the MAC header.
    pub bytes: u32,
    /// Packet number of a data frame, equal for retransmissions of one packet.
    pub number: u32,
    /// Duration field: reservation of the medium from the frame's end.
    pub duration: Duration,
    /// Start of transmission.
    pub began: Time,
    /// Time at which its end reaches the receivers.
    pub end: Time,
}

impl Frame {
    /// Initial value, for a station that has sent no frame.
    pub const SILENCE: Self = Self {
        kind: FrameKind::Ack,
        to: ALL,
        way: 0,
        bytes: 0,
        number: 0,
        duration: Duration::ZERO,
        began: Time::ZERO,
        end: Time::ZERO,
    };
}

/// A frame that a station is receiving.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lock {
    /// Sender.
    pub sender: u32,
    /// Received power.
    pub power: f64,
    /// Share of this frame in the sum of all signals: its power without fading.
    pub mean: f64,
    /// Required ratio of its power to that of all others, from `payload_from` on.
    pub required: f64,
    /// Start of the frame.
    pub since: Time,
    /// End of its preamble and header.
    pub payload_from: Time,
    /// True while reception is still possible.
    pub is_good: bool,
}

impl Lock {
    /// Checks the interference until `now` from the total power `energy`; `header` is the required ratio of preamble
    /// and header.
    #[inline]
    pub fn endure(&mut self, now: Time, energy: f64, header: f64) {
        let required = if now > self.payload_from { self.required } else { header };
        self.is_good &= self.power >= required * (energy - self.mean);
    }
}

/// Stage of the exchange of the current packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Contends, or has no packet.
    Contend,
    /// Waits for CTS after an RTS.
    AwaitCts,
    /// Has received CTS; data follow after SIFS.
    SendData,
    /// Waits for ACK after data.
    AwaitAck,
    /// Sends a broadcast, without an answer.
    Broadcast,
}

/// The packet in service.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    pub way: u32,
    pub packet: Packet,
    pub since: Time,
    pub number: u32,
    /// True if it has been received, whether or not the sender knows.
    pub is_received: bool,
    /// Failed attempts of its RTS, or of the data frame if short.
    pub short_retries: u32,
    /// Failed attempts of the data frame if long.
    pub long_retries: u32,
    pub was_tried: bool,
    /// True if it was first tried before the counters began: nothing of it counts.
    pub is_past: bool,
    /// True if all its attempts are lost by the link's own losses; `None` before the draw.
    pub is_doomed: Option<bool>,
    /// Commodity, if it was chosen by backlog.
    pub commodity: Option<u32>,
}

/// State and counters of a station.
#[derive(Debug)]
pub(super) struct Station {
    /// Sum of the powers of all signals that reach it.
    pub energy: f64,
    /// Number of these signals.
    pub signals: u32,
    /// End of EIFS after a frame with errors.
    pub error_until: Time,
    /// End of the last of the signals.
    pub busy_until: Time,
    /// Reservation by others.
    pub nav: Nav,
    /// Start of its own last frame, sent or scheduled.
    pub sends_from: Time,
    pub sends_until: Time,
    pub lock: Option<Lock>,
    pub stage: Stage,
    /// Remaining slots of its backoff.
    pub slots: Option<u32>,
    /// True for a packet that found the medium idle: no backoff unless the medium turns busy before its transmission.
    pub is_fresh: bool,
    /// Start of the first of `slots`.
    pub counts_from: Time,
    /// Next action: the end of the backoff or of a timeout.
    pub acts_at: Time,
    /// Earliest event of that kind in the calendar; [`Time::NEVER`] without one.
    pub wakes_at: Time,
    /// Contention window: a backoff is drawn from 0 to it.
    pub cw: u32,
    pub head: Option<Head>,
    /// Number of the last packet taken into service.
    pub number: u32,
    pub answer: Option<Frame>,
    pub queue: VecDeque<Waiting>,
    /// Number of packets chosen by backpressure.
    pub chosen: u64,
    pub bytes: u64,
    pub buffer: Buffer,
    /// Queue with an AQM, in place of `queue`.
    pub managed: Option<Box<Managed>>,
    /// Time integral of the queue length until `queue_since`, in packets times seconds.
    pub queue_time: f64,
    pub queue_since: Time,
    pub longest_queue: u64,
    pub data_rate: BitRate,
    /// Required ratio of power for its data frames.
    pub required: f64,
    pub backoff: Stream,
    pub errors: Stream,
    pub fading: Stream,
    pub air: Air,
}

impl Station {
    /// Creates station `at` of `config` in the run of `seed`, without packets.
    pub fn new(at: u32, config: &WifiConfig, seed: u64) -> Self {
        let station = &config.stations[at as usize];
        let managed = match station.queue {
            QueueConfig::DropTail => None,
            queue => {
                let queue = AnyQueue::new(queue, station.buffer, config.station_rate(at), station.key, seed);
                Some(Box::new(Managed::new(queue)))
            }
        };
        Self {
            energy: 0.0,
            signals: 0,
            error_until: Time::ZERO,
            busy_until: Time::ZERO,
            nav: Nav::NONE,
            sends_from: Time::ZERO,
            sends_until: Time::ZERO,
            lock: None,
            stage: Stage::Contend,
            slots: None,
            is_fresh: false,
            counts_from: Time::ZERO,
            acts_at: Time::NEVER,
            wakes_at: Time::NEVER,
            cw: config.phy.cw_min,
            head: None,
            number: 0,
            answer: None,
            queue: VecDeque::with_capacity(ROOM),
            chosen: 0,
            bytes: 0,
            buffer: station.buffer,
            managed,
            queue_time: 0.0,
            queue_since: Time::ZERO,
            longest_queue: 0,
            data_rate: station.data_rate,
            required: config.required(station.data_rate),
            backoff: Stream::new(seed, station.key, Purpose::Backoff),
            errors: Stream::new(seed, station.key, Purpose::Error),
            fading: Stream::new(seed, station.key, Purpose::Fading),
            air: Air::default(),
        }
    }

    /// Packets in the queue.
    pub fn waiting(&self) -> usize {
        self.managed.as_ref().map_or(self.queue.len(), |managed| managed.packets())
    }

    /// Takes the first packet out of a drop-tail queue, after [`note_queue`](Self::note_queue).
    #[inline]
    pub fn pop(&mut self) -> Option<Waiting> {
        let first = self.queue.pop_front()?;
        self.bytes -= u64::from(first.packet.size);
        Some(first)
    }

    /// Updates the queue statistics, before every change of the queue.
    #[inline]
    pub fn note_queue(&mut self, now: Time) {
        self.queue_time = self.queued(now);
        self.queue_since = now;
    }

    /// Time integral of the queue length until `now`, in packets times seconds.
    pub fn queued(&self, now: Time) -> f64 {
        self.queue_time + self.waiting() as f64 * now.since(self.queue_since).as_secs()
    }
}

/// Counters of a link beyond those of a wired one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WayCounts {
    pub link: Counts,
    /// Attempts: RTS, and data frames without RTS.
    pub attempts: u64,
    /// Data frames sent.
    pub data_frames: u64,
    /// Attempts without CTS or ACK.
    pub failures: u64,
    /// Acknowledged packets.
    pub successes: u64,
    /// Sum over attempts of the contention window of the backoff before each.
    pub windows: f64,
}

impl WayCounts {
    /// Mean contention window at an attempt.
    pub fn mean_cw(&self) -> f64 {
        self.windows / self.attempts as f64
    }
}

/// A link at run time.
#[derive(Debug)]
pub(super) struct WayState {
    pub from: u32,
    pub to: u32,
    pub loss: f64,
    pub loss_of: LossOf,
    /// Rate of the link alone, in bits a second of 1500-byte packets.
    pub rate: f64,
    /// Packets queued or in service, and not yet received.
    pub backlog: u32,
    /// Waiting-time statistics of the packets not yet sent.
    pub line: Line,
    pub served: Served,
    /// Start of service of the link's packet in the MAC.
    pub served_since: Option<Time>,
    /// Number of the last packet received.
    pub received: u32,
    pub counts: WayCounts,
}

impl WayState {
    /// Creates link `at` of `config`, empty.
    pub fn new(at: u32, config: &WifiConfig) -> Self {
        let way = &config.ways[at as usize];
        Self {
            from: way.from,
            to: way.to,
            loss: way.loss,
            loss_of: way.loss_of,
            rate: config.mean_rate(at),
            backlog: 0,
            line: Line::default(),
            served: Served::new(1.0 / config.exchange(at, 1500).as_secs()),
            served_since: None,
            received: 0,
            counts: WayCounts::default(),
        }
    }

    /// Time for which the MAC has been serving a packet of this link, in nanoseconds.
    #[inline]
    pub fn serving(&self, now: Time) -> u64 {
        self.served_since.map_or(0, |since| now.since(since).as_nanos())
    }
}
