//! CAKE: common applications kept enhanced (Høiland-Jørgensen, Täht and Morton, "Piece of CAKE", 2018), a shaper over
//! priority tins, host and flow isolation, and COBALT.
//!
//! It follows Linux's `net/sched/sch_cake.c`, its integers included. **Where we differ.** A packet's memory is an
//! estimate of `skb->truesize`; the buffer of the link is a second limit; there are no super-packets to split.
//!
//! * The shaper lets a packet pass when the time of the last ones at `bandwidth` is over. It has no burst: it is a
//!   transmitter in front of the transmitter.
//! * Among tins, the highest one within its share is served, else the one whose share has been due for longest.
//! * Within a tin, deficit round robin serves flows, sparse ones first (DRR++). The quantum of a flow is divided by the
//!   number of bulk flows of its host.

mod cobalt;
mod config;
mod dice;
mod pace;
#[cfg(test)]
mod tests;
mod tin;

use super::arena::Arena;
use super::discipline::{Buffer, Configure, Queue, Site, Waiting};
use super::key::{Keys, Labels};
use crate::packet::Packet;
use cobalt::Verdict;
pub use config::{CakeConfig, Cells, Framing, Isolation, Tins};
use dice::Dice;
use pace::Pace;
use tin::{Hashes, PACKET, Set, Tin};
use windward_units::{Bytes, Duration, Time, splitmix64};

impl Configure for CakeConfig {
    type Queue = Box<Cake>;
    /// The quantum is dithered.
    const IS_RANDOM: bool = true;

    fn build(self, Site { buffer, key, seed, .. }: Site) -> Self::Queue {
        Box::new(Cake::new(self, buffer, key, seed))
    }

    fn with_marks(self, marks: bool) -> Option<Self> {
        Some(Self { marks, ..self })
    }
}

/// Most packets (`sch->limit`), and least memory with a shaper.
const MOST_PACKETS: u64 = 10_240;
const LEAST_MEMORY: u64 = 4 << 20;

/// CAKE.
#[derive(Debug)]
pub struct Cake {
    config: CakeConfig,
    buffer: Buffer,
    tins: Vec<Tin>,
    current: usize,
    arena: Arena,
    labels: Labels,
    salt: u64,
    dice: Dice,
    /// Shaper; its time is that of the next packet, unless the second one comes earlier (`failsafe_next_packet`).
    pace: Pace,
    next: u64,
    failsafe: u64,
    memory: u64,
    memory_used: u64,
    packets: usize,
    bytes: u64,
    marked: u64,
    busy_since: Time,
}

impl Cake {
    /// Empty queues; hash and random numbers depend on `key` and `seed`.
    pub fn new(config: CakeConfig, buffer: Buffer, key: u64, seed: u64) -> Self {
        let rate = config.bandwidth.map_or(0, |rate| rate.as_bits_per_sec() / 8);
        let (target, interval) = (config.target.as_nanos(), config.interval.as_nanos());
        let tin = |&(weight, shift): &(i64, u32)| Tin::new(rate >> shift, weight, target, interval);
        Self {
            config,
            buffer,
            tins: config.tins.shares().iter().map(tin).collect(),
            current: 0,
            arena: Arena::with_room(buffer.room()),
            labels: Labels::default(),
            salt: splitmix64(splitmix64(seed) ^ key),
            dice: Dice::new(seed, key),
            pace: Pace::new(rate),
            next: 0,
            failsafe: 0,
            memory: memory(config.memory, rate, config.interval),
            memory_used: 0,
            packets: 0,
            bytes: 0,
            marked: 0,
            busy_since: Time::ZERO,
        }
    }

    /// Tin and hashes of a packet.
    fn classify(&self, packet: &Packet) -> (usize, Hashes) {
        let keys = Keys::of(packet, &self.labels);
        let hash = |key: u64, purpose: u64| (splitmix64(key ^ splitmix64(self.salt ^ purpose)) >> 32) as u32;
        let (source, sink) = (hash(keys.source, 1), hash(keys.sink, 2));
        let flow = match self.config.isolation {
            isolation if isolation.has_flows() => hash(keys.flow, 0),
            Isolation::Sources => source,
            Isolation::Sinks => sink,
            Isolation::Hosts => source ^ sink,
            _ => 0,
        };
        (self.config.tins.of(keys.dscp), Hashes { flow, source, sink })
    }

