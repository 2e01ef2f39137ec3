//! Flow queues shared by the bins of a radio: Linux's `fq_impl.h`, RFC 8290 with limits over all bins.
//!
//! A bin holds the flows of a TXQ, or of an interface. A packet whose hashed queue serves another bin goes to its bin's
//! default flow.

use super::NONE;
use super::config::{FlowsConfig, truesize};
use std::cell::Cell;
use windward_elements::packet::Packet;
use windward_elements::queue::{Arena, Chain, Control, Waiting, conversation};
use windward_units::{Time, splitmix64};

/// Queue of a flow.
#[derive(Clone, Copy, Debug)]
struct Flow {
    chain: Chain,
    control: Control,
    /// Bytes that it may still send in this round.
    deficit: i64,
    /// Bin that it serves.
    bin: u32,
    /// Next flow in its bin's list.
    behind: u32,
    is_listed: bool,
}

impl Flow {
    const IDLE: Self =
        Self { chain: Chain::EMPTY, control: Control::new(), deficit: 0, bin: NONE, behind: NONE, is_listed: false };
}

/// A list of flows to serve.
#[derive(Clone, Copy, Debug)]
struct Turns {
    first: u32,
    last: u32,
}

impl Turns {
    const EMPTY: Self = Self { first: NONE, last: NONE };

    fn push(&mut self, flows: &mut [Flow], at: u32) {
        flows[at as usize].behind = NONE;
        match self.first {
            NONE => self.first = at,
            _ => flows[self.last as usize].behind = at,
        }
        self.last = at;
    }

    fn pop(&mut self, flows: &[Flow]) {
        self.first = flows[self.first as usize].behind;
    }
}

/// Flows of a bin.
#[derive(Clone, Copy, Debug)]
struct Bin {
    new: Turns,
    old: Turns,
    packets: u32,
    bytes: u64,
    /// Flow that takes packets whose queue serves another bin.
    fallback: u32,
}

/// Flow queues of a radio.
#[derive(Debug)]
pub(super) struct Flows {
    config: FlowsConfig,
    /// Salt of the hash.
    salt: u64,
    /// The hashed queues and the default flow of each bin; none before the first packet, as they take 350 kB.
    flows: Vec<Flow>,
    bins: Vec<Bin>,
    arena: Arena<u32>,
    /// Bits of the hashed queues that hold packets.
    occupied: Vec<u64>,
    /// Default flows that hold packets, the latest last.
    fallbacks: Vec<u32>,
    packets: u32,
    memory: u64,
    marked: u64,
    collisions: u64,
}

impl Flows {
    pub(super) fn new(config: FlowsConfig, key: u64, seed: u64) -> Self {
        Self {
            config,
            salt: splitmix64(splitmix64(seed) ^ key),
            flows: Vec::new(),
            bins: Vec::new(),
            arena: Arena::with_room(0),
            occupied: Vec::new(),
            fallbacks: Vec::new(),
            packets: 0,
            memory: 0,
            marked: 0,
            collisions: 0,
        }
    }

    /// Adds a bin; bins have the numbers 0, 1, ….
    pub(super) fn add_bin(&mut self) {
        let fallback = self.config.queues + self.bins.len() as u32;
        self.bins.push(Bin { new: Turns::EMPTY, old: Turns::EMPTY, packets: 0, bytes: 0, fallback });
        self.fallbacks.reserve(self.bins.len() - self.fallbacks.len());
    }

    pub(super) fn packets(&self, bin: u32) -> u32 {
        self.bins[bin as usize].packets
    }

    pub(super) fn bytes(&self, bin: u32) -> u64 {
        self.bins[bin as usize].bytes
    }

    /// Packets of all bins.
    pub(super) const fn all_packets(&self) -> u32 {
        self.packets
    }

    /// Memory of all bins.
    pub(super) const fn memory(&self) -> u64 {
        self.memory
    }

    pub(super) const fn marked(&self) -> u64 {
        self.marked
    }

    pub(super) const fn collisions(&self) -> u64 {
        self.collisions
    }

    #[cfg(test)]
    pub(super) fn capacities(&self) -> [usize; 3] {
        let [places, free] = self.arena.capacities();
        [places, free, self.fallbacks.capacity()]
    }

    /// Queue to which a packet is hashed; none in a single queue.
    pub(super) fn hashed(&self, packet: &Packet) -> Option<u32> {
        let queues = u64::from(self.config.queues);
        if queues == 0 {
            return None;
        }
        // As Linux scales a hash of 32 bits.
        let hash = splitmix64(conversation(packet) ^ self.salt) >> 32;
        Some(((hash * queues) >> 32) as u32)
    }

    /// Makes room for the flows of all bins.
    #[cold]
    fn open(&mut self) {
        let queues = self.config.queues as usize;
        self.flows.resize(queues + self.bins.len(), Flow::IDLE);
        self.occupied.resize(queues.div_ceil(64), 0);
    }

