//! The queues of all nodes, and the choice of the queue that a link serves.

use super::commodity::{Class, Commodity, Name, Queue, QueueBooks};
use super::graph::Graph;
use super::{Pair, Rank, Threshold, WeightConfig};
use crate::engine::Stream;
use crate::packet::Packet;
use std::collections::BTreeMap;
use windward_units::{Duration, Time};

/// Time after which a commodity without arrivals and without waiting packets counts as over, until it returns. [G: the
/// paper says only that K follows the flows.]
const OVER: Duration = Duration::from_millis(10_000);

/// Interval of that check.
const LOOK: Duration = Duration::from_millis(1_000);

/// Share of the busiest commodity's traffic from which another one counts as a whole.
const WHOLE: f64 = 0.1;

/// Queues and commodities of one node.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Buffer shared by all its queues, in packets.
    buffer: u32,
    backlog: u32,
    /// Commodities that can reach it and have to leave it.
    commodities: Vec<u32>,
    /// Number of active ones: |S_i|.
    active: u32,
    /// Number of those by their recent traffic.
    counted: f64,
}

/// The queues of all nodes.
#[derive(Clone, Debug)]
pub struct Queues {
    config: WeightConfig,
    graph: Graph,
    nodes: Vec<Node>,
    commodities: Vec<Commodity>,
    names: BTreeMap<Name, u32>,
    looks_at: Time,
}

/// Commodity that a link should serve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// Its index.
    pub commodity: u32,
    /// D_ij^s; positive.
    pub difference: f64,
}

impl Queues {
    /// Empty queues of nodes with these buffers, in packets.
    pub fn new(config: WeightConfig, graph: Graph, buffers: impl IntoIterator<Item = u32>) -> Self {
        let nodes: Vec<Node> = buffers.into_iter().map(|buffer| Node { buffer, ..Node::default() }).collect();
        debug_assert_eq!(nodes.len(), graph.nodes() as usize, "every node has a buffer");
        Self { config, graph, nodes, commodities: Vec::new(), names: BTreeMap::new(), looks_at: Time::ZERO }
    }

    /// The graph of nodes and links.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Number of commodities.
    pub fn commodities(&self) -> u32 {
        self.commodities.len() as u32
    }

    /// Returns the commodity of a packet at node `at` with destination `to`. The first packet of a commodity registers
    /// it, with `at` as its source.
    pub fn commodity(&mut self, at: u32, to: u32, packet: &Packet) -> u32 {
        let name = Name { class: Class::of(packet), flow: packet.flow, to };
        match self.names.get(&name) {
            Some(&known) => known,
            None => self.register(at, name),
        }
    }

    #[cold]
    fn register(&mut self, from: u32, name: Name) -> u32 {
        let index = self.commodities();
        let graph = &self.graph;
        let allowed = graph.allowed(from, name.to, self.config.links);
        let leaves = |&node: &u32| graph.leaving(node).iter().any(|&link| allowed[link as usize]);
        let nodes: Vec<u32> = (0..graph.nodes()).filter(|node| *node == from || leaves(node)).collect();
        nodes.iter().for_each(|&node| self.nodes[node as usize].commodities.push(index));
        let queues = vec![Queue::default(); graph.nodes() as usize];
        let sent = vec![0; graph.links() as usize];
        let (held, last, is_active) = (0, Time::ZERO, false);
        self.commodities.push(Commodity { name, allowed, nodes, queues, sent, held, last, is_active });
        self.names.insert(name, index);
        index
    }

    /// Adds a packet to a node's queue. If the node's buffer is full, drops and returns the newest packet of the
    /// longest queue.
    pub fn push(&mut self, now: Time, at: u32, commodity: u32, packet: Packet) -> Option<Packet> {
        self.follow_flows(now, commodity);
        let node = &self.nodes[at as usize];
        let is_full = node.backlog >= node.buffer;
        let longest = if is_full { self.longest(at, commodity) } else { commodity };
        let queue = self.queue_mut(at, commodity);
        queue.arrived += 1;
        queue.recent += f64::from(packet.size);
        if is_full && longest == commodity {
            queue.dropped += 1;
            return Some(packet);
        }
        queue.note(now);
        queue.waiting.push_back(packet);
        queue.longest = queue.longest.max(queue.backlog());
        self.commodities[commodity as usize].held += 1;
        if !is_full {
            self.nodes[at as usize].backlog += 1;
            return None;
        }
        self.commodities[longest as usize].held -= 1;
        let queue = self.queue_mut(at, longest);
        queue.dropped += 1;
        queue.note(now);
        queue.waiting.pop_back()
    }

