//! What a discipline is, and what limits it.

use crate::packet::Packet;
use windward_units::{Bytes, Duration, Time};

/// How much may wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Buffer {
    /// No limit.
    Unlimited,
    /// So many packets may wait.
    Packets(u64),
    /// So many bytes may wait.
    Bytes(Bytes),
    /// A packet that would wait longer than this is dropped.
    Time(Duration),
}

/// Most packets for which a queue has memory from the beginning.
const ROOM: u64 = 1024;

impl Buffer {
    /// Packets for which a queue has memory from the beginning.
    pub(super) fn room(self) -> usize {
        match self {
            Self::Packets(most) => most.min(ROOM) as usize,
            _ => ROOM as usize,
        }
    }

    /// Whether there is no room for `size` bytes behind so many packets and bytes, after which they would wait for `wait`.
    #[inline]
    pub(crate) fn is_full(self, packets: u64, bytes: u64, size: u32, wait: Duration) -> bool {
        match self {
            Self::Unlimited => false,
            Self::Packets(most) => packets >= most,
            Self::Bytes(most) => bytes + u64::from(size) > most.count(),
            Self::Time(most) => wait > most,
        }
    }
}

/// A packet that waits, and since when.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// When it came.
    pub since: Time,
    /// What it is.
    pub packet: Packet,
}

/// A discipline. What it drops although it had taken it is given to `dropped`.
pub trait Queue {
    /// Takes a packet in; false where it is refused. A packet that comes now would wait for `wait`, as far as the transmitter
    /// can tell.
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration, dropped: impl FnMut(Waiting)) -> bool;
    /// Another limit from now on. What waits already stays.
    fn resize(&mut self, buffer: Buffer);
    /// The transmitter sends so many bits a second from now on.
    fn change_rate(&mut self, _: f64) {}
    /// A packet finds nothing waiting and the transmitter idle: it is sent at once, needs no room and may come back marked;
    /// `None` where the discipline drops it nevertheless.
    fn pass(&mut self, _: Time, packet: Packet) -> Option<Packet> {
        Some(packet)
    }
    /// The packet to be sent next goes.
    fn take(&mut self, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting>;
    /// Since when a packet has been waiting: the one that goes next, where the discipline knows it.
    fn since(&self) -> Option<Time>;
    /// When the packet came that has waited longest.
    fn oldest(&self) -> Option<Time> {
        self.since()
    }
    /// Packets waiting.
    fn packets(&self) -> usize;
    /// Their bytes.
    fn bytes(&self) -> u64;
    /// Packets that it has marked since it was made.
    fn marked(&self) -> u64 {
        0
    }
}
