//! A station's state: what it senses, what it waits for, and what it sends.

use super::access::Served;
use super::config::{LossOf, WifiConfig};
use super::managed::Managed;
use super::waiting::{ROOM, Waiting};
use crate::engine::{Purpose, Stream};
use crate::medium::air::{FRAME_KINDS, FrameKind};
use crate::packet::Packet;
use crate::queue::{AnyQueue, Buffer, QueueConfig};
use crate::status::{Counts, Line};
use std::collections::VecDeque;
use windward_units::{BitRate, Duration, Time};

/// Nobody, everybody.
pub(super) const ALL: u32 = u32::MAX;

/// A frame on the air, from the instant at which its sender begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub kind: FrameKind,
    /// The station that it is for, or [`ALL`].
    pub to: u32,
    /// Data: the way that it is sent on.
    pub way: u32,
    /// Bytes, the MAC's included.
    pub bytes: u32,
    /// Data: tells a repeated packet from a new one.
    pub number: u32,
    /// How long those who are not meant shall keep quiet from its end.
    pub duration: Duration,
    /// When its sender begins.
    pub began: Time,
    /// When its end reaches the others.
    pub end: Time,
}

impl Frame {
    /// The last frame of who has sent none.
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

/// A frame that a station tries to receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lock {
    /// Who sends it.
    pub sender: u32,
    /// Its power.
    pub power: f64,
    /// What it adds to the power of all signals: the same but for fading.
    pub mean: f64,
    /// Least ratio of its power to that of all others, from `payload_from` on.
    pub required: f64,
    /// When it began.
    pub since: Time,
    /// The end of its preamble and header.
    pub payload_from: Time,
    /// Whether it can still be received.
    pub is_good: bool,
}

impl Lock {
    /// Judges signals of the total power `energy` that lasted until `now`; `header` is the ratio that preamble and header require.
    #[inline]
    pub fn endure(&mut self, now: Time, energy: f64, header: f64) {
        let required = if now > self.payload_from { self.required } else { header };
        self.is_good &= self.power >= required * (energy - self.mean);
    }
}

/// Where a station is in sending its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits for its turn, or has nothing to send.
    Contend,
    /// It has sent RTS and waits for CTS.
    AwaitCts,
    /// CTS has come, the data follow.
    SendData,
    /// It has sent data and waits for ACK.
    AwaitAck,
    /// It sends to all, who do not answer.
    Broadcast,
}

/// The packet that is being sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub way: u32,
    pub packet: Packet,
    pub since: Time,
    pub number: u32,
    /// Whether it has been received, known or not.
    pub is_received: bool,
    /// Failed attempts of its RTS, or of itself where it is short.
    pub short_retries: u32,
    /// Failed attempts of itself where it is long.
    pub long_retries: u32,
    pub was_tried: bool,
    /// Whether its way loses all its attempts, once that has been drawn.
    pub is_doomed: Option<bool>,
    /// The commodity that it belongs to, where it was chosen by backlog.
    pub commodity: Option<u32>,
}

/// What a station does and counts.
#[derive(Debug)]
pub(super) struct Station {
    /// Power of all signals that reach it.
    pub energy: f64,
    /// How many these are.
    pub signals: u32,
    /// Until when EIFS lasts after a frame that could not be received.
    pub error_until: Time,
    /// When the last of the signals ends.
    pub busy_until: Time,
    /// Until when others have reserved the medium.
    pub nav: Time,
    /// The same as an RTS would have it, and until when a frame must have followed for that.
    pub announced: (Time, Time),
    /// Its own last frame, sent or about to be.
    pub sends_from: Time,
    pub sends_until: Time,
    pub lock: Option<Lock>,
    pub stage: Stage,
    /// Slots left of its backoff.
    pub slots: Option<u32>,
    /// It came to an idle medium and needs no backoff, unless the medium turns busy before its time.
    pub is_fresh: bool,
    /// When the first of `slots` begins.
    pub counts_from: Time,
    /// When it acts next: the backoff ends, or its patience does.
    pub acts_at: Time,
    /// The earliest of its events of that kind in the calendar; [`Time::NEVER`] if there is none.
    pub wakes_at: Time,
    /// The contention window: a backoff is drawn from 0 to it.
    pub cw: u32,
    pub head: Option<Head>,
    /// The number of the last packet that it began to send.
    pub number: u32,
    pub answer: Option<Frame>,
    pub queue: VecDeque<Waiting>,
    pub bytes: u64,
    pub buffer: Buffer,
    /// What waits in place of `queue`, where a discipline rules it.
    pub managed: Option<Box<Managed>>,
    /// Packets in the queue times seconds, until the instant that follows.
    pub queue_time: f64,
    pub queue_since: Time,
    pub longest_queue: u64,
    pub data_rate: BitRate,
    /// Least ratio of power that its data frames require.
    pub required: f64,
    pub backoff: Stream,
    pub errors: Stream,
    pub fading: Stream,
    pub air: Air,
}

