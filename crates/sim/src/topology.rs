//! The network below its endpoints: ports, media and deciding nodes.

use std::collections::BTreeSet;
use std::sync::Arc;
use windward_elements::link::{LinkConfig, LinkStep};
use windward_elements::node::NodeConfig;
use windward_elements::packet::NodeId;
use windward_elements::queue::{Buffer, QueueConfig};
use windward_radio::MediumConfig;
use windward_units::{Duration, Time};

/// Ports, the media that some of them share, and the nodes that choose ports themselves.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Ports through which packets leave a node; routes name them by index.
    pub ports: Arc<Vec<PortConfig>>,
    /// Media that ports may share.
    pub media: Vec<MediumConfig>,
    /// Nodes that decide the next hop of a packet; all others only have addresses.
    pub nodes: Vec<NodeConfig>,
    /// Code points of packets.
    pub points: Points,
}

/// Code points (DSCP) of packets; 0 beyond the ends of the lists, and for applications over two-way connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points {
    /// Data and ACKs of each flow.
    pub flows: Vec<[u8; 2]>,
    /// Datagrams of each source.
    pub sources: Vec<u8>,
}

/// A directed connection from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub struct PortConfig {
    /// Node at its start.
    pub from: NodeId,
    /// Node at its end.
    pub to: NodeId,
    /// Kind of port, with its parameters.
    pub kind: PortKind,
}

/// Kind of a port.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "most ports are links")]
pub enum PortKind {
    /// A link.
    Link(LinkConfig),
    /// A share of a medium.
    Shared {
        /// The medium, by its index in [`Topology::media`].
        medium: u32,
        /// Its place among the medium's members.
        local: u32,
    },
}

/// Next step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Through a port, by its index in [`Topology::ports`].
    Port(u32),
    /// From the node `from` to the node `to`, across nodes that decide for themselves, `from` included.
    Across {
        /// Node of the packet, one of [`Topology::nodes`].
        from: NodeId,
        /// Node at which the packet leaves the deciding nodes.
        to: NodeId,
    },
}

/// A path through the network, from end to end; not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route(pub Vec<Step>);

impl Route {
    /// Ports that the route names, in order. The ports across deciding nodes are known to those nodes only.
    pub fn ports(&self) -> impl Iterator<Item = u32> {
        self.0.iter().filter_map(|step| match step {
            Step::Port(port) => Some(*port),
            Step::Across { .. } => None,
        })
    }
}

impl From<Vec<u32>> for Route {
    fn from(ports: Vec<u32>) -> Self {
        Self(ports.into_iter().map(Step::Port).collect())
    }
}

impl Topology {
    /// Topology of links alone, between nodes without a name.
    pub fn of_links(links: impl IntoIterator<Item = LinkConfig>) -> Self {
        let port = |link| PortConfig { from: 0, to: 0, kind: PortKind::Link(link) };
        Self { ports: Arc::new(links.into_iter().map(port).collect()), ..Self::default() }
    }

    /// Adds a medium with one new port per member, each from one node to another. Returns the index of the first port.
    pub fn add_medium(&mut self, medium: MediumConfig, ends: impl IntoIterator<Item = (NodeId, NodeId)>) -> u32 {
        let (first, index) = (self.ports.len() as u32, self.media.len() as u32);
        let ports = (0..).zip(ends).map(|(local, (from, to))| {
            let kind = PortKind::Shared { medium: index, local };
            PortConfig { from, to, kind }
        });
        Arc::make_mut(&mut self.ports).extend(ports);
        debug_assert_eq!(self.ports.len() - first as usize, medium.members(), "every member is a port");
        self.media.push(medium);
        first
    }

    /// True if the queue of a link tells hosts or code points apart.
    pub fn needs_labels(&self) -> bool {
        self.links().any(|link| matches!(link.queue, QueueConfig::Cake(_)))
    }

    /// Mean rate of a port without other traffic, in bits per second.
    pub fn mean_rate(&self, port: u32) -> f64 {
        self.ask(port, |link| link.rate.mean().as_bits_per_sec() as f64, MediumConfig::mean_rate)
    }

    /// Mean rate of a port for packets of `bytes`: that of the shaper or policer of its queue, if it is less.
    pub fn rate_for(&self, port: u32, bytes: u64) -> f64 {
        let rate = self.mean_rate(port);
        match self.link(port).map(|link| link.queue) {
            Some(QueueConfig::Cake(cake)) => cake.rate_for(bytes).map_or(rate, |shaped| shaped.min(rate)),
            Some(QueueConfig::Policer(policer)) => {
                policer.rate.map_or(rate, |tokens| rate.min(tokens.as_bits_per_sec() as f64))
            }
            _ => rate,
        }
    }

    /// Nominal rate of a port in whole bits per second: the mean rate of a link, the medium's value for a share.
    pub fn nominal_rate(&self, port: u32) -> u64 {
        self.ask(port, |link| link.rate.mean().as_bits_per_sec(), MediumConfig::nominal_rate)
    }

