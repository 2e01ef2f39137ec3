//! The ground that flows and sources stand on.

use super::links::Links;
use super::nodes::Nodes;

/// Nodes and links, as flows and sources see them.
#[derive(Clone, Copy)]
pub(crate) struct Network<'a> {
    pub nodes: &'a Nodes,
    pub links: &'a Links,
    /// Nothing is wrong with them.
    pub is_whole: bool,
}