    /// Queues a packet (`cake_enqueue`).
    fn join(&mut self, now: Time, packet: Packet) {
        let (tin, hashes) = self.classify(&packet);
        let nanos = now.as_nanos();
        if self.packets == 0 {
            self.busy_since = now;
            if self.next < nanos {
                (self.next, self.failsafe) = (nanos, nanos);
            }
        }
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        self.memory_used += true_size(packet.size);
        let isolation = self.config.isolation;
        let tin = &mut self.tins[tin];
        if tin.backlog == 0 {
            tin.next = tin.next.max(nanos);
        }
        tin.backlog += u64::from(packet.size);
        let at = tin.find(hashes, isolation);
        tin.flows[at].chain.join(&mut self.arena, Waiting { since: now, packet }, ());
        match tin.flows[at].set {
            Set::None | Set::Decaying => {
                if tin.flows[at].set == Set::Decaying {
                    tin.decaying.retain(|&other| other as usize != at);
                }
                tin.new.push_back(at as u32);
                tin.flows[at].set = Set::Sparse;
                tin.sparse += 1;
                tin.flows[at].deficit = tin.quantum(&tin.flows[at], isolation, &mut self.dice);
            }
            Set::SparseWait => tin.make_bulk(at, isolation),
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// Drops the first packet of the longest queue (`cake_drop`).
    #[cold]
    fn make_room(&mut self, now: u64, dropped: &mut impl FnMut(Waiting)) {
        let queues = self.tins.iter().enumerate().flat_map(|(tin, of)| of.listed().map(move |at| (tin, at)));
        let Some((tin, at)) = queues.max_by_key(|&(tin, at)| self.tins[tin].flows[at].chain.bytes) else { return };
        let Some(waiting) = self.leave(tin, at) else { return };
        let tin_state = &mut self.tins[tin];
        let parameters = tin_state.parameters;
        tin_state.flows[at].cobalt.note_full(&parameters, now);
        if self.config.is_ingress {
            self.charge(tin, waiting.packet.size, now, true);
        }
        dropped(waiting);
    }

    /// Removes the first packet of a flow.
    fn leave(&mut self, tin: usize, at: usize) -> Option<Waiting> {
        let waiting = self.tins[tin].leave(at, &mut self.arena)?;
        self.packets -= 1;
        self.bytes -= u64::from(waiting.packet.size);
        self.memory_used -= true_size(waiting.packet.size);
        Some(waiting)
    }

    /// Charges a packet to the shaper and to its tin, and returns its bytes on the line (`cake_advance_shaper`).
    fn charge(&mut self, tin: usize, size: u32, now: u64, is_dropped: bool) -> i64 {
        let bytes = self.config.framing.line_bytes(size);
        if self.config.bandwidth.is_some() {
            let tin = &mut self.tins[tin];
            let (own, all) = (tin.pace.time(bytes), self.pace.time(bytes));
            if tin.next < now {
                tin.next += own;
            } else if tin.next < now + own {
                tin.next = now + own;
            }
            self.next += all;
            if !is_dropped {
                self.failsafe += all + (all >> 1);
            }
        }
        i64::from(bytes)
    }

    /// Tin to serve; `None` if there is none with packets.
    fn choose(&mut self, now: u64) -> Option<usize> {
        if self.config.bandwidth.is_some() {
            let mut best: Option<(usize, i64)> = None;
            for (at, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.is_active()) {
                let wait = tin.next as i64 - now as i64;
                // The last one within its share has the highest priority.
                if wait <= 0 || best.is_none_or(|(_, least)| wait <= least) {
                    best = Some((at, wait));
                }
            }
            return best.map(|(at, _)| at);
        }
        // Without a shaper tins take turns in bytes.
        let (mut has_wrapped, mut is_empty) = (false, true);
        loop {
            let count = self.tins.len();
            let tin = &mut self.tins[self.current];
            if tin.deficit >= 0 && tin.is_active() {
                return Some(self.current);
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.weight;
            }
            is_empty &= !tin.is_active();
            self.current += 1;
            if self.current == count {
                self.current = 0;
                if has_wrapped && is_empty {
                    return None;
                }
                has_wrapped = true;
            }
        }
    }

    /// Next flow of a tin, with its list: a decaying one if `spares_time`, then sparse ones, then bulk ones.
    fn turn(&mut self, tin: usize, decays: &mut bool) -> Option<usize> {
        let isolation = self.config.isolation;
        loop {
            let tin = &mut self.tins[tin];
            let looks_at_decaying = std::mem::take(decays) && !tin.decaying.is_empty();
            let list = match () {
                () if looks_at_decaying => &mut tin.decaying,
                () if !tin.new.is_empty() => &mut tin.new,
                () if !tin.old.is_empty() => &mut tin.old,
                () => &mut tin.decaying,
            };
            let at = *list.front()? as usize;
            if tin.flows[at].deficit > 0 {
                return Some(at);
            }
            list.pop_front();
            // No flow with a deficit stays among the sparse ones.
            if tin.flows[at].set == Set::Sparse {
                if tin.flows[at].chain.packets > 0 {
                    tin.make_bulk(at, isolation);
                } else {
                    tin.flows[at].set = Set::SparseWait;
                }
            }
            let quantum = tin.quantum(&tin.flows[at], isolation, &mut self.dice);
            tin.flows[at].deficit += quantum;
            tin.old.push_back(at as u32);
        }
    }

    /// Takes an empty flow from the front of its list; it stays in the tin until COBALT is at rest.
    fn retire(&mut self, tin: usize, at: usize, now: u64) {
        let isolation = self.config.isolation;
        let tin = &mut self.tins[tin];
        let parameters = tin.parameters;
        tin.flows[at].cobalt.note_empty(&parameters, now);
        let is_front = |list: &std::collections::VecDeque<u32>| list.front() == Some(&(at as u32));
        let list = match tin.flows[at].set {
            Set::Decaying => &mut tin.decaying,
            _ if is_front(&tin.new) => &mut tin.new,
            _ => &mut tin.old,
        };
        list.pop_front();
        tin.uncount(at, isolation);
        if tin.flows[at].cobalt.is_at_rest(now) {
            tin.flows[at].set = Set::None;
        } else {
            tin.flows[at].set = Set::Decaying;
            tin.decaying.push_back(at as u32);
        }
    }

    /// Next packet of a tin; `None` if the flow whose turn it was had none.
    fn serve(&mut self, tin: usize, now: u64, decays: &mut bool, dropped: &mut impl FnMut(Waiting)) -> Option<Waiting> {
        let CakeConfig { marks, is_ingress, .. } = self.config;
        loop {
            let at = self.turn(tin, decays)?;
            loop {
                let Some(mut waiting) = self.leave(tin, at) else {
                    self.retire(tin, at, now);
                    return None;
                };
                let state = &mut self.tins[tin];
                let (parameters, bulk) = (state.parameters, if is_ingress { u64::from(state.bulk) } else { 0 });
                let flow = &mut state.flows[at];
                let mut has_marked = false;
                let mark = || {
                    has_marked = marks && waiting.packet.ecn.mark();
                    has_marked
                };
                let times = (now, waiting.since.as_nanos());
                let verdict = flow.cobalt.judge(&parameters, times, bulk, &mut self.dice, mark);
                // The last packet of a flow is not dropped.
                if verdict == Verdict::Send || flow.chain.packets == 0 {
                    self.marked += u64::from(has_marked);
                    let bytes = self.charge(tin, waiting.packet.size, now, false);
                    self.tins[tin].flows[at].deficit -= bytes;
                    self.tins[tin].deficit -= bytes;
                    return Some(waiting);
                }
                if is_ingress {
                    let bytes = self.charge(tin, waiting.packet.size, now, true);
                    self.tins[tin].flows[at].deficit -= bytes;
                    self.tins[tin].deficit -= bytes;
                }
                dropped(waiting);
                if is_ingress {
                    break;
                }
            }
        }
    }

    /// True if the queue with its last arrival, of `size` bytes, is beyond a limit.
    fn is_over(&self, size: u32, wait: Duration) -> bool {
        let before = (self.packets as u64 - 1, self.bytes.saturating_sub(u64::from(size)));
        self.memory_used > self.memory || self.buffer.is_full(before.0, before.1, size, wait)
    }
}

impl Queue for Box<Cake> {
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration, mut dropped: impl FnMut(Waiting)) -> bool {
        let size = packet.size;
        self.join(now, packet);
        while self.packets > 0 && self.is_over(size, wait) {
            self.make_room(now.as_nanos(), &mut dropped);
            // A drop does not shorten the wait that the link has seen.
            if matches!(self.buffer, Buffer::Time(_)) && self.memory_used <= self.memory {
                break;
            }
        }
        true
    }

    fn resize(&mut self, buffer: Buffer) {
        self.buffer = buffer;
    }

    fn pass(&mut self, now: Time, packet: Packet) -> Option<Packet> {
        self.join(now, packet);
        self.take(now, |_| ()).map(|waiting| waiting.packet)
    }

    fn take(&mut self, now: Time, mut dropped: impl FnMut(Waiting)) -> Option<Waiting> {
        let now = now.as_nanos();
        let mut decays = true;
        while self.packets > 0 && self.next.min(self.failsafe) <= now {
            let tin = self.choose(now)?;
            if let Some(waiting) = self.serve(tin, now, &mut decays, &mut dropped) {
                return Some(waiting);
            }
        }
        None
    }

    fn ready_at(&self) -> Option<Time> {
        self.config.bandwidth.map(|_| Time::from_nanos(self.next.min(self.failsafe)))
    }

    fn label(&mut self, labels: &Labels) {
        self.labels = labels.clone();
    }

    fn since(&self) -> Option<Time> {
        (self.packets > 0).then_some(self.busy_since)
    }

    fn oldest(&self) -> Option<Time> {
        let flows = self.tins.iter().flat_map(|tin| tin.listed().map(|at| &tin.flows[at]));
        flows.filter_map(|flow| flow.chain.since(&self.arena)).min()
    }

    fn packets(&self) -> usize {
        self.packets
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn marked(&self) -> u64 {
        self.marked
    }
}

/// Limit on the memory (`cake_reconfigure`): as given, else four times rate × interval, at least 4 MiB.
fn memory(given: Option<Bytes>, rate: u64, interval: Duration) -> u64 {
    let most = MOST_PACKETS * u64::from(PACKET);
    match given {
        Some(given) => given.count(),
        None if rate == 0 => most,
        None => (rate.saturating_mul(interval.as_nanos() / 1000) / 250_000).clamp(LEAST_MEMORY, most),
    }
}

/// Memory of a packet in Linux: its data and `skb_shared_info` in a power of two, and `sk_buff`.
fn true_size(size: u32) -> u64 {
    (u64::from(size) + 320).next_power_of_two().max(512) + 256
}