    /// Rate of a port as shown in tables: the rate of data frames in a wireless network, else the mean rate.
    pub fn shown_rate(&self, port: u32) -> f64 {
        match self.ports[port as usize].kind {
            PortKind::Shared { medium, .. } if self.media[medium as usize].shows_nominal_rate() => {
                self.nominal_rate(port) as f64
            }
            _ => self.mean_rate(port),
        }
    }

    /// Delay of a port after transmission, without jitter; the least of a recording.
    pub fn delay(&self, port: u32) -> Duration {
        self.ask(port, |link| link.delay.least(), MediumConfig::delay)
    }

    /// True if a port tells senders when a packet is acknowledged or given up, which TCP small queues need.
    pub fn has_small_queues(&self, port: u32) -> bool {
        match self.ports[port as usize].kind {
            PortKind::Link(_) => false,
            PortKind::Shared { medium, .. } => self.media[medium as usize].has_small_queues(),
        }
    }

    /// True if a port delivers several packets at the same time.
    pub fn delivers_together(&self, port: u32) -> bool {
        self.ask(port, |link| link.hold.is_some(), |medium, _| medium.delivers_together())
    }

    /// True if a port reports the completion of packets, which saturated sources need.
    pub fn completes(&self, port: u32) -> bool {
        match self.ports[port as usize].kind {
            PortKind::Link(_) => true,
            PortKind::Shared { medium, .. } => self.media[medium as usize].completes(),
        }
    }

    /// Buffer of a port.
    pub fn buffer(&self, port: u32) -> Buffer {
        self.ask(port, |link| link.buffer, MediumConfig::buffer)
    }

    /// Queue discipline of a port.
    pub fn discipline(&self, port: u32) -> QueueConfig {
        match &self.ports[port as usize].kind {
            PortKind::Link(link) => link.queue,
            PortKind::Shared { medium, local } => self.media[*medium as usize].discipline(*local),
        }
    }

    /// Fraction of transmitted packets that a port loses.
    pub fn mean_loss(&self, port: u32) -> f64 {
        self.ask(port, |link| link.loss.mean(), MediumConfig::mean_loss)
    }

    /// Link of a port; `None` if the port is a share of a medium.
    pub fn link(&self, port: u32) -> Option<&LinkConfig> {
        match &self.ports[port as usize].kind {
            PortKind::Link(link) => Some(link),
            PortKind::Shared { .. } => None,
        }
    }

    /// Changes of the port's link.
    pub fn steps(&self, port: u32) -> &[LinkStep] {
        self.link(port).map_or(&[], |link| &link.steps)
    }

    /// Times of all changes, in order and without duplicates.
    pub fn changes(&self) -> Vec<Time> {
        let of_links = (0..self.ports.len() as u32).flat_map(|port| self.steps(port)).map(|step| step.at);
        let all: BTreeSet<Time> = of_links.chain(self.media.iter().flat_map(MediumConfig::changes)).collect();
        all.into_iter().collect()
    }

    /// True if the port's link transmits at an instant; always true for a share.
    pub fn is_up(&self, port: u32, now: Time) -> bool {
        let changes = self.steps(port).iter().take_while(|step| step.at <= now);
        changes.filter_map(|step| step.change.is_up).last().unwrap_or(true)
    }

    /// Returns the topology at an instant, as if it were constant. Links that are down then have the parameters with
    /// which they come up again. Moving stations are at their initial places.
    pub fn at(&self, now: Time) -> Self {
        let mut then = self.clone();
        for link in then.links_mut() {
            let steps = std::mem::take(&mut link.steps);
            steps.iter().take_while(|step| step.at <= now).for_each(|step| step.change.apply(link));
        }
        then.media.iter_mut().for_each(|medium| medium.advance(now));
        then
    }

    /// Links among the ports.
    pub fn links(&self) -> impl Iterator<Item = &LinkConfig> {
        (0..self.ports.len() as u32).filter_map(|port| self.link(port))
    }

    /// Mutable access to the links among the ports.
    pub fn links_mut(&mut self) -> impl Iterator<Item = &mut LinkConfig> {
        Arc::make_mut(&mut self.ports).iter_mut().filter_map(|port| match &mut port.kind {
            PortKind::Link(link) => Some(link),
            PortKind::Shared { .. } => None,
        })
    }

    /// Ports that share each medium, in the order of its members.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.media.len()];
        for (index, port) in (0..).zip(&*self.ports) {
            if let PortKind::Shared { medium, .. } = port.kind {
                members[medium as usize].push(index);
            }
        }
        members
    }

    fn ask<T>(&self, port: u32, link: impl Fn(&LinkConfig) -> T, medium: impl Fn(&MediumConfig, u32) -> T) -> T {
        match &self.ports[port as usize].kind {
            PortKind::Link(config) => link(config),
            PortKind::Shared { medium: at, local } => medium(&self.media[*at as usize], *local),
        }
    }
}
