//! What every endpoint shares: the clock, the calendar, ports and media, nodes, and the table of routes.

use crate::backlog::{Backlog, Class, Name};
use crate::engine::{Calendar, Event, PortTimer, Wake};
use crate::link::{Fate, Offered, Taken};
use crate::makers::Makers;
use crate::medium::{AirFrame, AirLog, AnyMedium, Cause, Medium, Out};
use crate::node::{Decision, Node};
use crate::packet::{Kind, NodeId, Packet, TIME_TO_LIVE};
use crate::port::Port;
use crate::record::{BacklogSeries, BacklogStats, Balance, Capture, Figures, Of, Queued, ShareStats};
use crate::status::Counts;
use crate::status::Sight;
use crate::topology::{Route, Step, Topology};
use std::ops::Range;
use windward_units::Time;

/// Ends every route in the table.
const ARRIVED: u32 = u32::MAX;

/// Marks a word of the table as a node that decides; the node where its decisions end is the next word.
const ACROSS: u32 = 1 << 31;

/// A medium and the ports that share it, by their place in the medium.
struct Shared {
    /// What a table of its figures is called.
    table: &'static str,
    medium: AnyMedium,
    members: Vec<u32>,
    /// Nodes of whose stations the medium has figures.
    stations: Vec<NodeId>,
    /// Nodes of the stations that may forward by backlog.
    forwarding: Vec<NodeId>,
}

/// The table of figures of stations.
const STATIONS: &str = "wifi_stations";

/// What will not arrive.
#[derive(Default)]
pub struct Losses {
    /// Data segments of each flow, of those sent after `since`.
    pub segments: Vec<u64>,
    since: Option<Time>,
    /// Parcels, and why, until their owner asks for them.
    pub parcels: Vec<(Packet, Cause)>,
    /// Combinations that a full queue dropped, until their flow asks.
    coded: Vec<Packet>,
}

impl Losses {
    /// Takes out the combinations of a flow that a full queue dropped.
    pub fn take_coded(&mut self, flow: u32) -> Vec<Packet> {
        self.coded.extract_if(.., |packet| packet.flow == flow).collect()
    }
}

/// The network below the endpoints.
pub struct Net {
    /// The instant of the event being handled.
    pub now: Time,
    /// What happens next.
    pub calendar: Calendar,
    ports: Vec<Port>,
    /// The node that each port reaches.
    ends: Vec<NodeId>,
    media: Vec<Shared>,
    /// Nodes that decide, by their index; `None` for all others.
    nodes: Vec<Option<Node>>,
    /// All routes one after the other, each ended by [`ARRIVED`]; packets carry an index into this.
    routes: Vec<u32>,
    /// Traversals of ports so far.
    pub hops: u64,
    /// Where packets have gone so far.
    pub balance: Balance,
    /// What queues dropped and wires lost.
    pub losses: Losses,
    /// Parcels that arrived, and when, until their owner asks for them.
    pub arrived: Vec<(Time, Packet)>,
    /// Writes down what flows' sources send and receive.
    pub capture: Option<Capture>,
    /// Frames that begin in a part of the run, where they are asked for.
    pub air: Option<(Range<Time>, AirLog)>,
}

