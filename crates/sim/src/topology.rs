//! The network below its endpoints: what packets cross, and who sends them on.

use crate::link::{LinkConfig, LinkStep};
use crate::medium::MediumConfig;
use crate::node::NodeConfig;
use crate::packet::NodeId;
use crate::queue::{Buffer, QueueConfig};
use std::collections::BTreeSet;
use std::sync::Arc;
use windward_units::{Duration, Time};

/// Ports, the media that some of them share, and the nodes that choose ports themselves.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// What packets leave a node by; routes name them by index.
    pub ports: Vec<PortConfig>,
    /// What ports may share.
    pub media: Vec<MediumConfig>,
    /// Nodes that decide where a packet goes next; all others only carry addresses.
    pub nodes: Vec<NodeConfig>,
}

/// A way from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub struct PortConfig {
    /// The node that it leaves.
    pub from: NodeId,
    /// The node that it reaches.
    pub to: NodeId,
    /// What it is.
    pub kind: PortKind,
}

/// What a port is.
#[derive(Clone, Debug, PartialEq)]
pub enum PortKind {
    /// A link with a drop-tail queue: it knows at a packet's arrival when the packet will leave, which costs one event a hop.
    Wire(LinkConfig),
    /// A link whose queue may change its mind until a packet is sent, which costs two.
    Queued(LinkConfig, QueueConfig),
    /// A link that changes at the given times, in their order. It costs two events a hop, too.
    Changing(LinkConfig, QueueConfig, Arc<[LinkStep]>),
    /// A share in a medium.
    Shared {
        /// The medium, by its index in [`Topology::media`].
        medium: u32,
        /// Which of the medium's members.
        local: u32,
    },
}

/// Where a route goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Through a port, by its index in [`Topology::ports`].
    Port(u32),
    /// From the node `from`, which decides for itself as do those after it, to the node `to`.
    Across {
        /// Where the packet is, one of [`Topology::nodes`].
        from: NodeId,
        /// Where it leaves the nodes that decide.
        to: NodeId,
    },
}

/// A way through the network, from end to end; not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route(pub Vec<Step>);

impl Route {
    /// The ports that it names, in order. Which ports a packet takes across nodes that decide for themselves, only they know.
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
    /// A topology of links alone, between nodes that nobody asks for.
    pub fn of_links(links: impl IntoIterator<Item = LinkConfig>) -> Self {
        let port = |link| PortConfig { from: 0, to: 0, kind: PortKind::Wire(link) };
        Self { ports: links.into_iter().map(port).collect(), ..Self::default() }
    }

    /// Adds a medium whose members are ports from here on, each of which leads `from` one node `to` another. Returns the
    /// first one's index.
    pub fn add_medium(&mut self, medium: MediumConfig, ends: impl IntoIterator<Item = (NodeId, NodeId)>) -> u32 {
        let (first, index) = (self.ports.len() as u32, self.media.len() as u32);
        let ports = (0..).zip(ends).map(|(local, (from, to))| {
            let kind = PortKind::Shared { medium: index, local };
            PortConfig { from, to, kind }
        });
        self.ports.extend(ports);
        debug_assert_eq!(self.ports.len() - first as usize, medium.members(), "every member is a port");
        self.media.push(medium);
        first
    }

    /// The mean rate of a port where nothing else is sent, in bits a second.
    pub fn mean_rate(&self, port: u32) -> f64 {
        self.ask(port, |link| link.rate.mean().as_bits_per_sec() as f64, MediumConfig::mean_rate)
    }

    /// The rate of a port as one would quote it, in whole bits a second: of a link its mean rate, of a share what the medium says.
    pub fn nominal_rate(&self, port: u32) -> u64 {
        self.ask(port, |link| link.rate.mean().as_bits_per_sec(), MediumConfig::nominal_rate)
    }

    /// The rate of a port as tables show it: in a wireless network that of the data frames, else the mean.
    pub fn shown_rate(&self, port: u32) -> f64 {
        match self.ports[port as usize].kind {
            PortKind::Shared { medium, .. }
                if matches!(self.media[medium as usize], MediumConfig::Wifi(_) | MediumConfig::Csma(_)) =>
            {
                self.nominal_rate(port) as f64
            }
            _ => self.mean_rate(port),
        }
    }

    /// How long a packet takes through a port once it is transmitted, jitter not counted.
    pub fn delay(&self, port: u32) -> Duration {
        self.ask(port, |link| link.delay, MediumConfig::delay)
    }

