//! Nodes that choose the next hop of packets themselves.
//!
//! Most nodes decide nothing: a packet's route names every port. A route may instead lead `Step::Across` nodes
//! that choose among their ports packet by packet, each by its own rule.

mod rule;
mod shortest_queue;
mod table;

use crate::packet::NodeId;
use crate::status::Sight;
use rule::Forward;
use shortest_queue::ShortestQueue;
use std::collections::BTreeMap;
use table::Table;

/// A node that chooses ports.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeConfig {
    /// Index of the node.
    pub node: NodeId,
    /// Forwarding rule.
    pub forwarding: Forwarding,
}

/// Forwarding rule of a node; its ports leave this node and are given by index in `Topology::ports`.
#[derive(Clone, Debug, PartialEq)]
pub enum Forwarding {
    /// One port for each destination.
    Table(BTreeMap<NodeId, u32>),
    /// Joins the shortest of a destination's queues: the port with the fewest packets waiting; ties go to the first.
    ShortestQueue(BTreeMap<NodeId, Vec<u32>>),
    /// The medium of which the node is a station knows the route.
    Medium {
        /// The medium, by its index in the topology.
        medium: u32,
        /// Index of the node among the medium's stations.
        station: u32,
    },
}

/// A running node; dispatched statically.
#[derive(Debug)]
pub enum Node {
    /// A forwarding table.
    Table(Table),
    /// The shortest queue of several ports.
    ShortestQueue(ShortestQueue),
    /// A medium that finds routes.
    Medium {
        /// Index of the medium.
        medium: u32,
        /// Index of the node among its stations.
        station: u32,
    },
}

/// Next hop of a packet at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A port.
    Port(u32),
    /// A medium finds the route from the node's place in it.
    Medium {
        /// Index of the medium.
        medium: u32,
        /// Index of the node among its stations.
        station: u32,
    },
    /// The node knows no route.
    NoRoute,
}

impl Node {
    /// A node that forwards by `forwarding`.
    pub fn new(forwarding: &Forwarding) -> Self {
        match forwarding {
            Forwarding::Table(ports) => Self::Table(Table(ports.clone())),
            Forwarding::ShortestQueue(ports) => Self::ShortestQueue(ShortestQueue(ports.clone())),
            &Forwarding::Medium { medium, station } => Self::Medium { medium, station },
        }
    }

    /// Next hop of a packet for `to`; `see` returns the visible state of a port.
    #[inline]
    pub fn decide(&mut self, to: NodeId, see: impl FnMut(u32) -> Sight) -> Decision {
        let port = match self {
            Self::Table(rule) => rule.next(to, see),
            Self::ShortestQueue(rule) => rule.next(to, see),
            &mut Self::Medium { medium, station } => return Decision::Medium { medium, station },
        };
        port.map_or(Decision::NoRoute, Decision::Port)
    }
}
