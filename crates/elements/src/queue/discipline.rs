//! Interface of a queue discipline, and buffer limits.

use super::key::Labels;
use crate::packet::Packet;
use windward_units::{Bytes, Duration, Time};

/// Buffer limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Buffer {
    /// No limit.
    Unlimited,
    /// Limit in packets.
    Packets(u64),
    /// Limit in bytes.
    Bytes(Bytes),
    /// Limit on the waiting time: an arrival that would wait longer is dropped.
    Time(Duration),
}

/// Largest initial capacity of a queue, in packets.
const ROOM: u64 = 1024;

impl Buffer {
    /// Initial capacity of a queue, in packets.
    #[inline]
    pub(super) fn room(self) -> usize {
        match self {
            Self::Packets(most) => most.min(ROOM) as usize,
            _ => ROOM as usize,
        }
    }

    /// True if an arrival of `size` bytes exceeds the buffer that holds `packets` and `bytes`; its waiting time would
    /// be `wait`.
    #[inline]
    pub fn is_full(self, packets: u64, bytes: u64, size: u32, wait: Duration) -> bool {
        match self {
            Self::Unlimited => false,
            Self::Packets(most) => packets >= most,
            Self::Bytes(most) => bytes + u64::from(size) > most.count(),
            Self::Time(most) => wait > most,
        }
    }
}

/// A queued packet with its arrival time.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// Time of arrival.
    pub since: Time,
    /// The packet.
    pub packet: Packet,
}

/// Queue discipline. Queued packets that it drops go to `dropped`.
pub trait Queue {
    /// Queues a packet; returns false if it is refused. `wait` is its waiting time as far as the transmitter can tell.
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration, dropped: impl FnMut(Waiting)) -> bool;
    /// Changes the buffer limit. Queued packets stay.
    fn resize(&mut self, buffer: Buffer);
    /// Changes the transmitter's rate, in bits a second.
    fn change_rate(&mut self, _: f64) {}
    /// Passes an arrival at an empty queue and an idle transmitter: it is sent at once, needs no buffer and may be
    /// marked. Returns `None` if the discipline drops it.
    #[inline]
    fn pass(&mut self, _: Time, packet: Packet) -> Option<Packet> {
        Some(packet)
    }
    /// Removes the next packet to send.
    fn take(&mut self, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting>;
    /// Time before which [`Queue::take`] returns nothing, of a queue with a shaper.
    #[inline]
    fn ready_at(&self) -> Option<Time> {
        None
    }
    /// Provides the labels of all routes, for a queue that tells hosts or code points apart.
    fn label(&mut self, _: &Labels) {}
    /// Time since which a packet has been waiting: the arrival of the next one if the discipline knows it. `None` if
    /// the queue is empty.
    fn since(&self) -> Option<Time>;
    /// Arrival time of the packet that has waited longest.
    #[inline]
    fn oldest(&self) -> Option<Time> {
        self.since()
    }
    /// Number of packets in the queue.
    fn packets(&self) -> usize;
    /// Bytes in the queue.
    fn bytes(&self) -> u64;
    /// Total number of packets marked.
    #[inline]
    fn marked(&self) -> u64 {
        0
    }
}

/// Parameters of a discipline; the defaults are those of its source.
pub trait Configure: Copy + Default {
    /// The queue that it runs.
    type Queue: Queue;
    /// True if it draws from the seed.
    const IS_RANDOM: bool;

    /// Creates the empty queue.
    fn build(self, site: Site) -> Self::Queue;

    /// Parameters with or without marks in place of drops; `None` if it has no choice.
    fn with_marks(self, marks: bool) -> Option<Self>;
}

/// Surroundings of a queue.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Limit of the queue.
    pub buffer: Buffer,
    /// Rate of the transmitter behind it, in bits a second.
    pub rate: f64,
    /// Key of its random stream in the run of `seed`.
    pub key: u64,
    /// Seed of the run.
    pub seed: u64,
}

/// Accumulates a probability of marks or drops, which are evenly spaced; true if one is due (`recur` of RFC 9332).
#[inline]
pub(super) fn recurs(count: &mut f64, probability: f64) -> bool {
    *count += probability;
    let comes = *count > 1.0;
    if comes {
        *count -= 1.0;
    }
    comes
}