    /// Commodity with the most packets at a node; `first` wins ties, and is the result if no other commodity waits.
    fn longest(&self, at: u32, first: u32) -> u32 {
        let length = |commodity: u32| self.backlog(at, commodity);
        let others = self.nodes[at as usize].commodities.iter().copied();
        let waits = |&other: &u32| !self.queue(at, other).waiting.is_empty();
        others.filter(waits).fold(first, |most, other| if length(other) > length(most) { other } else { most })
    }

    /// Takes the first packet of a queue to send it; the packet counts as backlog until it leaves.
    pub fn take(&mut self, at: u32, commodity: u32) -> Option<Packet> {
        let queue = self.queue_mut(at, commodity);
        let packet = queue.waiting.pop_front()?;
        queue.sending += 1;
        Some(packet)
    }

    /// Records that a taken packet has left by a link.
    pub fn leave(&mut self, now: Time, link: u32, commodity: u32) {
        let (at, _) = self.graph.ends(link);
        let queue = self.queue_mut(at, commodity);
        queue.note(now);
        queue.sending -= 1;
        queue.moved = now;
        self.nodes[at as usize].backlog -= 1;
        let commodity = &mut self.commodities[commodity as usize];
        commodity.held -= 1;
        commodity.sent[link as usize] += 1;
    }

    /// Returns a taken packet to the front of its queue after a failed transmission.
    pub fn put_back(&mut self, at: u32, commodity: u32, packet: Packet) {
        let queue = self.queue_mut(at, commodity);
        queue.sending -= 1;
        queue.waiting.push_front(packet);
    }

    /// Picks the commodity that a link should serve; `theirs` returns the known backlog at its far end. `None` if no
    /// commodity is allowed on the link, has a packet and has a positive difference. Ties are drawn from `stream`.
    #[inline]
    pub fn pick(&self, link: u32, theirs: impl Fn(u32) -> u32, stream: &mut Stream) -> Option<Pick> {
        let (at, _) = self.graph.ends(link);
        let mut ties = Ties::default();
        for &index in &self.nodes[at as usize].commodities {
            let commodity = &self.commodities[index as usize];
            if commodity.allowed[link as usize] && !commodity.queues[at as usize].waiting.is_empty() {
                let difference = self.difference(link, index, theirs(index));
                if difference > 0.0 {
                    ties.offer(Pick { commodity: index, difference }, difference, stream);
                }
            }
        }
        ties.best()
    }

    /// Picks a node's link and its commodity: the commodity of each link, and of these the one with the largest weight.
    /// The weight is the difference times `quality` of the link: R̃(1 − p̃), or any other value. Ties are drawn from
    /// `stream`.
    pub fn pick_at(
        &self,
        node: u32,
        theirs: impl Fn(u32, u32) -> u32,
        quality: impl Fn(u32) -> f64,
        stream: &mut Stream,
    ) -> Option<(u32, Pick)> {
        let mut ties = Ties::default();
        for &link in self.graph.leaving(node) {
            if let Some(pick) = self.pick(link, |commodity| theirs(link, commodity), stream) {
                ties.offer((link, pick), pick.difference * quality(link), stream);
            }
        }
        ties.best()
    }

    /// Picks a node's link and its commodity by a user-defined rule: of all pairs of a neighbour and a commodity with a
    /// packet that may go there, the one that `rank` ranks highest, if above 0. Excludes neighbours with a known
    /// backlog of [`u32::MAX`].
    pub fn pick_ranked(
        &self,
        (now, node): (Time, u32),
        theirs: impl Fn(u32, u32) -> u32,
        success: impl Fn(u32) -> f64,
        rule: &mut dyn Rank,
        stream: &mut Stream,
    ) -> Option<(u32, Pick)> {
        let mut ties = Ties::default();
        for &link in self.graph.leaving(node) {
            let (_, neighbour) = self.graph.ends(link);
            for &index in &self.nodes[node as usize].commodities {
                let commodity = &self.commodities[index as usize];
                let waits = !commodity.queues[node as usize].waiting.is_empty();
                let is_destination = commodity.name.to == neighbour;
                let theirs = if is_destination { 0 } else { theirs(link, index) };
                if !waits || !commodity.allowed[link as usize] || theirs == u32::MAX {
                    continue;
                }
                let rank = rule.rank(&Pair {
                    now,
                    node,
                    neighbour,
                    commodity: index,
                    is_destination,
                    own: self.backlog(node, index),
                    theirs,
                    threshold: self.threshold(node),
                    success: success(link),
                });
                if rank > 0.0 {
                    ties.offer((link, Pick { commodity: index, difference: rank }), rank, stream);
                }
            }
        }
        ties.best()
    }