    /// Queues a packet, and drops others, or itself, if the limits are exceeded.
    pub(super) fn enqueue(&mut self, bin: u32, waiting: Waiting, tag: u32, dropped: &mut impl FnMut(u32, Waiting)) {
        let size = truesize(waiting.packet.size);
        let is_full = self.packets >= self.config.packets || self.memory + size > self.config.memory;
        if is_full && self.config.batch == 0 {
            dropped(tag, waiting);
            return;
        }
        if self.flows.len() < self.config.queues as usize + self.bins.len() {
            self.open();
        }
        let at = self.classify(bin, &waiting.packet);
        let flow = &mut self.flows[at as usize];
        if flow.chain.packets == 0 {
            if at < self.config.queues {
                self.occupied[at as usize / 64] |= 1 << (at % 64);
            } else {
                self.fallbacks.push(at);
            }
        }
        flow.bin = bin;
        flow.chain.join(&mut self.arena, waiting, tag);
        let own = &mut self.bins[bin as usize];
        own.packets += 1;
        own.bytes += u64::from(waiting.packet.size);
        self.packets += 1;
        self.memory += size;
        if !flow.is_listed {
            flow.is_listed = true;
            flow.deficit = i64::from(self.config.quantum);
            own.new.push(&mut self.flows, at);
        }
        while self.packets > self.config.packets || self.memory > self.config.memory {
            self.drop_from_fattest(dropped);
        }
    }

    /// Flow of a packet.
    fn classify(&mut self, bin: u32, packet: &Packet) -> u32 {
        let fallback = self.bins[bin as usize].fallback;
        let Some(at) = self.hashed(packet) else { return fallback };
        let owner = self.flows[at as usize].bin;
        if owner == NONE || owner == bin {
            return at;
        }
        self.collisions += 1;
        fallback
    }

    /// Flow with the most bytes.
    fn fattest(&self) -> u32 {
        let (mut fattest, mut most) = (NONE, 0);
        let mut look = |at: u32| {
            let bytes = self.flows[at as usize].chain.bytes;
            if bytes > most {
                (fattest, most) = (at, bytes);
            }
        };
        for (word, &bits) in self.occupied.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                look(word as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        self.fallbacks.iter().rev().for_each(|&at| look(at));
        fattest
    }

    /// Drops half of the fattest flow from its head, at most a batch and at least one packet.
    #[cold]
    fn drop_from_fattest(&mut self, dropped: &mut impl FnMut(u32, Waiting)) {
        let at = self.fattest();
        debug_assert!(at != NONE, "what exceeds a limit is in some flow");
        // From the head: the sender hears of the loss a queue's delay earlier.
        let half = self.flows[at as usize].chain.packets / 2;
        for _ in 0..half.clamp(1, self.config.batch) {
            let Some((waiting, tag)) = self.leave(at) else { break };
            dropped(tag, waiting);
        }
    }

    /// Removes the first packet of a flow.
    fn leave(&mut self, at: u32) -> Option<(Waiting, u32)> {
        let flow = &mut self.flows[at as usize];
        let (waiting, tag) = flow.chain.leave(&mut self.arena)?;
        let bin = &mut self.bins[flow.bin as usize];
        bin.packets -= 1;
        bin.bytes -= u64::from(waiting.packet.size);
        self.packets -= 1;
        self.memory -= truesize(waiting.packet.size);
        // The search for the fattest flow visits flows with packets only.
        if flow.chain.packets == 0 {
            if at < self.config.queues {
                self.occupied[at as usize / 64] &= !(1 << (at % 64));
            } else {
                self.fallbacks.retain(|&other| other != at);
            }
        }
        Some((waiting, tag))
    }

    /// Takes the next packet of a bin (RFC 8290 §4.2).
    pub(super) fn dequeue(
        &mut self,
        now: Time,
        bin: u32,
        dropped: &mut impl FnMut(u32, Waiting),
    ) -> Option<(Waiting, u32)> {
        loop {
            let Bin { new, old, .. } = &mut self.bins[bin as usize];
            let is_new = new.first != NONE;
            let list = if is_new { &mut *new } else { &mut *old };
            let at = list.first;
            if at == NONE {
                return None;
            }
            let flow = &mut self.flows[at as usize];
            if flow.deficit <= 0 {
                flow.deficit += i64::from(self.config.quantum);
                list.pop(&self.flows);
                old.push(&mut self.flows, at);
                continue;
            }
            if let Some((waiting, tag)) = self.take(now, at, dropped) {
                self.flows[at as usize].deficit -= i64::from(waiting.packet.size);
                return Some((waiting, tag));
            }
            // An empty new flow passes once through the old ones.
            let Bin { new, old, .. } = &mut self.bins[bin as usize];
            let list = if is_new { new } else { &mut *old };
            list.pop(&self.flows);
            // Without old flows there is none to starve (Linux, `fq_tin_dequeue`).
            if is_new && old.first != NONE {
                old.push(&mut self.flows, at);
            } else {
                let flow = &mut self.flows[at as usize];
                (flow.is_listed, flow.bin) = (false, NONE);
            }
        }
    }

    /// Takes the next packet of a flow that CoDel lets pass.
    fn take(&mut self, now: Time, at: u32, dropped: &mut impl FnMut(u32, Waiting)) -> Option<(Waiting, u32)> {
        let Some((codel, version)) = self.config.codel else { return self.leave(at) };
        let mut control = self.flows[at as usize].control;
        let mut marked = 0;
        // CoDel drops or passes a packet before it takes the next one.
        let last = Cell::new(NONE);
        let mut first = || {
            let (waiting, tag) = self.leave(at)?;
            last.set(tag);
            Some((waiting, self.flows[at as usize].chain.bytes))
        };
        let drop = |waiting| dropped(last.get(), waiting);
        let taken = control.take((&codel, version), now, &mut first, &mut marked, drop);
        self.flows[at as usize].control = control;
        self.marked += marked;
        taken.map(|waiting| (waiting, last.get()))
    }
}
