//! Forwarding by backlog, or backpressure: what does not depend on how nodes share the air.
//!
//! Every node keeps a queue for each commodity. On a link from i to j commodity s has the weight
//!
//!   D_ij^s = max{K_i, U_i^s} − U_j^s        (seferoglu2014 (2); K = 0: Tassiulas and Ephremides 1992)
//!
//! with U_i^s the packets of s at i, and 0 at its destination. Of the commodities that are allowed on the link, have a packet at i
//! and D > 0, the one with the largest D is the link's; equals are drawn at random. A queue below K_i counts as K_i, so that a TCP
//! flow of a small window is served before it times out.
//!
//! * [`Backlog`] has the queues of all nodes and picks a link's commodity. A medium tells it what packets come ([`Backlog::push`]) and go
//!   ([`Backlog::take`], then [`Backlog::leave`] or [`Backlog::put_back`]), and says what is known of a neighbour's queues: the truth
//!   where one scheduler sees all, reports where nodes only hear each other.
//! * [`Rank`] is a rule of a user's own in place of (2).
//! * [`Links`] says on which links a commodity is allowed: the paper's L_s, which it leaves open. [`Graph`] works them out.
//! * A commodity is a flow's data, a flow's ACKs or a source's datagrams, known from its first packet on; [`Backlog`] counts those that
//!   cross each node for K_i = B_i/|S_i|.
//!
//! **Where we differ.** Read literally, (2) lets an empty queue win: here it must have a packet (U ≥ 1), which the proof of
//! stability allows.

mod books;
mod commodity;
mod graph;
mod links;
mod rank;
#[cfg(test)]
mod tests;

pub use books::{Backlog, Pick};
pub use commodity::{Class, Name, QueueBooks};
pub use graph::Graph;
pub use links::Links;
pub use rank::{OwnRule, Pair, Rank};

/// K, the backlog below which a queue counts as so many packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Threshold {
    /// K_i = B_i/|S_i|: a node's buffer over the commodities that cross it.
    #[default]
    Shared,
    /// So many packets; not negative. 0 is the classical rule.
    Fixed(f64),
}

/// How nodes forward by backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BacklogConfig {
    /// K.
    pub threshold: Threshold,
    /// Where commodities are allowed.
    pub links: Links,
}