    /// True if a node has a waiting packet.
    pub fn has_waiting(&self, node: u32) -> bool {
        self.nodes[node as usize].backlog > 0
            && self.nodes[node as usize].commodities.iter().any(|&index| self.waiting_at(node, index) > 0)
    }

    /// True if a node has a packet that it may send.
    pub fn has_pick(&self, node: u32, theirs: impl Fn(u32, u32) -> u32) -> bool {
        let goes = |index: &u32| {
            let commodity = &self.commodities[*index as usize];
            let mut links = self.graph.leaving(node).iter().filter(|&&link| commodity.allowed[link as usize]);
            !commodity.queues[node as usize].waiting.is_empty()
                && links.any(|&link| self.difference(link, *index, theirs(link, *index)) > 0.0)
        };
        self.nodes[node as usize].backlog > 0 && self.nodes[node as usize].commodities.iter().any(goes)
    }

    /// D_ij^s on a link; `theirs` is the known backlog at its far end, ignored at the destination.
    #[inline]
    pub fn difference(&self, link: u32, commodity: u32, theirs: u32) -> f64 {
        let (at, far) = self.graph.ends(link);
        let theirs = if self.commodities[commodity as usize].name.to == far { 0 } else { theirs };
        self.threshold(at).max(f64::from(self.backlog(at, commodity))) - f64::from(theirs)
    }

    /// K_i of a node.
    #[inline]
    pub fn threshold(&self, node: u32) -> f64 {
        match self.config.threshold {
            Threshold::Fixed(packets) => packets,
            Threshold::Shared => {
                let Node { buffer, active, .. } = self.nodes[node as usize];
                f64::from(buffer) / f64::from(active.max(1))
            }
            Threshold::Recent => {
                let Node { buffer, counted, .. } = self.nodes[node as usize];
                f64::from(buffer) / counted.max(1.0)
            }
        }
    }

    /// U_i^s.
    #[inline]
    pub fn backlog(&self, node: u32, commodity: u32) -> u32 {
        self.queue(node, commodity).backlog()
    }

    /// Packets of a commodity that wait at a node: U_i^s without those being sent.
    #[inline]
    pub fn waiting_at(&self, node: u32, commodity: u32) -> u32 {
        self.queue(node, commodity).waiting.len() as u32
    }

    /// Packets that wait at a node, of all commodities.
    pub fn all_waiting_at(&self, node: u32) -> u32 {
        self.nodes[node as usize].commodities.iter().map(|&commodity| self.waiting_at(node, commodity)).sum()
    }

    /// Packets at a node of the commodity with this name.
    pub fn backlog_of(&self, node: u32, name: Name) -> u32 {
        self.names.get(&name).map_or(0, |&commodity| self.backlog(node, commodity))
    }

    /// True if a node's buffer is full.
    pub fn is_full(&self, node: u32) -> bool {
        let node = &self.nodes[node as usize];
        node.backlog >= node.buffer
    }

    /// |S_i|: number of active commodities that cross a node.
    pub fn active(&self, node: u32) -> u32 {
        self.nodes[node as usize].active
    }

    /// Commodities that can reach a node and have to leave it, active or not.
    pub fn at(&self, node: u32) -> &[u32] {
        &self.nodes[node as usize].commodities
    }

    /// Packets that wait at all nodes, without those being sent.
    pub fn waiting(&self) -> u64 {
        let queues = self.commodities.iter().flat_map(|commodity| &commodity.queues);
        queues.map(|queue| queue.waiting.len() as u64).sum()
    }

    /// Updates the active commodities when a packet of one arrives; checks from time to time for those that are over.
    #[inline]
    fn follow_flows(&mut self, now: Time, commodity: u32) {
        let state = &mut self.commodities[commodity as usize];
        state.last = now;
        if !state.is_active {
            self.set_active(commodity, true);
        }
        if now >= self.looks_at {
            if self.config.threshold == Threshold::Recent {
                // The last look was LOOK before this one was due.
                self.count(now.since(self.looks_at) + LOOK);
            }
            self.looks_at = now + LOOK;
            for index in 0..self.commodities() {
                let state = &self.commodities[index as usize];
                if state.is_active && state.held == 0 && now.since(state.last) > OVER {
                    self.set_active(index, false);
                }
            }
        }
    }

