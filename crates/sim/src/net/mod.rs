//! State shared by all endpoints: clock, calendar, ports, media, nodes and the table of routes.

mod ahead;
mod first_hop;
mod hand_on;
mod losses;
mod ports;
mod report;
mod surroundings;
mod tap;

use crate::output::Balance;
use crate::port::Port;
use crate::topology::{PortKind, Route, Step, Topology};
use ahead::Ahead;
use first_hop::{Backlogs, SmallQueues};
use losses::{Losses, count_loss};
use std::ops::Range;
use surroundings::Surroundings;
pub use tap::Tap;
use windward_elements::engine::{Calendar, Event, PortTimer, Wake};
use windward_elements::link::QueuedLink;
use windward_elements::node::{Decision, Node};
use windward_elements::packet::{NodeId, Packet, TIME_TO_LIVE};
use windward_elements::queue::Label;
use windward_elements::status::{Cause, Sight};
use windward_radio::air::AirRecord;
use windward_radio::{AnyMedium, Hooks, Medium};
use windward_units::Time;

/// End marker of a route in the table.
const ARRIVED: u32 = u32::MAX;

/// Flag of a table entry that names a deciding node; the next entry is the node where the decisions end.
const ACROSS: u32 = 1 << 31;

/// A medium and the ports that share it, in the order of its members.
struct Shared {
    medium: AnyMedium,
    members: Vec<u32>,
    /// Nodes of the stations for which the medium has a table.
    stations: Vec<NodeId>,
    /// Nodes of the stations that may forward by backpressure.
    forwarding: Vec<NodeId>,
}

/// The network below the endpoints.
pub struct Net {
    /// Time of the event being handled.
    pub now: Time,
    /// Pending events.
    pub calendar: Calendar,
    ports: Vec<Port>,
    /// Node that each port reaches.
    ends: Vec<NodeId>,
    media: Vec<Shared>,
    /// Nodes that choose ports themselves, by index; `None` for all others.
    nodes: Vec<Option<Node>>,
    /// All routes in sequence, each ended by [`ARRIVED`]; packets carry an index into this table.
    routes: Vec<u32>,
    /// Labels of the routes, entry by entry; empty if no queue needs them.
    labels: Vec<Label>,
    needs_labels: bool,
    /// Number of port traversals so far.
    pub hops: u64,
    /// Accounting of all packets so far.
    pub balance: Balance,
    /// Packets dropped by queues and lost on wires.
    pub losses: Losses,
    /// Arrived parcels with their arrival times, until the owner takes them.
    pub arrived: Vec<(Time, Packet)>,
    /// Segments of flows with TCP small queues that are not completed.
    pub small_queues: SmallQueues,
    /// Datagrams of saturated sources at their first hop.
    pub backlogs: Backlogs,
    /// Links that hand packets on ahead of time.
    pub ahead: Ahead,
    /// Recorder of packets and frames, if any.
    pub tap: Option<Box<dyn Tap + Send>>,
    /// Record of the frames that start within the requested part of the run.
    pub air: Option<(Range<Time>, AirRecord)>,
}

impl Net {
    /// Network of `topology` in the run of `seed`, for the given numbers of flows and background sources. The calendar
    /// has room for `pending` events beyond one for each port and medium.
    pub fn new(topology: &Topology, hooks: &Hooks, seed: u64, counts: [usize; 2], pending: usize) -> Self {
        let [flows, sources] = counts;
        let ports: Vec<Port> = topology.ports.iter().map(|port| Port::new(&port.kind, seed)).collect();
        let media = topology.media.iter().zip(topology.members()).map(|(config, members)| Shared {
            medium: AnyMedium::new(config, hooks, seed),
            members,
            stations: config.observed_nodes(),
            forwarding: config.forwarding_nodes(),
        });
        let mut nodes: Vec<Option<Node>> = Vec::new();
        for config in &topology.nodes {
            let at = config.node as usize;
            nodes.resize_with(nodes.len().max(at + 1), || None);
            nodes[at] = Some(Node::new(&config.forwarding));
        }
        let mut net = Self {
            now: Time::ZERO,
            calendar: Calendar::with_capacity(ports.len() + topology.media.len() + pending),
            ports,
            ends: topology.ports.iter().map(|port| port.to).collect(),
            media: media.collect(),
            nodes,
            routes: Vec::new(),
            labels: Vec::new(),
            needs_labels: topology.needs_labels(),
            hops: 0,
            balance: Balance::default(),
            losses: Losses { segments: vec![0; flows], datagrams: vec![0; sources], ..Losses::default() },
            arrived: Vec::new(),
            small_queues: SmallQueues::default(),
            backlogs: Backlogs::default(),
            ahead: Ahead::default(),
            tap: None,
            air: None,
        };
        for port in 0..net.ports.len() {
            if let Port::Changing(link) = &net.ports[port]
                && let Some(time) = link.next_change()
            {
                net.schedule(time, Wake::Port(PortTimer::Change), port as u32);
            }
        }
        for medium in 0..net.media.len() as u32 {
            let (medium, mut out) = net.medium(medium);
            medium.begin(&mut out);
        }
        net
    }

    /// Adds a route to the table, with the label of its packets. Returns the index at which packets start on it.
    pub fn add_route(&mut self, route: &Route, label: Label) -> u32 {
        let begin = self.routes.len() as u32;
        for step in &route.0 {
            match *step {
                Step::Port(port) => self.routes.push(port),
                Step::Across { from, to } => self.routes.extend([ACROSS | from, to]),
            }
        }
        self.routes.push(ARRIVED);
        if self.needs_labels {
            self.labels.resize(self.routes.len(), label);
        }
        begin
    }

