//! Backpressure, or forwarding by differential backlogs: the part that does not depend on medium access.
//!
//! Every node keeps a queue for each commodity. On a link from i to j commodity s has the weight
//!
//!   D_ij^s = max{K_i, U_i^s} − U_j^s        (seferoglu2014 (2); K = 0: Tassiulas and Ephremides 1992)
//!
//! where U_i^s is the number of packets of s at i, and 0 at its destination. A link serves the commodity with the
//! largest D among those that are allowed on it, have a packet at i and D > 0. Ties are drawn at random. A queue below
//! K_i counts as K_i, so that a TCP flow with a small window is served before it times out.
//!
//! * [`Queues`] contains the queues of all nodes and picks a link's commodity. A medium reports arriving packets
//!   ([`Queues::push`]) and departing ones ([`Queues::take`], then [`Queues::leave`] or [`Queues::put_back`]). It
//!   also provides the known backlog of neighbours: exact if one scheduler sees all, from reports if nodes only hear
//!   each other.
//! * [`Rank`] is a user-defined rule in place of (2).
//! * [`Links`] selects the links on which a commodity is allowed: the paper's L_s, which it leaves open. [`Graph`]
//!   computes them.
//! * A commodity is a flow's data, a flow's ACKs or a source's datagrams, known from its first packet on. [`Queues`]
//!   counts the commodities that cross each node for K_i = B_i/|S_i|.
//!
//! **Where we differ.** Read literally, (2) lets an empty queue win. Here a queue must have a packet (U ≥ 1), which the
//! proof of stability allows.

mod books;
mod commodity;
mod graph;
mod links;
mod rank;
#[cfg(test)]
mod tests;

pub use books::{Pick, Queues};
pub use commodity::{Class, Name, QueueBooks};
pub use graph::Graph;
pub use links::Links;
pub use rank::{OwnRule, Pair, Rank};

/// K, the backlog that a shorter queue counts as.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Threshold {
    /// K_i = B_i/|S_i|: a node's buffer over the commodities that cross it.
    #[default]
    Shared,
    /// As [`Shared`](Self::Shared), where a commodity counts by its recent traffic: as a whole from a tenth of the
    /// busiest one's bytes at the node on, below in proportion.
    Recent,
    /// A constant, in packets; not negative. 0 is the classical rule.
    Fixed(f64),
}

/// Parameters of forwarding by backpressure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightConfig {
    /// K.
    pub threshold: Threshold,
    /// Links on which commodities are allowed.
    pub links: Links,
}