    /// How much may wait before a port.
    pub fn buffer(&self, port: u32) -> Buffer {
        self.ask(port, |link| link.buffer, MediumConfig::buffer)
    }

    /// The discipline of a port's queue.
    pub fn discipline(&self, port: u32) -> QueueConfig {
        match &self.ports[port as usize].kind {
            PortKind::Wire(_) => QueueConfig::DropTail,
            PortKind::Queued(_, queue) | PortKind::Changing(_, queue, _) => *queue,
            PortKind::Shared { medium, local } => self.media[*medium as usize].discipline(*local),
        }
    }

    /// The share of transmitted packets that a port loses.
    pub fn mean_loss(&self, port: u32) -> f64 {
        self.ask(port, |link| link.loss.mean(), MediumConfig::mean_loss)
    }

    /// The link that a port is; `None` where it is a share in a medium.
    pub fn link(&self, port: u32) -> Option<&LinkConfig> {
        match &self.ports[port as usize].kind {
            PortKind::Wire(link) | PortKind::Queued(link, _) | PortKind::Changing(link, ..) => Some(link),
            PortKind::Shared { .. } => None,
        }
    }

    /// The changes of the link that a port is.
    pub fn steps(&self, port: u32) -> &[LinkStep] {
        match &self.ports[port as usize].kind {
            PortKind::Changing(_, _, steps) => steps,
            PortKind::Wire(_) | PortKind::Queued(..) | PortKind::Shared { .. } => &[],
        }
    }

    /// When anything changes, in order, none twice.
    pub fn changes(&self) -> Vec<Time> {
        let of_links = (0..self.ports.len() as u32).flat_map(|port| self.steps(port)).map(|step| step.at);
        let of_cells = self.media.iter().flat_map(|medium| match medium {
            MediumConfig::Cell(cell) => &cell.changes[..],
            MediumConfig::Wifi(_) | MediumConfig::Csma(_) | MediumConfig::Slotted(_) => &[],
        });
        let all: BTreeSet<Time> = of_links.chain(of_cells.map(|change| change.at)).collect();
        all.into_iter().collect()
    }

    /// Whether the link that a port is transmits at an instant; a share always does.
    pub fn is_up(&self, port: u32, now: Time) -> bool {
        let changes = self.steps(port).iter().take_while(|step| step.at <= now);
        changes.filter_map(|step| step.change.is_up).last().unwrap_or(true)
    }

    /// What it is at an instant, as if it were so for ever; links that are down then are as they will be when they are up again.
    /// Where stations move, their places are those of the beginning.
    pub fn at(&self, now: Time) -> Self {
        let mut then = self.clone();
        for port in &mut then.ports {
            if let PortKind::Changing(link, queue, steps) = &mut port.kind {
                steps.iter().take_while(|step| step.at <= now).for_each(|step| step.change.apply(link));
                port.kind = PortKind::Changing(link.clone(), *queue, Arc::default());
            }
        }
        for medium in &mut then.media {
            if let MediumConfig::Cell(cell) = medium {
                for change in std::mem::take(&mut cell.changes).iter().take_while(|change| change.at <= now) {
                    cell.stations[change.station as usize].mean_snr = change.mean_snr;
                }
            }
        }
        then
    }

    /// The links among the ports.
    pub fn links_mut(&mut self) -> impl Iterator<Item = &mut LinkConfig> {
        self.ports.iter_mut().filter_map(|port| match &mut port.kind {
            PortKind::Wire(link) | PortKind::Queued(link, _) | PortKind::Changing(link, ..) => Some(link),
            PortKind::Shared { .. } => None,
        })
    }

    /// Of each medium the ports that share it, in the order of its members.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.media.len()];
        for (index, port) in (0..).zip(&self.ports) {
            if let PortKind::Shared { medium, .. } = port.kind {
                members[medium as usize].push(index);
            }
        }
        members
    }

    fn ask<T>(&self, port: u32, link: impl Fn(&LinkConfig) -> T, medium: impl Fn(&MediumConfig, u32) -> T) -> T {
        match &self.ports[port as usize].kind {
            PortKind::Wire(config) | PortKind::Queued(config, _) | PortKind::Changing(config, ..) => link(config),
            PortKind::Shared { medium: at, local } => medium(&self.media[*at as usize], *local),
        }
    }
}