impl Net {
    /// The network of `topology` in the run of `seed`, for so many flows; `pending` more events than one for each port and
    /// medium find room in the calendar.
    pub fn new(topology: &Topology, makers: &Makers, seed: u64, flows: usize, pending: usize) -> Self {
        let ports: Vec<Port> = topology.ports.iter().map(|port| Port::new(&port.kind, seed)).collect();
        let media = topology.media.iter().zip(topology.members()).map(|(config, members)| Shared {
            table: config.table(),
            medium: AnyMedium::new(config, makers, seed),
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
            hops: 0,
            balance: Balance::default(),
            losses: Losses { segments: vec![0; flows], ..Losses::default() },
            arrived: Vec::new(),
            capture: None,
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

    /// Adds a route to the table. Packets that begin at the index returned take it.
    pub fn add_route(&mut self, route: &Route) -> u32 {
        let begin = self.routes.len() as u32;
        for step in &route.0 {
            match *step {
                Step::Port(port) => self.routes.push(port),
                Step::Across { from, to } => self.routes.extend([ACROSS | from, to]),
            }
        }
        self.routes.push(ARRIVED);
        begin
    }

    /// Whether a packet is still where its route begins, at `hop`.
    pub fn is_at_source(packet: &Packet, hop: u32) -> bool {
        // Of nodes that decide, the first counts the hops from the top.
        packet.hop == hop || (packet.hop == hop + 1 && packet.ttl == TIME_TO_LIVE)
    }

    /// Schedules an event.
    #[inline]
    pub fn schedule(&mut self, time: Time, wake: Wake, index: u32) {
        self.calendar.push(Event::new(time, wake, index));
    }

    /// Sends a packet from the beginning of its route; `is_from_source` for the data's direction of a flow.
    #[inline]
    pub fn send(&mut self, packet: Packet, is_from_source: bool) {
        if is_from_source && let Some(capture) = &mut self.capture {
            capture.record(self.now, &packet, true);
        }
        self.balance.sent += 1;
        self.forward(&packet);
    }

    /// Sends a packet on as its route says.
    #[inline]
    fn forward(&mut self, packet: &Packet) {
        let word = self.routes[packet.hop as usize];
        if word & ACROSS == 0 {
            self.offer(word, packet);
        } else {
            self.enter(word & !ACROSS, *packet);
        }
    }

    /// Offers a packet to a port.
    #[inline]
    fn offer(&mut self, port: u32, packet: &Packet) {
        match &mut self.ports[port as usize] {
            Port::Wire(link) => {
                let fate = link.offer(self.now, *packet);
                self.follow(port, packet, fate);
            }
            Port::Queued(_) => self.offer_to_queue(port, *packet),
            Port::Changing(_) => self.offer_to_changing(port, *packet),
            Port::Shared(share) => {
                let (medium, local) = (share.medium, share.local);
                let now = self.now;
                let (medium, mut out) = self.medium(medium);
                medium.offer(now, local, *packet, &mut out);
            }
        }
    }

    /// Keeps the books of a packet that a link took or refused.
    #[inline]
    fn follow(&mut self, port: u32, packet: &Packet, fate: Fate) {
        match fate {
            Fate::First(time) => {
                self.hops += 1;
                self.schedule(time, Wake::Port(PortTimer::Arrive), port);
            }
            Fate::Queued => self.hops += 1,
            Fate::Late(first) => {
                self.hops += 1;
                if let Some(time) = first {
                    self.schedule(time, Wake::Port(PortTimer::ArriveLate), port);
                }
            }
            Fate::Lost => {
                self.hops += 1;
                count_loss(&mut self.losses, &mut self.balance, packet, Cause::Sent);
            }
            Fate::Dropped => count_loss(&mut self.losses, &mut self.balance, packet, Cause::Queue),
        }
    }

    fn offer_to_queue(&mut self, port: u32, packet: Packet) {
        // What is due at this instant leaves before the packet comes.
        self.transmit(port);
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Queued(link) = &mut ports[port as usize] else { return };
        let dropped = |packet| count_loss(losses, balance, &packet, Cause::Queue);
        match link.offer(*now, packet, dropped) {
            Offered::Sent(fate) => self.follow(port, &packet, fate),
            Offered::Waits(Some(time)) => self.schedule(time, Wake::Port(PortTimer::Transmit), port),
            Offered::Waits(None) => {}
            Offered::Refused => self.follow(port, &packet, Fate::Dropped),
        }
    }

    /// The transmitter of a queued link takes the next packet, if that is due.
    fn transmit(&mut self, port: u32) {
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Queued(link) = &mut ports[port as usize] else { return };
        let transmission = link.transmit(*now, |packet| count_loss(losses, balance, &packet, Cause::Queue));
        if let Some((packet, fate)) = transmission.sent {
            self.follow(port, &packet, fate);
        }
        if let Some(time) = transmission.next {
            self.schedule(time, Wake::Port(PortTimer::Transmit), port);
        }
    }

    #[cold]
    fn offer_to_changing(&mut self, port: u32, packet: Packet) {
        // What is due at this instant leaves before the packet comes.
        self.complete(port);
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Changing(link) = &mut ports[port as usize] else { return };
        match link.offer(*now, packet, |packet| count_loss(losses, balance, &packet, Cause::Queue)) {
            Taken::Kept(Some(time)) => self.schedule(time, Wake::Port(PortTimer::Transmit), port),
            Taken::Kept(None) => {}
            Taken::Refused => self.follow(port, &packet, Fate::Dropped),
        }
    }

    /// The transmission of a changing link that ends now ends, and the next one begins.
    #[cold]
    fn complete(&mut self, port: u32) {
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Changing(link) = &mut ports[port as usize] else { return };
        let done = link.complete(*now, |packet| count_loss(losses, balance, &packet, Cause::Queue));
        if let Some((packet, fate)) = done.sent {
            self.follow(port, &packet, fate);
        }
        if let Some(end) = done.next {
            self.schedule(end, Wake::Port(PortTimer::Transmit), port);
        }
    }

    /// A link changes.
    #[cold]
    fn change(&mut self, port: u32) {
        self.complete(port);
        let Self { now, ports, losses, balance, .. } = self;
        let Port::Changing(link) = &mut ports[port as usize] else { return };
        let changed = link.change(*now, |packet, cause| count_loss(losses, balance, &packet, cause));
        if let Some(end) = changed.transmits {
            self.schedule(end, Wake::Port(PortTimer::Transmit), port);
        }
        if let Some(next) = changed.next {
            self.schedule(next, Wake::Port(PortTimer::Change), port);
        }
    }

    /// A timer of a port rings. Returns the packet that has come to the end of its route, if one has.
    #[inline]
    pub fn wake_port(&mut self, timer: PortTimer, port: u32) -> Option<Packet> {
        match timer {
            PortTimer::Arrive => self.arrive(port),
            PortTimer::ArriveLate => {
                let (packet, next) = self.ports[port as usize].land_late(self.now)?;
                if let Some(next) = next {
                    self.schedule(next, Wake::Port(PortTimer::ArriveLate), port);
                }
                self.send_on(port, packet)
            }
            PortTimer::Transmit => {
                match self.ports[port as usize] {
                    Port::Changing(_) => self.complete(port),
                    _ => self.transmit(port),
                }
                None
            }
            PortTimer::Change => {
                self.change(port);
                None
            }
        }
    }

    /// The first packet in flight arrives at the far end of a port. Returns it where its route ends; else sends it on.
    #[inline]
    fn arrive(&mut self, port: u32) -> Option<Packet> {
        let (packet, next) = self.ports[port as usize].land(self.now)?;
        if let Some(next) = next {
            self.schedule(next, Wake::Port(PortTimer::Arrive), port);
        }
        self.send_on(port, packet)
    }

    /// A packet is at the far end of a port.
    #[inline]
    fn send_on(&mut self, port: u32, mut packet: Packet) -> Option<Packet> {
        if packet.ttl > 0 && !self.leaves(port, &mut packet) {
            return None;
        }
        packet.hop += 1;
        if self.routes[packet.hop as usize] == ARRIVED {
            self.balance.delivered += 1;
            return Some(packet);
        }
        self.forward(&packet);
        None
    }

    /// A packet comes to the first of the nodes that decide.
    #[cold]
    fn enter(&mut self, node: NodeId, mut packet: Packet) {
        packet.hop += 1;
        packet.to = self.routes[packet.hop as usize];
        packet.ttl = TIME_TO_LIVE;
        self.decide(node, packet);
    }

    /// Whether a packet has crossed the nodes that decide; where it has not, the one that it has come to sends it on.
    #[cold]
    fn leaves(&mut self, port: u32, packet: &mut Packet) -> bool {
        let node = self.ends[port as usize];
        if node == packet.to {
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

    /// A node sends a packet on.
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

    /// A timer of a medium rings.
    pub fn wake_medium(&mut self, medium: u32, timer: u32) {
        let now = self.now;
        let (medium, mut out) = self.medium(medium);
        medium.wake(now, timer, &mut out);
    }

    /// A medium, and the world around it.
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
            capture: &mut self.capture,
            air: &mut self.air,
        };
        (medium, out)
    }

    /// How many ports there are.
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// What a port counted since the last reset.
    pub fn counts(&mut self, port: u32) -> Counts {
        let at = &mut self.ports[port as usize];
        match at.counts(self.now) {
            Some(counts) => counts,
            None => self.of_share(port, |medium, local| medium.counts(self.now, local)).unwrap_or_default(),
        }
    }

    /// Asks the medium that a port shares.
    fn of_share<T>(&self, port: u32, ask: impl FnOnce(&AnyMedium, u32) -> T) -> Option<T> {
        match &self.ports[port as usize] {
            Port::Shared(share) => Some(ask(&self.media[share.medium as usize].medium, share.local)),
            _ => None,
        }
    }

    /// Ports and media count from now on; of segments, those that are sent from now on.
    pub fn reset_counts(&mut self) {
        self.losses.segments.fill(0);
        self.losses.since = Some(self.now);
        self.ports.iter_mut().for_each(|port| port.reset_counts(self.now));
        self.media.iter_mut().for_each(|shared| shared.medium.reset_counts(self.now));
    }

    /// What is to be seen of a port.
    pub fn see(&mut self, port: u32) -> Sight {
        see(self.now, &mut self.ports, &mut self.media, port)
    }

    /// What media counted of their members beyond a link's counts.
    pub fn figures(&self) -> Vec<Figures> {
        let mut tables: Vec<Figures> = Vec::new();
        for shared in &self.media {
            let at = tables.iter().position(|table| table.name == shared.table);
            let at = at.unwrap_or_else(|| {
                tables.push(Figures::new(shared.table, Of::Ports));
                tables.len() - 1
            });
            for (local, &port) in (0..).zip(&shared.members) {
                tables[at].add(port, |sink| shared.medium.observe(local, sink));
            }
        }
        for shared in &self.media {
            for (index, &node) in (0..).zip(&shared.stations) {
                let at = tables.iter().position(|table| table.name == STATIONS).unwrap_or_else(|| {
                    tables.push(Figures::new(STATIONS, Of::Nodes));
                    tables.len() - 1
                });
                tables[at].add(node, |sink| shared.medium.observe_station(self.now, index, sink));
            }
        }
        tables
    }

    /// Media whose stations forward by backlog: queues, since when they count, nodes of stations, ports of members.
    fn backlogs(&self) -> impl Iterator<Item = (&Backlog, Time, &[NodeId], &[u32])> {
        self.media.iter().filter_map(|shared| {
            let (backlog, from) = shared.medium.backlog()?;
            Some((backlog, from, &shared.forwarding[..], &shared.members[..]))
        })
    }

    /// What such queues counted until now, and what went by each link.
    pub fn backlog_stats(&self) -> (Vec<BacklogStats>, Vec<ShareStats>) {
        let (mut queues, mut shares) = (Vec::new(), Vec::new());
        for (backlog, from, nodes, ports) in self.backlogs() {
            queues.extend(backlog.queues(from, self.now).map(|(station, name, books)| BacklogStats {
                node: nodes[station as usize],
                of: queued(name),
                arrived: books.arrived,
                dropped: books.dropped,
                mean_backlog: books.mean,
                mean_trapped: books.trapped,
                max_backlog: u64::from(books.longest),
                last_backlog: u64::from(books.last),
            }));
            let share = |(link, name, packets)| ShareStats { port: ports[link as usize], of: queued(name), packets };
            shares.extend(backlog.shares().map(share));
        }
        (queues, shares)
    }

    /// Packets of a source or flow that wait where its route begins at `hop`; 0 where the node does not forward by backlog.
    pub fn queued(&self, hop: u32, class: Class, flow: u32) -> u32 {
        let (first, to) = (self.routes[hop as usize], self.routes.get(hop as usize + 1).copied().unwrap_or(ARRIVED));
        let node = (first & !ACROSS) as usize;
        let (Some(Some(Node::Medium { medium, station })), true) =
            (self.nodes.get(node), first != ARRIVED && first & ACROSS != 0)
        else {
            return 0;
        };
        let shared = &self.media[*medium as usize];
        let to = shared.forwarding.iter().position(|&station| station == to);
        let backlog = shared.medium.backlog().zip(to);
        backlog.map_or(0, |((backlog, _), to)| backlog.backlog_of(*station, Name { class, flow, to: to as u32 }))
    }

    /// Adds the lengths of such queues to `series`.
    pub fn sample_backlogs(&self, series: &mut BacklogSeries) {
        for (backlog, _, nodes, _) in self.backlogs() {
            for (station, name, length, idle) in backlog.lengths(self.now) {
                let Queued { class, flow } = queued(name);
                series.time_s.push(self.now.as_secs());
                series.node.push(nodes[station as usize]);
                series.class.push(class);
                series.flow.push(flow);
                series.backlog.push(length);
                series.idle_s.push(idle.as_secs());
                series.threshold.push(backlog.threshold(station));
            }
        }
    }

    /// Where packets have gone until now.
    pub fn balance(&mut self) -> Balance {
        let waiting = |shared: &mut Shared| {
            let members = 0..shared.members.len() as u32;
            let backlogs = members.map(|local| shared.medium.see(self.now, local).backlog as u64);
            backlogs.sum::<u64>() + shared.medium.held()
        };
        let under_way = self.ports.iter().map(|port| port.held() as u64).sum::<u64>();
        Balance { under_way: under_way + self.media.iter_mut().map(waiting).sum::<u64>(), ..self.balance }
    }
}

fn queued(name: Name) -> Queued {
    Queued { class: name.class as u32, flow: name.flow }
}

fn see(now: Time, ports: &mut [Port], media: &mut [Shared], port: u32) -> Sight {
    match &mut ports[port as usize] {
        Port::Wire(link) => link.see(now),
        Port::Queued(link) => link.see(now),
        Port::Changing(link) => link.see(now),
        Port::Shared(share) => media[share.medium as usize].medium.see(now, share.local),
    }
}

#[cold]
fn count_loss(losses: &mut Losses, balance: &mut Balance, packet: &Packet, cause: Cause) {
    balance.lost[cause as usize] += 1;
    match packet.kind {
        Kind::Data | Kind::Coded => {
            let counts = losses.since.is_none_or(|since| packet.stamp > since.as_nanos());
            losses.segments[packet.flow as usize] += u64::from(counts);
            if packet.kind == Kind::Coded && cause == Cause::Queue {
                losses.coded.push(*packet);
            }
        }
        Kind::Parcel { .. } => losses.parcels.push((*packet, cause)),
        _ => {}
    }
}

/// The world around a medium.
struct Surroundings<'a> {
    medium: u32,
    members: &'a [u32],
    ports: &'a mut [Port],
    calendar: &'a mut Calendar,
    hops: &'a mut u64,
    losses: &'a mut Losses,
    balance: &'a mut Balance,
    capture: &'a mut Option<Capture>,
    air: &'a mut Option<(Range<Time>, AirLog)>,
}

impl Out for Surroundings<'_> {
    #[inline]
    fn arrive_at(&mut self, time: Time, local: u32, packet: Packet) {
        *self.hops += 1;
        let port = self.members[local as usize];
        let Port::Shared(share) = &mut self.ports[port as usize] else {
            debug_assert!(false, "a medium's members are shares");
            return;
        };
        if share.flight.add(time, packet) {
            self.calendar.push(Event::new(time, Wake::Port(PortTimer::Arrive), port));
        }
    }

    #[inline]
    fn wake_at(&mut self, time: Time, timer: u32) {
        self.calendar.push(Event::with_timer(time, Wake::Medium, self.medium, timer));
    }

    #[inline]
    fn on_air(&mut self, frame: impl FnOnce() -> AirFrame) {
        if self.capture.is_none() && self.air.is_none() {
            return;
        }
        let frame = frame();
        if let Some(capture) = self.capture {
            capture.record_frame(&frame);
        }
        if let Some((span, log)) = self.air
            && span.contains(&frame.began)
        {
            log.push(&frame);
        }
    }

    fn lose(&mut self, packet: Packet, cause: Cause) {
        *self.hops += u64::from(cause == Cause::Sent);
        count_loss(self.losses, self.balance, &packet, cause);
    }
}
