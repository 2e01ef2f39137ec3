//! Flow queueing with controlled delay (FQ-CoDel; Hoeiland-Joergensen and others, RFC 8290): flows are hashed to
//! queues, each under CoDel. Deficit round robin serves them, new flows first.
//!
//! CoDel never drops the last packet of a queue in the RFC and here; in Linux, the last packet of the whole discipline.

use super::arena::{Arena, Chain};
use super::codel::{CoDelConfig, Control, Version};
use super::discipline::{Buffer, Configure, Queue, Site, Waiting};
use super::key::conversation;
use crate::packet::Packet;
use std::collections::VecDeque;
use windward_units::{Duration, Time, splitmix64};

/// Parameters of FQ-CoDel (RFC 8290).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqCoDelConfig {
    /// Parameters of each flow's CoDel.
    pub codel: CoDelConfig,
    /// Number of queues to which flows are hashed.
    pub queues: u32,
    /// Bytes that a queue may send per round.
    pub quantum: u32,
}

impl Default for FqCoDelConfig {
    /// RFC 8290 §5.2, with ECN on, as in Linux.
    fn default() -> Self {
        Self { codel: CoDelConfig { marks: true, ..CoDelConfig::default() }, queues: 1024, quantum: 1514 }
    }
}

impl Configure for FqCoDelConfig {
    type Queue = FqCoDel;
    const IS_RANDOM: bool = false;

    fn build(self, Site { buffer, key, seed, .. }: Site) -> Self::Queue {
        FqCoDel::new(self, buffer, key, seed)
    }

    fn with_marks(self, marks: bool) -> Option<Self> {
        Some(Self { codel: CoDelConfig { marks, ..self.codel }, ..self })
    }
}

/// Most packets dropped at once when the buffer is full (RFC 8290 §4.1, Linux's `drop_batch_size`).
const BATCH: u32 = 64;

/// Queue of a flow.
#[derive(Clone, Copy, Debug)]
struct Flow {
    chain: Chain,
    /// True if it is in a list of flows to serve.
    is_listed: bool,
    /// Bytes that it may still send in this round.
    deficit: i64,
    control: Control,
}

/// FQ-CoDel: a queue for each flow.
#[derive(Debug)]
pub struct FqCoDel {
    config: FqCoDelConfig,
    buffer: Buffer,
    /// Salt of the hash, so that no two links hash the same flows together.
    salt: u64,
    flows: Vec<Flow>,
    arena: Arena,
    /// New flows (RFC 8290 §4.2): those whose queue has filled since it was last found empty.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    packets: usize,
    bytes: u64,
    marked: u64,
    /// Time since which the queue has never been empty.
    busy_since: Time,
}

impl FqCoDel {
    /// Empty queues; the hash depends on `key` and `seed`.
    pub fn new(config: FqCoDelConfig, buffer: Buffer, key: u64, seed: u64) -> Self {
        let flow = Flow { chain: Chain::EMPTY, is_listed: false, deficit: 0, control: Control::new() };
        let count = config.queues.max(1) as usize;
        Self {
            config,
            buffer,
            salt: splitmix64(splitmix64(seed) ^ key),
            flows: vec![flow; count],
            arena: Arena::with_room(buffer.room()),
            new: VecDeque::with_capacity(count),
            old: VecDeque::with_capacity(count),
            packets: 0,
            bytes: 0,
            marked: 0,
            busy_since: Time::ZERO,
        }
    }

    /// Queues a packet in the queue of its flow (RFC 8290 §4.1).
    #[inline]
    fn join(&mut self, now: Time, packet: Packet) {
        let at = (splitmix64(conversation(&packet) ^ self.salt) % self.flows.len() as u64) as u32;
        let flow = &mut self.flows[at as usize];
        flow.chain.join(&mut self.arena, Waiting { since: now, packet }, ());
        if !flow.is_listed {
            flow.is_listed = true;
            flow.deficit = i64::from(self.config.quantum);
            self.new.push_back(at);
        }
        if self.packets == 0 {
            self.busy_since = now;
        }
        self.packets += 1;
        self.bytes += u64::from(packet.size);
    }

    /// Drops half of the longest queue's bytes from its head, at most a batch.
    #[cold]
    fn make_room(&mut self, mut dropped: impl FnMut(Waiting)) {
        let Some(fattest) = self.flows.iter_mut().max_by_key(|flow| flow.chain.bytes) else { return };
        let enough = fattest.chain.bytes / 2;
        let mut gone = 0;
        for _ in 0..BATCH {
            let Some((waiting, ())) = fattest.chain.leave(&mut self.arena) else { break };
            gone += u64::from(waiting.packet.size);
            self.packets -= 1;
            // Linux, `fq_codel_drop`: they count as CoDel's own, which drops faster from then on.
            fattest.control.note_drop();
            dropped(waiting);
            if gone >= enough {
                break;
            }
        }
        self.bytes -= gone;
    }

    /// Flow to serve next, and whether it is a new one (RFC 8290 §4.2).
    #[inline]
    fn turn(&mut self) -> Option<(u32, bool)> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let &at = list.front()?;
            let flow = &mut self.flows[at as usize];
            if flow.deficit > 0 {
                return Some((at, is_new));
            }
            // A flow that has spent its quantum is no new one any more.
            flow.deficit += i64::from(self.config.quantum);
            list.pop_front();
            self.old.push_back(at);
        }
    }
}

impl Queue for FqCoDel {
    #[inline]
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration, dropped: impl FnMut(Waiting)) -> bool {
        let is_full = self.buffer.is_full(self.packets as u64, self.bytes, packet.size, wait);
        self.join(now, packet);
        if is_full {
            self.make_room(dropped);
        }
        true
    }

    fn resize(&mut self, buffer: Buffer) {
        self.buffer = buffer;
    }

    #[inline]
    fn pass(&mut self, now: Time, packet: Packet) -> Option<Packet> {
        self.join(now, packet);
        self.take(now, |_| ()).map(|waiting| waiting.packet)
    }

    #[inline]
    fn take(&mut self, now: Time, mut dropped: impl FnMut(Waiting)) -> Option<Waiting> {
        loop {
            let (at, is_new) = self.turn()?;
            let Self { config, flows, arena, packets, bytes, marked, new, old, .. } = self;
            let flow = &mut flows[at as usize];
            let mut control = flow.control;
            let mut first = || {
                let (waiting, ()) = flow.chain.leave(arena)?;
                *packets -= 1;
                *bytes -= u64::from(waiting.packet.size);
                Some((waiting, flow.chain.bytes))
            };
            let taken = control.take((&config.codel, Version::Rfc8289), now, &mut first, marked, &mut dropped);
            flow.control = control;
            if let Some(waiting) = taken {
                flow.deficit -= i64::from(waiting.packet.size);
                return Some(waiting);
            }
            // An empty new flow first joins the old ones; otherwise a flow that sends rarely would always be new.
            let list = if is_new { &mut *new } else { &mut *old };
            list.pop_front();
            // Without old flows there is none to starve (Linux, `fq_codel_dequeue`).
            if is_new && !old.is_empty() {
                old.push_back(at);
            } else {
                flow.is_listed = false;
            }
        }
    }

    #[inline]
    fn since(&self) -> Option<Time> {
        (self.packets > 0).then_some(self.busy_since)
    }

    #[inline]
    fn oldest(&self) -> Option<Time> {
        self.new.iter().chain(&self.old).filter_map(|&at| self.flows[at as usize].chain.since(&self.arena)).min()
    }

    #[inline]
    fn packets(&self) -> usize {
        self.packets
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    fn marked(&self) -> u64 {
        self.marked
    }
}