    /// Counts the commodities of each node by their recent traffic, which then ages by the `elapsed` time.
    fn count(&mut self, elapsed: Duration) {
        let left = libm::exp(-elapsed.as_secs() / OVER.as_secs());
        for at in 0..self.nodes.len() {
            let recent = |&index: &u32| self.commodities[index as usize].queues[at].recent;
            let commodities = &self.nodes[at].commodities;
            let most = commodities.iter().map(recent).fold(0.0, f64::max);
            let whole = (WHOLE * most).max(f64::MIN_POSITIVE);
            self.nodes[at].counted = commodities.iter().map(|index| (recent(index) / whole).min(1.0)).sum();
        }
        self.commodities.iter_mut().flat_map(|own| &mut own.queues).for_each(|queue| queue.recent *= left);
    }

    #[cold]
    fn set_active(&mut self, commodity: u32, is_active: bool) {
        let state = &mut self.commodities[commodity as usize];
        state.is_active = is_active;
        for &node in &state.nodes {
            let active = &mut self.nodes[node as usize].active;
            *active = if is_active { *active + 1 } else { *active - 1 };
        }
    }

    /// Starts counting from now.
    pub fn reset(&mut self, now: Time) {
        for commodity in &mut self.commodities {
            commodity.queues.iter_mut().for_each(|queue| queue.reset(now));
            commodity.sent.fill(0);
        }
    }

    /// Returns every queue that had a packet since the last reset at `from`: node, commodity, and its statistics until
    /// `now`.
    pub fn queues(&self, from: Time, now: Time) -> impl Iterator<Item = (u32, Name, QueueBooks)> {
        let span = now.since(from).as_secs();
        self.commodities.iter().flat_map(move |commodity| {
            let books = move |(node, queue): (u32, &Queue)| {
                let Queue { longest, arrived, dropped, .. } = *queue;
                let (packets, trapped) = queue.until(now);
                let (mean, trapped) = (packets / span, trapped / span);
                (node, commodity.name, QueueBooks { arrived, dropped, mean, trapped, longest, last: queue.backlog() })
            };
            let queues = (0..).zip(&commodity.queues);
            queues.filter(|(_, queue)| queue.longest > 0 || queue.arrived > 0).map(books)
        })
    }

    /// Returns every queue that a commodity can reach: its backlog, and the time for which it has had packets and sent
    /// none.
    pub fn lengths(&self, now: Time) -> impl Iterator<Item = (u32, Name, u32, Duration)> {
        self.commodities.iter().flat_map(move |commodity| {
            let length = move |&node: &u32| {
                let queue = &commodity.queues[node as usize];
                (node, commodity.name, queue.backlog(), queue.idle(now))
            };
            commodity.nodes.iter().map(length)
        })
    }

    /// Returns the number of packets of each commodity sent on each link since the last reset, if positive.
    pub fn shares(&self) -> impl Iterator<Item = (u32, Name, u64)> {
        self.commodities.iter().flat_map(|commodity| {
            let sent = (0..).zip(commodity.sent.iter().copied());
            sent.filter(|(_, packets)| *packets > 0).map(|(link, packets)| (link, commodity.name, packets))
        })
    }

    fn queue(&self, node: u32, commodity: u32) -> &Queue {
        &self.commodities[commodity as usize].queues[node as usize]
    }

    fn queue_mut(&mut self, node: u32, commodity: u32) -> &mut Queue {
        &mut self.commodities[commodity as usize].queues[node as usize]
    }
}

/// The best of the offered candidates; ties are equally likely.
struct Ties<T> {
    best: Option<(T, f64)>,
    count: u32,
}

impl<T> Default for Ties<T> {
    fn default() -> Self {
        Self { best: None, count: 0 }
    }
}

impl<T> Ties<T> {
    #[inline]
    fn offer(&mut self, what: T, weight: f64, stream: &mut Stream) {
        let best = self.best.as_ref().map_or(f64::NEG_INFINITY, |best| best.1);
        if weight > best {
            (self.best, self.count) = (Some((what, weight)), 1);
        } else if weight == best {
            // The n-th of equal candidates replaces the choice with probability 1/n.
            self.count += 1;
            if stream.uniform() * f64::from(self.count) < 1.0 {
                self.best = Some((what, weight));
            }
        }
    }

    fn best(self) -> Option<T> {
        self.best.map(|(what, _)| what)
    }
}
