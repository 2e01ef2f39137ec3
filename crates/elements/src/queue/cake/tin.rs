//! A tin of CAKE: its flows, their queues and the hosts that they belong to.

use super::super::arena::{Arena, Chain};
use super::super::discipline::Waiting;
use super::cobalt::{Cobalt, Parameters};
use super::config::Isolation;
use super::dice::Dice;
use super::pace::Pace;
use std::collections::VecDeque;

/// Queues of a tin, and the ways of a set in which a flow may have its own.
pub(super) const QUEUES: usize = 1024;
pub(super) const WAYS: usize = 8;

/// Full-size packet of Ethernet in bytes.
pub(super) const PACKET: u32 = 1514;

/// List of flows in which a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    None,
    Sparse,
    /// Counted as sparse, but among the bulk flows: its queue ran empty with a deficit.
    SparseWait,
    Bulk,
    Decaying,
}

/// Queue of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    pub chain: Chain,
    pub deficit: i64,
    pub cobalt: Cobalt,
    source: u16,
    sink: u16,
    pub set: Set,
    /// Hash of the flow that the queue belongs to.
    tag: u32,
}

/// Place in the table of hosts, with the numbers of bulk flows from and to the host.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    source_tag: u32,
    sink_tag: u32,
    from: u16,
    to: u16,
}

/// Hashes of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashes {
    pub flow: u32,
    pub source: u32,
    pub sink: u32,
}

/// A tin.
#[derive(Debug)]
pub(super) struct Tin {
    pub flows: Vec<Flow>,
    hosts: Vec<Host>,
    pub new: VecDeque<u32>,
    pub old: VecDeque<u32>,
    pub decaying: VecDeque<u32>,
    pub sparse: u32,
    pub bulk: u32,
    pub backlog: u64,
    pub parameters: Parameters,
    flow_quantum: u64,
    pub pace: Pace,
    /// Time at which the tin has its share of the bandwidth again.
    pub next: u64,
    pub weight: i64,
    pub deficit: i64,
}

impl Tin {
    /// An empty tin of `rate` bytes a second, zero without a shaper (`cake_set_rate`).
    pub fn new(rate: u64, weight: i64, target: u64, interval: u64) -> Self {
        let pace = Pace::new(rate);
        let packet_time = pace.time(PACKET);
        let own_target = target.max(packet_time * 3 / 2);
        let own_interval = (interval + own_target - target).max(own_target * 2);
        let flow = Flow {
            chain: Chain::EMPTY,
            deficit: 0,
            cobalt: Cobalt::default(),
            source: 0,
            sink: 0,
            set: Set::None,
            tag: 0,
        };
        Self {
            flows: vec![flow; QUEUES],
            hosts: vec![Host::default(); QUEUES],
            new: VecDeque::with_capacity(QUEUES),
            old: VecDeque::with_capacity(QUEUES),
            decaying: VecDeque::with_capacity(QUEUES),
            sparse: 0,
            bulk: 0,
            backlog: 0,
            parameters: Parameters { interval: own_interval, target: own_target, packet_time },
            flow_quantum: if rate == 0 { u64::from(PACKET) } else { (rate >> 12).clamp(300, u64::from(PACKET)) },
            pace,
            next: 0,
            weight,
            deficit: 0,
        }
    }

