//! Drop-tail: first come, first served; what finds no room is dropped.

use super::discipline::{Buffer, Queue, Waiting};
use crate::packet::Packet;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Packets for which there is room from the beginning.
const ROOM: usize = 1024;

/// A drop-tail queue.
#[derive(Debug)]
pub struct Tail {
    waiting: VecDeque<Waiting>,
    bytes: u64,
    buffer: Buffer,
}

impl Tail {
    /// An empty queue.
    pub fn new(buffer: Buffer) -> Self {
        let room = match buffer {
            Buffer::Packets(most) => most.min(ROOM as u64) as usize,
            _ => ROOM,
        };
        Self { waiting: VecDeque::with_capacity(room), bytes: 0, buffer }
    }
}

impl Queue for Tail {
    #[inline]
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration) -> bool {
        if self.buffer.is_full(self.waiting.len() as u64, self.bytes, packet.size, wait) {
            return false;
        }
        self.waiting.push_back(Waiting { since: now, packet });
        self.bytes += u64::from(packet.size);
        true
    }

    fn resize(&mut self, buffer: Buffer) {
        self.buffer = buffer;
    }

    #[inline]
    fn take(&mut self, _: Time, _: impl FnMut(Packet)) -> Option<Waiting> {
        let first = self.waiting.pop_front()?;
        self.bytes -= u64::from(first.packet.size);
        Some(first)
    }

    #[inline]
    fn head(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    #[inline]
    fn packets(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}
