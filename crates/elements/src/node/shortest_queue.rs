//! Forwarding to the shortest queue: among several ports, the one with the fewest packets waiting.

use super::rule::Forward;
use crate::packet::NodeId;
use crate::status::Sight;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct ShortestQueue(pub BTreeMap<NodeId, Vec<u32>>);

impl Forward for ShortestQueue {
    fn next(&mut self, to: NodeId, mut see: impl FnMut(u32) -> Sight) -> Option<u32> {
        self.0.get(&to)?.iter().copied().min_by_key(|&port| see(port).backlog)
    }
}
