//! Rules that are not ours: they rank pairs of a neighbour and a flow.

use std::fmt;
use windward_units::Time;

/// A packet's choice as a rule sees it: a neighbour, and a commodity that is allowed on the link there and has a packet here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// When.
    pub now: Time,
    /// The node that sends.
    pub node: u32,
    /// The neighbour.
    pub neighbour: u32,
    /// The commodity, in the order in which they became known.
    pub commodity: u32,
    /// Whether the neighbour is where it goes.
    pub is_destination: bool,
    /// Packets of it here: U_i.
    pub own: u32,
    /// Packets of it at the neighbour, as far as is known: U_j; 0 at the destination.
    pub theirs: u32,
    /// K_i of the node.
    pub threshold: f64,
    /// What the link is worth: 1 − p̃.
    pub success: f64,
}

/// A rule that ranks pairs.
pub trait Rank {
    /// How good a pair is: the largest is sent, if it is above 0.
    fn rank(&mut self, pair: &Pair) -> f64;
}

/// A rule of a user's own.
pub struct OwnRule(pub Box<dyn Rank + Send>);

impl fmt::Debug for OwnRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rule of the user's own")
    }
}
