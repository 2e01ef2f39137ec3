//! Nodes and links, for the checks of flows and sources.

use super::link::Links;
use super::nodes::Nodes;

/// Nodes and links, as flows and sources see them.
#[derive(Clone, Copy)]
pub(crate) struct Network<'a> {
    pub nodes: &'a Nodes,
    pub links: &'a Links,
    /// True if they have no problems.
    pub is_whole: bool,
}
