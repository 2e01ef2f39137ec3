//! Nodes that decide for themselves where a packet goes next.
//!
//! Most nodes decide nothing: a packet's route names every port. A route may instead lead [`crate::Step::Across`] nodes that
//! choose among their ports packet by packet, each by a rule of its own.

mod rule;
mod shortest_queue;
mod table;

use crate::packet::NodeId;
use crate::status::Sight;
use rule::Forward;
use shortest_queue::ShortestQueue;
use std::collections::BTreeMap;
use table::Table;

/// A node that decides.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeConfig {
    /// Which node.
    pub node: NodeId,
    /// How it decides.
    pub forwarding: Forwarding,
}

/// How a node decides; ports are named by their index in [`crate::Topology::ports`] and leave this node.
#[derive(Clone, Debug, PartialEq)]
pub enum Forwarding {
    /// One port for each destination.
    Table(BTreeMap<NodeId, u32>),
    /// Of a destination's ports the one with the fewest packets waiting; of equals the first.
    ShortestQueue(BTreeMap<NodeId, Vec<u32>>),
    /// The medium that it is a station of knows the way.
    Medium {
        /// The medium, by its index in [`crate::Topology::media`].
        medium: u32,
        /// The node's place among the medium's stations.
        station: u32,
    },
}

/// A node at work; dispatched statically.
#[derive(Debug)]
pub(crate) enum Node {
    Table(Table),
    ShortestQueue(ShortestQueue),
    Medium { medium: u32, station: u32 },
}

/// Where a node sends a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Through this port.
    Port(u32),
    /// A medium finds the way from the node's place in it.
    Medium { medium: u32, station: u32 },
    /// It knows no way.
    NoRoute,
}

impl Node {
    pub(crate) fn new(forwarding: &Forwarding) -> Self {
        match forwarding {
            Forwarding::Table(ports) => Self::Table(Table(ports.clone())),
            Forwarding::ShortestQueue(ports) => Self::ShortestQueue(ShortestQueue(ports.clone())),
            &Forwarding::Medium { medium, station } => Self::Medium { medium, station },
        }
    }

    pub(crate) fn decide(&mut self, to: NodeId, see: impl FnMut(u32) -> Sight) -> Decision {
        let port = match self {
            Self::Table(rule) => rule.next(to, see),
            Self::ShortestQueue(rule) => rule.next(to, see),
            &mut Self::Medium { medium, station } => return Decision::Medium { medium, station },
        };
        port.map_or(Decision::NoRoute, Decision::Port)
    }
}
