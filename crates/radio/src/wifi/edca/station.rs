//! State of a station: carrier sense, EDCA functions, reception, the exchange in progress.

use super::ahead::Ahead;
use super::config::{EdcaConfig, Hardware};
use super::sending::Sending;
use super::transmit::Transmit;
use crate::air::FrameKind;
use crate::wifi::category::{CATEGORIES, Contention};
use crate::wifi::radio::air::Air;
use crate::wifi::radio::reception::Nav;
use std::collections::VecDeque;
use windward_elements::engine::{Purpose, Stream};
use windward_elements::queue::Buffer;
use windward_units::{Duration, Time};

/// A frame on the air, from the start of its transmission. What an A-MPDU holds is in [`Sending`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub kind: FrameKind,
    /// Destination.
    pub to: u32,
    /// Link of the exchange.
    pub way: u32,
    /// Category of the exchange.
    pub category: u8,
    /// Bytes of the PSDU.
    pub bytes: u32,
    /// Duration field: reservation of the medium from the frame's end.
    pub duration: Duration,
    /// Rate of a control frame in Mbit/s.
    pub mbit: u64,
    pub began: Time,
    /// Time at which its end reaches the receivers.
    pub end: Time,
}

impl Frame {
    /// Initial value, for a station that has sent no frame.
    pub const SILENCE: Self = Self {
        kind: FrameKind::Ack,
        to: u32::MAX,
        way: 0,
        category: 0,
        bytes: 0,
        duration: Duration::ZERO,
        mbit: 0,
        began: Time::ZERO,
        end: Time::ZERO,
    };
}

/// A frame that a station is receiving, in the order of use.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Lock {
    /// Sender.
    pub sender: u32,
    /// True while the header is readable.
    pub is_good: bool,
    /// True if the frame is addressed to this station, whose [`Station::chunks`] are its.
    pub is_own: bool,
    /// Start of the frame.
    pub since: Time,
    /// End of the part whose interference is noted.
    pub noted_until: Time,
    /// End of its preamble and header.
    pub payload_from: Time,
    /// Received power.
    pub power: f64,
    /// Share of this frame in the sum of all signals: its power without fading.
    pub mean: f64,
    /// Largest interference so far.
    pub worst: f64,
}

/// Part of a frame with constant interference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    /// Its end.
    pub until: Time,
    /// Power of all other signals.
    pub interference: f64,
}

/// Stage of the exchange in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// None: the functions contend.
    Contend,
    /// Waits for CTS after an RTS.
    AwaitCts,
    /// Data or a request follow after SIFS.
    Send,
    /// Waits for ACK or BlockAck after data.
    AwaitAnswer,
    /// Waits for BlockAck after a request.
    AwaitRequested,
}

/// EDCA function of a category.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    pub contention: Contention,
    /// SIFS and AIFSN slots.
    pub aifs: Duration,
    pub cw: u32,
    /// QSRC: failures in a row.
    pub failures: u32,
    /// Internal collisions that its next MPDU has not been charged with.
    pub collisions: u32,
    /// Remaining slots of the backoff.
    pub slots: u32,
    /// First boundary at which `slots` may be decremented.
    pub counts_from: Time,
    /// End of the backoff on an undisturbed medium.
    pub acts_at: Time,
}

/// State and counters of a station. Every frame in reach touches the first two cache lines; of a frame that the station
/// neither receives nor senses, it touches only the first.
#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct Station {
    /// Sum of the powers of all signals that reach it.
    pub energy: f64,
    /// Its own last frame, sent or scheduled.
    pub sends_from: Time,
    pub sends_until: Time,
    /// Number of the signals that reach it.
    pub signals: u32,
    pub stage: Stage,
    /// Functions with a backoff, one bit each.
    pub counting: u8,
    /// Functions whose packet found the medium idle: no backoff unless the medium turns busy before.
    pub fresh: u8,
    pub lock: Option<Lock>,
    /// Parts of the frame in reception, if it is addressed to this station.
    pub chunks: Vec<Chunk>,
    /// End of the last sensed signal.
    pub busy_until: Time,
    /// Reservation by others.
    pub nav: Nav,
    /// End of the wait after a frame with errors, before an interframe space.
    pub error_until: Time,
    /// End of its last wait for an answer that did not come.
    pub waited_until: Time,
    /// Start of the idle time for which the ends of the backoffs are computed.
    pub armed_for: Time,
    /// Next action: the end of a backoff or of a timeout.
    pub acts_at: Time,
    /// Earliest event of that kind in the calendar; [`Time::NEVER`] without one.
    pub wakes_at: Time,
    pub air: Air,
    pub fading: Stream,
    pub functions: [Function; CATEGORIES],
    /// Category that holds the medium outside of [`Stage::Contend`].
    pub owner: usize,
    pub sending: Sending,
    /// True while data follow after a CTS.
    pub is_protected: bool,
    /// True until the first PPDU of a TXOP is answered.
    pub is_first: bool,
    /// End of the TXOP.
    pub txop_until: Time,
    /// Frame that follows after SIFS, and its air time.
    pub answer: Option<(Frame, Duration)>,
    /// Packets without a number, and their bytes.
    pub waiting: u64,
    pub bytes: u64,
    pub buffer: Buffer,
    /// Time integral of `waiting` until `queue_since`, in packets times seconds.
    pub queue_time: f64,
    pub queue_since: Time,
    pub longest_queue: u64,
    /// Linux's transmit queues, in place of one queue for all.
    pub transmit: Option<Box<Transmit>>,
    /// PPDUs that the hardware holds, where the driver composes them ahead.
    pub ahead: Option<Box<Ahead>>,
    /// Sessions with work, by category, in the order of service.
    pub turns: [VecDeque<u32>; CATEGORIES],
    /// Session of each waiting packet, by category and in the order of arrival, where that is the order of service.
    pub order: Option<Box<[VecDeque<u32>; CATEGORIES]>>,
    pub backoff: Stream,
    pub errors: Stream,
    pub counts: StationCounts,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(std::mem::offset_of!(Station, nav) == 120 && std::mem::offset_of!(Station, chunks) == 88);