    /// Provides the labels of all routes to the queues of links.
    pub fn hand_out_labels(&mut self) {
        if !self.needs_labels {
            return;
        }
        let labels = std::mem::take(&mut self.labels).into();
        for port in &mut self.ports {
            match port {
                Port::Queued(link) => link.label(&labels),
                Port::Changing(link) => link.label(&labels),
                Port::Wire(_) | Port::Shared(_) => {}
            }
        }
        self.needs_labels = false;
    }

    /// Watches the backlog of a saturated source whose route starts at `hop`, from before the first packet. A link of
    /// `topology` that computes departures ahead is replaced by one that has an event for each, and so can report it.
    pub fn watch(&mut self, source: u32, hop: u32, topology: &Topology, seed: u64) {
        self.backlogs.watch(source, hop);
        let port = self.routes[hop as usize] as usize;
        if let (Some(Port::Wire(_)), Some(PortKind::Link(link))) =
            (self.ports.get(port), topology.ports.get(port).map(|port| &port.kind))
        {
            self.ports[port] = Port::Queued(Box::new(QueuedLink::new(link, link.queue, seed)));
        }
    }

    /// Gives back the memory of bursts at some of the ports.
    pub fn tidy(&mut self, ports: Range<usize>) {
        self.ports[ports].iter_mut().for_each(Port::tidy);
    }

    /// Schedules an event.
    #[inline]
    pub fn schedule(&mut self, time: Time, wake: Wake, index: u32) {
        self.calendar.push(Event::new(time, wake, index));
    }

    /// Sends a packet from the start of its route; `is_from_source` is true in the data direction of a flow.
    #[inline]
    pub fn send(&mut self, packet: Packet, is_from_source: bool) {
        if is_from_source && let Some(tap) = &mut self.tap {
            tap.packet(self.now, &packet, true);
        }
        self.balance.sent += 1;
        self.forward(&packet);
    }

    /// Forwards a packet along its route.
    #[inline]
    fn forward(&mut self, packet: &Packet) {
        let word = self.routes[packet.hop as usize];
        if word & ACROSS == 0 {
            self.offer(word, packet);
        } else {
            self.enter(word & !ACROSS, *packet);
        }
    }

    /// Handles a packet at the first of the deciding nodes.
    #[cold]
    fn enter(&mut self, node: NodeId, mut packet: Packet) {
        packet.hop += 1;
        packet.to = self.routes[packet.hop as usize];
        packet.ttl = TIME_TO_LIVE;
        self.decide(node, packet);
    }

    /// True if a packet has crossed the deciding nodes. Otherwise the node that it has reached forwards it.
    #[cold]
    fn leaves(&mut self, port: u32, packet: &mut Packet) -> bool {
        let node = self.ends[port as usize];
        if node == packet.to {
            packet.count_hops();
            packet.ttl = 0;
            return true;
        }
        packet.ttl -= 1;
        if packet.ttl == 0 {
            self.lose(packet, Cause::TimeToLive);
        } else {
            self.decide(node, *packet);
        }
        false
    }

    /// Forwards a packet by the decision of a node.
    fn decide(&mut self, node: NodeId, packet: Packet) {
        let Self { now, ports, media, nodes, .. } = self;
        let rule = nodes.get_mut(node as usize).and_then(Option::as_mut);
        let decision = rule.map(|rule| rule.decide(packet.to, |port| see(*now, ports, media, port)));
        match decision {
            Some(Decision::Port(port)) => self.offer(port, &packet),
            Some(Decision::Medium { medium, station }) => {
                let now = self.now;
                let (medium, mut out) = self.medium(medium);
                medium.carry(now, station, packet, &mut out);
            }
            Some(Decision::NoRoute) | None => self.lose(&packet, Cause::NoRoute),
        }
    }

    #[cold]
    fn lose(&mut self, packet: &Packet, cause: Cause) {
        count_loss(&mut self.losses, &mut self.balance, packet, cause);
    }

    /// Handles the expiry of a medium's timer.
    pub fn wake_medium(&mut self, medium: u32, timer: u32) {
        let now = self.now;
        let (medium, mut out) = self.medium(medium);
        medium.wake(now, timer, &mut out);
    }

    /// Returns a medium and the world around it.
    #[inline]
    fn medium(&mut self, index: u32) -> (&mut AnyMedium, Surroundings<'_>) {
        let Shared { medium, members, .. } = &mut self.media[index as usize];
        let out = Surroundings {
            medium: index,
            members,
            ports: &mut self.ports,
            calendar: &mut self.calendar,
            hops: &mut self.hops,
            losses: &mut self.losses,
            balance: &mut self.balance,
            small_queues: &mut self.small_queues,
            backlogs: &mut self.backlogs,
            tap: &mut self.tap,
            air: &mut self.air,
        };
        (medium, out)
    }
}

fn see(now: Time, ports: &mut [Port], media: &mut [Shared], port: u32) -> Sight {
    match &mut ports[port as usize] {
        Port::Wire(link) => link.see(now),
        Port::Queued(link) => link.see(now),
        Port::Changing(link) => link.see(now),
        Port::Shared(share) => media[share.medium as usize].medium.see(now, share.local),
    }
}