impl Station {
    /// Station `at` of `config` in the run of `seed`, which has nothing to send.
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
            nav: Time::ZERO,
            announced: (Time::ZERO, Time::ZERO),
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

    /// The queue is about to change.
    pub fn note_queue(&mut self, now: Time) {
        self.queue_time = self.queued(now);
        self.queue_since = now;
    }

    /// Packets in the queue times seconds, until `now`.
    pub fn queued(&self, now: Time) -> f64 {
        self.queue_time + self.waiting() as f64 * now.since(self.queue_since).as_secs()
    }
}

/// How a station spent its time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Air {
    /// Sending, by kind of frame.
    pub sent: [Duration; FRAME_KINDS],
    /// Frames sent, by kind.
    pub frames: [u64; FRAME_KINDS],
    /// Sensing others while not sending.
    pub sensed: Duration,
    /// Neither.
    pub idle: Duration,
    /// Until when this is known.
    pub until: Time,
    /// Frames that it tried to receive and could not.
    pub garbled: u64,
    /// Messages of the routing protocol that it sent, and their bytes.
    pub messages: (u64, u64),
}

impl Air {
    /// It senses others from `from` to `to`, during which it does not send.
    pub fn sense(&mut self, from: Time, to: Time) {
        self.idle += from.since(self.until);
        self.sensed += to.since(self.until.max(from));
        self.until = self.until.max(to);
    }

    /// It sends a frame; what it would have sensed meanwhile it does not.
    pub fn send(&mut self, kind: FrameKind, from: Time, to: Time) {
        self.idle += from.since(self.until);
        self.sensed = self.sensed.saturating_sub(self.until.min(to).since(from));
        self.sent[kind as usize] += to.since(from);
        self.frames[kind as usize] += 1;
        self.until = self.until.max(to);
    }
}

/// What a way counts beyond a link's counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WayCounts {
    pub link: Counts,
    /// RTS sent, or data without.
    pub attempts: u64,
    /// Data frames sent.
    pub data_frames: u64,
    /// Attempts without an answer.
    pub failures: u64,
    /// Packets that were acknowledged.
    pub successes: u64,
    /// Sum of the contention windows from which the backoffs before the attempts were drawn.
    pub windows: f64,
}

impl WayCounts {
    /// Mean contention window at an attempt.
    pub fn mean_cw(&self) -> f64 {
        self.windows / self.attempts as f64
    }
}

/// A way at work.
#[derive(Debug)]
pub(super) struct WayState {
    pub from: u32,
    pub to: u32,
    pub loss: f64,
    pub loss_of: LossOf,
    /// Bits a second of packets of 1500 bytes without others.
    pub rate: f64,
    /// Packets that wait or are being sent, and are not yet received.
    pub backlog: u32,
    /// Those of them that have not been sent yet.
    pub line: Line,
    pub served: Served,
    /// Start of service of the packet of this way that the MAC has in hand.
    pub served_since: Option<Time>,
    /// The number of the last packet received.
    pub received: u32,
    pub counts: WayCounts,
}

impl WayState {
    /// Way `at` of `config`, with nothing on it.
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

    /// How long the MAC has had a packet of this way in hand, in nanoseconds.
    pub fn serving(&self, now: Time) -> u64 {
        self.served_since.map_or(0, |since| now.since(since).as_nanos())
    }
}