    /// True if a flow may have packets.
    pub const fn is_active(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    /// Quantum of a flow, divided by the number of bulk flows of its host (`cake_get_flow_quantum`).
    pub fn quantum(&self, flow: &Flow, isolation: Isolation, dice: &mut Dice) -> i64 {
        let mut load = 1;
        if isolation.by_source() {
            load = load.max(self.hosts[flow.source as usize].from);
        }
        if isolation.by_sink() {
            load = load.max(self.hosts[flow.sink as usize].to);
        }
        // Dithered, so that the rounding does not add up.
        ((self.flow_quantum * (65_535 / u64::from(load)) + dice.short()) >> 16) as i64
    }

    /// Counts a flow as a bulk flow of its hosts, or no longer.
    fn count_bulk(&mut self, at: usize, isolation: Isolation, comes: bool) {
        let Flow { source, sink, .. } = self.flows[at];
        let change = |count: &mut u16| *count = if comes { *count + 1 } else { count.saturating_sub(1) };
        if isolation.by_source() {
            change(&mut self.hosts[source as usize].from);
        }
        if isolation.by_sink() {
            change(&mut self.hosts[sink as usize].to);
        }
    }

    /// Makes a sparse flow a bulk flow.
    pub fn make_bulk(&mut self, at: usize, isolation: Isolation) {
        self.flows[at].set = Set::Bulk;
        self.sparse -= 1;
        self.bulk += 1;
        self.count_bulk(at, isolation, true);
    }

    /// Takes a flow out of the counts of sparse and bulk flows.
    pub fn uncount(&mut self, at: usize, isolation: Isolation) {
        match self.flows[at].set {
            Set::Bulk => {
                self.bulk -= 1;
                self.count_bulk(at, isolation, false);
            }
            Set::Sparse | Set::SparseWait => self.sparse -= 1,
            Set::None | Set::Decaying => {}
        }
    }

    /// Queue of a packet: a set-associative hash keeps flows apart (`cake_hash`).
    pub fn find(&mut self, hashes: Hashes, isolation: Isolation) -> usize {
        let first = hashes.flow as usize % QUEUES;
        let flow = &self.flows[first];
        if flow.tag == hashes.flow && flow.set != Set::None {
            return first;
        }
        let own = |at: usize| self.flows[at].tag == hashes.flow;
        let at = if let Some(at) = ways(first).find(|&at| own(at)) {
            if self.flows[at].set != Set::None {
                return at;
            }
            at
        } else if let Some(at) = ways(first).find(|&at| self.flows[at].set == Set::None) {
            at
        } else {
            // All ways are taken: the flow shares a queue, which counts for its hosts from now on.
            if self.flows[first].set == Set::Bulk {
                self.count_bulk(first, isolation, false);
            }
            first
        };
        self.flows[at].tag = hashes.flow;
        if isolation.by_source() {
            let host = self.host(hashes.source, |host| &mut host.source_tag, |host| host.from);
            self.flows[at].source = host;
        }
        if isolation.by_sink() {
            let host = self.host(hashes.sink, |host| &mut host.sink_tag, |host| host.to);
            self.flows[at].sink = host;
        }
        if self.flows[at].set == Set::Bulk {
            self.count_bulk(at, isolation, true);
        }
        at
    }

    /// Place of a host in the table.
    fn host(&mut self, hash: u32, tag: impl Fn(&mut Host) -> &mut u32, flows: impl Fn(&Host) -> u16) -> u16 {
        let first = hash as usize % QUEUES;
        let hosts = &mut self.hosts;
        let known = ways(first).find(|&at| *tag(&mut hosts[at]) == hash);
        let at = known.or_else(|| ways(first).find(|&at| flows(&hosts[at]) == 0)).unwrap_or(first);
        *tag(&mut hosts[at]) = hash;
        at as u16
    }

    /// Removes the first packet of a flow.
    pub fn leave(&mut self, at: usize, arena: &mut Arena) -> Option<Waiting> {
        let (waiting, ()) = self.flows[at].chain.leave(arena)?;
        self.backlog -= u64::from(waiting.packet.size);
        Some(waiting)
    }

    /// Flows that may have packets.
    pub fn listed(&self) -> impl Iterator<Item = usize> {
        self.new.iter().chain(&self.old).map(|&at| at as usize)
    }
}

/// Ways of the set of `first`, from it on.
fn ways(first: usize) -> impl Iterator<Item = usize> {
    let (inner, outer) = (first % WAYS, first - first % WAYS);
    (0..WAYS).map(move |way| outer + (inner + way) % WAYS)
}