/// Counters of a station beyond its air time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StationCounts {
    /// Transmission opportunities by category.
    pub txops: [u64; CATEGORIES],
    /// Functions that lost against a higher one of the same station.
    pub internal_collisions: u64,
}

impl Station {
    /// Creates station `at` of `config`, which sends over `links`, in the run of `seed`, without packets.
    pub fn new(at: u32, config: &EdcaConfig, links: Vec<u32>, seed: u64) -> Self {
        let station = &config.stations[at as usize];
        let phy = &config.phy;
        let function = |contention: Contention| Function {
            contention,
            aifs: phy.sifs + phy.slot * u64::from(contention.aifsn),
            cw: contention.cw_min,
            failures: 0,
            collisions: 0,
            slots: 0,
            counts_from: Time::ZERO,
            acts_at: Time::NEVER,
        };
        Self {
            energy: 0.0,
            signals: 0,
            error_until: Time::ZERO,
            busy_until: Time::ZERO,
            nav: Nav::NONE,
            sends_from: Time::ZERO,
            sends_until: Time::ZERO,
            waited_until: Time::ZERO,
            lock: None,
            chunks: Vec::new(),
            stage: Stage::Contend,
            owner: 0,
            functions: station.contention.map(function),
            counting: 0,
            fresh: 0,
            armed_for: Time::ZERO,
            acts_at: Time::NEVER,
            wakes_at: Time::NEVER,
            sending: Sending::new(),
            is_protected: false,
            txop_until: Time::ZERO,
            is_first: true,
            answer: None,
            turns: Default::default(),
            order: (station.is_strict && station.txqs.is_none()).then(Box::default),
            ahead: (station.hardware == Hardware::TwoAggregates).then(|| Box::new(Ahead::new())),
            transmit: Transmit::new(at, config, links, seed),
            waiting: 0,
            bytes: 0,
            buffer: station.buffer,
            queue_time: 0.0,
            queue_since: Time::ZERO,
            longest_queue: 0,
            backoff: Stream::new(seed, station.key, Purpose::Backoff),
            errors: Stream::new(seed, station.key, Purpose::Error),
            fading: Stream::new(seed, station.key, Purpose::Fading),
            air: Air::default(),
            counts: StationCounts::default(),
        }
    }

    /// True if a category has something to send.
    pub fn has_work(&self, of: usize) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| ahead.has_ppdus(of))
            || !self.turns[of].is_empty()
            || self.transmit.as_ref().is_some_and(|transmit| transmit.has_packets(of))
    }

    /// True if the next packet of a session may leave its queue: always, but in the order of arrival only at the head.
    #[inline]
    pub fn may_leave(&self, session: u32) -> bool {
        let order = self.order.as_deref().map(|order| &order[session as usize % CATEGORIES]);
        order.is_none_or(|order| order.front() == Some(&session))
    }

    /// Updates the queue statistics, before every change of the queue.
    pub fn note_queue(&mut self, now: Time) {
        self.queue_time = self.queued(now);
        self.queue_since = now;
    }

    /// Time integral of the queue length until `now`, in packets times seconds.
    pub fn queued(&self, now: Time) -> f64 {
        self.queue_time + self.waiting as f64 * now.since(self.queue_since).as_secs()
    }

    /// Notes the interference of the frame in reception until `now` from the total power `energy`. Preamble and header
    /// need the ratio `header` over interference and `noise`.
    #[inline]
    pub fn note_interference(&mut self, now: Time, energy: f64, header: f64, noise: f64) {
        let Some(lock) = &mut self.lock else { return };
        if now <= lock.noted_until {
            return;
        }
        // Rounding errors of sums are no interference.
        let interference = (energy - lock.mean).max(0.0);
        let interference = if interference < lock.mean * 1e-12 { 0.0 } else { interference };
        if lock.noted_until < lock.payload_from {
            lock.is_good &= lock.power >= header * (interference + noise);
        }
        lock.noted_until = now;
        lock.worst = lock.worst.max(interference);
        if !lock.is_own {
            return;
        }
        match self.chunks.last_mut() {
            Some(last) if last.interference == interference => last.until = now,
            _ => self.chunks.push(Chunk { until: now, interference }),
        }
    }
}
