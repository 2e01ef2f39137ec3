//! User-defined rules that rank pairs of a neighbour and a flow.

use std::fmt;
use windward_units::Time;

/// Input of a rule: a neighbour, and a commodity that is allowed on the link to it and has a packet here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Current time.
    pub now: Time,
    /// The sending node.
    pub node: u32,
    /// The neighbour.
    pub neighbour: u32,
    /// Index of the commodity, in the order of registration.
    pub commodity: u32,
    /// True if the neighbour is the destination.
    pub is_destination: bool,
    /// Packets of the commodity here: U_i.
    pub own: u32,
    /// Known packets of the commodity at the neighbour: U_j; 0 at the destination.
    pub theirs: u32,
    /// K_i of the node.
    pub threshold: f64,
    /// Quality of the link: 1 − p̃.
    pub success: f64,
}

/// A rule that ranks pairs.
pub trait Rank {
    /// Returns the rank of a pair: the pair with the largest one is sent, if that is above 0.
    fn rank(&mut self, pair: &Pair) -> f64;
}

/// A user-defined rule.
pub struct OwnRule(pub Box<dyn Rank + Send>);

impl fmt::Debug for OwnRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rule of the user's own")
    }
}
